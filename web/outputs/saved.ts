// What a `.ipynb` file shows under a cell: the richest form of each output that is safe to show. Scripts in files never run.
import type { CellResult } from '../../notebook/document/ipynb.ts';
import type { Json } from '../../notebook/document/json.ts';
import { renderMarkdown } from '../cells/prose.ts';
import { h } from '../dom.ts';

type Fields = { readonly [key: string]: Json };

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
const MOST_TEXT = 20_000;
// Colours of terminals, which errors in files are full of.
const CONTROL = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Null when there is nothing to show. */
export function savedView({ outputs }: CellResult): HTMLElement | null {
  const parts = outputs.map(viewOf).filter((part) => part !== null);
  return parts.length ? h('div', { class: 'saved-out', role: 'group', 'aria-label': 'Output from the file' }, parts) : null;
}

function viewOf(output: Json): HTMLElement | null {
  if (!isFields(output)) return null;
  if (output.output_type === 'stream') return pre(textOf(output.text), output.name === 'stderr' ? 'stderr' : '');
  if (output.output_type === 'error') return h('div', { class: 'error-out' }, h('div', { class: 'what' }, h('div', { class: 'message' }, `${textOf(output.ename)}: ${textOf(output.evalue)}`)));
  return isFields(output.data) ? richest(output.data) : null;
}

function richest(data: Fields): HTMLElement | null {
  for (const type of IMAGES) {
    if (typeof data[type] !== 'string' && !Array.isArray(data[type])) continue;
    const image = h('img', { src: `data:${type};base64,${textOf(data[type]!).replace(/\s/g, '')}`, alt: textOf(data['text/plain'] ?? '') || 'Picture from the file' });
    return h('div', null, image);
  }
  if (data['image/svg+xml'] !== undefined) return h('div', null, h('img', { src: `data:image/svg+xml,${encodeURIComponent(textOf(data['image/svg+xml']))}`, alt: 'Drawing from the file' }));
  if (data['text/markdown'] !== undefined || data['text/latex'] !== undefined) {
    const prose = h('div', { class: 'prose' });
    void renderMarkdown(prose, textOf(data['text/markdown'] ?? data['text/latex'] ?? ''));
    return prose;
  }
  if (data['text/html'] !== undefined) {
    // Markdown may hold HTML; what comes out of it is sanitised.
    const prose = h('div', { class: 'prose table-out' });
    void renderMarkdown(prose, textOf(data['text/html']).replace(/\n\s*\n/g, '\n'));
    return prose;
  }
  return data['text/plain'] === undefined ? null : pre(textOf(data['text/plain']), '');
}

const pre = (text: string, kind: string) => h('pre', { class: 'text-out', style: { margin: '0' }, data: { kind } }, text.replace(CONTROL, '').slice(0, MOST_TEXT));
const textOf = (value: Json | undefined): string => (Array.isArray(value) ? value.map(String).join('') : value === undefined || value === null ? '' : String(value));
const isFields = (value: Json | undefined): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
