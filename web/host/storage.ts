// Keeps notebooks in the browser (IndexedDB). Every call says plainly why it failed; the page goes on without it.
import { toNotebook, type Notebook } from '../../notebook/document/notebook.ts';
import { shelf } from './shelf.ts';

const STORE = 'notebooks';

/** One kept notebook. `original`: what a notebook of one's own was when it came, a lesson when somebody began to change it. */
export interface KeptNotebook {
  readonly key: string;
  readonly notebook: Notebook;
  readonly savedAt: number;
  readonly original?: Notebook | null;
}

/** What the database did not take, and why: it stays while the page is open, and comes back when its notebook is opened again. */
const unsaved = new Map<string, { readonly record: KeptNotebook; readonly words: string }>();

/** Keeps a notebook that the database did not take; a later one that it takes replaces it. */
export function holdUnsaved(record: KeptNotebook, error: unknown): void {
  unsaved.set(record.key, { record, words: storageTrouble(error) });
}

/** Why the notebook is only in this page, in words; null when it is not. */
export const unsavedTrouble = (key: string): string | null => unsaved.get(key)?.words ?? null;

/** Whether somebody's work is lost with this page. */
export const hasUnsaved = (): boolean => [...unsaved.values()].some(({ record }) => record.notebook !== record.original);

const { open, ask } = shelf('gradbook', STORE, 'key');

/** The kept notebook, or null. A damaged one counts as none. */
export async function readNotebook(key: string): Promise<KeptNotebook | null> {
  const held = unsaved.get(key);
  if (held) return held.record;
  const found = await ask<KeptNotebook | undefined>('readonly', (store) => store.get(key));
  if (!found) return null;
  return { ...found, notebook: toNotebook(found.notebook), original: found.original ? toNotebook(found.original) : null };
}

/** All kept notebooks whose key begins with these letters, the one changed last first. */
export async function listNotebooks(prefix: string): Promise<readonly { readonly key: string; readonly title: string; readonly savedAt: number }[]> {
  const held = [...unsaved.values()].map(({ record }) => record).filter(({ key }) => key.startsWith(prefix));
  const found = await ask<KeptNotebook[]>('readonly', (store) => store.getAll(IDBKeyRange.bound(prefix, `${prefix}\uffff`))).catch((error) => {
    if (held.length === 0) throw error;
    return [];
  });
  return [...found.filter(({ key }) => !unsaved.has(key)), ...held].map(({ key, notebook, savedAt }) => ({ key, title: notebook.title, savedAt })).sort((a, b) => b.savedAt - a.savedAt);
}

/** Somebody else has written the notebook since this page saw it. */
export class ChangedElsewhere extends Error {}

/**
 * Keeps a notebook; gives back its `savedAt`. `seenAt`: the `savedAt` that is known, null when none is; what another one
 * has written is then left alone (ChangedElsewhere). Without it the write needs no answer of the database, and gets
 * through when the page is about to go.
 */
export async function writeNotebook(key: string, notebook: Notebook, original: Notebook | null, seenAt?: number | null): Promise<number> {
  const record = { key, notebook, original, savedAt: Date.now() } satisfies KeptNotebook;
  try {
    if (seenAt === undefined) await ask('readwrite', (store) => store.put(record));
    else await putIfKnown(record, seenAt);
  } catch (error) {
    // `savedAt` stays that of the record in the database, which the next try has to find there.
    if (!(error instanceof ChangedElsewhere)) holdUnsaved({ ...record, savedAt: seenAt ?? record.savedAt }, error);
    throw error;
  }
  unsaved.delete(key);
  return record.savedAt;
}

async function putIfKnown(record: KeptNotebook, seenAt: number | null): Promise<void> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, 'readwrite', { durability: 'relaxed' });
    const store = transaction.objectStore(STORE);
    const found: IDBRequest<KeptNotebook | undefined> = store.get(record.key);
    let isOther = false;
    found.onsuccess = () => {
      isOther = found.result !== undefined && found.result.savedAt !== seenAt;
      if (!isOther) store.put(record);
    };
    transaction.oncomplete = () => (isOther ? reject(new ChangedElsewhere()) : resolve());
    transaction.onabort = () => reject(transaction.error ?? new Error('the database gave up'));
  });
}

export async function dropNotebook(key: string): Promise<void> {
  unsaved.delete(key);
  await ask('readwrite', (store) => store.delete(key));
}

let promise: Promise<boolean> | null = null;

/** Asks the browser, once, not to clear what is kept here when it needs room or nobody comes for a week. False: it may. */
export function askToStay(): Promise<boolean> {
  return (promise ??= (async () => (await navigator.storage?.persist?.()) ?? false)().catch(() => false));
}

/** Why keeping failed, in words for the top bar. */
export function storageTrouble(error: unknown): string {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'QuotaExceededError') return 'Not saved: storage is full';
  return 'Not saved: this browser denies storage';
}
