// The page's state: the open notebook, what is selected, and one undo stack for changes of cells (text has its own undo).
import { computed, signal } from '@preact/signals-core';
import { apply, invert, type Edit } from '../notebook/document/edit.ts';
import { cellById, freshId, toNotebook, type Cell, type CellKind, type Notebook } from '../notebook/document/notebook.ts';

export const notebook = signal<Notebook>(toNotebook());

/** The cell that keys act on. */
export const selectedId = signal<string | null>(null);

/** `edit` while the cursor is inside a cell's text. */
export const mode = signal<'command' | 'edit'>('command');

/** What undo would take back, for a note with a button; null when nothing was just deleted. */
export const lastDeleted = signal<string | null>(null);

interface Step {
  readonly done: Edit;
  readonly undone: Edit;
}

const past = signal<readonly Step[]>([]);
const future = signal<readonly Step[]>([]);
export const canUndo = computed(() => past.value.length > 0);

/** Opens another notebook; nothing of the old one can be undone. */
export function openNotebook(next: Notebook): void {
  past.value = [];
  future.value = [];
  lastDeleted.value = null;
  notebook.value = next;
  // Nothing is marked before the person does something; keys then begin at the first cell.
  selectedId.value = null;
  mode.value = 'command';
}

export function indexOf(id: string): number {
  return notebook.value.cells.findIndex((cell) => cell.id === id);
}

export function hasCell(id: string): boolean {
  return indexOf(id) >= 0;
}

function change(edit: Edit): void {
  past.value = [...past.value, { done: edit, undone: invert(notebook.value, edit) }];
  future.value = [];
  lastDeleted.value = null;
  notebook.value = apply(notebook.value, edit);
}

/** Inserts a cell and returns its id. */
export function insertCell(index: number, kind: CellKind, source = ''): string {
  const id = freshId(new Set(notebook.value.cells.map((cell) => cell.id)));
  change({ type: 'insert', index, cell: { id, kind, source, attributes: {} } });
  return id;
}

export function removeCell(id: string): void {
  const index = indexOf(id);
  const cell = cellById(notebook.value, id);
  const { cells } = notebook.value;
  const neighbour = cells[index + 1] ?? cells[index - 1];
  change({ type: 'remove', id });
  selectedId.value = neighbour?.id ?? null;
  lastDeleted.value = cell.kind === 'code' ? 'Code cell deleted' : 'Text cell deleted';
}

/** Moves a cell by a number of places; at an end it stays. */
export function moveCell(id: string, by: number): void {
  const index = indexOf(id);
  const target = Math.min(Math.max(index + by, 0), notebook.value.cells.length - 1);
  if (index >= 0 && target !== index) change({ type: 'move', id, index: target });
}

export function setKind(id: string, kind: CellKind): void {
  if (cellById(notebook.value, id).kind !== kind) change({ type: 'setKind', id, kind });
}

/** Text changes are not part of the undo stack: each editor has its own. */
export function setSource(id: string, source: string): void {
  if (!hasCell(id) || cellById(notebook.value, id).source === source) return;
  notebook.value = apply(notebook.value, { type: 'setSource', id, source });
}

export function setTitle(title: string): void {
  if (title !== notebook.value.title) notebook.value = apply(notebook.value, { type: 'setTitle', title });
}

export function undo(): void {
  const step = past.value.at(-1);
  if (!step) return;
  past.value = past.value.slice(0, -1);
  future.value = [...future.value, step];
  restore(step.undone);
}

export function redo(): void {
  const step = future.value.at(-1);
  if (!step) return;
  future.value = future.value.slice(0, -1);
  past.value = [...past.value, step];
  restore(step.done);
}

function restore(edit: Edit): void {
  notebook.value = apply(notebook.value, edit);
  lastDeleted.value = null;
  const touched = edit.type === 'insert' ? edit.cell.id : 'id' in edit ? edit.id : null;
  if (touched && hasCell(touched)) selectedId.value = touched;
  else if (selectedId.value && !hasCell(selectedId.value)) selectedId.value = notebook.value.cells[0]?.id ?? null;
}

/** The cell after (1) or before (-1) another one. */
export function neighbourOf(id: string, by: 1 | -1): Cell | undefined {
  return notebook.value.cells[indexOf(id) + by];
}
