// A menu under a button: arrows, first letters, Escape, and the focus goes back where it came from.
import { h } from '../dom.ts';
import { icon, type IconName } from './icons.ts';
import { keyWords } from './keynames.ts';

export interface MenuItem {
  readonly words: string;
  readonly icon?: IconName;
  /** Shown at the right. */
  readonly keys?: string;
  readonly isDisabled?: boolean;
  /** Ticked or not; absent for items that are no choice. */
  readonly isChecked?: boolean;
  run(): void;
}

const TYPING_MS = 700;
let typed = '';
let typedAt = 0;
let close: ((isBack: boolean) => void) | null = null;

/** Opens a menu beside `anchor`, or closes it when it is the one that is open. Null entries draw a line. */
export function openMenu(anchor: HTMLElement, label: string, items: readonly (MenuItem | null)[]): void {
  const isSame = anchor.getAttribute('aria-expanded') === 'true';
  close?.(false);
  if (isSame) return;
  const came = document.activeElement instanceof HTMLElement ? document.activeElement : anchor;
  const buttons: HTMLButtonElement[] = [];
  const hasIcons = items.some((item) => item && (item.icon || item.isChecked !== undefined));
  const menu = h('div', { class: 'menu', role: 'menu', 'aria-label': label }, items.map((item) => {
    if (!item) return h('div', { class: 'line', role: 'separator' });
    const isChoice = item.isChecked !== undefined;
    const button = h('button', {
      type: 'button', role: isChoice ? 'menuitemcheckbox' : 'menuitem', tabIndex: -1, 'aria-disabled': item.isDisabled ? 'true' : null, 'aria-checked': isChoice ? String(item.isChecked) : null,
      on: { click: () => { if (!item.isDisabled) { end(true); item.run(); } }, pointermove: () => button.focus({ preventScroll: true }) },
    }, item.isChecked ? icon('check') : item.icon ? icon(item.icon) : hasIcons ? h('span', { class: 'icon' }) : null, h('span', { class: 'what' }, item.words), item.keys ? h('span', { class: 'keys', 'aria-hidden': 'true' }, keyWords(item.keys)) : null);
    buttons.push(button);
    return button;
  }));
  const end = (isBack: boolean) => {
    close = null;
    menu.remove();
    anchor.setAttribute('aria-expanded', 'false');
    removeEventListener('pointerdown', outside, true);
    removeEventListener('scroll', leave, true);
    removeEventListener('resize', leave);
    if (isBack && came.isConnected) came.focus({ preventScroll: true });
  };
  const opened = anchor.getBoundingClientRect();
  // A menu of the bar stays while the page scrolls under it, as it does when a cell above grows.
  const leave = (event: Event) => {
    const { left, top } = anchor.getBoundingClientRect();
    if (!menu.contains(event.target as Node) && (event.type === 'resize' || Math.abs(left - opened.left) > 1 || Math.abs(top - opened.top) > 1)) end(false);
  };
  const outside = (event: Event) => {
    if (!menu.contains(event.target as Node) && !anchor.contains(event.target as Node)) end(false);
  };
  menu.addEventListener('keydown', (event) => onKey(event, buttons, () => end(true)));
  menu.addEventListener('focusout', (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget as Node)) end(false);
  });
  document.body.append(menu);
  place(menu, anchor);
  anchor.setAttribute('aria-expanded', 'true');
  close = end;
  addEventListener('pointerdown', outside, true);
  addEventListener('scroll', leave, true);
  addEventListener('resize', leave);
  (buttons.find((button) => button.getAttribute('aria-disabled') !== 'true') ?? buttons[0])?.focus({ preventScroll: true });
}

/** A button that opens a menu; the items are asked for each time. */
export function menuButton(label: string, name: IconName, items: () => readonly (MenuItem | null)[], properties: Record<string, unknown> = {}): HTMLButtonElement {
  const button = h('button', { class: 'icon-button', type: 'button', title: label, 'aria-label': label, 'aria-haspopup': 'menu', 'aria-expanded': 'false', ...properties, on: { click: () => openMenu(button, label, items()) } }, icon(name));
  return button;
}

function onKey(event: KeyboardEvent, buttons: readonly HTMLButtonElement[], leave: () => void): void {
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const go = (to: number) => buttons[(to + buttons.length) % buttons.length]?.focus();
  if (event.key === 'ArrowDown') go(at + 1);
  else if (event.key === 'ArrowUp') go(at - 1);
  else if (event.key === 'Home') go(0);
  else if (event.key === 'End') go(-1);
  else if (event.key === 'Escape' || event.key === 'Tab') leave();
  else if (event.key.length === 1 && event.key !== ' ') {
    const isGoingOn = event.timeStamp - typedAt < TYPING_MS;
    typed = (isGoingOn ? typed : '') + event.key.toLowerCase();
    typedAt = event.timeStamp;
    // Another letter narrows the search down; the same letter again goes on to the next.
    const from = typed.length > 1 ? at : at + 1;
    const begins = (button: HTMLButtonElement, text: string) => button.querySelector('.what')!.textContent!.toLowerCase().startsWith(text);
    const inTurn = [...buttons.slice(from), ...buttons.slice(0, from)];
    (inTurn.find((button) => begins(button, typed)) ?? inTurn.find((button) => begins(button, event.key.toLowerCase())))?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Below the button, or above it where there is no room below; never beyond an edge. */
function place(menu: HTMLElement, anchor: HTMLElement): void {
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = box.bottom + 4;
  const top = below + height <= innerHeight - 8 ? below : Math.max(8, box.top - 4 - height);
  const left = Math.max(8, Math.min(box.right - width > 8 ? box.right - width : box.left, innerWidth - width - 8));
  menu.style.top = `${top}px`;
  menu.style.left = `${left}px`;
  menu.style.maxHeight = `${innerHeight - top - 8}px`;
}
