// The sheet of keys, where they can be changed, and the one question the page asks: a dialog with a plain choice.
import { effect } from '@preact/signals-core';
import { h } from '../dom.ts';
import { commands, type Command, type Group } from './commands.ts';
import { icon } from './icons.ts';
import { keyParts, nameOf } from './keynames.ts';
import { bind, chooseKeys, keyChoice, keysOf } from './keys.ts';

const GROUPS: readonly Group[] = ['Run', 'Cells', 'Move around', 'View', 'Look inside', 'Notebook'];

/** A dialog with a title and a cross; it leaves the page when it closes. */
export function openSheet(title: string, content: readonly (Node | string | null)[], properties: Record<string, unknown> = {}): HTMLDialogElement {
  const dialog: HTMLDialogElement = h('dialog', { class: 'sheet', 'aria-label': title, ...properties },
    h('header', null, h('h2', null, title), h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', on: { click: () => dialog.close() } }, icon('cross'))), content);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** The keys of every command. A click on keys waits for others; Backspace takes them away. */
export function openHelp(): void {
  const single = h('input', { type: 'checkbox', checked: keyChoice.value.hasSingleKeys, on: { change: () => chooseKeys({ hasSingleKeys: single.checked }) } });
  const reset = h('button', { class: 'button', type: 'button', on: { click: () => chooseKeys({ keys: {} }) } }, 'Usual keys');
  const inside = h('div', { class: 'inside' });
  const dialog = openSheet('Keys', [
    h('p', { class: 'words quiet' }, 'Escape leaves a cell’s text; then single letters act on the whole cell. Click keys to change them.'),
    inside,
    h('div', { class: 'choices between' }, h('label', { class: 'check' }, single, 'Letters alone act on cells'), reset),
  ], { class: 'sheet keys-sheet' });
  const stop = effect(() => {
    reset.disabled = Object.keys(keyChoice.value.keys).length === 0;
    inside.replaceChildren(...GROUPS.map((group) => h('section', null, h('h3', null, group), h('dl', null, commands.filter((command) => command.group === group).flatMap((command) => [h('dt', null, keyButton(command)), h('dd', { id: wordsId(command) }, command.words)])))));
  });
  dialog.addEventListener('close', stop);
}

function keyButton(command: Command): HTMLElement {
  const keys = keysOf(command);
  const shown = keys.length ? keys.flatMap((each, i) => [i > 0 ? h('span', { class: 'quiet' }, ' or ') : null, ...keyParts(each).map((part) => h('kbd', null, part))]) : [h('span', { class: 'quiet' }, 'none')];
  // Called by what it does and by the keys that it shows.
  const id = `keys-${command.id}`;
  const button = h('button', { id, class: 'key-choice', type: 'button', title: 'Change these keys', 'aria-labelledby': `${wordsId(command)} ${id}`, on: { click: () => listen(button, command) } }, shown);
  return button;
}

const wordsId = (command: Command): string => `words-${command.id}`;

function listen(button: HTMLButtonElement, command: Command): void {
  button.replaceChildren(h('span', { class: 'quiet', role: 'status' }, 'Press keys'));
  const end = () => {
    button.removeEventListener('keydown', onKey);
    button.removeEventListener('blur', end);
    chooseKeys({});
  };
  const onKey = (event: KeyboardEvent) => {
    if (/^(Shift|Control|Alt|Meta)$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const name = nameOf(event);
    end();
    if (name === 'Backspace') bind(command.id, []);
    else if (name !== 'Escape') bind(command.id, [name]);
    document.getElementById(`keys-${command.id}`)?.focus();
  };
  button.addEventListener('keydown', onKey);
  button.addEventListener('blur', end);
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
