// What cells showed, kept in a database of its own: text is saved apart, small and at once.
import type { Phase } from '../runs.ts';
import type { KeptItem } from '../outputs/items.ts';

const DATABASE = 'gradbook-outputs';
const STORE = 'outputs';

export interface KeptOutputs {
  /** Key of the notebook. */
  readonly notebook: string;
  readonly cellId: string;
  /** Text that was run. */
  readonly source: string;
  /** How the run had ended; `running`: the page was closed while it ran. */
  readonly phase: Phase;
  readonly number: number | null;
  readonly elapsedMs: number | null;
  readonly step: number | null;
  /** Sum over all that the run showed (digest.ts); null while it ran. */
  readonly sum: string | null;
  /** In CSS pixels. */
  readonly height: number;
  readonly items: readonly KeptItem[];
}

let opening: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  return (opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ['notebook', 'cellId'] });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database did not open'));
  }));
}

async function ask<T>(mode: IDBTransactionMode, make: (store: IDBObjectStore) => IDBRequest<T> | undefined): Promise<T | undefined> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode, { durability: 'relaxed' });
    const request = make(transaction.objectStore(STORE));
    // What is written as the page goes away is lost when nobody is left to end the transaction.
    if (mode === 'readwrite') transaction.commit();
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(transaction.error ?? request?.error ?? new Error('the database gave up'));
  });
}

const all = (notebook: string) => IDBKeyRange.bound([notebook], [notebook, []]);

export async function readOutputs(notebook: string): Promise<readonly KeptOutputs[]> {
  return (await ask<KeptOutputs[]>('readonly', (store) => store.getAll(all(notebook)))) ?? [];
}

/** Puts and drops cells of one notebook in one go. */
export async function writeOutputs(notebook: string, kept: readonly KeptOutputs[], dropped: readonly string[]): Promise<void> {
  await ask('readwrite', (store) => {
    for (const each of kept) store.put(each);
    for (const cellId of dropped) store.delete([notebook, cellId]);
    return undefined;
  });
}

export async function dropOutputs(notebook: string): Promise<void> {
  await ask('readwrite', (store) => store.delete(all(notebook)));
}
