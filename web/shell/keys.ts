// From key presses to commands. Keys can be changed by people; what they chose is kept in the browser.
import { signal } from '@preact/signals-core';
import { commands, type Command } from './commands.ts';
import { isBusy } from '../session.ts';
import { isSingle, nameOf } from './keynames.ts';

/** What a person chose instead of the usual keys. */
interface Choice {
  /** Command id -> keys. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Whether letters alone act on cells. */
  readonly hasSingleKeys: boolean;
}

const PLACE = 'gradbook keys';
/** Between two presses of a key, by the time when they were pressed: a page that was held up hears of them later. */
const DOUBLE_MS = 800;

export const keyChoice = signal<Choice>(read());

function read(): Choice {
  try {
    const { keys = {}, hasSingleKeys = true } = JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<Choice>;
    return { keys, hasSingleKeys };
  } catch {
    return { keys: {}, hasSingleKeys: true };
  }
}

export function chooseKeys(change: Partial<Choice>): void {
  keyChoice.value = { ...keyChoice.value, ...change };
  try {
    localStorage.setItem(PLACE, JSON.stringify(keyChoice.value));
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** Gives a command these keys, and takes them from every other. */
export function bind(id: string, keys: readonly string[]): void {
  const changed: Record<string, readonly string[]> = { ...keyChoice.value.keys };
  for (const command of commands) {
    const rest = keysOf(command).filter((each) => !keys.includes(each));
    if (command.id !== id && rest.length < keysOf(command).length) changed[command.id] = rest;
  }
  changed[id] = keys;
  chooseKeys({ keys: changed });
}

export function keysOf(command: Command): readonly string[] {
  return keyChoice.value.keys[command.id] ?? command.keys;
}

let first: { key: string; at: number } | null = null;

/** Whether Escape has something nearer to close than the editor. */
function hasPopup(): boolean {
  return document.querySelector('.suggest-widget.visible, .parameter-hints-widget.visible, .find-widget.visible, .action-widget, .rename-box:not([style*="display: none"]) input:focus, .monaco-hover:not(.hidden) .hover-row') !== null;
}

/** Keys that mean something of their own on buttons, links and boxes. */
const OWN = /^(Enter|Arrow\w+| |Mod-A|Mod-C|Home|End)$/;

/** What a key that is held down may do again and again; anything else would do to all cells what was meant for one. */
const REPEATABLE = /^(up|down|extend-up|extend-down|move-up|move-down|undo|redo)$/;

function onKey(event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const target = event.target as HTMLElement;
  if (target.closest('[role="menu"], .find-bar')) return;
  const isText = target.closest('textarea, input, select, [contenteditable="true"], .native-edit-context, .monaco-editor') !== null;
  const isInCell = target.closest('.cell') !== null || target === document.body;
  const name = nameOf(event);
  const isChord = /^(Mod|F\d)/.test(name);
  if (!isInCell && !isChord && !target.closest('.overflow-host')) return;
  if (!isText && OWN.test(name) && target.closest('button, a, summary, [role="toolbar"], .console, .table-out, .bar')) return;
  // What a cell shows may have keys of its own: a digit pad, a chart, a slider.
  if (!isText && target.closest('.outputs') && (OWN.test(name) || isSingle(name) || /^(Delete|Backspace)$/.test(name))) return;
  if (isText && name === 'Escape' && hasPopup()) return;
  const { hasSingleKeys } = keyChoice.value;
  const usable = commands.flatMap((command) => (command.when === 'both' || !isText ? keysOf(command) : []).filter((keys) => hasSingleKeys || !isSingle(keys)).map((keys) => ({ command, keys })));
  // A letter alone is text while text is edited, whatever the command.
  const wanted = usable.filter(({ keys }) => !isText || !isSingle(keys));
  const isSecond = !event.repeat && first?.key === name && event.timeStamp - first.at < DOUBLE_MS;
  const double = isSecond ? wanted.find(({ keys }) => keys === `${name} ${name}`) : undefined;
  const found = double ?? wanted.find(({ keys }) => keys === name);
  if (!event.repeat) first = null;
  // Marked text is copied, and Stop has nothing to stop while nothing runs; on a Mac the copy key is another one.
  if (found?.command.id === 'stop' && name === 'Mod-C' && (!event.ctrlKey || !isBusy.peek() || getSelection()?.isCollapsed === false)) return;
  if (found) {
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat || REPEATABLE.test(found.command.id)) found.command.run();
  } else if (!event.repeat && wanted.some(({ keys }) => keys === `${name} ${name}`)) first = { key: name, at: event.timeStamp };
}

/** Listens before editors do, so that Shift-Enter runs and does not write a line. */
export function startKeys(): void {
  document.addEventListener('keydown', onKey, { capture: true });
}
