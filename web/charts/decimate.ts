// Thins a line for drawing: at most four points per pixel column, so that every peak and dip stays visible.

export interface Point {
  x: number;
  y: number;
}

/**
 * Points to draw for `count` values in rising `x`. Columns with many points keep their first, lowest, highest and last one.
 * A value that is not finite becomes a gap (`y` NaN).
 */
export function decimate(x: ArrayLike<number>, y: ArrayLike<number>, count: number, columns: number): Point[] {
  const points: Point[] = [];
  if (count <= columns * 4) {
    for (let i = 0; i < count; i++) points.push({ x: x[i]!, y: Number.isFinite(y[i]!) ? y[i]! : Number.NaN });
    return points;
  }
  const first = x[0]!;
  const scale = columns / (x[count - 1]! - first || 1);
  let start = 0;
  while (start < count) {
    const column = Math.floor((x[start]! - first) * scale);
    let end = start;
    let low = -1;
    let high = -1;
    for (; end < count && Math.floor((x[end]! - first) * scale) === column; end++) {
      const value = y[end]!;
      if (!Number.isFinite(value)) continue;
      if (low < 0 || value < y[low]!) low = end;
      if (high < 0 || value > y[high]!) high = end;
    }
    const chosen = [start, Math.min(low, high), Math.max(low, high), end - 1].filter((index, i, all) => index >= 0 && all.indexOf(index) === i);
    for (const index of chosen.sort((a, b) => a - b)) points.push({ x: x[index]!, y: Number.isFinite(y[index]!) ? y[index]! : Number.NaN });
    start = end;
  }
  return points;
}

/** Index of the value nearest to `target` in the first `count` values of rising `x`; -1 when there is none. */
export function nearestIndex(x: ArrayLike<number>, count: number, target: number): number {
  if (count === 0) return -1;
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low > 0 && target - x[low - 1]! < x[low]! - target ? low - 1 : low;
}
