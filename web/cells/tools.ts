// What floats at the corner of a cell: handle, quick buttons, the menu of everything else. And the small marks around a cell.
import { h } from '../dom.ts';
import { commandOf } from '../shell/commands.ts';
import { tagsOf } from '../shell/details.ts';
import { icon, type IconName } from '../shell/icons.ts';
import { keyWords } from '../shell/keynames.ts';
import { keysOf } from '../shell/keys.ts';
import { menuButton, type MenuItem } from '../shell/menu.ts';
import { cellOf, indexOf, insertCell, removeCells, selectedIds, selectOnly } from '../store.ts';
import { editCell } from './column.ts';
import { dragHandle } from './drag.ts';
import { headingLevel } from './fold.ts';
import { later } from './later.ts';

/** A command as a menu item, with the keys it has now. */
export function commandItem(id: string, more: Partial<MenuItem> = {}): MenuItem {
  const command = commandOf(id);
  const [keys] = keysOf(command);
  return { words: command.words, ...(keys && { keys }), run: () => command.run(), ...more };
}

/** The buttons of a cell. They show when the cell is pointed at or has the focus, and are made by then. */
export function makeTools(id: string, cell: HTMLElement): HTMLElement {
  const element = h('div', { class: 'cell-tools', role: 'toolbar', 'aria-label': 'Cell' });
  const fill = later(() => element.append(...buttons(id)));
  for (const event of ['pointerenter', 'focusin']) cell.addEventListener(event, fill, { once: true });
  return element;
}

function buttons(id: string): HTMLElement[] {
  const button = (name: IconName, words: string, keys: string, act: () => void) => h('button', { class: 'icon-button', type: 'button', title: keys ? `${words} (${keyWords(keys)})` : words, 'aria-label': words, on: { click: act } }, icon(name));
  const add = (kind: 'code' | 'markdown') => () => {
    const made = insertCell(indexOf(id) + 1, kind);
    editCell(made, 'end');
  };
  return [
    dragHandle(id),
    button('code', 'Add code below', 'B', add('code')),
    button('text', 'Add text below', '', add('markdown')),
    button('bin', 'Delete', 'D D', () => removeCells(selectedIds.value.includes(id) ? selectedIds.value : [id])),
    menuButton('More for this cell', 'dots', () => cellItems(id)),
  ];
}

function cellItems(id: string): (MenuItem | null)[] {
  if (!selectedIds.value.includes(id)) selectOnly(id);
  const cell = cellOf(id)!;
  const isCode = cell.kind === 'code';
  const { collapse = '' } = cell.attributes;
  const isMany = selectedIds.value.length > 1;
  const last = indexOf(selectedIds.value.at(-1)!);
  return [
    ...['cut', 'copy', 'paste-below', 'duplicate'].map((each) => commandItem(each)),
    null,
    commandItem('move-up'), commandItem('move-down'), commandItem('split'),
    commandItem('merge', { words: isMany ? 'Merge the selected cells' : 'Merge with the cell below', isDisabled: !isMany && !cellOf(id) || last < 0 }),
    null,
    isCode ? commandItem('to-text') : commandItem('to-code'),
    ...(isCode ? [commandItem('format')] : []),
    commandItem('tags'),
    null,
    ...(isCode
      ? [
          commandItem('toggle-code', { words: 'Code', isChecked: !/code|both/.test(collapse) }),
          commandItem('toggle-output', { words: 'Output', isChecked: !/output|both/.test(collapse) }),
          commandItem('clear-output'),
          null,
          commandItem('run-above'), commandItem('run-below'),
        ]
      : headingLevel(cell)
        ? [cell.attributes.fold === undefined ? commandItem('fold') : commandItem('unfold')]
        : [commandItem('heading-2')]),
    null,
    commandItem('delete'),
  ];
}

/** Stands where something is hidden, and brings it back. */
export function hiddenBar(words: string, show: () => void): HTMLButtonElement {
  return h('button', { class: 'hidden-bar', type: 'button', hidden: true, on: { click: show } }, words, h('span', { class: 'code-line' }, ''));
}

export function foldButton(act: () => void): HTMLButtonElement {
  return h('button', { class: 'fold', type: 'button', hidden: true, on: { click: act } }, icon('chevron'));
}

export function tagList(): { readonly element: HTMLElement; show(attributes: Readonly<Record<string, string>>): void } {
  const element = h('ul', { class: 'tags', 'aria-label': 'Tags', hidden: true });
  let shown = '';
  return {
    element,
    show(attributes) {
      const tags = tagsOf(attributes);
      if (tags.join() === shown) return;
      shown = tags.join();
      element.hidden = tags.length === 0;
      element.replaceChildren(...tags.map((tag) => h('li', null, tag)));
    },
  };
}
