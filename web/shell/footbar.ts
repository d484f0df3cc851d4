// The bottom bar of phones: run, stop with time, contents, more.
import { effect } from '@preact/signals-core';
import { h, setText } from '../dom.ts';
import { missingFeature } from '../host/features.ts';
import { interruptRun, isBusy, restartKernel, runAll } from '../session.ts';
import { icon } from './icons.ts';
import { startClock } from './topbar.ts';

export function makeFootBar(openRail: () => void): HTMLElement {
  const run = h('button', { type: 'button', on: { click: () => runAll() } }, icon('runAll'), 'Run all');
  const words = h('span', null, 'Stop');
  const stop = h('button', { class: 'stop', type: 'button', on: { click: () => interruptRun() } }, icon('stop'), words);
  effect(() => {
    run.disabled = missingFeature() !== null;
    stop.disabled = !isBusy.value;
  });
  startClock((time) => setText(words, time ? `Stop, ${time.split(',')[0]}` : 'Stop'));
  return h('nav', { class: 'foot-bar', 'aria-label': 'Run' }, run, stop,
    h('button', { type: 'button', on: { click: () => void restartKernel() } }, icon('restart'), 'Restart'),
    h('button', { type: 'button', on: { click: openRail } }, icon('list'), 'Contents'));
}
