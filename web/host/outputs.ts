// What cells showed, kept in a database of its own: text is saved apart, small and at once.
import type { Phase } from '../runs.ts';
import type { KeptItem } from '../outputs/items.ts';
import { shelf } from './shelf.ts';

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

const { ask } = shelf('gradbook-outputs', 'outputs', ['notebook', 'cellId']);

const all = (notebook: string) => IDBKeyRange.bound([notebook], [notebook, []]);

export async function readOutputs(notebook: string): Promise<readonly KeptOutputs[]> {
  return ask<KeptOutputs[]>('readonly', (store) => store.getAll(all(notebook)));
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
