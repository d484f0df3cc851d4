// The notebook as immutable data: what a document is, and how a loose description becomes a complete one.
// Changes are made by edit.ts; text forms live in their own files.

export type CellKind = 'code' | 'markdown';

/**
 * Extra words about a cell, kept word for word by every format. A flag has the value ''.
 * Known names: `collapse` (`code`, `output` or `both`), `tags` (comma-separated).
 */
export type Attributes = Readonly<Record<string, string>>;

/** A value in the notebook's front matter. */
export type MetadataValue =
  | string
  | number
  | boolean
  | null
  | readonly MetadataValue[]
  | { readonly [key: string]: MetadataValue };

export interface Cell {
  /** Letters, digits, `-` and `_`, at most 64. Unique in the notebook; survives moves and edits. */
  readonly id: string;
  readonly kind: CellKind;
  /** Lines end with `\n`; no newline is added at the end. */
  readonly source: string;
  readonly attributes: Attributes;
  /** The cell as its `.ipynb` file wrote it, outputs and all; ipynb.ts alone reads it. */
  readonly origin?: CellOrigin;
}

/** Text of one cell in a file, with the space around it. */
export interface CellOrigin {
  readonly text: string;
  /** Before the cell, up to the comma or bracket. */
  readonly lead: string;
  /** Between the cell and the comma after it. */
  readonly trail: string;
}

/** The `.ipynb` file around its cells. */
export interface NotebookOrigin {
  /** The whole text, with an empty list where the cells stood. */
  readonly text: string;
  /** Space before the bracket that closes the cells. */
  readonly close: string;
  /** The title that the file's name gave, where the file states none. It is not written into the file. */
  readonly name?: string;
}

export interface Notebook {
  readonly title: string;
  /** Everything else in the front matter, in its order. `seed` is the number the kernel starts from. */
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  readonly cells: readonly Cell[];
  readonly origin?: NotebookOrigin;
}

export type CellSpec = Partial<Cell>;

export interface NotebookSpec {
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, MetadataValue>>;
  /** A string is a code cell. */
  readonly cells?: readonly (CellSpec | string)[];
  readonly origin?: NotebookOrigin;
}

export const UNTITLED = 'Untitled';

/** Whether `id` may name a cell. */
export function isCellId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id);
}

/** The id that a cell gets at position `index` (from 0) when nothing names it. */
export function defaultId(index: number): string {
  return `cell-${index + 1}`;
}

/** A new id that `taken` does not hold. `random` gives numbers in [0, 1). */
export function freshId(taken: ReadonlySet<string>, random: () => number = Math.random): string {
  for (;;) {
    const id = Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0');
    if (!taken.has(id)) return id;
  }
}

/** Line ends of every system become `\n`. */
export function normalizeNewlines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/**
 * Completes one cell. Throws when the id is not a cell id.
 * `fallbackId` is used when the description names none.
 */
export function toCell(spec: CellSpec | string, fallbackId: string): Cell {
  const given: CellSpec = typeof spec === 'string' ? { source: spec } : spec;
  const id = given.id ?? fallbackId;
  if (!isCellId(id)) {
    throw new Error(`cell id: expected 1 to 64 letters, digits, '-' or '_', got ${JSON.stringify(id)}`);
  }
  return {
    id,
    kind: given.kind ?? 'code',
    source: normalizeNewlines(given.source ?? ''),
    attributes: given.attributes ?? {},
    ...(given.origin && { origin: given.origin }),
  };
}

/** Completes a description to a whole notebook. Throws when two cells share an id. */
export function toNotebook(spec: NotebookSpec = {}): Notebook {
  const given = spec.cells ?? [];
  const named = new Set(given.map((cell) => (typeof cell === 'string' ? undefined : cell.id)));
  const seen = new Set<string>();
  const cells = given.map((cell, index) => {
    let fallback = defaultId(index);
    // A cell without a name never takes the name of another cell.
    while (named.has(fallback) || seen.has(fallback)) fallback += '-';
    const complete = toCell(cell, fallback);
    if (seen.has(complete.id)) throw new Error(`cell id: two cells are named '${complete.id}'; give one another id`);
    seen.add(complete.id);
    return complete;
  });
  return { title: spec.title ?? UNTITLED, metadata: spec.metadata ?? {}, cells, ...(spec.origin && { origin: spec.origin }) };
}

/** The cell with this id. Throws when there is none. */
export function cellById(notebook: Notebook, id: string): Cell {
  const cell = notebook.cells.find((candidate) => candidate.id === id);
  if (!cell) throw new Error(`notebook: no cell has the id '${id}'`);
  return cell;
}

/** Number of a code cell among the code cells, from 1, as learners see it; 0 for a Markdown cell. */
export function codeNumber(notebook: Notebook, id: string): number {
  const cell = cellById(notebook, id);
  if (cell.kind !== 'code') return 0;
  return notebook.cells.filter((candidate) => candidate.kind === 'code').indexOf(cell) + 1;
}

/** The title of a notebook that states none: its first level-one heading. */
export function headingOf(cells: readonly CellSpec[]): string {
  for (const { kind, source = '' } of cells) {
    const heading = kind === 'markdown' ? /^#[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(source) : null;
    if (heading) return heading[1] as string;
  }
  return UNTITLED;
}
