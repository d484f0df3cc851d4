// Every command in one table: its keys, what it does, and the words of the help sheet. The keyboard and the sheet read the same rows.
import { editCell, focusCell, viewOf } from '../cells/column.ts';
import { toggleInspector } from '../inspector/dock.ts';
import { interruptRun, restartKernel, runAll, runCell } from '../session.ts';
import { indexOf, insertCell, moveCell, neighbourOf, notebook, redo, removeCell, selectedId, setKind, undo } from '../store.ts';

export interface Command {
  readonly keys: string;
  readonly words: string;
  /** `command`: only when no text is edited. `both`: always. */
  readonly when: 'command' | 'both';
  readonly group: 'Run' | 'Cells' | 'Move around' | 'Page';
  run(): void;
}

let openHelp: () => void = () => undefined;

/** How `?` opens the sheet; set once at start. */
export function onHelp(open: () => void): void {
  openHelp = open;
}

const withSelected = (act: (id: string) => void) => () => {
  const id = selectedId.value ?? notebook.value.cells[0]?.id;
  if (id && indexOf(id) >= 0) act(id);
};

function step(by: 1 | -1): void {
  const id = selectedId.value;
  const next = id ? neighbourOf(id, by) : notebook.value.cells[0];
  if (next) focusCell(next.id);
}

function runHere(id: string): void {
  const cell = notebook.value.cells[indexOf(id)]!;
  if (cell.kind === 'code') runCell(id);
  else viewOf(id)?.finish();
}

function runAndNext(id: string): void {
  runHere(id);
  const next = neighbourOf(id, 1);
  if (next) focusCell(next.id);
  else editCell(insertCell(indexOf(id) + 1, 'code'), 'end');
}

export const commands: readonly Command[] = [
  { keys: 'Shift-Enter', words: 'Run and go to the next cell', when: 'both', group: 'Run', run: withSelected(runAndNext) },
  { keys: 'Mod-Enter', words: 'Run and stay', when: 'both', group: 'Run', run: withSelected((id) => { runHere(id); focusCell(id); }) },
  { keys: 'Alt-Enter', words: 'Run and add a cell below', when: 'both', group: 'Run', run: withSelected((id) => { runHere(id); editCell(insertCell(indexOf(id) + 1, 'code'), 'end'); }) },
  { keys: 'Mod-Shift-Enter', words: 'Run all', when: 'both', group: 'Run', run: () => runAll() },
  { keys: 'I I', words: 'Stop', when: 'command', group: 'Run', run: () => interruptRun() },
  { keys: '0 0', words: 'Restart the kernel', when: 'command', group: 'Run', run: () => void restartKernel() },
  { keys: 'Enter', words: 'Edit the cell', when: 'command', group: 'Move around', run: withSelected((id) => editCell(id, 'keep')) },
  { keys: 'Escape', words: 'Leave the editor', when: 'both', group: 'Move around', run: withSelected(focusCell) },
  { keys: 'ArrowUp', words: 'Cell above', when: 'command', group: 'Move around', run: () => step(-1) },
  { keys: 'ArrowDown', words: 'Cell below', when: 'command', group: 'Move around', run: () => step(1) },
  { keys: 'K', words: 'Cell above', when: 'command', group: 'Move around', run: () => step(-1) },
  { keys: 'J', words: 'Cell below', when: 'command', group: 'Move around', run: () => step(1) },
  { keys: 'A', words: 'Add code above', when: 'command', group: 'Cells', run: withSelected((id) => focusCell(insertCell(indexOf(id), 'code'))) },
  { keys: 'B', words: 'Add code below', when: 'command', group: 'Cells', run: withSelected((id) => focusCell(insertCell(indexOf(id) + 1, 'code'))) },
  { keys: 'D D', words: 'Delete the cell', when: 'command', group: 'Cells', run: withSelected((id) => { removeCell(id); if (selectedId.value) focusCell(selectedId.value); }) },
  { keys: 'Z', words: 'Undo a change of cells', when: 'command', group: 'Cells', run: () => { undo(); if (selectedId.value) focusCell(selectedId.value); } },
  { keys: 'Shift-Z', words: 'Redo it', when: 'command', group: 'Cells', run: () => { redo(); if (selectedId.value) focusCell(selectedId.value); } },
  { keys: 'M', words: 'Make it text', when: 'command', group: 'Cells', run: withSelected((id) => { setKind(id, 'markdown'); focusCell(id); }) },
  { keys: 'Y', words: 'Make it code', when: 'command', group: 'Cells', run: withSelected((id) => { setKind(id, 'code'); focusCell(id); }) },
  { keys: 'Alt-ArrowUp', words: 'Move the cell up', when: 'command', group: 'Cells', run: withSelected((id) => { moveCell(id, -1); focusCell(id); }) },
  { keys: 'Alt-ArrowDown', words: 'Move the cell down', when: 'command', group: 'Cells', run: withSelected((id) => { moveCell(id, 1); focusCell(id); }) },
  { keys: 'G', words: 'Open or close the inspector', when: 'command', group: 'Page', run: toggleInspector },
  { keys: '?', words: 'Show these keys', when: 'command', group: 'Page', run: () => openHelp() },
];

let first: { key: string; at: number } | null = null;
const DOUBLE_MS = 800;

function nameOf(event: KeyboardEvent): string {
  const parts: string[] = [];
  if (event.ctrlKey || event.metaKey) parts.push('Mod');
  if (event.altKey) parts.push('Alt');
  const isLetter = /^[a-z]$/i.test(event.key);
  if (event.shiftKey && (isLetter || event.key.length > 1)) parts.push('Shift');
  parts.push(isLetter ? event.key.toUpperCase() : event.key);
  return parts.join('-');
}

/** Whether Escape has something nearer to close than the editor. */
function hasPopup(): boolean {
  return document.querySelector('.suggest-widget.visible, .parameter-hints-widget.visible, .find-widget.visible, .rename-box:not([style*="display: none"]) input:focus, .monaco-hover:not(.hidden) .hover-row') !== null;
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const target = event.target as HTMLElement;
  const isText = target.closest('textarea, input, select, [contenteditable="true"], .native-edit-context, .monaco-editor') !== null;
  const isInCell = target.closest('.cell') !== null || target === document.body;
  if (!isInCell && !target.closest('.overflow-host')) return;
  const name = nameOf(event);
  // A button or a link has its own meaning for these.
  if (!isText && /^(Enter|ArrowUp|ArrowDown| )$/.test(name) && target.closest('button, a, summary, [role="toolbar"], .console, .table-out')) return;
  if (isText && name === 'Escape' && hasPopup()) return;
  const usable = commands.filter((command) => command.when === 'both' || !isText);
  const isSecond = first?.key === name && performance.now() - first.at < DOUBLE_MS;
  const double = isSecond ? usable.find((command) => command.keys === `${name} ${name}`) : undefined;
  const command = double ?? usable.find((each) => each.keys === name);
  first = null;
  if (command) {
    event.preventDefault();
    event.stopPropagation();
    command.run();
  } else if (!isText && usable.some((each) => each.keys === `${name} ${name}`)) first = { key: name, at: performance.now() };
}

/** Listens before editors do, so that Shift-Enter runs and does not write a line. */
export function startKeys(): void {
  document.addEventListener('keydown', onKey, { capture: true });
}
