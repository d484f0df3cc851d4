// Thins a line for drawing: at most four points per pixel column, so that every peak and dip stays visible.
import type { Column } from './column.ts';

export interface Point {
  x: number;
  y: number;
}

/**
 * Points to draw of a line in rising `x` between `from` and `to`, with one neighbour outside at each end. Pixel columns with many
 * points keep their first, lowest, highest and last one. A value that is not finite, or that `keep` refuses, becomes a gap.
 */
export function decimate(x: ArrayLike<number>, y: Column, count: number, columns: number, from: number, to: number, keep: (value: number) => boolean = Number.isFinite): Point[] {
  const points: Point[] = [];
  const start = Math.max(0, firstAtLeast(x, count, from) - 1);
  const end = Math.min(count, firstAtLeast(x, count, to) + 1);
  const add = (i: number) => points.push({ x: x[i]!, y: keep(y.values[i]!) ? y.values[i]! : Number.NaN });
  if (end - start <= columns * 4) {
    for (let i = start; i < end; i++) add(i);
    return points;
  }
  const left = Math.max(from, x[start]!);
  const width = (Math.min(to, x[end - 1]!) - left || 1) / columns;
  let at = start;
  for (let column = 1; at < end; column++) {
    const next = column >= columns ? end : Math.min(end, firstAtLeast(x, end, left + column * width, at));
    if (next === at) continue;
    const { low, high } = y.extremes(at, next);
    let last = -1;
    for (const i of [at, Math.min(low, high), Math.max(low, high), next - 1]) {
      if (i <= last) continue;
      add(i);
      last = i;
    }
    at = next;
  }
  return points;
}

/** The first position, from `start` on, whose value in rising `x` is not below `target`; `count` when there is none. */
export function firstAtLeast(x: ArrayLike<number>, count: number, target: number, start = 0): number {
  let low = start;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the value nearest to `target` in the first `count` values of rising `x`; -1 when there is none. */
export function nearestIndex(x: ArrayLike<number>, count: number, target: number): number {
  if (count === 0) return -1;
  const at = Math.min(count - 1, firstAtLeast(x, count, target));
  return at > 0 && target - x[at - 1]! < x[at]! - target ? at - 1 : at;
}
