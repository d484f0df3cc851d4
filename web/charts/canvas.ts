// One Chart.js picture of fixed height. It is told what to draw and draws it in place; it knows nothing of metrics or cells.

import { Chart, LinearScale, LogarithmicScale, type ScaleOptionsByType } from 'chart.js';
import type { Column } from './column.ts';
import { drawNever, drawSoon } from './frames.ts';
import { firstAtLeast, nearestIndex } from './decimate.ts';
import { strokes } from './lines.ts';
import { dots, endLabels, eventTicks, missingMarks, type LineEnd, type Missing } from './marks.ts';
import { chartTheme, onChartTheme } from './theme.ts';
import { formatTick, formatValue, logTicks, roundTicks } from './numbers.ts';
import { Pointer, type Range } from './pointer.ts';
import { drawTip } from './tip.ts';
import { formatCount } from '../shell/words.ts';

// Chart.js has the axes; what is drawn between them is ours (lines.ts, marks.ts).
Chart.register(LinearScale, LogarithmicScale);

/** One thing to draw. Lines with `x` in rising order. */
export interface Drawn {
  readonly name: string;
  readonly kind: 'line' | 'scatter';
  readonly x: ArrayLike<number>;
  readonly y: Column;
  readonly count: number;
  /** Index into the series colours. */
  readonly colour: number;
  /** `full`; `raw`: the line under its average; `ghost`: a former run. */
  readonly weight: 'full' | 'raw' | 'ghost';
  readonly isDashed: boolean;
  /** Written at the line's end. */
  readonly end: string | null;
  /** Shorter name for the line's end. */
  readonly label?: string;
  /** A second, fainter edge: the line and this one are joined by a band (spread over seeds). */
  readonly band?: Column;
}

export interface Picture {
  readonly lines: readonly Drawn[];
  readonly xRange: readonly [number, number];
  readonly yRange: readonly [number, number];
  readonly missing: readonly Missing[];
  /** Ticks under the top edge: what happened where. */
  readonly events: readonly Missing[];
  readonly isLog: boolean;
  readonly xLabel: string;
  /** How places on the x axis are written; whole numbers unless given. */
  readonly formatX?: ((value: number) => string) | undefined;
}

export const EMPTY_PICTURE: Picture = { lines: [], xRange: [0, 1], yRange: [0, 1], missing: [], events: [], isLog: false, xLabel: '' };

export interface PictureOptions {
  readonly xLabel: string;
  readonly yLabel: string;
  /** Pixels kept at the right for the line ends. */
  readonly endRoom: number;
  formatY(value: number): string;
  formatTick(value: number): string;
  /** The reader chose another part of the x axis; null: all of it. */
  onZoom?(range: Range | null): void;
  /** The reader put a step under the pointer and pressed: for whoever wants to go there. */
  onPick?(x: number): void;
}

/** The most ticks of an axis. */
const TICKS = 6;

/** Steps with their thousands apart; other numbers as on the other axis. */
const formatX = (value: number): string => (Number.isInteger(value) && Math.abs(value) < 1e9 ? formatCount(value).replace('-', '−') : formatTick(value));

interface TickedScale {
  readonly min: number;
  readonly max: number;
  ticks: { value: number }[];
}

export class PictureView {
  private readonly canvas: HTMLCanvasElement;
  private readonly options: PictureOptions;
  private readonly chart: Chart<'line'>;
  private shown: Picture = EMPTY_PICTURE;
  private readonly stopTheme: () => void;
  private readonly pointer: Pointer;
  private isLog = false;
  /** What the axes were laid out for: while it stays, only lines are drawn anew. */
  private laidOut = '';

  /** The parent of `canvas` gives the size. */
  constructor(canvas: HTMLCanvasElement, options: PictureOptions) {
    this.canvas = canvas;
    this.options = options;
    // Before the chart, which draws at once when the canvas has its size already.
    this.pointer = new Pointer(canvas, {
      range: () => this.shown.xRange,
      toX: (px) => this.chart.scales.x!.getValueForPixel(px)!,
      steps: () => this.shown.lines.find((line) => line.weight === 'full' && line.count > 0),
      redraw: () => this.redraw(true),
      zoom: (range) => options.onZoom?.(range),
      pick: (x) => options.onPick?.(x),
    });
    this.chart = new Chart<'line'>(canvas, {
      type: 'line',
      data: { datasets: [] },
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        events: [],
        layout: { padding: { top: 16, right: options.endRoom, bottom: 0, left: 0 } },
        scales: { x: this.axis(options.xLabel, false), y: this.axis(options.yLabel, true) },
        onResize: () => this.redraw(true),
      },
      plugins: [dots(() => this.shown.lines), strokes(() => this.shown.lines, () => this.shown.isLog), endLabels(() => this.ends()), missingMarks(() => this.shown.missing), eventTicks(() => this.shown.events), this.tip()],
    });
    this.stopTheme = onChartTheme(() => this.dress());
    this.dress();
  }

  /** What is drawn now. */
  get picture(): Picture {
    return this.shown;
  }

  /** The picture as a PNG on the page's ground, at screen resolution. */
  toPng(): string {
    this.update();
    const copy = document.createElement('canvas');
    copy.width = this.canvas.width;
    copy.height = this.canvas.height;
    const context = copy.getContext('2d')!;
    context.fillStyle = chartTheme().paper;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.canvas, 0, 0);
    return copy.toDataURL('image/png');
  }

  /** Shows `picture` soon; at the next frame when the reader asked for it. */
  draw(picture: Picture, isAsked = false): void {
    this.shown = picture;
    this.redraw(isAsked);
  }

  private redraw(isAsked: boolean): void {
    drawSoon(this, this.canvas, () => this.update(), isAsked);
  }

  close(): void {
    drawNever(this);
    this.stopTheme();
    this.pointer.close();
    this.chart.destroy();
  }

  private axis(label: string, isY: boolean): Partial<ScaleOptionsByType<'linear'>> & { type: 'linear' } {
    return {
      type: 'linear',
      title: { display: !isY && label !== '', text: label, font: { size: 12 }, padding: { top: 2, bottom: 0 } },
      grid: { display: isY, drawTicks: false },
      border: { display: !isY },
      ticks: {
        maxTicksLimit: TICKS,
        maxRotation: 0,
        padding: 6,
        includeBounds: false,
        font: { size: 12 },
        callback: (value: string | number) => (isY ? this.options.formatTick(Number(value)) : (this.shown?.formatX ?? formatX)(Number(value))),
      },
      // The library's own would give a single one, 0, between −4.8 and 4.8.
      afterBuildTicks: (scale: TickedScale) => { scale.ticks = roundTicks([scale.min, scale.max], TICKS).map((value) => ({ value })); },
      ...(isY ? { afterFit: (scale: { width: number }) => { scale.width = 48; } } : {}),
    } as unknown as Partial<ScaleOptionsByType<'linear'>> & { type: 'linear' };
  }

  private dress(): void {
    this.dressAxes();
    this.laidOut = '';
    this.redraw(true);
  }

  private dressAxes(): void {
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
  }

  private update(): void {
    if (!this.canvas.isConnected) return;
    const { xRange, yRange, isLog, xLabel } = this.shown;
    const state = [xRange, yRange, isLog, xLabel, this.chart.width, this.chart.height, devicePixelRatio].join();
    if (state === this.laidOut) return this.chart.draw();
    this.laidOut = state;
    const scales = this.chart.options.scales!;
    if (isLog !== this.isLog) {
      this.isLog = isLog;
      scales.y = { ...this.axis(this.options.yLabel, true), type: isLog ? 'logarithmic' : 'linear', ...(isLog ? { afterBuildTicks: (scale: TickedScale) => { scale.ticks = logTicks(scale.min, scale.max).map((value) => ({ value })); } } : {}) } as never;
      this.dressAxes();
    }
    Object.assign(scales.x!, { min: xRange[0], max: xRange[1] });
    (scales.x as { title: { text: string } }).title.text = this.shown.xLabel || this.options.xLabel;
    Object.assign(scales.y!, { min: yRange[0], max: yRange[1] });
    this.chart.update('none');
  }

  /** Where lines leave the picture: at their last value, or at the edge of what is zoomed into. */
  private ends(): LineEnd[] {
    const [, edge] = this.shown.xRange;
    return this.shown.lines.filter((line) => line.end !== null && line.count > 0).map((line) => {
      const isCut = line.x[line.count - 1]! > edge;
      const at = isCut ? Math.max(0, firstAtLeast(line.x, line.count, edge) - 1) : line.count - 1;
      const y = line.y.values[at]!;
      return { x: line.x[at]!, y, name: line.label ?? line.name, text: isCut ? this.options.formatY(y) : line.end!, colour: line.colour };
    });
  }

  /** Snaps to the nearest step under the pointer and lists every line there. */
  private tip() {
    return {
      id: 'tip',
      beforeDatasetsDraw: (chart: Chart) => this.pointer.drawSelection(chart),
      afterDatasetsDraw: (chart: Chart) => {
        const { at } = this.pointer;
        if (at === null) return;
        const target = at;
        const lines = this.shown.lines.filter((line) => line.kind === 'line' && line.weight !== 'ghost' && line.count > 0);
        const rows = lines.map((line) => ({ line, index: nearestIndex(line.x, line.count, target) })).filter((row) => row.index >= 0);
        if (!rows.length) return;
        const nearest = rows.reduce((a, b) => (Math.abs(b.line.x[b.index]! - target) < Math.abs(a.line.x[a.index]! - target) ? b : a));
        const x = nearest.line.x[nearest.index]!;
        const event = this.shown.events.find((mark) => Math.abs(chart.scales.x!.getPixelForValue(mark.x) - chart.scales.x!.getPixelForValue(x)) < 5);
        const label = this.shown.xLabel || this.options.xLabel || 'x';
        drawTip(chart, x, `${label} ${this.shown.formatX?.(x) ?? (Number.isInteger(x) ? x : formatValue(x))}${event ? `, ${event.text}` : ''}`, rows.map(({ line, index }) => {
          const value = line.y.values[index]!;
          const other = line.band ? ` to ${this.options.formatY(line.band.values[index]!)}` : '';
          return { colour: line.colour, y: value, isMarked: line.weight === 'full', text: `${line.name}${line.weight === 'raw' ? ', raw' : ''} ${this.options.formatY(value)}${other}` };
        }));
      },
    };
  }
}
