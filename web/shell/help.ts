// The sheet of keys, and the one question the page asks: a dialog with a plain choice.
import { h } from '../dom.ts';
import { icon } from './icons.ts';
import { commands, type Command } from './keys.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const NAMES: Record<string, string> = { Mod: isMac ? '⌘' : 'Ctrl', Alt: isMac ? '⌥' : 'Alt', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' };

function keysOf(keys: string): HTMLElement[] {
  return keys.split(/[ -]/).map((key) => h('kbd', null, NAMES[key] ?? key));
}

let sheet: HTMLDialogElement | null = null;

export function openHelp(): void {
  sheet ??= makeSheet();
  document.body.append(sheet);
  sheet.showModal();
}

function makeSheet(): HTMLDialogElement {
  const groups: Command['group'][] = ['Run', 'Cells', 'Move around', 'Page'];
  const close = () => sheet!.close();
  return h('dialog', { class: 'sheet', 'aria-labelledby': 'help-title' },
    h('header', null, h('h2', { id: 'help-title' }, 'Keys'), h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', on: { click: close } }, icon('cross'))),
    h('p', { class: 'words quiet' }, 'Escape leaves a cell’s text; then single letters act on the whole cell.'),
    h('div', { class: 'inside' }, groups.map((group) => h('section', null, h('h3', null, group), h('dl', null,
      rowsOf(group).flatMap(([words, keys]) => [h('dt', null, keys.flatMap((each, i) => [i > 0 ? ' or ' : null, ...keysOf(each)])), h('dd', null, words)]))))));
}

/** Commands of a group; those that do the same share a row. */
function rowsOf(group: Command['group']): [string, string[]][] {
  const rows = new Map<string, string[]>();
  for (const { words, keys } of commands.filter((command) => command.group === group)) rows.set(words, [...(rows.get(words) ?? []), keys]);
  return [...rows];
}

/** Asks before something that cannot be undone. Resolves to true when the person chose `act`. */
export function askFirst(title: string, words: string, act: string): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = h('dialog', { class: 'sheet', 'aria-label': title },
      h('header', null, h('h2', null, title)),
      h('p', { class: 'words' }, words),
      h('div', { class: 'choices' },
        h('button', { class: 'button', type: 'button', on: { click: () => dialog.close('') } }, 'Cancel'),
        h('button', { class: 'button main', type: 'button', on: { click: () => dialog.close('yes') } }, act)));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
