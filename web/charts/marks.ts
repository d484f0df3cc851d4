// What is written into a chart beside its lines: names and last values at line ends, and the steps where numbers failed.

import type { Chart, Plugin } from 'chart.js';
import type { Column } from './column.ts';
import { chartTheme } from './theme.ts';

export interface LineEnd {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly text: string;
  readonly colour: number;
}

/** A step whose value was NaN or infinite. */
export interface Missing {
  readonly x: number;
  readonly text: string;
}

/** What has points to show: a scatter, or a line with few enough to tell apart. */
export interface Dotted {
  readonly kind: 'line' | 'scatter';
  readonly x: ArrayLike<number>;
  readonly y: Column;
  readonly count: number;
  readonly colour: number;
  readonly weight: 'full' | 'raw' | 'ghost';
  readonly band?: Column;
}

const FEW = 24;

/** Draws the points themselves, under the lines. */
export function dots(drawn: () => readonly Dotted[]): Plugin<'line'> {
  return {
    id: 'dots',
    beforeDatasetsDraw(chart) {
      const theme = chartTheme();
      const { ctx, chartArea } = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(chartArea.left - 4, chartArea.top - 4, chartArea.width + 8, chartArea.height + 8);
      ctx.clip();
      for (const each of drawn()) {
        if (each.band) fillBand(chart, each, theme.series[each.colour % 6]!);
        const isSparse = each.kind === 'line' && each.weight === 'full' && each.count <= FEW;
        if (each.kind !== 'scatter' && !isSparse) continue;
        const radius = each.count === 1 ? 5 : each.kind === 'scatter' ? 2.5 : 2;
        ctx.fillStyle = theme.series[each.colour % 6]!;
        ctx.beginPath();
        for (let i = 0; i < each.count; i++) {
          const px = chart.scales.x!.getPixelForValue(each.x[i]!);
          const py = chart.scales.y!.getPixelForValue(each.y.values[i]!);
          ctx.moveTo(px + radius, py);
          ctx.arc(px, py, radius, 0, 7);
        }
        ctx.fill();
      }
      ctx.restore();
    },
  };
}

/** Fills what lies between a line and its other edge. */
function fillBand(chart: Chart, { x, y, band, count }: Dotted, colour: string): void {
  const { ctx } = chart;
  const px = (i: number) => chart.scales.x!.getPixelForValue(x[i]!);
  ctx.fillStyle = `${colour}26`;
  ctx.beginPath();
  for (let i = 0; i < count; i++) ctx.lineTo(px(i), chart.scales.y!.getPixelForValue(y.values[i]!));
  for (let i = count - 1; i >= 0; i--) ctx.lineTo(px(i), chart.scales.y!.getPixelForValue(band!.values[i]!));
  ctx.fill();
}

const GAP = 31;

/** Draws each end as name over value, pushed apart so that no two overlap. */
export function endLabels(ends: () => readonly LineEnd[]): Plugin<'line'> {
  return {
    id: 'ends',
    afterDatasetsDraw(chart) {
      const theme = chartTheme();
      const { ctx, chartArea } = chart;
      const placed = ends()
        .map((end) => ({ end, px: chart.scales.x!.getPixelForValue(end.x), py: chart.scales.y!.getPixelForValue(end.y) }))
        .filter((row) => Number.isFinite(row.px) && Number.isFinite(row.py) && row.px <= chartArea.right + 1 && row.px >= chartArea.left)
        .map((row) => ({ ...row, at: Math.min(Math.max(row.py, chartArea.top + 12), chartArea.bottom - 16) }))
        .sort((a, b) => a.at - b.at);
      for (let i = 1; i < placed.length; i++) placed[i]!.at = Math.max(placed[i]!.at, placed[i - 1]!.at + GAP);
      const overflow = placed.length ? placed[placed.length - 1]!.at - (chartArea.bottom - 16) : 0;
      if (overflow > 0) for (let i = placed.length - 1, limit = chartArea.bottom - 16; i >= 0; i--, limit -= GAP) placed[i]!.at = Math.min(placed[i]!.at, limit);
      ctx.save();
      ctx.textAlign = 'left';
      ctx.textBaseline = 'middle';
      const right = placed.reduce((most, row) => Math.max(most, row.px), 0) + 8;
      for (const { end, px, py, at } of placed) {
        ctx.fillStyle = theme.series[end.colour % 6]!;
        ctx.beginPath();
        ctx.arc(px, Math.min(Math.max(py, chartArea.top), chartArea.bottom), 3, 0, 7);
        ctx.fill();
        halo(ctx, end.name, right, at - 7, `12px ${theme.font}`, theme.seriesText[end.colour % 6]!, theme.paper);
        halo(ctx, end.text, right, at + 7, `600 13px ${theme.font}`, theme.ink, theme.paper);
      }
      ctx.restore();
    },
  };
}

function halo(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, font: string, colour: string, ground: string): void {
  ctx.font = font;
  ctx.lineWidth = 4;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = ground;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

const isEpoch = ({ text }: Missing) => text.startsWith('epoch ');

/** Short ticks above the top edge; each has its words when there is room. */
export function eventTicks(events: () => readonly Missing[]): Plugin<'line'> {
  return {
    id: 'events',
    afterDatasetsDraw(chart: Chart) {
      const theme = chartTheme();
      const { ctx, chartArea } = chart;
      ctx.save();
      ctx.font = `11px ${theme.font}`;
      ctx.textBaseline = 'top';
      ctx.textAlign = 'left';
      const taken: (readonly [number, number])[] = [];
      // What the reader did has its words first; epochs have theirs where there is room.
      const all = [...events()].sort((a, b) => Number(isEpoch(a)) - Number(isEpoch(b)) || a.x - b.x);
      const places = all.map(({ x }) => chart.scales.x!.getPixelForValue(x));
      for (const { x, text } of all) {
        const px = chart.scales.x!.getPixelForValue(x);
        if (!(px >= chartArea.left - 0.5 && px <= chartArea.right + 0.5)) continue;
        ctx.strokeStyle = theme.axis;
        ctx.lineWidth = 1;
        ctx.beginPath();
        ctx.moveTo(Math.round(px) + 0.5, chartArea.top - 13);
        ctx.lineTo(Math.round(px) + 0.5, chartArea.top - 2);
        ctx.stroke();
        const width = ctx.measureText(text).width;
        // Words over another tick cannot be read: what the reader did has them on its other side then.
        const crosses = (left: number) => places.some((place) => Math.abs(place - px) > 1 && place > left - 4 && place < left + width + 4);
        const isLeft = crosses(px + 3) && !isEpoch({ x, text }) && !crosses(px - 3 - width) && px - 3 - width > chartArea.left;
        const left = isLeft ? px - 3 - width : px + 3;
        const end = left + width;
        if (end > chart.width || (isEpoch({ x, text }) && crosses(left)) || taken.some(([from, to]) => left < to + 10 && end + 7 > from)) continue;
        halo(ctx, text, left, chartArea.top - 14, `11px ${theme.font}`, theme.axis, theme.paper);
        taken.push([Math.min(px, left), Math.max(px, end)]);
      }
      ctx.restore();
    },
  };
}

/** A cross on the step axis with words beside it. */
export function missingMarks(missing: () => readonly Missing[]): Plugin<'line'> {
  return {
    id: 'missing',
    afterDatasetsDraw(chart: Chart) {
      const theme = chartTheme();
      const { ctx, chartArea } = chart;
      ctx.save();
      for (const mark of missing()) {
        const px = chart.scales.x!.getPixelForValue(mark.x);
        if (px < chartArea.left - 1 || px > chartArea.right + 1) continue;
        const py = chartArea.bottom - 8;
        ctx.strokeStyle = theme.error;
        ctx.lineWidth = 1;
        ctx.setLineDash([2, 3]);
        ctx.beginPath();
        ctx.moveTo(px, chartArea.top);
        ctx.lineTo(px, py - 8);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.lineWidth = 2;
        ctx.beginPath();
        ctx.moveTo(px - 4, py - 4);
        ctx.lineTo(px + 4, py + 4);
        ctx.moveTo(px + 4, py - 4);
        ctx.lineTo(px - 4, py + 4);
        ctx.stroke();
        ctx.textBaseline = 'middle';
        const isRight = px > chart.width - 120;
        ctx.textAlign = isRight ? 'right' : 'left';
        halo(ctx, mark.text, px + (isRight ? -10 : 10), py, `12px ${theme.font}`, theme.error, theme.paper);
      }
      ctx.restore();
    },
  };
}
