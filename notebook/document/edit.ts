// Changes of a notebook as values: each says how to apply it and can be turned around. Undo stacks belong to the page.
// Law: apply(apply(n, e), invert(e)) equals n, for every edit made for n.
import {
  type Attributes,
  type Cell,
  type CellKind,
  type CellSpec,
  cellById,
  freshId,
  type MetadataValue,
  type Notebook,
  toCell,
} from './notebook.ts';

/** What of a cell can change while it stays the same cell. */
export interface CellFields {
  readonly kind: CellKind;
  readonly source: string;
  readonly attributes: Attributes;
}

export interface NotebookFields {
  readonly title: string;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
}

export type Edit =
  | { readonly type: 'insert'; readonly index: number; readonly cell: Cell }
  | { readonly type: 'remove'; readonly index: number; readonly cell: Cell }
  | { readonly type: 'move'; readonly from: number; readonly to: number }
  | { readonly type: 'change'; readonly id: string; readonly before: CellFields; readonly after: CellFields }
  | { readonly type: 'retitle'; readonly before: NotebookFields; readonly after: NotebookFields }
  /** Several edits as one step of undo, each made for the result of the one before. */
  | { readonly type: 'group'; readonly edits: readonly Edit[] };

/** The notebook after the edit; cells that did not change stay the same objects. Throws when the edit was made for another notebook. */
export function apply(notebook: Notebook, edit: Edit): Notebook {
  const { cells } = notebook;
  switch (edit.type) {
    case 'insert':
      return { ...notebook, cells: cells.toSpliced(edit.index, 0, edit.cell) };
    case 'remove':
      if (cells[edit.index]?.id !== edit.cell.id) throw mismatch(`cell '${edit.cell.id}' is not at position ${edit.index}`);
      return { ...notebook, cells: cells.toSpliced(edit.index, 1) };
    case 'move': {
      const cell = cells[edit.from];
      if (!cell) throw mismatch(`there is no cell at position ${edit.from}`);
      return { ...notebook, cells: cells.toSpliced(edit.from, 1).toSpliced(edit.to, 0, cell) };
    }
    case 'change':
      cellById(notebook, edit.id);
      return { ...notebook, cells: cells.map((cell) => (cell.id === edit.id ? { ...cell, ...edit.after } : cell)) };
    case 'retitle':
      return { ...notebook, ...edit.after };
    case 'group':
      return edit.edits.reduce(apply, notebook);
  }
}

/** The edit that takes `edit` back. */
export function invert(edit: Edit): Edit {
  switch (edit.type) {
    case 'insert':
      return { ...edit, type: 'remove' };
    case 'remove':
      return { ...edit, type: 'insert' };
    case 'move':
      return { type: 'move', from: edit.to, to: edit.from };
    case 'change':
      return { ...edit, before: edit.after, after: edit.before };
    case 'retitle':
      return { ...edit, before: edit.after, after: edit.before };
    case 'group':
      return { type: 'group', edits: edit.edits.map(invert).reverse() };
  }
}

/** A new cell at `index`, from 0; beyond the end means at the end. */
export function insertCell(notebook: Notebook, index: number, spec: CellSpec | string = {}): Edit {
  const cell = toCell(spec, freshId(idsOf(notebook)));
  if (idsOf(notebook).has(cell.id)) throw mismatch(`a cell '${cell.id}' is there already`);
  return { type: 'insert', index: Math.max(0, Math.min(index, notebook.cells.length)), cell };
}

export function removeCell(notebook: Notebook, id: string): Edit {
  return { type: 'remove', index: indexOf(notebook, id), cell: cellById(notebook, id) };
}

/** The cell stands at position `to` afterwards. */
export function moveCell(notebook: Notebook, id: string, to: number): Edit {
  return { type: 'move', from: indexOf(notebook, id), to: Math.max(0, Math.min(to, notebook.cells.length - 1)) };
}

export function setSource(notebook: Notebook, id: string, source: string): Edit {
  return change(notebook, id, { source });
}

export function setKind(notebook: Notebook, id: string, kind: CellKind): Edit {
  return change(notebook, id, { kind });
}

/** Sets one attribute; null takes it away. */
export function setAttribute(notebook: Notebook, id: string, name: string, value: string | null): Edit {
  const { [name]: _, ...others } = cellById(notebook, id).attributes;
  return change(notebook, id, { attributes: value === null ? others : { ...others, [name]: value } });
}

export function setTitle(notebook: Notebook, title: string): Edit {
  return retitle(notebook, { title });
}

export function setMetadata(notebook: Notebook, metadata: NotebookFields['metadata']): Edit {
  return retitle(notebook, { metadata });
}

/** The text from `offset` on becomes a new cell below, without the line end at the cut. */
export function splitCell(notebook: Notebook, id: string, offset: number): Edit {
  const cell = cellById(notebook, id);
  const before = cell.source.slice(0, offset).replace(/\n$/, '');
  const after = cell.source.slice(offset).replace(/^\n/, '');
  const below = toCell({ kind: cell.kind, source: after }, freshId(idsOf(notebook)));
  return {
    type: 'group',
    edits: [
      change(notebook, id, { source: before }),
      { type: 'insert', index: indexOf(notebook, id) + 1, cell: below },
    ],
  };
}

/** Cells that follow one another become one, with the first one's id and kind. */
export function mergeCells(notebook: Notebook, ids: readonly string[]): Edit {
  const cells = notebook.cells.filter(({ id }) => ids.includes(id));
  const [first, ...rest] = cells;
  if (!first || rest.length === 0) throw mismatch('merging needs two cells');
  const start = indexOf(notebook, first.id);
  const separator = first.kind === 'markdown' ? '\n\n' : '\n';
  const source = cells.map((cell) => cell.source).join(separator);
  // From the last up, so that positions above stay true.
  const removals = rest.map((cell, i): Edit => ({ type: 'remove', index: start + 1 + i, cell })).reverse();
  if (rest.some((cell, i) => notebook.cells[start + 1 + i] !== cell)) throw mismatch('only neighbours can be merged');
  return { type: 'group', edits: [...removals, change(notebook, first.id, { source })] };
}

/** One step of undo out of several edits, each made for the result of the one before. */
export function inOrder(notebook: Notebook, makers: readonly ((notebook: Notebook) => Edit)[]): Edit {
  const edits: Edit[] = [];
  makers.reduce((current, make) => {
    const edit = make(current);
    edits.push(edit);
    return apply(current, edit);
  }, notebook);
  return edits.length === 1 ? (edits[0] as Edit) : { type: 'group', edits };
}

/** The cells stand together, in document order, before the cell that is at `index` now; the number of cells means at the end. */
export function moveCells(notebook: Notebook, ids: readonly string[], index: number): Edit {
  const isMoving = ({ id }: Cell) => ids.includes(id);
  const { cells } = notebook;
  const wanted = [
    ...cells.slice(0, index).filter((cell) => !isMoving(cell)),
    ...cells.filter(isMoving),
    ...cells.slice(index).filter((cell) => !isMoving(cell)),
  ];
  const edits: Edit[] = [];
  let current = notebook;
  // Downwards the last goes first, so that each cell moves once.
  const places = [...wanted.keys()];
  if (cells.findIndex(isMoving) < index) places.reverse();
  for (const to of places) {
    const from = current.cells.indexOf(wanted[to] as Cell);
    if (from === to) continue;
    const edit: Edit = { type: 'move', from, to };
    edits.push(edit);
    current = apply(current, edit);
  }
  return edits.length === 1 ? (edits[0] as Edit) : { type: 'group', edits };
}

/** A copy below the cell. */
export function duplicateCell(notebook: Notebook, id: string): Edit {
  const { kind, source, attributes } = cellById(notebook, id);
  return insertCell(notebook, indexOf(notebook, id) + 1, { kind, source, attributes });
}

function change(notebook: Notebook, id: string, fields: Partial<CellFields>): Edit {
  const { kind, source, attributes } = cellById(notebook, id);
  const before = { kind, source, attributes };
  return { type: 'change', id, before, after: { ...before, ...fields } };
}

function retitle({ title, metadata }: Notebook, fields: Partial<NotebookFields>): Edit {
  const before = { title, metadata };
  return { type: 'retitle', before, after: { ...before, ...fields } };
}

function indexOf(notebook: Notebook, id: string): number {
  return notebook.cells.indexOf(cellById(notebook, id));
}

function idsOf(notebook: Notebook): Set<string> {
  return new Set(notebook.cells.map(({ id }) => id));
}

function mismatch(reason: string): Error {
  return new Error(`edit: made for another notebook: ${reason}`);
}
