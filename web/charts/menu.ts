// A button with a short list of things to do. The list lies above everything, so nothing clips it and nothing moves.
import { h } from '../dom.ts';

export interface MenuItem {
  readonly label: string;
  act(): void;
  /** For items that are on or off. */
  isOn?(): boolean;
}

/** `label` is what screen readers say; `face` what stands on the button. */
export function makeMenu(label: string, face: Node | string, items: () => readonly MenuItem[]): HTMLElement {
  const list = h('div', { class: 'menu-list', role: 'menu', popover: 'auto' });
  const button = h('button', { class: 'menu-button-small', type: 'button', 'aria-haspopup': 'menu', 'aria-label': label, title: label }, face);
  button.popoverTargetElement = list;
  list.addEventListener('beforetoggle', (event) => {
    if ((event as ToggleEvent).newState !== 'open') return;
    list.replaceChildren(...items().map((item) => h('button', {
      type: 'button', role: item.isOn ? 'menuitemcheckbox' : 'menuitem', ...(item.isOn ? { 'aria-checked': String(item.isOn()) } : {}),
      on: { click: () => { list.hidePopover(); item.act(); } },
    }, item.label)));
  });
  list.addEventListener('toggle', () => {
    if (!list.matches(':popover-open')) return;
    const { right, bottom, top } = button.getBoundingClientRect();
    const isBelow = bottom + list.offsetHeight + 8 < innerHeight;
    list.style.left = `${Math.max(8, right - list.offsetWidth)}px`;
    list.style.top = `${isBelow ? bottom + 4 : Math.max(8, top - list.offsetHeight - 4)}px`;
    list.querySelector('button')?.focus();
  });
  list.addEventListener('keydown', (event) => {
    const all = [...list.querySelectorAll('button')];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = event.key === 'ArrowDown' ? at + 1 : event.key === 'ArrowUp' ? at - 1 : event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : null;
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    all[(to + all.length) % all.length]?.focus();
  });
  return h('span', { class: 'chart-menu' }, button, list);
}
