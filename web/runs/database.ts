// Training runs in the browser's database, apart from the notebooks. Long curves are kept thinned; peaks stay.
import { Curves, type Mark, type MetricRows } from '../charts/curves.ts';
import { packRows } from '../charts/pack.ts';
import { shelf } from '../host/shelf.ts';
import type { TrainingRun } from './record.ts';
import { dropTails, readTails, type Tail } from './tails.ts';

/** A run to which nothing was added for so long has no page any more. */
const LEFT_MS = 60_000;
type Kept = Omit<TrainingRun, 'curves'> & {
  readonly rows?: readonly MetricRows[];
  readonly marks?: readonly Mark[];
  /** As runs were kept before their clock was. */
  readonly metrics?: readonly { readonly name: string; readonly steps: Float64Array; readonly values: Float64Array }[];
};

const { ask } = shelf('gradbook-runs', 'runs', 'id', 'notebook');

export async function readRuns(notebook: string): Promise<TrainingRun[]> {
  const [kept, tails] = await Promise.all([ask<Kept[]>('readonly', (store) => store.index('notebook').getAll(notebook)), readTails(notebook).catch(() => new Map<string, Tail>())]);
  const runs = kept.map(({ rows, marks, metrics, ...rest }): TrainingRun => {
    const tail = rest.state === 'running' ? tails.get(rest.id) : undefined;
    const curves = new Curves();
    for (const row of rows ?? (metrics ?? []).map(({ name, steps, values }) => ({ names: [name], steps, columns: [values] }))) curves.add(row);
    for (const row of tail?.rows ?? []) curves.add(row);
    curves.marks.push(...(marks ?? []), ...(tail?.marks ?? []));
    // Its page was closed while it ran.
    return { ...rest, ...tail?.now, state: rest.state === 'running' ? 'stopped' : rest.state, curves };
  });
  // Pieces are put together for good, unless another tab may still be adding to them.
  for (const run of runs) {
    const tail = tails.get(run.id);
    if (tail && Date.now() - tail.at > LEFT_MS) void writeRun(run).catch(() => undefined);
  }
  return runs;
}

/** Writes a run whole; what was added to it in pieces is in it. */
export async function writeRun({ curves, ...rest }: TrainingRun): Promise<void> {
  await ask('readwrite', (store) => store.put({ ...rest, rows: packRows(curves), marks: [...curves.marks] } satisfies Kept));
  await dropTails([rest.id]);
}

export async function dropRuns(ids: readonly string[]): Promise<void> {
  for (const id of ids) await ask('readwrite', (store) => store.delete(id));
  await dropTails(ids);
}
