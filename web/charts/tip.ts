// The box beside the pointer: where it is, and what every line says there.
import type { Chart } from 'chart.js';
import { chartTheme } from './theme.ts';

export interface TipRow {
  readonly colour: number;
  readonly y: number;
  readonly text: string;
  /** Gets a dot on its line. */
  readonly isMarked: boolean;
}

const MOST_ROWS = 10;

export function drawTip(chart: Chart, x: number, head: string, all: readonly TipRow[]): void {
  const theme = chartTheme();
  const { ctx, chartArea } = chart;
  const px = chart.scales.x!.getPixelForValue(x);
  ctx.save();
  ctx.strokeStyle = theme.line;
  ctx.beginPath();
  ctx.moveTo(px, chartArea.top);
  ctx.lineTo(px, chartArea.bottom);
  ctx.stroke();
  for (const row of all) {
    if (!row.isMarked || !Number.isFinite(row.y)) continue;
    ctx.fillStyle = theme.series[row.colour % 6]!;
    ctx.beginPath();
    ctx.arc(px, chart.scales.y!.getPixelForValue(row.y), 3.5, 0, 7);
    ctx.fill();
  }
  const rows = all.length > MOST_ROWS ? [...all.slice(0, MOST_ROWS), { colour: -1, y: Number.NaN, text: `and ${all.length - MOST_ROWS} more`, isMarked: false }] : all;
  ctx.font = `12px ${theme.font}`;
  const width = Math.max(...rows.map((row) => ctx.measureText(row.text).width), ctx.measureText(head).width) + 32;
  const height = 14 + 17 * (rows.length + 1);
  const left = Math.max(0, px + 12 + width > chart.width ? px - 12 - width : px + 12);
  ctx.fillStyle = theme.raised;
  ctx.strokeStyle = theme.line;
  ctx.beginPath();
  ctx.roundRect(left + 0.5, chartArea.top + 4.5, width, height, 5);
  ctx.fill();
  ctx.stroke();
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillStyle = theme.soft;
  ctx.fillText(head, left + 10, chartArea.top + 20);
  rows.forEach((row, i) => {
    const y = chartArea.top + 37 + 17 * i;
    if (row.colour >= 0) {
      ctx.fillStyle = theme.series[row.colour % 6]!;
      ctx.fillRect(left + 10, y - 1, 8, 2);
    }
    ctx.fillStyle = theme.ink;
    ctx.fillText(row.text, left + 24, y);
  });
  ctx.restore();
}
