// Keeps notebooks in the browser (IndexedDB). Every call says plainly why it failed; the page goes on without it.
import { toNotebook, type Notebook } from '../../notebook/document/notebook.ts';

const DATABASE = 'gradbook';
const STORE = 'notebooks';

/** One kept notebook. `original` is the text it came from: a lesson that was never changed follows its new edition. */
export interface KeptNotebook {
  readonly key: string;
  readonly notebook: Notebook;
  readonly savedAt: number;
}

let opening: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  return (opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'key' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database did not open'));
    request.onblocked = () => reject(new Error('another tab holds an older version of the database'));
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

/** The kept notebook, or null. A damaged one counts as none. */
export async function readNotebook(key: string): Promise<KeptNotebook | null> {
  const found = await ask<KeptNotebook | undefined>('readonly', (store) => store.get(key));
  if (!found) return null;
  return { ...found, notebook: toNotebook(found.notebook) };
}

export async function writeNotebook(key: string, notebook: Notebook): Promise<void> {
  await ask('readwrite', (store) => store.put({ key, notebook, savedAt: Date.now() } satisfies KeptNotebook));
}

export async function dropNotebook(key: string): Promise<void> {
  await ask('readwrite', (store) => store.delete(key));
}

/** Why keeping failed, in words for the top bar. */
export function storageTrouble(error: unknown): string {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'QuotaExceededError') return 'Not saved: storage is full';
  return 'Not saved: this browser denies storage';
}
