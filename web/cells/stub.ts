// A cell that nobody sees yet: its plain text in a frame of the size that the real cell will have. It can be read, and the
// browser's own search finds what is in it. The column puts the real cell in its place before it comes into view.
import type { Cell } from '../../notebook/document/notebook.ts';
import { h, setAttribute } from '../dom.ts';
import { folds } from './fold.ts';

export interface Stub {
  readonly element: HTMLElement;
  /** `number`: among the code cells, from 1; 0 for text. */
  show(cell: Cell, number: number): void;
}

/** `outputs`: what the cell shows already, or null. */
export function makeStub({ id, kind }: Cell, outputs: HTMLElement | null): Stub {
  const text = h('div', { class: kind === 'code' ? 'static-code' : 'prose' });
  const element = h('section', { class: `cell ${kind}`, data: { id, kind, state: 'none', stub: '' } },
    h('div', { class: 'gutter' }),
    h('div', { class: 'body' }, kind === 'code' ? h('div', { class: 'code-box' }, text) : text, outputs));
  return {
    element,
    show({ source, attributes }, number) {
      if (text.textContent !== source) text.textContent = source;
      setAttribute(element, 'data-number', number > 0 ? String(number) : null);
      setAttribute(element, 'data-collapse', attributes.collapse ?? null);
      element.hidden = folds.peek().hidden.has(id);
      const shown = outputs ? Number.parseFloat(outputs.style.minHeight) || 0 : 0;
      element.style.containIntrinsicSize = `auto ${guessHeight({ kind, source }) + shown}px`;
    },
  };
}

/** How many screens of cells are there in full from the start. */
const SCREENS = 1.5;

/** Those of the cells that are likely to be in sight when a notebook opens. */
export function firstCells(cells: readonly Cell[]): readonly Cell[] {
  let height = 0;
  const end = cells.findIndex((cell) => (height += guessHeight(cell)) > innerHeight * SCREENS);
  return end < 0 ? cells : cells.slice(0, end + 1);
}

const LINE = 21;
const PROSE_LINE = 26;
/** About so many letters stand in a line of text. */
const LINE_LETTERS = 80;

/** About how tall a cell is without its outputs, in CSS pixels. */
function guessHeight({ kind, source }: Pick<Cell, 'kind' | 'source'>): number {
  const lines = source.split('\n');
  if (kind === 'code') return innerWidth > 700 ? Math.max(62, lines.length * LINE + 30) : lines.length * LINE + 70;
  return 8 + lines.reduce((sum, line) => sum + PROSE_LINE * Math.max(0.5, Math.ceil(line.length / LINE_LETTERS)), 0);
}
