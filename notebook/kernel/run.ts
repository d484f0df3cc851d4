// One execution of a cell, from the moment it starts. Owns what must end when the run ends or the cell runs again.
import type { CellProgram, ColumnShift, RunId } from '../protocol/messages.ts';
import type { Settings } from './engine.ts';

/** How a compiled cell names itself in stack traces. */
export function sourceName(cellId: string, runId: RunId): string {
  return `cell-${cellId}.${runId}.ts`;
}

/** Console lines that one run may send before only the last lines of each batch go through. */
const FREE_LINES = 1000;

export class Run {
  readonly runId: RunId;
  readonly cellId: string;
  readonly cellIndex: number;
  readonly shifts: readonly ColumnShift[];
  /** What runs, line by line where the cell has it. */
  readonly code: string;
  readonly startedAt: number;
  /** Aborted when the run is stopped, its cell runs again or is deleted. */
  readonly controller = new AbortController();
  isStopped = false;
  /** Last logged step; null before the first. */
  step: number | null = null;
  /** Names already reported as not finite. */
  readonly notFinite = new Set<string>();
  /** An optimizer has done a step in it. */
  hasOptimizer = false;
  /** What its notebook's variables were when it first logged, without those that it has changed since; null before. */
  settings: Settings | null = null;
  freeLines = FREE_LINES;
  #loggedFrom = -1;
  #displays = 0;

  constructor(runId: RunId, cellId: string, cellIndex: number, { code, shifts }: Pick<CellProgram, 'code' | 'shifts'>, startedAt: number) {
    this.runId = runId;
    this.cellId = cellId;
    this.cellIndex = cellIndex;
    this.shifts = shifts;
    this.code = code;
    this.startedAt = startedAt;
  }

  /** As learners see it: `cell 2`. */
  get label(): string {
    return `cell ${this.cellIndex}`;
  }

  /** Milliseconds since it first logged, which is now when it has not yet. */
  loggedFor(now: number): number {
    if (this.#loggedFrom < 0) this.#loggedFrom = now;
    return now - this.#loggedFrom;
  }

  /** A new id for a display of this run: never used by another run. */
  nextDisplayId(): string {
    this.#displays += 1;
    return `${this.runId}-${this.#displays}`;
  }
}
