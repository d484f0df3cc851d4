// The chart that a cell asks for with `plot.*`: series with any x and y, updated in place.

import type { ChartData, ChartSeries } from '../../notebook/protocol/messages.ts';
import type { Drawn } from './canvas.ts';
import { columnOf } from './column.ts';
import { ChartFrame, MOST_NAMED } from './frame.ts';
import { formatTick, formatValue } from './numbers.ts';
import type { Range } from './pointer.ts';
import { yRange } from './ranges.ts';
import type { TableData } from './table.ts';
import { seriesColour } from './theme.ts';

export class PlotChart {
  readonly frame: ChartFrame;
  private range: { x: Range; y: Range } | null = null;
  private zoom: Range | null = null;
  private isLog = false;
  private data: ChartData;

  constructor(data: ChartData) {
    this.data = data;
    this.frame = new ChartFrame({
      title: data.title, xLabel: data.xLabel, yLabel: data.yLabel, height: data.height, endRoom: isNamed(data) ? 78 : 24, showsYLabel: true,
      empty: 'The series of this chart have no points yet.', formatY: formatValue, formatTick,
      more: [{ label: 'Log y', isOn: () => this.isLog, act: () => { this.isLog = !this.isLog; this.update(this.data); } }],
      table: () => this.table(),
      onZoom: (range) => { this.zoom = range; this.update(this.data); },
    });
    this.update(data);
  }

  get element(): HTMLElement {
    return this.frame.element;
  }

  update(data: ChartData): void {
    this.data = data;
    this.frame.setTitle(data.title || (data.yLabel ? `${data.yLabel} over ${data.xLabel}` : ''));
    const named = isNamed(data);
    const lines = data.series.map((series, i) => toLine(series, i, named));
    const points = lines.reduce((sum, line) => sum + line.count, 0);
    this.range = extent(lines, this.range);
    const x = this.zoom ?? this.range.x;
    const y = this.zoom || this.isLog ? yRange(lines, { key: 'plot', title: '', yLabel: '', scale: 'free' }, x, { isLog: this.isLog, ignoresOutliers: false, zoom: this.zoom }) : this.range.y;
    this.frame.view.draw({ lines, missing: [], events: [], isLog: this.isLog, xLabel: data.xLabel, xRange: x, yRange: y });
    this.frame.setNote([this.isLog ? 'log axis' : '', this.zoom ? 'zoomed, double click shows all' : ''].filter(Boolean).join(', '));
    this.frame.showKeys(lines);
    this.frame.showEmpty(points === 0);
    this.frame.summarise(data.series.map(factOf), () => sentence(data), true);
  }

  close(): void {
    this.frame.close();
  }

  /** Every point of every series, one after the other. */
  private table(): TableData {
    const { series, xLabel, yLabel } = this.data;
    const starts = series.map((_, i) => series.slice(0, i).reduce((sum, { x }) => sum + x.length, 0));
    return {
      head: [xLabel || 'x', yLabel || 'y', 'series'],
      count: series.reduce((sum, { x }) => sum + x.length, 0),
      row: (i) => {
        const at = starts.findLastIndex((start) => start <= i);
        const own = series[at]!;
        return [own.x[i - starts[at]!]!, own.y[i - starts[at]!]!, own.name];
      },
    };
  }
}

/** Few lines bear their names at their ends; points have no end. */
const isNamed = ({ series }: ChartData): boolean => series.length > 0 && series.length <= MOST_NAMED && series.every(({ kind, name }) => kind === 'line' && name !== '');

function toLine(series: ChartSeries, index: number, isNamed: boolean): Drawn {
  const isLine = series.kind === 'line';
  const { x, y } = isLine ? rising(series) : series;
  return { name: series.name, kind: isLine ? 'line' : 'scatter', x, y: columnOf(y), count: Math.min(x.length, y.length), colour: seriesColour(index), weight: 'full', isDashed: false, end: isNamed && y.length ? formatValue(y[y.length - 1]!) : null };
}

/** A line in the order of its x; left as it is when it already rises. */
function rising(series: ChartSeries): { x: Float64Array; y: Float64Array } {
  const { x, y } = series;
  let isRising = true;
  for (let i = 1; i < x.length && isRising; i++) isRising = x[i]! >= x[i - 1]!;
  if (isRising) return { x, y };
  const order = Array.from(x, (_, i) => i).sort((a, b) => x[a]! - x[b]!);
  return { x: Float64Array.from(order, (i) => x[i]!), y: Float64Array.from(order, (i) => y[i]!) };
}

/** The data's box with a little room. It shrinks only when it would be half empty, so that moving lines do not shake the axes. */
function extent(lines: readonly Drawn[], former: { x: Range; y: Range } | null) {
  const box = { x: bounds(lines.map((line) => [line.x, line.count] as const)), y: bounds(lines.map((line) => [line.y.values, line.count] as const)) };
  if (!former) return box;
  return { x: steady(box.x, former.x), y: steady(box.y, former.y) };
}

function bounds(columns: readonly (readonly [ArrayLike<number>, number])[]): [number, number] {
  const [low, high] = limits(columns);
  if (low > high) return [0, 1];
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return [low - room, high + room];
}

/** The least and the largest of all that are finite; the other way round when none is. */
function limits(columns: readonly (readonly [ArrayLike<number>, number])[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const [values, count] of columns) {
    for (let i = 0; i < count; i++) {
      const value = values[i]!;
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
}

function steady(next: [number, number], former: Range): [number, number] {
  const union: [number, number] = [Math.min(next[0], former[0]), Math.max(next[1], former[1])];
  return (union[1] - union[0]) * 0.5 > next[1] - next[0] ? next : union;
}

function factOf(series: ChartSeries) {
  const [min, max] = limits([[series.y, series.y.length]]);
  return { name: series.name, points: series.y.length, first: series.y[0] ?? Number.NaN, last: series.y[series.y.length - 1] ?? Number.NaN, min, max };
}

function sentence(data: ChartData): string {
  const parts = data.series.map((series) => {
    const count = `${series.name ? `${series.name}: ` : ''}${series.y.length || 'no'} points`;
    if (!series.y.length) return count;
    if (series.kind === 'line') return `${count}, ${data.yLabel || 'y'} from ${formatValue(series.y[0]!)} to ${formatValue(series.y[series.y.length - 1]!)}`;
    // Points have no first and no last.
    const between = (label: string, values: ArrayLike<number>) => `${label} between ${limits([[values, values.length]]).map(formatValue).join(' and ')}`;
    return `${count}, ${between(data.xLabel || 'x', series.x)}, ${between(data.yLabel || 'y', series.y)}`;
  });
  return `${data.title || 'Chart'}, ${data.yLabel || 'y'} over ${data.xLabel || 'x'}. ${parts.join('; ')}.`;
}
