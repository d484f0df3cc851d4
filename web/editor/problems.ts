// What is wrong where, per cell: found by TypeScript while typing, or thrown by the last run. Editors and static text show it.
import { signal, type Signal } from '@preact/signals-core';

export interface Problem {
  readonly start: number;
  readonly length: number;
  readonly message: string;
  readonly code: number;
  readonly severity: 'error' | 'warning' | 'hint';
  readonly isUnnecessary: boolean;
}

/** Where the last run failed; gone when the cell is edited or runs again. */
export interface FailedLine {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const problems = new Map<string, Signal<readonly Problem[]>>();
const failed = new Map<string, Signal<FailedLine | null>>();

export function problemsOf(cellId: string): Signal<readonly Problem[]> {
  let found = problems.get(cellId);
  if (!found) problems.set(cellId, (found = signal<readonly Problem[]>([])));
  return found;
}

export function failedLineOf(cellId: string): Signal<FailedLine | null> {
  let found = failed.get(cellId);
  if (!found) failed.set(cellId, (found = signal<FailedLine | null>(null)));
  return found;
}
