// What is known of each cell's last run: shown in the gutter, read by tests through data attributes.
import { signal, type Signal } from '@preact/signals-core';

/** `restored`: what is shown is of an earlier kernel, in this visit or the last; names have no values. */
export type Phase = 'none' | 'queued' | 'running' | 'fresh' | 'error' | 'stopped' | 'cancelled' | 'restored';

export interface CellRun {
  readonly phase: Phase;
  /** Of a restored cell: how its run had ended. */
  readonly former: Phase | null;
  /** How many runs the notebook had when this one began, or null before the first. */
  readonly number: number | null;
  /** Text that was run. */
  readonly source: string | null;
  readonly startedAt: number;
  readonly elapsedMs: number | null;
  /** Last logged step. */
  readonly step: number | null;
  /** Why the result does not hold any more although the text is the same: "uses `lr`, which cell 2 changed from 0.1 to 0.01". */
  readonly stale: string | null;
}

const NEVER: CellRun = { phase: 'none', former: null, number: null, source: null, startedAt: 0, elapsedMs: null, step: null, stale: null };
const runs = new Map<string, Signal<CellRun>>();
let count = 0;

export function runOf(cellId: string): Signal<CellRun> {
  let run = runs.get(cellId);
  if (!run) {
    run = signal(NEVER);
    runs.set(cellId, run);
  }
  return run;
}

export function changeRun(cellId: string, change: Partial<CellRun>): void {
  const run = runOf(cellId);
  run.value = { ...run.value, ...change };
}

export function nextRunNumber(): number {
  return ++count;
}

/** All values are gone (kernel restart) or another notebook is open. */
export function forgetRuns(): void {
  count = 0;
  for (const run of runs.values()) run.value = NEVER;
}
