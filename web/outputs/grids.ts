// Bars and heatmaps of `plot`, each drawn in place at a fixed height. Curves and points are charts/plot.ts.
import type { Chart } from 'chart.js';
import type { ChartData } from '../../notebook/protocol/messages.ts';
import { formatValue } from '../charts/numbers.ts';
import { PlotChart } from '../charts/plot.ts';
import { chartTheme, onChartTheme, seriesColour } from '../charts/theme.ts';
import { h, setText } from '../dom.ts';
import type { View } from './views.ts';

interface Picture {
  readonly element: HTMLElement;
  update(data: ChartData): void;
  close(): void;
}

const MAKERS = { heat: (data: ChartData): Picture => new HeatChart(data), bars: (data: ChartData): Picture => new BarChart(data), lines: (data: ChartData): Picture => new PlotChart(data) };
const kindOf = ({ heat, series }: ChartData): keyof typeof MAKERS => (heat ? 'heat' : series.some(({ kind }) => kind === 'bar') ? 'bars' : 'lines');

/** The chart that fits what the cell draws; another kind of drawing takes its place. */
export function chartView(data: { readonly chart: ChartData }): View<'chart'> {
  const element = h('div');
  let kind = kindOf(data.chart);
  let picture = MAKERS[kind](data.chart);
  element.append(picture.element);
  return {
    element,
    update: ({ chart }) => {
      if (kindOf(chart) === kind) return picture.update(chart);
      kind = kindOf(chart);
      picture.close();
      picture = MAKERS[kind](chart);
      element.replaceChildren(picture.element);
    },
    close: () => picture.close(),
  };
}

const short = (value: number) => String(Number(value.toPrecision(3))).replace('-', '−');

class BarChart implements Picture {
  readonly element: HTMLElement;
  private readonly title = h('span', { class: 'title' });
  private readonly canvas = h('canvas', { role: 'img' });
  /** Null until Chart.js is there; the place is kept by the height of the figure. */
  private chart: Chart<'bar', number[], string> | null = null;
  private isClosed = false;
  private readonly stopTheme: () => void;
  private data: ChartData;

  constructor(data: ChartData) {
    this.data = data;
    this.element = h('figure', { class: 'chart' }, h('div', { class: 'head' }, this.title), h('div', { class: 'spot', style: { height: `${data.height}px` } }, this.canvas));
    void import('./bars.ts').then((library) => {
      if (this.isClosed) return;
      this.chart = new library.Chart<'bar', number[], string>(this.canvas, {
        type: 'bar',
        data: { labels: [], datasets: [] },
        options: { animation: false, responsive: true, maintainAspectRatio: false, scales: { x: { type: 'category' }, y: { type: 'linear', beginAtZero: true } } },
      });
      this.draw(this.chart);
    }).catch((error: Error) => console.warn(`Charts did not load: ${error.message}`));
    this.stopTheme = onChartTheme(() => this.update(this.data));
    this.update(data);
  }

  update(data: ChartData): void {
    this.data = data;
    const { series, title } = data;
    if (this.chart) this.draw(this.chart);
    setText(this.title, title);
    const facts = series.map(({ name, y }) => ({ name, points: y.length, first: y[0] ?? Number.NaN, last: y.at(-1) ?? Number.NaN, min: Math.min(...y), max: Math.max(...y) }));
    this.element.dataset.series = JSON.stringify(facts);
    this.canvas.setAttribute('aria-label', `${title || 'Bars'}. ${facts.map(({ name, points, min, max }) => `${name || 'series'}: ${points} bars from ${formatValue(min)} to ${formatValue(max)}`).join('; ')}.`);
  }

  private draw(chart: Chart<'bar', number[], string>): void {
    const theme = chartTheme();
    const { series, xNames, xLabel, yLabel } = this.data;
    const longest = series.reduce<ArrayLike<number>>((most, { x }) => (x.length > most.length ? x : most), []);
    chart.data.labels = xNames ? [...xNames] : Array.from(longest, short);
    chart.data.datasets = series.map(({ name, y }, i) => ({
      label: name || yLabel || 'value', data: Array.from(y), backgroundColor: theme.series[seriesColour(i) % theme.series.length]!,
      // The bars of a histogram stand side by side.
      categoryPercentage: series.length > 1 ? 0.8 : xNames ? 0.8 : 0.98, barPercentage: 1,
    }));
    const font = { family: theme.font, size: 12 };
    chart.options.scales = {
      x: { type: 'category', title: { display: xLabel !== '', text: xLabel, color: theme.axis, font }, grid: { display: false }, border: { color: theme.line }, ticks: { color: theme.axis, font, maxRotation: 0, autoSkip: true } },
      y: { type: 'linear', beginAtZero: true, title: { display: yLabel !== '', text: yLabel, color: theme.axis, font }, grid: { color: theme.grid }, border: { display: false }, ticks: { color: theme.axis, font, maxTicksLimit: 6 } },
    };
    chart.options.plugins = { legend: { display: series.length > 1, labels: { color: theme.soft, font, boxWidth: 12 } } };
    chart.update('none');
  }

  close(): void {
    this.isClosed = true;
    this.stopTheme();
    this.chart?.destroy();
    this.element.remove();
  }
}

/** Fields of one colour, from the paper's to the accent's: more ink is more. */
class HeatChart implements Picture {
  readonly element: HTMLElement;
  private readonly title = h('span', { class: 'title' });
  private readonly canvas = h('canvas', { role: 'img' });
  private readonly scale = h('div', { class: 'heat-scale' });
  private readonly rows = h('div', { class: 'heat-rows' });
  private readonly columns = h('div', { class: 'heat-columns' });
  private readonly fact = h('div', { class: 'note-out figures', 'aria-live': 'polite' });
  private readonly stopTheme: () => void;
  private data: ChartData;

  constructor(data: ChartData) {
    this.data = data;
    this.element = h('figure', { class: 'chart heat' },
      h('div', { class: 'head' }, this.title, this.scale),
      h('div', { class: 'heat-box', style: { height: `${data.height}px` } }, this.rows, this.canvas, h('span'), this.columns), this.fact);
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => setText(this.fact, '\u00a0'));
    this.stopTheme = onChartTheme(() => this.update(this.data));
    this.update(data);
  }

  update(data: ChartData): void {
    this.data = data;
    const { rows, columns, values, rowNames, columnNames } = data.heat!;
    const [low, high] = range(values);
    this.canvas.width = Math.max(1, columns);
    this.canvas.height = Math.max(1, rows);
    const context = this.canvas.getContext('2d')!;
    const image = context.createImageData(this.canvas.width, this.canvas.height);
    const ramp = colours(chartTheme().paper, chartTheme().series[0]!);
    for (let i = 0; i < rows * columns; i++) {
      const value = values[i]!;
      const share = high > low ? (value - low) / (high - low) : 1;
      const [red, green, blue] = Number.isFinite(value) ? ramp(share) : [128, 128, 128];
      image.data.set([red!, green!, blue!, Number.isFinite(value) ? 255 : 90], i * 4);
    }
    context.putImageData(image, 0, 0);
    // Up to so many names can be read.
    const names = (all: readonly string[], count: number) => (all.length === count && count <= 30 ? all.map((name) => h('span', { title: name }, name)) : []);
    this.rows.replaceChildren(...names(rowNames, rows));
    this.columns.replaceChildren(...names(columnNames, columns));
    setText(this.title, data.title);
    setText(this.scale, values.length ? `${formatValue(low)} (light) to ${formatValue(high)} (dark)` : '');
    setText(this.fact, '\u00a0');
    this.element.dataset.heat = JSON.stringify({ rows, columns, low, high });
    this.canvas.setAttribute('aria-label', `${data.title || 'Heatmap'}, ${rows} rows and ${columns} columns, from ${formatValue(low)} to ${formatValue(high)}.`);
  }

  private point(event: PointerEvent): void {
    const { rows, columns, values, rowNames, columnNames } = this.data.heat!;
    const box = this.canvas.getBoundingClientRect();
    const column = Math.min(columns - 1, Math.floor(((event.clientX - box.left) / box.width) * columns));
    const row = Math.min(rows - 1, Math.floor(((event.clientY - box.top) / box.height) * rows));
    if (row < 0 || column < 0) return;
    setText(this.fact, `${rowNames[row] ?? `row ${row}`}, ${columnNames[column] ?? `column ${column}`}: ${formatValue(values[row * columns + column]!)}`);
  }

  close(): void {
    this.stopTheme();
    this.element.remove();
  }
}

function range(values: Float64Array): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 0] : [low, high];
}

function colours(from: string, to: string): (share: number) => [number, number, number] {
  const read = (text: string) => {
    const hex = /^#([0-9a-f]{6})$/i.exec(text)?.[1] ?? '808080';
    return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
  };
  const [a, b] = [read(from), read(to)];
  return (share) => a.map((value, i) => Math.round(value + (b[i]! - value) * share)) as [number, number, number];
}
