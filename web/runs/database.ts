// Training runs in the browser's database, apart from the notebooks. Long curves are kept thinned; peaks stay.
import { Curves } from '../charts/curves.ts';
import { decimate } from '../charts/decimate.ts';
import type { TrainingRun } from './record.ts';

const DATABASE = 'gradbook-runs';
const STORE = 'runs';
/** Points of one metric beyond which it is thinned. */
const MOST_POINTS = 8000;

type Kept = Omit<TrainingRun, 'curves'> & { readonly metrics: readonly { readonly name: string; readonly steps: Float64Array; readonly values: Float64Array }[] };

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
  return kept.map(({ metrics, ...rest }) => {
    const curves = new Curves();
    for (const { name, steps, values } of metrics) curves.add({ names: [name], steps, columns: [values] });
    return { ...rest, curves };
  });
}

export async function writeRun({ curves, ...rest }: TrainingRun): Promise<void> {
  const metrics = [...curves.metrics.values()].map(({ name, steps, values }) => {
    const points = values.length > MOST_POINTS ? decimate(steps.values, values, values.length, MOST_POINTS / 4, steps.values[0]!, steps.last) : null;
    return points
      ? { name, steps: Float64Array.from(points, ({ x }) => x), values: Float64Array.from(points, ({ y }) => y) }
      : { name, steps: steps.values.slice(0, steps.length), values: values.values.slice(0, values.length) };
  });
  await ask('readwrite', (store) => store.put({ ...rest, metrics } satisfies Kept));
}

export async function dropRuns(ids: readonly string[]): Promise<void> {
  for (const id of ids) await ask('readwrite', (store) => store.delete(id));
}
