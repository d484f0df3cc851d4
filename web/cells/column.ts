// The notebook column: keeps one view per cell, in document order, moving DOM nodes only when the order changed. When a long
// notebook opens, cells below the first screens are stubs at first and become real ones when the browser has time.
import { effect, untracked } from '@preact/signals-core';
import { h } from '../dom.ts';
import type { Cell } from '../../notebook/document/notebook.ts';
import type { Caret } from '../editor/seat.ts';
import { shownOutputs } from '../session.ts';
import { icon } from '../shell/icons.ts';
import { cellOf, insertCell, notebook, opening, setAttribute } from '../store.ts';
import { makeCell, type CellView } from './cell.ts';
import { unfoldAround } from './fold.ts';
import { later } from './later.ts';
import { firstCells, makeStub, type Stub } from './stub.ts';

/** One cell in the column: a stub until somebody is about to see it, then the real thing. */
interface Place {
  readonly kind: Cell['kind'];
  stub: Stub | null;
  view: CellView | null;
  /** What it was last told to show. */
  cell: Cell;
  number: number;
}

const places = new Map<string, Place>();
/** The opening that the places belong to. */
let shownOpening = 0;
let stubs = 0;
/** What is more urgent than cells out of sight has been done. */
let hasTime = false;

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
  // Before the picture with the new place is drawn.
  document.addEventListener('scroll', buildInSight, { passive: true });
  return h('main', { class: 'column', id: 'notebook' }, list, end);
}

function reconcile(list: HTMLElement, cells: readonly Cell[]): void {
  const wanted = new Map(cells.map((cell) => [cell.id, cell.kind]));
  const isAnother = opening.value !== shownOpening;
  shownOpening = opening.value;
  for (const [id, place] of places) {
    if (wanted.get(id) === place.kind && !isAnother) continue;
    drop(place);
    places.delete(id);
  }
  let number = 0;
  let next = list.firstElementChild;
  // A notebook that opens is read from its top; one cell that comes later was just made.
  const first = isAnother ? new Set(firstCells(cells)) : null;
  for (const cell of cells) {
    let place = places.get(cell.id);
    const isNew = !place;
    place ??= { kind: cell.kind, stub: null, view: null, cell, number };
    place.cell = cell;
    place.number = cell.kind === 'code' ? ++number : 0;
    if (isNew) {
      places.set(cell.id, place);
      if (first && !first.has(cell)) putStub(place);
      else place.view = makeCell(cell);
    }
    (place.view ?? place.stub)!.show(cell, place.number);
    const element = (place.view ?? place.stub)!.element;
    if (element === next) next = next.nextElementSibling;
    else list.insertBefore(element, next);
  }
}

function putStub(place: Place): void {
  place.stub = makeStub(place.cell, place.kind === 'code' ? shownOutputs(place.cell.id) : null);
  stubs++;
  if (hasTime) later(() => build(place));
}

/** The rest of the cells may be built from now on, whenever the browser has time. */
export function buildRest(): void {
  hasTime = true;
  for (const place of places.values()) if (place.stub) later(() => build(place));
}

function drop(place: Place): void {
  if (place.stub) {
    stubs--;
    place.stub.element.remove();
    place.stub = null;
  }
  place.view?.close();
  place.view = null;
}

/** The real cell takes the stub's place. Nothing happens when it has, or when the cell is gone. */
function build(place: Place): void {
  const { stub } = place;
  if (!stub) return;
  place.stub = null;
  stubs--;
  place.view = makeCell(place.cell);
  place.view.show(place.cell, place.number);
  stub.element.replaceWith(place.view.element);
}

/** Stubs that are in sight, or will be soon. */
function buildInSight(): void {
  if (stubs === 0) return;
  const near = [...places.values()].filter(({ stub }) => {
    if (!stub) return false;
    const { top, bottom } = stub.element.getBoundingClientRect();
    return bottom > -innerHeight && top < innerHeight * 2;
  });
  near.forEach(build);
}

/** Every cell shows its static text again. */
export function closeEditors(): void {
  for (const { view } of places.values()) view?.leave();
}

/** The real cell, also when nobody has seen it yet. */
export function viewOf(id: string): CellView | undefined {
  const place = places.get(id);
  if (place) build(place);
  return place?.view ?? undefined;
}

/** All cells down to this one stand there in full, so that its place is where it will stay. */
export function buildThrough(id: string): void {
  for (const cell of notebook.value.cells) {
    viewOf(cell.id);
    if (cell.id === id) return;
  }
}

/** Puts the focus on a cell as a whole (command mode) and brings it into view; `high`: with room below it for what is about to come there. */
export function focusCell(id: string, place: 'seen' | 'high' = 'seen'): void {
  unfoldAround(id);
  const view = viewOf(id);
  if (!view) return;
  view.finish();
  view.element.focus({ preventScroll: true });
  reveal(view.element, place);
}

/** Puts the cursor into a cell. */
export function editCell(id: string, caret: Caret): void {
  unfoldAround(id);
  const view = viewOf(id);
  if (!view) return;
  const { collapse } = cellOf(id)?.attributes ?? {};
  if (collapse === 'code' || collapse === 'both') setAttribute([id], 'collapse', collapse === 'both' ? 'output' : null);
  reveal(view.element);
  view.edit(caret);
}

/** Scrolls only when the cell's top or a useful part of it is out of sight. */
function reveal(element: HTMLElement, place: 'seen' | 'high' = 'seen'): void {
  const box = element.getBoundingClientRect();
  const top = 64;
  const bottom = window.innerHeight - 80;
  const smooth = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
  if (box.top < top || (place === 'high' && box.top > window.innerHeight / 3)) window.scrollBy({ top: box.top - top - 16, behavior: smooth });
  else if (box.bottom > bottom) window.scrollBy({ top: Math.min(box.top - top - 16, box.bottom - bottom), behavior: smooth });
}
