// Charts as files: SVG drawn from the same picture, CSV with every point, and how a file reaches the reader.
import type { Picture, PictureOptions } from './canvas.ts';
import { decimate } from './decimate.ts';
import { formatTick, logTicks, roundTicks } from './numbers.ts';
import { chartTheme } from './theme.ts';

const WIDTH = 880;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 110;
const TOP = 40;
const BOTTOM = 44;

/** Hands a file to the reader. */
export function saveFile(name: string, content: string | Blob, type = 'text/plain'): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** `Training loss` becomes `training-loss`. */
export function fileName(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'chart';
}

/** The picture as an SVG document that stands alone. */
export function toSvg(title: string, picture: Picture, options: PictureOptions): string {
  const theme = chartTheme();
  const { xRange, yRange, isLog } = picture;
  const scaleY = isLog ? Math.log10 : (value: number) => value;
  const x = (value: number) => LEFT + ((value - xRange[0]) / (xRange[1] - xRange[0])) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - ((scaleY(value) - scaleY(yRange[0])) / (scaleY(yRange[1]) - scaleY(yRange[0]))) * (HEIGHT - TOP - BOTTOM);
  const place = (value: number) => value.toFixed(1);
  const text = (tx: number, ty: number, words: string, more = '') => `<text x="${place(tx)}" y="${place(ty)}" ${more}>${escape(words)}</text>`;
  const parts: string[] = [`<rect width="${WIDTH}" height="${HEIGHT}" fill="${theme.paper}"/>`, text(LEFT, 22, title, `fill="${theme.ink}" font-weight="600" font-size="15"`)];
  for (const tick of isLog ? logTicks(yRange[0], yRange[1]) : roundTicks(yRange, 6)) {
    parts.push(`<path d="M${LEFT} ${place(y(tick))}H${WIDTH - RIGHT}" stroke="${theme.grid}"/>`, text(LEFT - 8, y(tick) + 4, options.formatTick(tick), `text-anchor="end" fill="${theme.axis}"`));
  }
  for (const tick of roundTicks(xRange, 8)) parts.push(text(x(tick), HEIGHT - BOTTOM + 18, (picture.formatX ?? formatTick)(tick), `text-anchor="middle" fill="${theme.axis}"`));
  parts.push(`<path d="M${LEFT} ${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" stroke="${theme.line}"/>`, text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, picture.xLabel || options.xLabel, `text-anchor="middle" fill="${theme.axis}"`));
  parts.push(`<clipPath id="area"><rect x="${LEFT}" y="${TOP - 4}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT - TOP - BOTTOM + 8}"/></clipPath>`);
  const keep = (value: number) => Number.isFinite(value) && (!isLog || value > 0);
  for (const line of [...picture.lines].sort((a, b) => Number(a.weight === 'full') - Number(b.weight === 'full'))) {
    const colour = theme.series[line.colour % theme.series.length]!;
    const points = line.kind === 'line' ? decimate(line.x, line.y, line.count, WIDTH, xRange[0], xRange[1], keep) : Array.from({ length: line.count }, (_, i) => ({ x: line.x[i]!, y: line.y.values[i]! }));
    const opacity = line.weight === 'full' ? 1 : 0.28;
    if (line.kind === 'scatter') {
      parts.push(`<g fill="${colour}" clip-path="url(#area)">${points.map((p) => `<circle cx="${place(x(p.x))}" cy="${place(y(p.y))}" r="2.5"/>`).join('')}</g>`);
      continue;
    }
    let path = '';
    let isOpen = false;
    for (const p of points) {
      if (Number.isNaN(p.y)) isOpen = false;
      else {
        path += `${isOpen ? 'L' : 'M'}${place(x(p.x))} ${place(y(p.y))}`;
        isOpen = true;
      }
    }
    parts.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-opacity="${opacity}" stroke-width="${line.weight === 'full' ? 2 : 1}" ${line.isDashed ? 'stroke-dasharray="6 4"' : ''} clip-path="url(#area)"/>`);
    if (line.end !== null && line.count) parts.push(text(Math.min(x(line.x[line.count - 1]!), WIDTH - RIGHT) + 8, y(line.y.values[line.count - 1]!) + 4, `${line.name} ${line.end}`, `fill="${theme.seriesText[line.colour % 6]}"`));
  }
  for (const { x: at, text: words } of [...picture.events, ...picture.missing]) {
    if (at < xRange[0] || at > xRange[1]) continue;
    parts.push(`<path d="M${place(x(at))} ${TOP - 4}v8" stroke="${theme.axis}"/>`, text(x(at) + 3, TOP - 6, words, `fill="${theme.axis}" font-size="10"`));
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="Source Sans 3, sans-serif" font-size="12">${parts.join('')}</svg>\n`;
}

const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);

/** Rows of values as CSV; texts are quoted when they must be. */
export function toCsv(head: readonly string[], rows: Iterable<readonly (number | string | null)[]>): string {
  const cell = (value: number | string | null) => {
    if (value === null || (typeof value === 'number' && Number.isNaN(value))) return '';
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  const lines = [head.map(cell).join(',')];
  for (const row of rows) lines.push(row.map(cell).join(','));
  return `${lines.join('\n')}\n`;
}
