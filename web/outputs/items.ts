// What stands under a cell as plain data, so that the browser can keep it: displays word for word, console lines, curves.
import type { DisplayData, StreamLevel } from '../../notebook/protocol/messages.ts';
import { Curves, type Mark, type MetricRows } from '../charts/curves.ts';
import { packRows } from '../charts/pack.ts';
import type { ErrorFact } from '../errors.ts';

/** Something below the outputs: an error, or a sentence. */
export type NoteFact = { readonly kind: 'error'; readonly error: ErrorFact } | { readonly kind: 'words'; readonly words: string };

export type KeptItem =
  | NoteFact
  | { readonly kind: 'display'; readonly displayId: string; readonly data: DisplayData; readonly isFolded?: boolean }
  | { readonly kind: 'console'; readonly lines: readonly (readonly [StreamLevel, string])[]; readonly dropped: number }
  | { readonly kind: 'curves'; readonly rows: readonly MetricRows[]; readonly marks: readonly Mark[] };

/** Bytes beyond which one output is not kept. */
const MOST_BYTES = 6 * 2 ** 20;

/** Curves as an item that gives the same curves when its rows are added again. */
export function packCurves(curves: Curves): KeptItem {
  return { kind: 'curves', rows: packRows(curves), marks: [...curves.marks] };
}

/** The item, with arrays that carry nothing but their own numbers; a sentence in its place when it is too large. */
export function keepable(item: KeptItem): KeptItem {
  const bytes = sizeOf(item);
  if (bytes > MOST_BYTES) return { kind: 'words', words: `An output of ${Math.round(bytes / 2 ** 20)} MB was too large to be kept. Run the cell to see it.` };
  return item.kind === 'display' ? { ...item, data: trimmed(item.data) as DisplayData } : item;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 8);
}

/** An array that is a window on a larger buffer would take all of it along. */
function trimmed(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return value.buffer.byteLength > value.byteLength && 'slice' in value ? (value as Uint8Array).slice() : value;
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, trimmed(each)]));
}
