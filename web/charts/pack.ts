// Curves as rows to keep: long ones thinned, with all that is known of their clock. Whole, or what has come since.
import type { Curves, Metric, MetricRows } from './curves.ts';
import { decimate } from './decimate.ts';

/** Points of one metric beyond which it is thinned; peaks stay. */
const MOST_POINTS = 8000;

/** How many values each metric has. */
export type Extent = ReadonlyMap<string, number>;

export const extentOf = (curves: Curves): Extent => new Map([...curves.metrics.values()].map(({ name, values }) => [name, values.length]));

/**
 * Curves as rows that give the same curves when they are added again. Metrics that were logged together stay together. With
 * `after` only what has come since the curves had this extent: rows to add to those of that time.
 */
export function packRows(curves: Curves, after: Extent = new Map(), most = MOST_POINTS): MetricRows[] {
  const groups: { steps: Float64Array; names: string[]; columns: Float64Array[] }[] = [];
  for (const metric of curves.metrics.values()) {
    const { steps, values } = pointsOf(metric, after.get(metric.name) ?? 0, most);
    if (steps.length === 0) continue;
    const same = groups.find((group) => group.steps.length === steps.length && group.steps.every((step, i) => step === steps[i]));
    if (same) {
      same.names.push(metric.name);
      same.columns.push(values);
    } else groups.push({ steps, names: [metric.name], columns: [values] });
  }
  const axes = curves.knownAxes;
  const epochSize = axes.includes('epoch') ? Math.round(curves.place(curves.steps.last, 'samples') / curves.place(curves.steps.last, 'epoch')) : 0;
  // The longest first: it knows most of the clock.
  return groups.sort((a, b) => b.steps.length - a.steps.length).map(({ steps, names, columns }): MetricRows => ({
    names, steps, columns,
    ...(axes.includes('seconds') && { times: steps.map((step) => curves.place(step, 'seconds') * 1000) }),
    ...(axes.includes('samples') && { samples: steps.map((step) => curves.place(step, 'samples')), epochSize }),
    ...(axes.includes('flops') && { flops: steps.map((step) => curves.place(step, 'flops')) }),
  }));
}

function pointsOf({ steps, values, brokenAt }: Metric, start: number, most: number): { steps: Float64Array; values: Float64Array } {
  const count = values.length - start;
  // The neighbour before the start, which a line to be drawn needs, is kept already.
  const points = count > most
    ? decimate(steps.values, values, values.length, most / 4, steps.values[start]!, steps.last).filter(({ x }) => x >= steps.values[start]!)
    : Array.from({ length: count }, (_, i) => ({ x: steps.values[start + i]!, y: values.values[start + i]! }));
  if (brokenAt && (start === 0 || brokenAt.step > steps.values[start - 1]!)) {
    const at = points.findIndex(({ x }) => x > brokenAt.step);
    points.splice(at < 0 ? points.length : at, 0, { x: brokenAt.step, y: brokenAt.value });
  }
  return { steps: Float64Array.from(points, ({ x }) => x), values: Float64Array.from(points, ({ y }) => y) };
}
