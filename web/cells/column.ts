// The notebook column: keeps one view per cell, in document order, moving DOM nodes only when the order changed.
import { effect, untracked } from '@preact/signals-core';
import { h } from '../dom.ts';
import type { Caret } from '../editor/seat.ts';
import { icon } from '../shell/icons.ts';
import { cellOf, insertCell, notebook, opening, setAttribute } from '../store.ts';
import { makeCell, type CellView } from './cell.ts';
import { unfoldAround } from './fold.ts';

const views = new Map<string, CellView>();
/** The opening that the views belong to. */
let shownOpening = 0;

export function makeColumn(): HTMLElement {
  const list = h('div', { class: 'cells', role: 'group', 'aria-label': 'Notebook' });
  const add = (kind: 'code' | 'markdown') => {
    const id = insertCell(notebook.value.cells.length, kind);
    editCell(id, 'end');
  };
  const end = h('div', { class: 'column-end' },
    h('button', { class: 'button', type: 'button', on: { click: () => add('code') } }, icon('plus'), 'Code'),
    h('button', { class: 'button', type: 'button', on: { click: () => add('markdown') } }, icon('plus'), 'Text'));
  effect(() => {
    const { cells } = notebook.value;
    untracked(() => reconcile(list, cells));
  });
  return h('main', { class: 'column', id: 'notebook' }, list, end);
}

function reconcile(list: HTMLElement, cells: (typeof notebook.value)['cells']): void {
  const wanted = new Map(cells.map((cell) => [cell.id, cell.kind]));
  const isAnother = opening.value !== shownOpening;
  shownOpening = opening.value;
  for (const [id, view] of views) {
    if (wanted.get(id) === view.kind && !isAnother) continue;
    view.close();
    views.delete(id);
  }
  let number = 0;
  let next = list.firstElementChild;
  for (const cell of cells) {
    let view = views.get(cell.id);
    if (!view) {
      view = makeCell(cell);
      views.set(cell.id, view);
    }
    view.show(cell, cell.kind === 'code' ? ++number : 0);
    if (view.element === next) next = next.nextElementSibling;
    else list.insertBefore(view.element, next);
  }
}

/** Every cell shows its static text again. */
export function closeEditors(): void {
  for (const view of views.values()) view.leave();
}

export function viewOf(id: string): CellView | undefined {
  return views.get(id);
}

/** Puts the focus on a cell as a whole (command mode) and brings it into view. */
export function focusCell(id: string): void {
  unfoldAround(id);
  const view = views.get(id);
  if (!view) return;
  view.finish();
  view.element.focus({ preventScroll: true });
  reveal(view.element);
}

/** Puts the cursor into a cell. */
export function editCell(id: string, caret: Caret): void {
  unfoldAround(id);
  const view = views.get(id);
  if (!view) return;
  const { collapse } = cellOf(id)?.attributes ?? {};
  if (collapse === 'code' || collapse === 'both') setAttribute([id], 'collapse', collapse === 'both' ? 'output' : null);
  reveal(view.element);
  view.edit(caret);
}

/** Scrolls only when the cell's top or a useful part of it is out of sight. */
function reveal(element: HTMLElement): void {
  const box = element.getBoundingClientRect();
  const top = 64;
  const bottom = window.innerHeight - 80;
  const smooth = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
  if (box.top < top) window.scrollBy({ top: box.top - top - 16, behavior: smooth });
  else if (box.bottom > bottom) window.scrollBy({ top: Math.min(box.top - top - 16, box.bottom - bottom), behavior: smooth });
}
