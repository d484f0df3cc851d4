// Notebooks as Jupyter's files (nbformat 4). What is read keeps its text, so that saving writes back every character of
// whatever did not change: foreign outputs, unknown fields, the order of names, odd spaces, 1.0 and NaN.
// Laws: printIpynb(parseIpynb(text)) is text. parseIpynb(printIpynb(n)) equals n but for the origins.
import { JUPYTER_STYLE, type Json, type JsonNode, type JsonStyle, memberOf, parseJson, patchObject, printJson, styleOf, valueOf } from './json.ts';
import {
  type Attributes,
  type Cell,
  type CellKind,
  type CellOrigin,
  type CellSpec,
  headingOf,
  UNTITLED,
  isCellId,
  type MetadataValue,
  type Notebook,
  type NotebookOrigin,
  normalizeNewlines,
  toNotebook,
} from './notebook.ts';

/** What a run left under a cell, in nbformat's words: `{ output_type: 'stream', ... }` and so on. */
export interface CellResult {
  readonly executionCount: number | null;
  readonly outputs: readonly Json[];
}

export type Results = ReadonlyMap<string, CellResult>;

/** Our own place in metadata, for cells and notebooks. */
const OURS = 'gradbook';

const KERNEL: { readonly [key: string]: Json } = {
  kernelspec: { display_name: 'TypeScript (Gradbook)', language: 'typescript', name: 'gradbook' },
  language_info: {
    codemirror_mode: 'typescript',
    file_extension: '.ts',
    mimetype: 'text/x.typescript',
    name: 'typescript',
    nbconvert_exporter: 'script',
    pygments_lexer: 'typescript',
  },
};

const FRESH_ROOT = printJson({ cells: [], metadata: KERNEL, nbformat: 4, nbformat_minor: 5 }, JUPYTER_STYLE);

// -- reading -----------------------------------------------------------------------------------------------------------

/** Reads a file. Throws SyntaxError with the place, or with the cell, that is wrong. */
export function parseIpynb(text: string): Notebook {
  const root = parseJson(text);
  if (root.kind !== 'object') throw new SyntaxError('a notebook file holds one object with "cells" and "nbformat"');
  checkVersion(text, root);
  const list = memberOf(root, 'cells');
  if (list?.kind !== 'array') throw new SyntaxError('"cells" is missing or is no list, so this is no notebook');
  const taken = new Set<string>();
  const cells = list.items.map((node, i): CellSpec => {
    const { id, ...fields } = readCell(text, node, i);
    const isFree = id !== null && !taken.has(id);
    if (isFree) taken.add(id);
    return { ...fields, ...(isFree && { id }), origin: cellOrigin(text, list, i) };
  });
  const last = list.items.at(-1);
  const origin: NotebookOrigin = {
    text: last ? `${text.slice(0, list.start)}[]${text.slice(list.end)}` : text,
    close: last ? text.slice(last.end, list.end - 1) : '',
  };
  const { title, metadata } = readHead(origin);
  return toNotebook({ title: title ?? headingOf(cells), metadata, cells, origin });
}

/** A notebook whose file states no title is called by the file's name. Saved again, it states none either. */
export function nameByFile(notebook: Notebook, name: string): Notebook {
  const { title, origin } = notebook;
  if (title !== UNTITLED || name === '' || (origin && readHead(origin).title !== null)) return notebook;
  return { ...notebook, title: name, ...(origin && { origin: { ...origin, name } }) };
}

function checkVersion(text: string, root: JsonNode): void {
  const version = memberOf(root, 'nbformat');
  const major = version ? valueOf(text, version) : null;
  if (major === 4) return;
  if (typeof major !== 'number') throw new SyntaxError('"nbformat" is missing, so this is no notebook');
  const what = major < 4 ? 'is older than 4' : 'is newer than this program knows';
  throw new SyntaxError(`the file is of nbformat ${major}, which ${what}; open it in Jupyter and save it as nbformat 4`);
}

function cellOrigin(text: string, list: JsonNode & { kind: 'array' }, index: number): CellOrigin {
  const node = list.items[index] as JsonNode;
  const before = list.items[index - 1];
  const from = before ? text.indexOf(',', before.end) + 1 : list.start + 1;
  const isLast = index === list.items.length - 1;
  return {
    text: text.slice(node.start, node.end),
    lead: text.slice(from, node.start),
    trail: isLast ? '' : text.slice(node.end, text.indexOf(',', node.end)),
  };
}

interface CellFacts {
  /** Null when the file gives none that may name a cell. */
  readonly id: string | null;
  readonly kind: CellKind;
  readonly source: string;
  readonly attributes: Attributes;
}

function readCell(text: string, node: JsonNode, index: number): CellFacts {
  const fail = (reason: string) => new SyntaxError(`cell ${index + 1} of the file: ${reason}`);
  if (node.kind !== 'object') throw fail('expected an object');
  const string = (key: string): string | null => {
    const member = memberOf(node, key);
    return member?.kind === 'string' ? (valueOf(text, member) as string) : null;
  };
  const type = string('cell_type');
  if (type === null) throw fail('"cell_type" is missing or is no text');
  const lines = memberOf(node, 'source');
  const given = lines ? valueOf(text, lines) : null;
  const source = Array.isArray(given) && given.every((line) => typeof line === 'string') ? given.join('') : given;
  if (typeof source !== 'string') throw fail('"source" must be a text or a list of texts');
  const id = string('id');
  const kind = type === 'code' ? 'code' : 'markdown';
  const metadata = memberOf(node, 'metadata');
  const attributes = readAttributes(metadata ? valueOf(text, metadata) : {});
  return {
    id: id !== null && isCellId(id) ? id : null,
    kind,
    source: normalizeNewlines(source),
    attributes: type === 'code' || type === 'markdown' ? attributes : { type, ...attributes },
  };
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readAttributes(metadata: Json): Attributes {
  if (!isObject(metadata)) return {};
  const attributes: Record<string, string> = {};
  const own = metadata[OURS];
  for (const [name, value] of Object.entries(isObject(own) ? own : {})) {
    if (typeof value === 'string' && /^[A-Za-z][\w-]*$/.test(name) && name !== 'id') attributes[name] = value;
  }
  const { tags, jupyter } = metadata;
  if (Array.isArray(tags) && tags.length > 0 && tags.every((tag) => typeof tag === 'string')) attributes.tags = tags.join(',');
  const hides = (name: string): boolean => isObject(jupyter) && jupyter[name] === true;
  const isCodeHidden = hides('source_hidden');
  const isOutputHidden = hides('outputs_hidden') || metadata.collapsed === true;
  if (isCodeHidden || isOutputHidden) attributes.collapse = isCodeHidden && isOutputHidden ? 'both' : isCodeHidden ? 'code' : 'output';
  return attributes;
}

function readHead(origin: NotebookOrigin): { title: string | null; metadata: Readonly<Record<string, MetadataValue>> } {
  const node = memberOf(parseJson(origin.text), 'metadata');
  const metadata = node ? valueOf(origin.text, node) : {};
  if (!isObject(metadata)) return { title: null, metadata: {} };
  const { title } = metadata;
  const own = metadata[OURS];
  return { title: typeof title === 'string' ? title : null, metadata: isObject(own) ? (own as Record<string, MetadataValue>) : {} };
}

/** The language of the file's kernel when it is not ours, such as `python`: its code cells will not run here. Else null. */
export function foreignLanguage({ origin }: Notebook): string | null {
  if (!origin) return null;
  const node = memberOf(parseJson(origin.text), 'metadata');
  const metadata = node ? valueOf(origin.text, node) : {};
  if (!isObject(metadata)) return null;
  const { kernelspec, language_info: info } = metadata;
  const language = (isObject(info) && info.name) || (isObject(kernelspec) && kernelspec.language);
  return typeof language === 'string' && !/^(typescript|javascript|ts|js)$/i.test(language) ? language : null;
}

/** What the file shows under a cell; null when the cell came from no file or is no code. */
export function savedResult({ origin, kind }: Cell): CellResult | null {
  if (!origin || kind !== 'code') return null;
  const node = parseJson(origin.text);
  const outputs = memberOf(node, 'outputs');
  const count = memberOf(node, 'execution_count');
  const list = outputs ? valueOf(origin.text, outputs) : [];
  const number = count ? valueOf(origin.text, count) : null;
  return { outputs: Array.isArray(list) ? list : [], executionCount: typeof number === 'number' ? number : null };
}

// -- writing -----------------------------------------------------------------------------------------------------------

interface Format {
  readonly style: JsonStyle;
  /** Files of nbformat 4.4 and older may not name their cells. */
  readonly hasIds: boolean;
}

/**
 * Writes a file. A cell in `results` gets these outputs; any other keeps those it came with.
 * What did not change since parseIpynb keeps its text; what is new is laid out like the rest.
 */
export function printIpynb(notebook: Notebook, results: Results = new Map()): string {
  const isFresh = notebook.origin === undefined;
  const origin = notebook.origin ?? { text: `${FRESH_ROOT}\n`, close: '' };
  const root = parseJson(origin.text);
  const minor = memberOf(root, 'nbformat_minor');
  const style = isFresh ? JUPYTER_STYLE : styleOf(origin.text, root, [origin.text, ...notebook.cells.map((cell) => cell.origin?.text ?? '')]);
  const format: Format = { style, hasIds: minor !== undefined && Number(valueOf(origin.text, minor)) >= 5 };
  const changes = new Map([['cells', printCells(notebook, origin, results, format)]]);
  const head = readHead(origin);
  const metadata = patchHead(notebook, origin, memberOf(root, 'metadata'), head, style);
  if (metadata !== null) changes.set('metadata', metadata);
  return origin.text.slice(0, root.start) + patchObject(origin.text, root, changes, style) + origin.text.slice(root.end);
}

function printCells({ cells }: Notebook, origin: NotebookOrigin, results: Results, { style, hasIds }: Format): string {
  const list = memberOf(parseJson(origin.text), 'cells') as JsonNode;
  if (cells.length === 0) return origin.text.slice(list.start, list.end);
  const level = style.indent === null ? '' : style.indent.repeat(2);
  const space = style.indent === null ? '' : style.newline + level;
  const texts = cells.map((cell, i) => {
    const { lead = i === 0 || style.indent !== null ? space : style.comma.slice(1), trail = '' } = cell.origin ?? {};
    const text = cell.origin ? patchCell(cell, cell.origin.text, results.get(cell.id), { style, hasIds }) : freshCell(cell, results.get(cell.id), { style, hasIds }, level);
    return lead + text + (i < cells.length - 1 ? trail : '');
  });
  const isNew = origin.close === '' && cells.every((cell) => !cell.origin);
  const close = isNew && style.indent !== null ? style.newline + style.indent : origin.close;
  return `[${texts.join(',')}${close}]`;
}

function freshCell(cell: Cell, result: CellResult | undefined, { style, hasIds }: Format, level: string): string {
  const type = cellType(cell);
  const value: Record<string, Json> = { cell_type: type };
  if (type === 'code') value.execution_count = result?.executionCount ?? null;
  if (hasIds) value.id = cell.id;
  value.metadata = writeAttributes({}, cell.attributes, type);
  if (type === 'code') value.outputs = result?.outputs ?? [];
  value.source = splitLines(cell.source);
  return printJson(value, style, level);
}

/** Only `raw` cells exist beside ours; other words under `type` are attributes like any. */
function cellType({ kind, attributes }: Pick<Cell, 'kind' | 'attributes'>, was?: string): string {
  if (kind === 'code') return 'code';
  return attributes.type === 'raw' || (was !== undefined && attributes.type === was) ? (attributes.type as string) : 'markdown';
}

function patchCell(cell: Cell, text: string, result: CellResult | undefined, { style: fileStyle, hasIds }: Format): string {
  const node = parseJson(text) as JsonNode & { kind: 'object' };
  const was = readCell(text, node, 0);
  const changes = new Map<string, string | null>();
  const first = node.members[0];
  const inner = /\n([ \t]*)$/.exec(first ? text.slice(1, first.start) : '')?.[1];
  // A cell on one line stays on one line.
  const style: JsonStyle = inner === undefined ? { ...fileStyle, indent: null } : { ...fileStyle, indent: fileStyle.indent || ' ' };
  const put = (key: string, value: Json) => changes.set(key, printJson(value, style, inner ?? ''));

  const typeNode = memberOf(node, 'cell_type') as JsonNode;
  const typeWas = valueOf(text, typeNode) as string;
  const type = cellType(cell, typeWas);
  if (type !== typeWas) {
    put('cell_type', type);
    for (const key of ['outputs', 'execution_count']) if (type !== 'code' && memberOf(node, key)) changes.set(key, null);
    if (type === 'code') {
      if (memberOf(node, 'attachments')) changes.set('attachments', null);
      put('execution_count', null);
      put('outputs', []);
    }
  }
  if (cell.source !== was.source) {
    const source = memberOf(node, 'source');
    const sourceText = source ? text.slice(source.start, source.end) : '';
    const isOneLine = source?.kind === 'array' && source.items.length > 0 && !sourceText.includes('\n');
    const value: Json = source?.kind === 'string' ? cell.source : splitLines(cell.source);
    changes.set('source', printJson(value, isOneLine ? { ...style, indent: null } : style, inner ?? ''));
  }
  // A type that the cell no longer has becomes a word like any.
  if (!isSameRecord(cell.attributes, was.attributes) || (type !== typeWas && cell.attributes.type !== undefined)) {
    const metadata = memberOf(node, 'metadata');
    changes.set('metadata', patchMetadata(text, metadata, cell, type, style, inner ?? ''));
  }
  if (result && type === 'code') {
    put('execution_count', result.executionCount);
    put('outputs', result.outputs);
  }
  // A name is given to a cell that is written anew anyway, and to none else: saving changes nothing that nobody touched.
  if (hasIds && changes.size > 0 && was.id !== cell.id) put('id', cell.id);
  return changes.size === 0 ? text : patchObject(text, node, changes, style);
}

function patchMetadata(text: string, node: JsonNode | undefined, cell: Cell, type: string, style: JsonStyle, inner: string): string {
  const before = node ? valueOf(text, node) : {};
  const after = writeAttributes(isObject(before) ? before : {}, cell.attributes, type);
  if (node?.kind !== 'object' || node.members.length === 0) return printJson(after, style, inner);
  const changes = new Map<string, string | null>();
  const deeper = inner + (style.indent ?? '');
  for (const key of new Set([...Object.keys(before as object), ...Object.keys(after)])) {
    const value = after[key];
    if (value === undefined) changes.set(key, null);
    else if (JSON.stringify(value) !== JSON.stringify((before as Record<string, Json>)[key])) changes.set(key, printJson(value, style, deeper));
  }
  return patchObject(text, node, changes, style);
}

/** Cell metadata with these attributes in it: in nbformat's own words where it has some, else under our name. */
function writeAttributes(before: { readonly [key: string]: Json }, attributes: Attributes, type: string): Record<string, Json> {
  const { type: typeWord, tags, collapse, ...rest } = attributes;
  const own: Record<string, Json> = { ...rest };
  if (typeWord !== undefined && typeWord !== type) own.type = typeWord;
  const names = (tags ?? '').split(',');
  const areTags = tags !== undefined && names.every((name) => name !== '') && new Set(names).size === names.length;
  if (tags !== undefined && !areTags) own.tags = tags;
  const isKnown = collapse === 'code' || collapse === 'output' || collapse === 'both';
  if (collapse !== undefined && !isKnown) own.collapse = collapse;
  const hidesCode = collapse === 'code' || collapse === 'both';
  const hidesOutput = collapse === 'output' || collapse === 'both';
  const { [OURS]: ownBefore, tags: _, jupyter, collapsed, ...others } = before;
  const { source_hidden: __, outputs_hidden: ___, ...view } = isObject(jupyter) ? jupyter : {};
  const hidden = { ...view, ...(hidesOutput && { outputs_hidden: true }), ...(hidesCode && { source_hidden: true }) };
  // What we cannot hold as an attribute was not ours to drop.
  const kept = Object.fromEntries(Object.entries(isObject(ownBefore) ? ownBefore : {}).filter(([, value]) => typeof value !== 'string'));
  const ours = { ...kept, ...own };
  const after: Record<string, Json> = { ...others };
  if (collapsed !== undefined) after.collapsed = hidesOutput;
  if (Object.keys(ours).length > 0) after[OURS] = ours;
  if (Object.keys(hidden).length > 0) after.jupyter = hidden;
  if (areTags) after.tags = names;
  return after;
}

function patchHead(
  { title, metadata, cells }: Notebook,
  { text, name }: NotebookOrigin,
  node: JsonNode | undefined,
  was: { readonly title: string | null; readonly metadata: Readonly<Record<string, MetadataValue>> },
  style: JsonStyle,
): string | null {
  const stated = headingOf(cells);
  const heading = stated === UNTITLED ? (name ?? stated) : stated;
  const isSameTitle = title === (was.title ?? heading);
  const isSameMetadata = JSON.stringify(metadata) === JSON.stringify(was.metadata);
  if (isSameTitle && isSameMetadata) return null;
  const deeper = style.indent === null ? '' : style.indent.repeat(2);
  const changes = new Map<string, string | null>();
  if (!isSameTitle) changes.set('title', title === heading && was.title === null ? null : printJson(title, style));
  if (!isSameMetadata) changes.set(OURS, Object.keys(metadata).length > 0 ? printJson(metadata, style, deeper) : null);
  if (node?.kind === 'object' && node.members.length > 0) return patchObject(text, node, changes, style);
  const value: Record<string, Json> = {};
  if (!isSameMetadata && Object.keys(metadata).length > 0) value[OURS] = metadata;
  if (!isSameTitle) value.title = title;
  return printJson(value, style, style.indent ?? '');
}

/** Lines with their ends, as nbformat likes texts. */
export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function isSameRecord(a: Attributes, b: Attributes): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
