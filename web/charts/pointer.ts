// What a mouse, a finger, a pen or the keys do on a chart: read values, drag to zoom, Shift-drag or two fingers to pan, double
// click to see all again. Plain scrolling stays the page's: the wheel zooms only with Ctrl or Cmd.
import type { Chart } from 'chart.js';
import { chartTheme } from './theme.ts';

export type Range = readonly [number, number];

export interface PointerHost {
  /** The part of the x axis that is shown. */
  range(): Range;
  /** The value at a pixel from the left edge of the canvas. */
  toX(px: number): number;
  /** The line that the arrow keys walk along. */
  steps(): { readonly x: ArrayLike<number>; readonly count: number } | undefined;
  redraw(): void;
  zoom(range: Range | null): void;
  pick(x: number): void;
}

const DRAG_PX = 5;
const WHEEL = 0.0018;

export class Pointer {
  /** The x value that the reader looks at, or null. */
  at: number | null = null;
  private readonly canvas: HTMLCanvasElement;
  private readonly host: PointerHost;
  private readonly fingers = new Map<number, number>();
  private drag: { from: number; now: number; isPan: boolean; range: Range } | null = null;
  private pinch: { a: number; b: number; range: Range } | null = null;
  private readonly ending = new AbortController();

  constructor(canvas: HTMLCanvasElement, host: PointerHost) {
    this.canvas = canvas;
    this.host = host;
    canvas.tabIndex = 0;
    canvas.style.touchAction = 'pan-y';
    const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions) =>
      canvas.addEventListener(type, act as EventListener, { signal: this.ending.signal, ...options });
    on('pointerdown', (event) => this.down(event));
    on('pointermove', (event) => this.move(event));
    on('pointerup', (event) => this.up(event));
    on('pointercancel', (event) => this.cancel(event));
    on('pointerleave', () => this.look(null));
    on('blur', () => this.look(null));
    on('dblclick', () => host.zoom(null));
    on('wheel', (event) => this.wheel(event), { passive: false });
    on('keydown', (event) => this.key(event));
  }

  close(): void {
    this.ending.abort();
  }

  /** The part of the axis that a drag has marked so far. */
  drawSelection(chart: Chart): void {
    if (!this.drag || this.drag.isPan || Math.abs(this.drag.now - this.drag.from) < DRAG_PX) return;
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.fillStyle = `${chartTheme().accent}22`;
    ctx.strokeStyle = chartTheme().accent;
    const left = Math.min(this.drag.from, this.drag.now);
    const width = Math.abs(this.drag.now - this.drag.from);
    ctx.fillRect(left, chartArea.top, width, chartArea.height);
    ctx.strokeRect(left + 0.5, chartArea.top + 0.5, width, chartArea.height - 1);
    ctx.restore();
  }

  private look(x: number | null): void {
    if (x === this.at) return;
    this.at = x;
    this.host.redraw();
  }

  private px(event: PointerEvent): number {
    return event.clientX - this.canvas.getBoundingClientRect().left;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const px = this.px(event);
    this.fingers.set(event.pointerId, px);
    if (this.fingers.size === 2) {
      const [a, b] = [...this.fingers.values()] as [number, number];
      this.drag = null;
      this.pinch = { a, b, range: this.host.range() };
    } else if (event.pointerType !== 'touch') {
      this.canvas.setPointerCapture(event.pointerId);
      this.drag = { from: px, now: px, isPan: event.shiftKey, range: this.host.range() };
    }
    this.look(this.host.toX(px));
  }

  private move(event: PointerEvent): void {
    const px = this.px(event);
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, px);
    if (this.pinch && this.fingers.size === 2) return this.stretch();
    this.look(this.host.toX(px));
    if (!this.drag) return;
    this.drag.now = px;
    if (!this.drag.isPan) return this.host.redraw();
    const { range } = this.drag;
    const perPx = (range[1] - range[0]) / Math.max(1, this.canvas.clientWidth);
    const by = (this.drag.from - px) * perPx;
    this.host.zoom([range[0] + by, range[1] + by]);
  }

  /** Two fingers: what lay under each stays under it. */
  private stretch(): void {
    const { a, b, range } = this.pinch!;
    const [c, d] = [...this.fingers.values()] as [number, number];
    if (Math.abs(d - c) < 20 || Math.abs(b - a) < 1) return;
    const size = this.canvas.clientWidth || 1;
    const at = (px: number) => range[0] + (px / size) * (range[1] - range[0]);
    const perPx = (at(b) - at(a)) / (d - c);
    const left = at(a) - c * perPx;
    this.host.zoom([left, left + size * perPx]);
  }

  private up(event: PointerEvent): void {
    const { drag } = this;
    this.cancel(event);
    if (!drag || drag.isPan) return;
    if (Math.abs(drag.now - drag.from) >= DRAG_PX) {
      const ends = [this.host.toX(drag.from), this.host.toX(drag.now)].sort((a, b) => a - b) as [number, number];
      this.host.zoom(ends);
    } else if (this.at !== null) this.host.pick(this.at);
  }

  private cancel(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    this.drag = null;
    this.pinch = null;
    this.host.redraw();
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.scale(Math.exp(event.deltaY * WHEEL), this.host.toX(event.clientX - this.canvas.getBoundingClientRect().left));
  }

  private scale(factor: number, around: number): void {
    const [from, to] = this.host.range();
    this.host.zoom([around - (around - from) * factor, around + (to - around) * factor]);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [from, to] = this.host.range();
    const middle = this.at ?? (from + to) / 2;
    const by = (share: number) => this.host.zoom([from + (to - from) * share, to + (to - from) * share]);
    if (event.key === '+' || event.key === '=') this.scale(0.5, middle);
    else if (event.key === '-') this.scale(2, middle);
    else if (event.key === '0' || event.key === 'Escape') this.host.zoom(null);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const sign = event.key === 'ArrowLeft' ? -1 : 1;
      if (event.shiftKey) by(0.25 * sign);
      else this.walk(sign, middle);
    } else if (event.key === 'Enter' && this.at !== null) this.host.pick(this.at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the next point of the line, about a hundredth of what is shown further. */
  private walk(sign: number, from: number): void {
    const line = this.host.steps();
    if (!line) return;
    const [start, end] = this.host.range();
    let target = from + sign * ((end - start) / 100);
    const { x, count } = line;
    let nearest = x[0]!;
    // A sparse line is walked point by point.
    for (let low = 0, high = count; low < high; ) {
      const middle = (low + high) >> 1;
      nearest = x[middle]!;
      if (sign > 0 ? x[middle]! <= from : x[middle]! < from) low = middle + 1;
      else high = middle;
      if (low >= high) nearest = x[Math.min(count - 1, Math.max(0, sign > 0 ? low : low - 1))]!;
    }
    if ((nearest - target) * sign > 0) target = nearest;
    this.look(Math.min(end, Math.max(start, target)));
  }
}
