// What cells show, in the words of `.ipynb` files: text for every display, pictures for what is drawn. Weights never travel.
import type { CellResult } from '../../notebook/document/ipynb.ts';
import { splitLines } from '../../notebook/document/ipynb.ts';
import type { Json } from '../../notebook/document/json.ts';
import type { DisplayData, TableDisplay } from '../../notebook/protocol/messages.ts';
import { runOf } from '../runs.ts';
import type { OutputArea } from './area.ts';

type Bundle = Record<string, Json>;

export function cellOutputs(cellId: string, area: OutputArea): CellResult {
  const outputs = area.shown.flatMap(({ kind, element, data }): Json[] => {
    if (kind === 'console') return streams(element);
    if (kind === 'note') return element.classList.contains('error-out') ? [failure(element)] : [shown({ 'text/plain': splitLines(element.textContent ?? '') })];
    if (kind === 'metrics' || data?.kind === 'chart') return [shown(drawn(element))];
    if (kind === 'saved') return [];
    return data && data.kind !== 'progress' ? [shown(bundle(data, element))] : [];
  });
  return { executionCount: runOf(cellId).peek().number, outputs };
}

const shown = (data: Bundle): Json => ({ output_type: 'display_data', data, metadata: {} });

function bundle(data: DisplayData, element: HTMLElement): Bundle {
  switch (data.kind) {
    case 'text': return { 'text/plain': splitLines(data.text) };
    case 'value': return { 'text/plain': splitLines(data.value.text) };
    case 'markdown': return { 'text/markdown': splitLines(data.text), 'text/plain': splitLines(data.text) };
    case 'tensor': return { 'text/plain': splitLines(`Tensor [${data.shape.join(', ')}] ${data.dtype}\n${data.text}`) };
    case 'images': return { ...picture(tiles(element)), 'text/plain': `Tensor [${data.shape.join(', ')}] ${data.dtype}, ${data.count} of ${data.total} images` };
    case 'table': return { 'text/html': splitLines(tableHtml(data)), 'text/plain': splitLines(data.rows.map((row) => row.join('\t')).join('\n')) };
    default: return element.querySelector(DRAWINGS) ? drawn(element) : { 'text/plain': splitLines(element.textContent ?? '') };
  }
}

/** What holds a picture: a canvas, or one of the small images of live views. */
const DRAWINGS = 'canvas, img.sheet';

function drawn(element: HTMLElement): Bundle {
  const drawings = [...element.querySelectorAll<HTMLCanvasElement | HTMLImageElement>(DRAWINGS)];
  const words = drawings.map((each) => (each instanceof HTMLImageElement ? each.alt : (each.getAttribute('aria-label') ?? ''))).filter(Boolean).join('\n');
  return { ...picture(stacked(drawings)), 'text/plain': splitLines(words || 'Chart') };
}

function picture(canvas: HTMLCanvasElement | null): Bundle {
  if (!canvas || canvas.width === 0 || canvas.height === 0) return {};
  const url = canvas.toDataURL('image/png');
  return { 'image/png': url.slice(url.indexOf(',') + 1) };
}

/** Several drawings one under the other, on the paper's colour. */
function stacked(all: readonly (HTMLCanvasElement | HTMLImageElement)[]): HTMLCanvasElement | null {
  const canvases = all.filter(({ width, height }) => width > 0 && height > 0);
  if (!canvases.length) return null;
  const sheet = document.createElement('canvas');
  sheet.width = Math.max(...canvases.map(({ width }) => width));
  sheet.height = canvases.reduce((sum, { height }) => sum + height, 0);
  const context = sheet.getContext('2d')!;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--paper').trim();
  context.fillRect(0, 0, sheet.width, sheet.height);
  let top = 0;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  return sheet;
}

/** The little images of a display in rows of ten, each as large as on the page. */
function tiles(element: HTMLElement): HTMLCanvasElement | null {
  const canvases = [...element.querySelectorAll('canvas')];
  const [first] = canvases;
  if (!first) return null;
  const [width, height] = [Math.round(first.offsetWidth || first.width), Math.round(first.offsetHeight || first.height)];
  const columns = Math.min(10, canvases.length);
  const sheet = document.createElement('canvas');
  sheet.width = columns * (width + 4);
  sheet.height = Math.ceil(canvases.length / columns) * (height + 4);
  const context = sheet.getContext('2d')!;
  context.imageSmoothingEnabled = false;
  canvases.forEach((canvas, i) => context.drawImage(canvas, (i % columns) * (width + 4), Math.floor(i / columns) * (height + 4), width, height));
  return sheet;
}

function streams(element: HTMLElement): Json[] {
  const found: { name: string; text: string }[] = [];
  for (const line of element.children) {
    const level = (line as HTMLElement).dataset.level;
    const name = level === 'error' || level === 'warn' ? 'stderr' : 'stdout';
    const text = `${[...line.childNodes].filter((node) => !(node instanceof Element && node.classList.contains('tag'))).map((node) => node.textContent).join('').replace('\u200b', '')}\n`;
    const last = found.at(-1);
    if (last?.name === name) last.text += text;
    else found.push({ name, text });
  }
  return found.map(({ name, text }) => ({ output_type: 'stream', name, text: splitLines(text) }));
}

function failure(element: HTMLElement): Json {
  const whole = element.querySelector('.message')?.textContent ?? '';
  const name = element.querySelector('.name')?.textContent?.replace(/: $/, '') ?? 'Error';
  const where = element.querySelector('.where')?.textContent ?? '';
  return { output_type: 'error', ename: name, evalue: whole.replace(`${name}: `, ''), traceback: [whole, ...(where ? [where] : [])] };
}

function tableHtml({ columns, rows }: TableDisplay): string {
  const escape = (value: unknown) => String(value ?? '').replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  const row = (tag: string, values: readonly unknown[]) => `<tr>${values.map((value) => `<${tag}>${escape(value)}</${tag}>`).join('')}</tr>`;
  return `<table>\n<thead>${row('th', columns)}</thead>\n<tbody>\n${rows.map((each) => row('td', each)).join('\n')}\n</tbody>\n</table>`;
}
