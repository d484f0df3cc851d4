// The page's state: the open notebook, what is selected, and one undo stack for changes of cells (text has its own undo).
import { computed, signal } from '@preact/signals-core';
import * as edits from '../notebook/document/edit.ts';
import { cellById, toNotebook, type Cell, type CellKind, type Notebook } from '../notebook/document/notebook.ts';

export const notebook = signal<Notebook>(toNotebook());

/** The cell that keys act on. */
export const selectedId = signal<string | null>(null);

/** `edit` while the cursor is inside a cell's text. */
export const mode = signal<'command' | 'edit'>('command');

/** What undo would take back, for a note with a button; null when nothing was just deleted. */
export const lastDeleted = signal<string | null>(null);

const past = signal<readonly edits.Edit[]>([]);
const future = signal<readonly edits.Edit[]>([]);
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

function change(edit: edits.Edit): void {
  past.value = [...past.value, edit];
  future.value = [];
  lastDeleted.value = null;
  notebook.value = edits.apply(notebook.value, edit);
}

/** Inserts a cell and returns its id. */
export function insertCell(index: number, kind: CellKind, source = ''): string {
  const edit = edits.insertCell(notebook.value, index, { kind, source });
  change(edit);
  return (edit as Extract<edits.Edit, { type: 'insert' }>).cell.id;
}

export function removeCell(id: string): void {
  const index = indexOf(id);
  const { cells } = notebook.value;
  const neighbour = cells[index + 1] ?? cells[index - 1];
  const { kind } = cellById(notebook.value, id);
  change(edits.removeCell(notebook.value, id));
  selectedId.value = neighbour?.id ?? null;
  lastDeleted.value = kind === 'code' ? 'Code cell deleted' : 'Text cell deleted';
}

/** Moves a cell by a number of places; at an end it stays. */
export function moveCell(id: string, by: number): void {
  const index = indexOf(id);
  const target = index + by;
  if (index >= 0 && target >= 0 && target < notebook.value.cells.length) change(edits.moveCell(notebook.value, id, target));
}

export function setKind(id: string, kind: CellKind): void {
  if (cellById(notebook.value, id).kind !== kind) change(edits.setKind(notebook.value, id, kind));
}

/** Text changes are not part of the undo stack: each editor has its own. */
export function setSource(id: string, source: string): void {
  if (!hasCell(id) || cellById(notebook.value, id).source === source) return;
  notebook.value = edits.apply(notebook.value, edits.setSource(notebook.value, id, source));
}

export function setTitle(title: string): void {
  if (title !== notebook.value.title) notebook.value = edits.apply(notebook.value, edits.setTitle(notebook.value, title));
}

export function undo(): void {
  const edit = past.value.at(-1);
  if (!edit) return;
  past.value = past.value.slice(0, -1);
  const undone = withTextNow(edits.invert(edit));
  future.value = [...future.value, edits.invert(undone)];
  restore(undone);
}

export function redo(): void {
  const edit = future.value.at(-1);
  if (!edit) return;
  future.value = future.value.slice(0, -1);
  const done = withTextNow(edit);
  past.value = [...past.value, done];
  restore(done);
}

/** Undo of cells leaves text alone: what was typed since the edit was made stays. */
function withTextNow(edit: edits.Edit): edits.Edit {
  if (edit.type === 'remove') return edits.removeCell(notebook.value, edit.cell.id);
  if (edit.type === 'change') return edits.setKind(notebook.value, edit.id, edit.after.kind);
  return edit;
}

function restore(edit: edits.Edit): void {
  notebook.value = edits.apply(notebook.value, edit);
  lastDeleted.value = null;
  const touched = edit.type === 'insert' ? edit.cell.id : edit.type === 'change' ? edit.id : edit.type === 'move' ? notebook.value.cells[edit.to]?.id : null;
  if (touched && hasCell(touched)) selectedId.value = touched;
  else if (selectedId.value && !hasCell(selectedId.value)) selectedId.value = notebook.value.cells[0]?.id ?? null;
}

/** The cell after (1) or before (-1) another one. */
export function neighbourOf(id: string, by: 1 | -1): Cell | undefined {
  return notebook.value.cells[indexOf(id) + by];
}
