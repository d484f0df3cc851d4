// The page's state: the open notebook, what is selected, and one undo stack for changes of cells (text has its own undo).
import { computed, signal } from '@preact/signals-core';
import * as edits from '../notebook/document/edit.ts';
import { cellById, toNotebook, type Cell, type CellKind, type CellSpec, type Notebook, type NotebookSpec } from '../notebook/document/notebook.ts';

export const notebook = signal<Notebook>(toNotebook());

/** True while another tab holds the notebook: here it can be read and run. */
export const isReadOnly = signal(false);

let refused: () => void = () => undefined;

/** What is said when somebody tries to change a notebook that another tab holds. */
export function onRefused(say: () => void): void {
  refused = say;
}

/** Whether a change must not be made now. Says so when it must not. */
export function refuses(): boolean {
  if (isReadOnly.peek()) refused();
  return isReadOnly.peek();
}

/** The cell that keys act on. */
export const selectedId = signal<string | null>(null);

/** `edit` while the cursor is inside a cell's text. */
export const mode = signal<'command' | 'edit'>('command');

/** What undo would take back, for a note with a button; null when nothing was just deleted. */
export const lastDeleted = signal<string | null>(null);

/** Where an extended selection began and ends; void as soon as another cell is selected. */
const range = signal<{ readonly anchor: string; readonly active: string } | null>(null);

/** The selected cells in document order: one, or several that follow one another. */
export const selectedIds = computed<readonly string[]>(() => {
  const active = selectedId.value;
  if (active === null) return [];
  const { cells } = notebook.value;
  const from = range.value?.active === active ? cells.findIndex(({ id }) => id === range.value!.anchor) : -1;
  const to = cells.findIndex(({ id }) => id === active);
  if (from < 0 || to < 0) return [active];
  return cells.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ id }) => id);
});

/** One step of the undo stack. */
interface Step {
  readonly edit: edits.Edit;
  /** What belongs to the step beside the notebook: outputs that were cleared. */
  readonly beside?: { undo(): void; redo(): void };
}

const past = signal<readonly Step[]>([]);
const future = signal<readonly Step[]>([]);
export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

/** Counts notebooks that were opened: cells of two notebooks may have the same names, and are other cells all the same. */
export const opening = signal(0);

/** Opens another notebook; nothing of the old one can be undone. */
export function openNotebook(next: Notebook): void {
  opening.value++;
  past.value = [];
  future.value = [];
  lastDeleted.value = null;
  range.value = null;
  notebook.value = next;
  // Nothing is marked before the person does something; keys then begin at the first cell.
  selectedId.value = null;
  mode.value = 'command';
}

/** Shows the notebook as another tab has written it. Cells that stay keep what they show; nothing of this tab can be undone. */
export function followNotebook(next: Notebook): void {
  past.value = [];
  future.value = [];
  lastDeleted.value = null;
  notebook.value = next;
  if (selectedId.value !== null && !hasCell(selectedId.value)) selectedId.value = null;
}

export function indexOf(id: string): number {
  return notebook.value.cells.findIndex((cell) => cell.id === id);
}

export function hasCell(id: string): boolean {
  return indexOf(id) >= 0;
}

export function cellOf(id: string): Cell | undefined {
  return notebook.value.cells[indexOf(id)];
}

/** The cell after (1) or before (-1) another one. */
export function neighbourOf(id: string, by: 1 | -1): Cell | undefined {
  return notebook.value.cells[indexOf(id) + by];
}

/** Selects everything from where the selection began to this cell. */
export function extendSelection(to: string): void {
  const from = selectedId.peek();
  if (from === null) return void (selectedId.value = to);
  const anchor = range.peek()?.active === from ? range.peek()!.anchor : from;
  selectedId.value = to;
  range.value = { anchor, active: to };
}

export function selectOnly(id: string): void {
  range.value = null;
  selectedId.value = id;
}

function change(edit: edits.Edit, beside?: Step['beside']): void {
  if (refuses()) return;
  past.value = [...past.value, { edit, ...(beside && { beside }) }];
  future.value = [];
  lastDeleted.value = null;
  notebook.value = edits.apply(notebook.value, edit);
}

/** A change of something that the notebook itself does not hold, as a step of the same undo stack. It is done already. */
export function changeBeside(beside: { undo(): void; redo(): void }): void {
  change({ type: 'group', edits: [] }, beside);
}

/** Inserts a cell and returns its id; an empty text when nothing may be changed. */
export function insertCell(index: number, kind: CellKind, source = ''): string {
  return insertCells(index, [{ kind, source }])[0] ?? '';
}

/** Inserts cells, with new ids, and returns those. */
export function insertCells(index: number, specs: readonly CellSpec[]): string[] {
  const before = new Set(notebook.value.cells.map(({ id }) => id));
  change(edits.inOrder(notebook.value, specs.map(({ kind, source, attributes }, i) => (current) => edits.insertCell(current, index + i, { ...(kind && { kind }), ...(source !== undefined && { source }), ...(attributes && { attributes }) }))));
  return notebook.value.cells.filter(({ id }) => !before.has(id)).map(({ id }) => id);
}

export function removeCells(ids: readonly string[]): void {
  const { cells } = notebook.value;
  const known = cells.filter(({ id }) => ids.includes(id));
  if (known.length === 0) return;
  const last = indexOf(known.at(-1)!.id);
  const neighbour = cells.slice(last + 1).find(({ id }) => !ids.includes(id)) ?? cells.slice(0, last).findLast(({ id }) => !ids.includes(id));
  change(edits.inOrder(notebook.value, known.map(({ id }) => (current) => edits.removeCell(current, id))));
  if (isReadOnly.peek()) return;
  selectedId.value = neighbour?.id ?? null;
  lastDeleted.value = known.length > 1 ? `${known.length} cells deleted` : known[0]!.kind === 'code' ? 'Code cell deleted' : 'Text cell deleted';
}

export function removeCell(id: string): void {
  removeCells([id]);
}

/** Moves cells by a number of places; at an end they stay. */
export function moveBy(ids: readonly string[], by: 1 | -1): void {
  const places = ids.map(indexOf).filter((index) => index >= 0);
  const target = by < 0 ? Math.min(...places) - 1 : Math.max(...places) + 2;
  if (places.length && target >= 0 && target <= notebook.value.cells.length) moveTo(ids, target);
}

/** Moves cells together to stand before the cell that is at `index` now. */
export function moveTo(ids: readonly string[], index: number): void {
  const order = () => notebook.value.cells.map(({ id }) => id).join();
  const edit = edits.moveCells(notebook.value, ids, index);
  if (edits.apply(notebook.value, edit).cells.map(({ id }) => id).join() !== order()) change(edit);
}

export function setKind(ids: readonly string[], kind: CellKind): void {
  const others = ids.filter((id) => cellOf(id) && cellOf(id)!.kind !== kind);
  if (others.length) change(edits.inOrder(notebook.value, others.map((id) => (current) => edits.setKind(current, id, kind))));
}

/** Cuts a cell in two; returns the id of the lower one. */
export function splitCell(id: string, offset: number): string {
  change(edits.splitCell(notebook.value, id, offset));
  return neighbourOf(id, 1)?.id ?? id;
}

/** Neighbours become one cell, with the first one's id. */
export function mergeCells(ids: readonly string[]): void {
  if (ids.length < 2) return;
  change(edits.mergeCells(notebook.value, ids));
  selectOnly(ids[0]!);
}

/** Copies below the last of the cells; returns their ids. */
export function duplicateCells(ids: readonly string[]): string[] {
  const cells = notebook.value.cells.filter(({ id }) => ids.includes(id));
  return cells.length ? insertCells(indexOf(cells.at(-1)!.id) + 1, cells) : [];
}

/** New texts of several cells as one step. */
export function setSources(sources: ReadonlyMap<string, string>): void {
  const changed = [...sources].filter(([id, source]) => cellOf(id) && cellOf(id)!.source !== source);
  if (changed.length) change(edits.inOrder(notebook.value, changed.map(([id, source]) => (current) => edits.setSource(current, id, source))));
}

/** Sets one attribute, or takes it away with null. How a cell is shown is not worth an undo step; what it says about itself is. */
export function setAttribute(ids: readonly string[], name: string, value: string | null, isStep = false): void {
  const edit = edits.inOrder(notebook.value, ids.filter(hasCell).map((id) => (current) => edits.setAttribute(current, id, name, value)));
  if (isStep) change(edit);
  else notebook.value = edits.apply(notebook.value, edit);
}

/** Text changes are not part of the undo stack: each editor has its own. */
export function setSource(id: string, source: string): void {
  if (isReadOnly.peek() || !hasCell(id) || cellById(notebook.value, id).source === source) return;
  notebook.value = edits.apply(notebook.value, edits.setSource(notebook.value, id, source));
}

export function setTitle(title: string): void {
  if (title !== notebook.value.title && !refuses()) notebook.value = edits.apply(notebook.value, edits.setTitle(notebook.value, title));
}

export function setMetadata(metadata: NonNullable<NotebookSpec['metadata']>): void {
  if (!refuses()) notebook.value = edits.apply(notebook.value, edits.setMetadata(notebook.value, metadata));
}

export function undo(): void {
  const step = past.value.at(-1);
  if (!step || refuses()) return;
  past.value = past.value.slice(0, -1);
  const undone = withTextNow(edits.invert(step.edit));
  future.value = [...future.value, { ...step, edit: edits.invert(undone) }];
  restore(undone);
  step.beside?.undo();
}

export function redo(): void {
  const step = future.value.at(-1);
  if (!step || refuses()) return;
  future.value = future.value.slice(0, -1);
  const done = withTextNow(step.edit);
  past.value = [...past.value, { ...step, edit: done }];
  restore(done);
  step.beside?.redo();
}

/** Undo of cells leaves text alone: what was typed since the edit was made stays. */
function withTextNow(edit: edits.Edit): edits.Edit {
  const rejoined = rejoin(edit);
  if (rejoined) return rejoined;
  return edits.inOrder(notebook.value, (edit.type === 'group' ? edit.edits : [edit]).map((each) => (current) => {
    if (each.type === 'remove') return edits.removeCell(current, each.cell.id);
    if (each.type !== 'change') return each;
    const { source, ...shown } = each.after;
    const now = cellById(current, each.id);
    const kept = now.source === each.before.source ? source : now.source;
    return { ...each, before: { kind: now.kind, source: now.source, attributes: now.attributes }, after: { ...shown, source: kept } };
  }));
}

/** Two halves that were typed into after the split come together as they are now. */
function rejoin(edit: edits.Edit): edits.Edit | null {
  if (edit.type !== 'group' || edit.edits.length !== 2) return null;
  const [removal, join] = edit.edits;
  if (removal?.type !== 'remove' || join?.type !== 'change' || join.before.source === join.after.source) return null;
  const [upper, lower] = [cellOf(join.id), cellOf(removal.cell.id)];
  if (!upper || !lower || neighbourOf(upper.id, 1) !== lower) return null;
  const isUntouched = upper.source === join.before.source && lower.source === removal.cell.source;
  return isUntouched ? null : edits.mergeCells(notebook.value, [upper.id, lower.id]);
}

function restore(edit: edits.Edit): void {
  const before = new Set(notebook.value.cells.map(({ id }) => id));
  notebook.value = edits.apply(notebook.value, edit);
  lastDeleted.value = null;
  const touched = notebook.value.cells.find(({ id }) => !before.has(id))?.id ?? touchedBy(edit);
  if (touched && hasCell(touched)) selectOnly(touched);
  else if (selectedId.value && !hasCell(selectedId.value)) selectedId.value = notebook.value.cells[0]?.id ?? null;
}

function touchedBy(edit: edits.Edit): string | null {
  if (edit.type === 'group') return edit.edits.map(touchedBy).find((id) => id !== null) ?? null;
  if (edit.type === 'change') return edit.id;
  return edit.type === 'move' ? (notebook.value.cells[edit.to]?.id ?? null) : null;
}
