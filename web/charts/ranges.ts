// How far the axes of a chart reach: round ends that do not move with every point, or what a reader zoomed into.
import type { Drawn } from './canvas.ts';
import { firstAtLeast } from './decimate.ts';
import type { Group } from './groups.ts';
import { roundUp } from './numbers.ts';
import type { Range } from './pointer.ts';

/** Share of points that may lie outside at each end when outliers are ignored. */
const OUTSIDE = 0.02;
const SAMPLED = 1500;

export interface RangeOptions {
  readonly isLog: boolean;
  readonly ignoresOutliers: boolean;
  /** What a reader zoomed into; null: everything. */
  readonly zoom: Range | null;
}

export function xRange(lines: readonly Drawn[], others: readonly number[], zoom: Range | null): Range {
  if (zoom) return zoom;
  const last = Math.max(0, ...others, ...lines.map((line) => (line.count ? line.x[line.count - 1]! : 0)).filter(Number.isFinite));
  return [0, roundUp(last > 0 ? last : 10)];
}

export function yRange(lines: readonly Drawn[], group: Group, x: Range, { isLog, ignoresOutliers, zoom }: RangeOptions): Range {
  if (group.scale === 'share' && !isLog && !zoom && !ignoresOutliers) return [0, 1];
  const drawn = ignoresOutliers || isLog ? lines.filter((line) => line.weight !== 'ghost') : lines;
  const bounds = ignoresOutliers ? quantiles(drawn, x) : extremes(drawn, x, isLog);
  if (!bounds) return isLog ? [0.1, 1] : [0, 1];
  let [low, high] = bounds;
  if (isLog) {
    low = low > 0 ? low : smallest(drawn, x);
    if (!(high > low)) high = low * 10;
    return [low / 1.15, high * 1.15];
  }
  if (group.scale === 'positive' && low >= 0 && !zoom) return [0, roundUp(high)];
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  if (group.scale !== 'free' && low >= 0) low = Math.max(low, room);
  return [low - room, high + room];
}

/** From the lowest to the highest value of the lines within `x`; null when there is none. */
function extremes(lines: readonly Drawn[], [from, to]: Range, isLog: boolean): [number, number] | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { x, y, count, band } of lines) {
    const start = firstAtLeast(x, count, from);
    const end = Math.min(count, firstAtLeast(x, count, to) + 1);
    for (const column of band ? [y, band] : [y]) {
      const at = column.extremes(start, end);
      if (at.low < 0) continue;
      if (!isLog || column.values[at.low]! > 0) low = Math.min(low, column.values[at.low]!);
      high = Math.max(high, column.values[at.high]!);
    }
  }
  return low <= high ? [low, high] : high > 0 && isLog ? [0, high] : null;
}

function sampled(lines: readonly Drawn[], [from, to]: Range): number[] {
  const values: number[] = [];
  for (const { x, y, count } of lines) {
    const start = firstAtLeast(x, count, from);
    const end = Math.min(count, firstAtLeast(x, count, to) + 1);
    const every = Math.max(1, Math.floor((end - start) / SAMPLED));
    for (let i = start; i < end; i += every) if (Number.isFinite(y.values[i]!)) values.push(y.values[i]!);
  }
  return values.sort((a, b) => a - b);
}

function quantiles(lines: readonly Drawn[], x: Range): [number, number] | null {
  const values = sampled(lines, x);
  if (!values.length) return null;
  const at = (share: number) => values[Math.round(share * (values.length - 1))]!;
  return [at(OUTSIDE), at(1 - OUTSIDE)];
}

function smallest(lines: readonly Drawn[], x: Range): number {
  return sampled(lines, x).find((value) => value > 0) ?? 0.1;
}
