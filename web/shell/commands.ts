// Every command in one table: what it is called, its keys, what it does. The keyboard, the palette, the menus and the
// sheet of keys read the same rows.
import { foldAll, setFold, visibleNeighbour } from '../cells/fold.ts';
import { editCell, focusCell, viewOf } from '../cells/column.ts';
import { replaceText } from '../editor/enter.ts';
import { formatCode } from '../editor/format.ts';
import { toggleInspector } from '../inspector/dock.ts';
import { clearOutputs, interruptRun, pausedAt, pauseRun, restartAndRunAll, restartKernel, runAll, runCells, staleCells } from '../session.ts';
import * as store from '../store.ts';
import { cellOf, indexOf, notebook, selectedId, selectedIds } from '../store.ts';
import { addView } from '../views/add.ts';
import { VIEW_CALLS } from '../views/calls.ts';
import { toggleLines } from './lines.ts';
import { say } from './note.ts';
import { toggleTheme } from './theme.ts';

export type Group = 'Run' | 'Cells' | 'Move around' | 'View' | 'Look inside' | 'Notebook';

export interface Command {
  readonly id: string;
  readonly words: string;
  readonly group: Group;
  /** Keys as they come; people may choose others. */
  readonly keys: readonly string[];
  /** `both`: also while text is edited. */
  readonly when: 'command' | 'both';
  run(): void;
}

/** The selected cells, or the first one when none is selected. */
const chosen = (): readonly string[] => (selectedIds.value.length ? selectedIds.value : notebook.value.cells.slice(0, 1).map(({ id }) => id));
const active = (): string | undefined => selectedId.value ?? notebook.value.cells[0]?.id;
const withActive = (act: (id: string) => void) => () => {
  const id = active();
  if (id && indexOf(id) >= 0) act(id);
};
const focusActive = () => {
  if (selectedId.value) focusCell(selectedId.value);
};

function step(by: 1 | -1, isExtending = false): void {
  const id = selectedId.value;
  const next = id ? visibleNeighbour(id, by) : notebook.value.cells[0];
  if (!next) return;
  if (isExtending) {
    store.extendSelection(next.id);
    viewOf(next.id)?.element.focus({ preventScroll: true });
    viewOf(next.id)?.element.scrollIntoView({ block: 'nearest' });
  } else {
    store.selectOnly(next.id);
    focusCell(next.id);
  }
}

function runHere(ids: readonly string[]): void {
  for (const id of ids) if (cellOf(id)?.kind === 'markdown') viewOf(id)?.finish();
  runCells(ids);
}

function runAndNext(): void {
  const ids = chosen();
  const last = ids.at(-1);
  if (!last) return;
  runHere(ids);
  const next = visibleNeighbour(last, 1);
  if (next) {
    store.selectOnly(next.id);
    focusCell(next.id);
  } else editCell(store.insertCell(notebook.value.cells.length, 'code'), 'end');
}

const partOf = (from: 'above' | 'below') => (id: string) => {
  const at = indexOf(id);
  runCells((from === 'above' ? notebook.value.cells.slice(0, at) : notebook.value.cells.slice(at)).map((cell) => cell.id));
};

let clip: readonly { readonly kind: 'code' | 'markdown'; readonly source: string; readonly attributes: Readonly<Record<string, string>> }[] = [];

function copy(): void {
  clip = chosen().map((id) => cellOf(id)!);
  void navigator.clipboard?.writeText(clip.map(({ source }) => source).join('\n\n')).catch(() => undefined);
}

function paste(by: 0 | 1): void {
  const last = chosen()[by === 1 ? chosen().length - 1 : 0];
  if (clip.length === 0) return say('Nothing was copied yet');
  const ids = store.insertCells(last ? indexOf(last) + by : notebook.value.cells.length, clip);
  focusCell(ids.at(-1)!);
}

function split(id: string): void {
  const offset = viewOf(id)?.caret();
  if (offset === null || offset === undefined) return say('Put the cursor where the cell is to be cut, then split');
  viewOf(id)?.finish();
  editCell(store.splitCell(id, offset), 'start');
}

function merge(): void {
  const below = active() && store.neighbourOf(active()!, 1);
  const ids = chosen().length > 1 ? chosen() : below ? [active()!, below.id] : [];
  store.mergeCells(ids);
  focusActive();
}

function heading(level: number): () => void {
  return withActive((id) => {
    const { source, kind } = cellOf(id)!;
    if (kind === 'code') store.setKind([id], 'markdown');
    store.setSources(new Map([[id, `${'#'.repeat(level)} ${source.replace(/^#+\s*/, '')}`]]));
    focusCell(id);
  });
}

/** Turns one part of `collapse` on or off; all chosen cells follow the first. */
function collapse(part: 'code' | 'output'): () => void {
  return () => {
    const parts = (id: string) => new Set(cellOf(id)?.attributes.collapse === 'both' ? ['code', 'output'] : [cellOf(id)?.attributes.collapse ?? '']);
    const ids = chosen().filter((id) => cellOf(id)?.kind === 'code');
    const isOn = !parts(ids[0] ?? '').has(part);
    for (const id of ids) {
      const now = parts(id);
      if (isOn) now.add(part);
      else now.delete(part);
      store.setAttribute([id], 'collapse', now.has('code') ? (now.has('output') ? 'both' : 'code') : now.has('output') ? 'output' : null);
    }
    focusActive();
  };
}

async function format(id: string): Promise<void> {
  const cell = cellOf(id);
  if (cell?.kind !== 'code') return;
  try {
    const { text } = await formatCode(cell.source);
    if (cellOf(id)?.source === cell.source && text !== cell.source) replaceText(id, text);
  } catch (error) {
    say((error as Error).message);
  }
}

/** Parts of the page that open over it; put in at start, because they show this table. */
export const panels = { palette: () => {}, keys: () => {}, find: () => {}, tags: () => {}, settings: () => {}, open: () => {}, save: () => {}, saveNow: () => {}, create: () => {}, share: () => {} };

/** What `npm run build` writes beside the page: every operation, layer, optimizer and dataset. */
export const REFERENCE = './reference/index.html';

const list: [id: string, words: string, group: Group, keys: string, when: Command['when'], run: () => void][] = [
  ['run-next', 'Run and go to the next cell', 'Run', 'Shift-Enter', 'both', runAndNext],
  ['run', 'Run and stay', 'Run', 'Mod-Enter', 'both', () => { runHere(chosen()); focusActive(); }],
  ['run-insert', 'Run and add a cell below', 'Run', 'Alt-Enter', 'both', withActive((id) => { runHere([id]); editCell(store.insertCell(indexOf(id) + 1, 'code'), 'end'); })],
  ['run-all', 'Run all', 'Run', 'Mod-Shift-Enter', 'both', () => runAll()],
  ['run-above', 'Run all above', 'Run', '', 'both', withActive(partOf('above'))],
  ['run-below', 'Run from here on', 'Run', '', 'both', withActive(partOf('below'))],
  ['run-stale', 'Run what is stale', 'Run', '', 'both', () => { const ids = staleCells(); if (ids.length) runCells(ids); else say('No cell is stale'); }],
  ['stop', 'Stop', 'Run', 'I I, Mod-C', 'command', () => interruptRun()],
  ['pause', 'Pause or go on', 'Run', '', 'both', () => pauseRun(pausedAt.peek() === null ? 'on' : 'off')],
  ['step', 'Do one training step', 'Run', '', 'both', () => pauseRun('step')],
  ['restart', 'Restart the kernel', 'Run', '0 0', 'command', () => void restartKernel()],
  ['restart-run', 'Restart and run all', 'Run', '', 'both', () => void restartAndRunAll().then((words) => say(words))],
  ['edit', 'Edit the cell', 'Move around', 'Enter', 'command', withActive((id) => { store.selectOnly(id); editCell(id, 'keep'); })],
  ['leave', 'Leave the text', 'Move around', 'Escape', 'both', withActive((id) => { store.selectOnly(id); focusCell(id); })],
  ['up', 'Cell above', 'Move around', 'ArrowUp, K', 'command', () => step(-1)],
  ['down', 'Cell below', 'Move around', 'ArrowDown, J', 'command', () => step(1)],
  ['extend-up', 'Select the cell above, too', 'Move around', 'Shift-ArrowUp, Shift-K', 'command', () => step(-1, true)],
  ['extend-down', 'Select the cell below, too', 'Move around', 'Shift-ArrowDown, Shift-J', 'command', () => step(1, true)],
  ['select-all', 'Select all cells', 'Move around', 'Mod-A', 'command', () => { const { cells } = notebook.value; if (cells.length) { store.selectOnly(cells[0]!.id); store.extendSelection(cells.at(-1)!.id); } }],
  ['insert-above', 'Add code above', 'Cells', 'A', 'command', withActive((id) => focusCell(store.insertCell(indexOf(id), 'code')))],
  ['insert-below', 'Add code below', 'Cells', 'B', 'command', withActive((id) => focusCell(store.insertCell(indexOf(id) + 1, 'code')))],
  ['cut', 'Cut', 'Cells', 'X', 'command', () => { copy(); store.removeCells(chosen()); focusActive(); }],
  ['copy', 'Copy', 'Cells', 'C', 'command', () => { copy(); say(clip.length === 1 ? 'Cell copied' : `${clip.length} cells copied`); }],
  ['paste-below', 'Paste below', 'Cells', 'V', 'command', () => paste(1)],
  ['paste-above', 'Paste above', 'Cells', 'Shift-V', 'command', () => paste(0)],
  ['duplicate', 'Duplicate', 'Cells', '', 'command', () => { const ids = store.duplicateCells(chosen()); if (ids.length) focusCell(ids.at(-1)!); }],
  ['delete', 'Delete', 'Cells', 'D D', 'command', () => { store.removeCells(chosen()); focusActive(); }],
  ['undo', 'Undo a change of cells', 'Cells', 'Z', 'command', () => { if (!store.canUndo.value) return say('No change of cells to undo'); store.undo(); focusActive(); }],
  ['redo', 'Redo it', 'Cells', 'Shift-Z', 'command', () => { store.redo(); focusActive(); }],
  ['move-up', 'Move up', 'Cells', 'Alt-ArrowUp', 'command', () => { store.moveBy(chosen(), -1); focusActive(); }],
  ['move-down', 'Move down', 'Cells', 'Alt-ArrowDown', 'command', () => { store.moveBy(chosen(), 1); focusActive(); }],
  ['split', 'Split at the cursor', 'Cells', 'Mod-_', 'both', withActive(split)],
  ['merge', 'Merge with the cell below', 'Cells', 'Shift-M', 'command', merge],
  ['to-text', 'Make it text', 'Cells', 'M', 'command', () => { store.setKind(chosen(), 'markdown'); focusActive(); }],
  ['to-code', 'Make it code', 'Cells', 'Y', 'command', () => { store.setKind(chosen(), 'code'); focusActive(); }],
  ...[1, 2, 3, 4, 5, 6].map((level): (typeof list)[number] => [`heading-${level}`, `Make it a heading of level ${level}`, 'Cells', String(level), 'command', heading(level)]),
  ['format', 'Format the code', 'Cells', 'Alt-Shift-F', 'both', withActive((id) => void format(id))],
  ['reactive', 'Run by itself when what it uses changes, or no more', 'Cells', '', 'command', withActive((id) => store.setAttribute(chosen().filter((each) => cellOf(each)?.kind === 'code'), 'reactive', cellOf(id)?.attributes.reactive === undefined ? '' : null, true))],
  ['tags', 'Edit tags', 'Cells', '', 'command', () => panels.tags()],
  ['toggle-code', 'Hide or show the code', 'View', 'Shift-O', 'command', collapse('code')],
  ['toggle-output', 'Hide or show the output', 'View', 'O', 'command', collapse('output')],
  ['lines', 'Show or hide line numbers', 'View', 'L', 'command', toggleLines],
  ['fold', 'Fold the section', 'View', 'ArrowLeft', 'command', withActive((id) => focusCell(setFold(id, true)))],
  ['unfold', 'Unfold the section', 'View', 'ArrowRight', 'command', withActive((id) => focusCell(setFold(id, false)))],
  ['fold-all', 'Fold all sections', 'View', '', 'command', () => foldAll(true)],
  ['unfold-all', 'Unfold all sections', 'View', '', 'command', () => foldAll(false)],
  ['clear-output', 'Clear the output', 'View', '', 'command', () => clearOutputs(chosen())],
  ['clear-outputs', 'Clear all outputs', 'View', '', 'command', () => clearOutputs(notebook.value.cells.map(({ id }) => id))],
  ['inspector', 'Open or close the inspector', 'View', 'G', 'command', toggleInspector],
  ['theme', 'Light or dark colours', 'View', '', 'both', toggleTheme],
  ...VIEW_CALLS.map(({ id, words }): (typeof list)[number] => [`view-${id}`, words, 'Look inside', '', 'both', () => addView(id)]),
  ['find', 'Find and replace', 'Notebook', 'F', 'command', () => panels.find()],
  ['palette', 'All commands', 'Notebook', 'P, Mod-Shift-P, F1', 'both', () => panels.palette()],
  ['keys', 'Show and change keys', 'Notebook', '?', 'command', () => panels.keys()],
  ['reference', 'Reference of operations, layers and data', 'Notebook', '', 'both', () => void open(REFERENCE, '_blank', 'noopener')],
  ['settings', 'Title and seed', 'Notebook', '', 'both', () => panels.settings()],
  ['open', 'Open a file', 'Notebook', 'Mod-O', 'both', () => panels.open()],
  ['save', 'Save now', 'Notebook', 'S, Mod-S', 'both', () => panels.saveNow()],
  ['save-as', 'Save as a file', 'Notebook', 'Mod-Shift-S', 'both', () => panels.save()],
  ['new', 'New notebook', 'Notebook', '', 'both', () => panels.create()],
  ['share', 'Share by link', 'Notebook', '', 'both', () => panels.share()],
];

export const commands: readonly Command[] = list.map(([id, words, group, keys, when, run]) => ({ id, words, group, keys: keys ? keys.split(', ') : [], when, run }));

export function commandOf(id: string): Command {
  return commands.find((command) => command.id === id)!;
}
