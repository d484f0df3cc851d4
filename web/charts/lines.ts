// Draws the lines of a chart. A stroke through every value of a noisy line costs most of a frame, so only the corners that can be seen
// are drawn: one for each column of pixels where the line is smooth, and an upright stroke where it goes up and down.
import type { Chart, Plugin } from 'chart.js';
import type { Drawn } from './canvas.ts';
import { decimate, type Point } from './decimate.ts';
import { chartTheme } from './theme.ts';

const ALPHA = { full: 'ff', raw: '40', ghost: '38' } as const;
const WIDTH = { full: 2, raw: 1, ghost: 1.5 } as const;
/** A line with more corners than this is drawn without rounding them: nobody sees it, and rounding takes half of the time. */
const ROUNDED = 200;

/** Plain lines under everything else; those of the run itself over its raw values and former runs. */
export function strokes(drawn: () => readonly Drawn[], isLog: () => boolean): Plugin<'line'> {
  return {
    id: 'strokes',
    beforeDatasetsDraw(chart: Chart) {
      const { ctx, chartArea, scales } = chart;
      const { series } = chartTheme();
      const keep = isLog() ? (value: number) => value > 0 && Number.isFinite(value) : Number.isFinite;
      ctx.save();
      ctx.beginPath();
      ctx.rect(chartArea.left, chartArea.top - 2, chartArea.width + 1, chartArea.height + 4);
      ctx.clip();
      for (const line of [...drawn()].sort((a, b) => Number(a.weight === 'full') - Number(b.weight === 'full'))) {
        if (line.kind !== 'line' || line.count < 2) continue;
        const points = decimate(line.x, line.y, line.count, Math.max(64, Math.floor(chartArea.width)), scales.x!.min, scales.x!.max, keep);
        const corners = trace(points, (value) => scales.x!.getPixelForValue(value), (value) => scales.y!.getPixelForValue(value), line.weight === 'raw');
        ctx.strokeStyle = series[line.colour % series.length]! + ALPHA[line.weight];
        ctx.lineWidth = WIDTH[line.weight];
        ctx.lineJoin = corners.length < ROUNDED ? 'round' : 'bevel';
        ctx.setLineDash(line.isDashed ? [6, 4] : []);
        ctx.beginPath();
        for (const { x, y, isStart } of corners) {
          if (isStart) ctx.moveTo(x, y);
          else ctx.lineTo(x, y);
        }
        ctx.stroke();
      }
      ctx.restore();
    },
  };
}

export interface Corner {
  readonly x: number;
  readonly y: number;
  /** Nothing is drawn from the corner before to this one. */
  readonly isStart: boolean;
}

/** The corners of a line in pixels. `isUpright`: a column of pixels that the line crosses more than twice becomes one stroke from its lowest to its highest point. */
export function trace(points: readonly Point[], toX: (value: number) => number, toY: (value: number) => number, isUpright: boolean): Corner[] {
  const corners: Corner[] = [];
  let isStart = true;
  let formerY = 0;
  for (let at = 0; at < points.length; ) {
    if (Number.isNaN(points[at]!.y)) {
      isStart = true;
      at++;
      continue;
    }
    const x = toX(points[at]!.x);
    const column = Math.floor(x);
    const ys = [toY(points[at]!.y)];
    let lastX = x;
    for (at++; at < points.length && !Number.isNaN(points[at]!.y); at++) {
      const here = toX(points[at]!.x);
      if (Math.floor(here) !== column) break;
      lastX = here;
      ys.push(toY(points[at]!.y));
    }
    const top = Math.min(...ys);
    const bottom = Math.max(...ys);
    const lastY = ys[ys.length - 1]!;
    if (isUpright && ys.length > 2) {
      // It reaches as far as the column before ended.
      corners.push({ x: column + 0.5, y: isStart ? top : Math.min(top, formerY), isStart: true }, { x: column + 0.5, y: isStart ? bottom : Math.max(bottom, formerY), isStart: false });
    } else if (ys.length > 1 && bottom - top <= 1) corners.push({ x: lastX, y: lastY, isStart });
    else ys.forEach((y, i) => corners.push({ x: ys.length === 1 ? x : x + ((lastX - x) * i) / (ys.length - 1), y, isStart: isStart && i === 0 }));
    formerY = lastY;
    isStart = false;
  }
  return corners;
}
