// The button in the top bar that opens the runs, with how many there are.
import { effect } from '@preact/signals-core';
import { h, setText } from '../dom.ts';
import { icon } from '../shell/icons.ts';
import { toggleRuns } from './panel.ts';
import { trainingRuns } from './store.ts';

export function makeRunsButton(): HTMLElement {
  const count = h('span', { class: 'figures' });
  const button = h('button', { class: 'button runs-button', type: 'button', 'aria-expanded': 'false', title: 'Training runs', data: { action: 'runs' }, on: { click: () => toggleRuns(button) } }, icon('curves'), h('span', { class: 'long' }, 'Runs'), count);
  effect(() => {
    const { length } = trainingRuns.value;
    setText(count, length ? String(length) : '');
  });
  return button;
}
