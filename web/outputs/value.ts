// Any value as one line that can be unfolded. The kernel has already cut it to a bounded size and says what it left out.
import type { ValuePreview } from '../../notebook/protocol/messages.ts';
import { h } from '../dom.ts';
import type { View } from './views.ts';

export function valueView({ value }: { value: ValuePreview }): View<'value'> {
  const element = h('div', { class: 'value' }, node(value, null, true));
  const root = () => (element.firstElementChild instanceof HTMLDetailsElement ? element.firstElementChild : null);
  const fold = (isFolded: boolean) => {
    const details = root();
    if (details) details.open = !isFolded;
  };
  return {
    element,
    fold,
    get isFolded() {
      return root()?.open === false;
    },
    update(next) {
      const { isFolded } = this;
      element.replaceChildren(node(next.value, null, true));
      if (isFolded) fold(true);
    },
  };
}

function node(value: ValuePreview, key: string | null, isOpen = false): HTMLElement {
  // Members of arrays have no names.
  const label = [!key ? null : h('span', { class: 'key' }, `${key}: `), h('span', { data: { type: value.type } }, value.text)];
  const entries = value.entries ?? [];
  if (!entries.length && !value.more) return h('div', { class: 'leaf' }, label);
  const members = h('div', { class: 'members' });
  const fill = () => {
    if (members.childElementCount) return;
    members.append(...entries.map((entry) => node(entry.value, entry.key)));
    if (value.more) members.append(h('div', { class: 'leaf', data: { type: 'cut' } }, `… ${value.more} more`));
  };
  const details = h('details', { on: { toggle: fill } }, h('summary', null, label), members);
  if (isOpen && entries.length <= 12) {
    fill();
    details.open = true;
  }
  return details;
}
