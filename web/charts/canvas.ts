// One Chart.js picture of fixed height. It is told what to draw and draws it in place; it knows nothing of metrics or cells.

import { Chart, LinearScale, LineController, LineElement, PointElement, Tooltip, type ChartDataset, type ScaleOptionsByType } from 'chart.js';
import { drawNever, drawSoon } from './frames.ts';
import { decimate, nearestIndex, type Point } from './decimate.ts';
import { dots, endLabels, missingMarks, type LineEnd, type Missing } from './marks.ts';
import { chartTheme, onChartTheme } from './theme.ts';
import { formatValue } from './numbers.ts';

Chart.register(LineController, LineElement, PointElement, LinearScale, Tooltip);

/** One thing to draw. Lines with `x` in rising order. */
export interface Drawn {
  readonly name: string;
  readonly kind: 'line' | 'scatter';
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly count: number;
  /** Index into the series colours. */
  readonly colour: number;
  /** `full`; `raw`: the line under its average; `ghost`: a former run. */
  readonly weight: 'full' | 'raw' | 'ghost';
  readonly isDashed: boolean;
  /** Written at the line's end. */
  readonly end: string | null;
}

export interface Picture {
  readonly lines: readonly Drawn[];
  readonly xRange: readonly [number, number];
  readonly yRange: readonly [number, number];
  readonly missing: readonly Missing[];
}

export interface PictureOptions {
  readonly xLabel: string;
  readonly yLabel: string;
  /** Pixels kept at the right for the line ends. */
  readonly endRoom: number;
  formatY(value: number): string;
  formatTick(value: number): string;
}

const ALPHA = { full: 'ff', raw: '40', ghost: '38' } as const;

export class PictureView {
  private readonly canvas: HTMLCanvasElement;
  private readonly options: PictureOptions;
  private readonly chart: Chart<'line', Point[]>;
  private picture: Picture = { lines: [], xRange: [0, 1], yRange: [0, 1], missing: [] };
  private readonly stopTheme: () => void;

  /** The parent of `canvas` gives the size. */
  constructor(canvas: HTMLCanvasElement, options: PictureOptions) {
    this.canvas = canvas;
    this.options = options;
    this.chart = new Chart<'line', Point[]>(canvas, {
      type: 'line',
      data: { datasets: [] },
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        parsing: false,
        normalized: true,
        events: ['mousemove', 'mouseout', 'click', 'touchstart', 'touchmove'],
        layout: { padding: { top: 8, right: options.endRoom, bottom: 0, left: 0 } },
        elements: { line: { borderJoinStyle: 'round', tension: 0 } },
        scales: { x: this.axis(options.xLabel, false), y: this.axis(options.yLabel, true) },
        plugins: { tooltip: { enabled: false } },
        onResize: () => drawSoon(this, () => this.update()),
      },
      plugins: [dots(() => this.picture.lines), endLabels(() => this.ends()), missingMarks(() => this.picture.missing), this.pointer()],
    });
    this.stopTheme = onChartTheme(() => this.dress());
    this.dress();
  }

  /** Shows `picture` at the next frame. */
  draw(picture: Picture): void {
    this.picture = picture;
    drawSoon(this, () => this.update());
  }

  close(): void {
    drawNever(this);
    this.stopTheme();
    this.chart.destroy();
  }

  private axis(label: string, isY: boolean): Partial<ScaleOptionsByType<'linear'>> & { type: 'linear' } {
    return {
      type: 'linear',
      title: { display: !isY && label !== '', text: label, font: { size: 12 }, padding: { top: 2, bottom: 0 } },
      grid: { display: isY, drawTicks: false },
      border: { display: !isY },
      ticks: {
        maxTicksLimit: 6,
        maxRotation: 0,
        padding: 6,
        includeBounds: false,
        font: { size: 12 },
        callback: (value: string | number) => (isY ? this.options.formatTick(Number(value)) : Number(value).toLocaleString('en-US').replace(/,/g, ' ').replace('-', '−')),
      },
      ...(isY ? { afterFit: (scale: { width: number }) => { scale.width = 48; } } : {}),
    } as unknown as Partial<ScaleOptionsByType<'linear'>> & { type: 'linear' };
  }

  private dress(): void {
    const theme = chartTheme();
    for (const name of ['x', 'y'] as const) {
      const axis = this.chart.options.scales![name]! as ScaleOptionsByType<'linear'>;
      axis.ticks.color = theme.axis;
      axis.ticks.font = { family: theme.font, size: 12 };
      axis.title.color = theme.axis;
      axis.title.font = { family: theme.font, size: 12 };
      axis.grid.color = theme.grid;
      axis.border.color = theme.line;
    }
    drawSoon(this, () => this.update());
  }

  private update(): void {
    if (!this.canvas.isConnected) return;
    const theme = chartTheme();
    const columns = Math.max(64, Math.floor(this.chart.chartArea?.width ?? 400));
    const { lines, xRange, yRange } = this.picture;
    const datasets = this.chart.data.datasets;
    datasets.length = Math.min(datasets.length, lines.length);
    lines.forEach((line, i) => {
      const colour = theme.series[line.colour % theme.series.length]! + ALPHA[line.weight];
      const style: ChartDataset<'line', Point[]> = {
        label: line.name,
        // Points are drawn by marks.ts: Chart.js keeps the radius a point first had.
        data: line.kind === 'line' ? decimate(line.x, line.y, line.count, columns) : [],
        borderColor: colour,
        backgroundColor: colour,
        borderWidth: line.weight === 'full' ? 2 : line.weight === 'raw' ? 1 : 1.5,
        borderDash: line.isDashed ? [6, 4] : [],
        pointRadius: 0,
        pointHoverRadius: 0,
        pointHitRadius: 0,
        spanGaps: false,
        order: line.weight === 'full' ? 1 : 3,
      };
      datasets[i] = datasets[i] ? Object.assign(datasets[i], style) : style;
    });
    // Chart.js keeps the style a dataset first had until it is told to read it again.
    datasets.forEach((_, i) => this.chart.getDatasetMeta(i).controller?.configure());
    const scales = this.chart.options.scales!;
    Object.assign(scales.x!, { min: xRange[0], max: xRange[1] });
    Object.assign(scales.y!, { min: yRange[0], max: yRange[1] });
    this.chart.update('none');
  }

  private ends(): LineEnd[] {
    return this.picture.lines.filter((line) => line.end !== null && line.count > 0).map((line) => ({
      x: line.x[line.count - 1]!, y: line.y[line.count - 1]!, name: line.name, text: line.end!, colour: line.colour,
    }));
  }

  /** Snaps to the nearest step under the pointer and lists every line there. */
  private pointer() {
    let at: number | null = null;
    return {
      id: 'pointer',
      afterEvent: (_chart: Chart, { event, inChartArea }: { event: { type: string; x: number | null }; inChartArea: boolean }) => {
        const was = at;
        at = inChartArea && event.type !== 'mouseout' ? event.x : null;
        if (at !== was) drawSoon(this, () => this.update());
      },
      afterDatasetsDraw: (chart: Chart) => {
        if (at === null) return;
        const target = chart.scales.x!.getValueForPixel(at)!;
        const shown = this.picture.lines.filter((line) => line.kind === 'line' && line.weight !== 'ghost' && line.count > 0);
        const rows = shown.map((line) => ({ line, index: nearestIndex(line.x, line.count, target) })).filter((row) => row.index >= 0);
        if (!rows.length) return;
        const nearest = rows.reduce((a, b) => (Math.abs(b.line.x[b.index]! - target) < Math.abs(a.line.x[a.index]! - target) ? b : a));
        const x = nearest.line.x[nearest.index]!;
        drawTip(chart, x, `${this.options.xLabel || 'x'} ${Number.isInteger(x) ? x : formatValue(x)}`, rows.map(({ line, index }) => ({
          colour: line.colour, y: line.y[index]!, isMarked: line.weight === 'full',
          text: `${line.name}${line.weight === 'raw' ? ', raw' : ''} ${this.options.formatY(line.y[index]!)}`,
        })));
      },
    };
  }
}

interface TipRow { colour: number; y: number; text: string; isMarked: boolean }

function drawTip(chart: Chart, x: number, head: string, rows: readonly TipRow[]): void {
  const theme = chartTheme();
  const { ctx, chartArea } = chart;
  const px = chart.scales.x!.getPixelForValue(x);
  ctx.save();
  ctx.strokeStyle = theme.line;
  ctx.beginPath();
  ctx.moveTo(px, chartArea.top);
  ctx.lineTo(px, chartArea.bottom);
  ctx.stroke();
  for (const row of rows) {
    if (!row.isMarked || !Number.isFinite(row.y)) continue;
    ctx.fillStyle = theme.series[row.colour % 6]!;
    ctx.beginPath();
    ctx.arc(px, chart.scales.y!.getPixelForValue(row.y), 3.5, 0, 7);
    ctx.fill();
  }
  ctx.font = `12px ${theme.font}`;
  const width = Math.max(...rows.map((row) => ctx.measureText(row.text).width), ctx.measureText(head).width) + 32;
  const height = 14 + 17 * (rows.length + 1);
  const left = px + 12 + width > chart.width ? px - 12 - width : px + 12;
  ctx.fillStyle = theme.raised;
  ctx.strokeStyle = theme.line;
  ctx.beginPath();
  ctx.roundRect(Math.max(0, left) + 0.5, chartArea.top + 4.5, width, height, 5);
  ctx.fill();
  ctx.stroke();
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillStyle = theme.soft;
  ctx.fillText(head, Math.max(0, left) + 10, chartArea.top + 20);
  rows.forEach((row, i) => {
    const y = chartArea.top + 37 + 17 * i;
    ctx.fillStyle = theme.series[row.colour % 6]!;
    ctx.fillRect(Math.max(0, left) + 10, y - 1, 8, 2);
    ctx.fillStyle = theme.ink;
    ctx.fillText(row.text, Math.max(0, left) + 24, y);
  });
  ctx.restore();
}
