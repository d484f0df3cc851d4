// Training runs in the browser's database, apart from the notebooks. Long curves are kept thinned; peaks stay.
import { Curves, type Mark, type MetricRows } from '../charts/curves.ts';
import { packRows } from '../charts/pack.ts';
import type { TrainingRun } from './record.ts';

const DATABASE = 'gradbook-runs';
const STORE = 'runs';
type Kept = Omit<TrainingRun, 'curves'> & {
  readonly rows?: readonly MetricRows[];
  readonly marks?: readonly Mark[];
  /** As runs were kept before their clock was. */
  readonly metrics?: readonly { readonly name: string; readonly steps: Float64Array; readonly values: Float64Array }[];
};

let opening: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  return (opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' }).createIndex('notebook', 'notebook');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database did not open'));
  }));
}

function ask<T>(mode: IDBTransactionMode, make: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return open().then((database) => new Promise<T>((resolve, reject) => {
    const transaction = database.transaction(STORE, mode, { durability: 'relaxed' });
    const request = make(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? request.error ?? new Error('the database gave up'));
  }));
}

export async function readRuns(notebook: string): Promise<TrainingRun[]> {
  const kept = await ask<Kept[]>('readonly', (store) => store.index('notebook').getAll(notebook));
  return kept.map(({ rows, marks, metrics, ...rest }) => {
    const curves = new Curves();
    for (const row of rows ?? (metrics ?? []).map(({ name, steps, values }) => ({ names: [name], steps, columns: [values] }))) curves.add(row);
    curves.marks.push(...(marks ?? []));
    // Its page was closed while it ran.
    return { ...rest, state: rest.state === 'running' ? 'stopped' : rest.state, curves };
  });
}

export async function writeRun({ curves, ...rest }: TrainingRun): Promise<void> {
  await ask('readwrite', (store) => store.put({ ...rest, rows: packRows(curves), marks: [...curves.marks] } satisfies Kept));
}

export async function dropRuns(ids: readonly string[]): Promise<void> {
  for (const id of ids) await ask('readwrite', (store) => store.delete(id));
}
