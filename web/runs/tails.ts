// What a run that goes on adds to its record, in small pieces: each costs what is new and not what is there, so that they can be
// written often, and a page that is killed loses little. When a run ends it is written whole, and its pieces are dropped.
import type { Mark, MetricRows } from '../charts/curves.ts';
import { shelf } from '../host/shelf.ts';
import type { TrainingRun } from './record.ts';

/** In a database of its own: a new store in that of the runs would have to wait for tabs that hold the old one open. */
/** What may change while a run goes on. */
export type RunNow = Pick<TrainingRun, 'settings' | 'name' | 'note' | 'isShown' | 'elapsedMs' | 'matrices'>;

interface Piece {
  readonly notebook: string;
  readonly run: string;
  /** From 1 on; 0 holds what the run is now. */
  readonly part: number;
  readonly now?: RunNow;
  readonly at?: number;
  readonly rows?: readonly MetricRows[];
  readonly marks?: readonly Mark[];
}

export interface Tail {
  readonly now: RunNow;
  /** When the last piece was written. */
  readonly at: number;
  readonly rows: readonly MetricRows[];
  readonly marks: readonly Mark[];
}

const { ask } = shelf('gradbook-run-tails', 'tails', ['run', 'part'], 'notebook');

/** Adds piece number `part` (from 1 on) to a run. */
export async function addToRun({ id: run, notebook, settings, name, note, isShown, elapsedMs, matrices }: TrainingRun, part: number, rows: readonly MetricRows[], marks: readonly Mark[]): Promise<void> {
  const now: RunNow = { settings, name, note, isShown, elapsedMs, ...(matrices && { matrices }) };
  await ask('readwrite', (store) => {
    store.put({ notebook, run, part: 0, now, at: Date.now() } satisfies Piece);
    store.put({ notebook, run, part, rows, marks } satisfies Piece);
    return undefined;
  });
}

/** What was added to runs of a notebook since they were written whole, by run. */
export async function readTails(notebook: string): Promise<Map<string, Tail>> {
  const tails = new Map<string, Tail>();
  // By index, pieces come in the order of their keys: those of one run together, the first first.
  const pieces = await ask<Piece[]>('readonly', (store) => store.index('notebook').getAll(notebook));
  for (const { run, now, at, rows = [], marks = [] } of pieces) {
    const former = tails.get(run);
    if (now) tails.set(run, { now, at: at ?? 0, rows, marks });
    else if (former) tails.set(run, { ...former, rows: [...former.rows, ...rows], marks: [...former.marks, ...marks] });
  }
  return tails;
}

export async function dropTails(runs: readonly string[]): Promise<void> {
  if (runs.length === 0) return;
  await ask('readwrite', (store) => {
    for (const run of runs) store.delete(IDBKeyRange.bound([run], [run, []]));
    return undefined;
  });
}
