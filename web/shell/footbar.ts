// The bottom bar of phones: run, stop with time, contents, more.
import { effect } from '@preact/signals-core';
import { h, setText } from '../dom.ts';
import { missingFeature } from '../host/features.ts';
import { commandItem } from '../cells/tools.ts';
import { interruptRun, isBusy, runAll } from '../session.ts';
import { icon } from './icons.ts';
import { openMenu } from './menu.ts';
import { notebookItems, startClock, viewItems } from './topbar.ts';

export function makeFootBar(openRail: () => void): HTMLElement {
  const run = h('button', { type: 'button', on: { click: () => runAll() } }, icon('runAll'), 'Run all');
  const words = h('span', null, 'Stop');
  const stop = h('button', { class: 'stop', type: 'button', on: { click: () => interruptRun() } }, icon('stop'), words);
  effect(() => {
    run.disabled = missingFeature() !== null;
    stop.disabled = !isBusy.value;
  });
  startClock(words, (time) => setText(words, time ? `Stop, ${time.split(',')[0]}` : 'Stop'));
  const more = h('button', { type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', on: { click: () => openMenu(more, 'More', [commandItem('run-stale'), commandItem('restart'), commandItem('restart-run'), null, { words: 'Look inside the network', icon: 'eye', run: () => openMenu(more, 'Look inside the network', viewItems()) }, null, ...notebookItems()]) } }, icon('dots'), 'More');
  return h('nav', { class: 'foot-bar', 'aria-label': 'Run' }, run, stop,
    h('button', { type: 'button', on: { click: openRail } }, icon('list'), 'Contents'), more);
}
