// What stands under a cell as plain data, so that the browser can keep it: displays word for word, console lines, curves.
import type { DisplayData, StreamLevel } from '../../notebook/protocol/messages.ts';
import { Curves, type Mark, type Metric, type MetricRows } from '../charts/curves.ts';
import { decimate } from '../charts/decimate.ts';
import type { ErrorFact } from '../errors.ts';

/** Something below the outputs: an error, or a sentence. */
export type NoteFact = { readonly kind: 'error'; readonly error: ErrorFact } | { readonly kind: 'words'; readonly words: string };

export type KeptItem =
  | NoteFact
  | { readonly kind: 'display'; readonly displayId: string; readonly data: DisplayData }
  | { readonly kind: 'console'; readonly lines: readonly (readonly [StreamLevel, string])[]; readonly dropped: number }
  | { readonly kind: 'curves'; readonly rows: readonly MetricRows[]; readonly marks: readonly Mark[] };

/** Points of one metric beyond which it is thinned; peaks stay. */
const MOST_POINTS = 8000;
/** Bytes beyond which one output is not kept. */
const MOST_BYTES = 6 * 2 ** 20;

/** Curves as rows that give the same curves when they are added again. Metrics that were logged together stay together. */
export function packCurves(curves: Curves): KeptItem {
  const groups: { steps: Float64Array; names: string[]; columns: Float64Array[] }[] = [];
  for (const metric of curves.metrics.values()) {
    const { steps, values } = pointsOf(metric);
    const same = groups.find((group) => group.steps.length === steps.length && group.steps.every((step, i) => step === steps[i]));
    if (same) {
      same.names.push(metric.name);
      same.columns.push(values);
    } else groups.push({ steps, names: [metric.name], columns: [values] });
  }
  const axes = curves.knownAxes;
  const epochSize = axes.includes('epoch') ? Math.round(curves.place(curves.steps.last, 'samples') / curves.place(curves.steps.last, 'epoch')) : 0;
  // The longest first: it knows most of the clock.
  const rows = groups.sort((a, b) => b.steps.length - a.steps.length).map(({ steps, names, columns }): MetricRows => ({
    names, steps, columns,
    ...(axes.includes('seconds') && { times: steps.map((step) => curves.place(step, 'seconds') * 1000) }),
    ...(axes.includes('samples') && { samples: steps.map((step) => curves.place(step, 'samples')), epochSize }),
  }));
  return { kind: 'curves', rows, marks: [...curves.marks] };
}

function pointsOf({ steps, values, brokenAt }: Metric): { steps: Float64Array; values: Float64Array } {
  const points = values.length > MOST_POINTS
    ? decimate(steps.values, values, values.length, MOST_POINTS / 4, steps.values[0]!, steps.last)
    : Array.from({ length: values.length }, (_, i) => ({ x: steps.values[i]!, y: values.values[i]! }));
  if (brokenAt) {
    const at = points.findIndex(({ x }) => x > brokenAt.step);
    points.splice(at < 0 ? points.length : at, 0, { x: brokenAt.step, y: brokenAt.value });
  }
  return { steps: Float64Array.from(points, ({ x }) => x), values: Float64Array.from(points, ({ y }) => y) };
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
