// Pause, resume and single step of the running cell; shown while one runs.
import { effect } from '@preact/signals-core';
import { h, setText } from '../dom.ts';
import { isPausing, pausedAt, pauseRun, runningCell } from '../session.ts';

export function makePauseBar(): HTMLElement {
  const words = h('span', { class: 'figures wide', role: 'status', data: { paused: '' } });
  const toggle = h('button', { class: 'button wide', type: 'button', data: { action: 'pause' }, on: { click: () => pauseRun(pausedAt.peek() === null && !isPausing.peek() ? 'on' : 'off') } }, 'Pause');
  const step = h('button', { class: 'button wide', type: 'button', title: 'Do one training step', data: { action: 'step' }, on: { click: () => pauseRun('step') } }, 'Step');
  const element = h('span', { class: 'pause-bar' }, words, toggle, step);
  effect(() => {
    const paused = pausedAt.value;
    element.hidden = runningCell.value === null;
    step.disabled = paused === null;
    const waits = isPausing.value;
    setText(toggle, paused === null && !waits ? 'Pause' : 'Resume');
    setText(words, waits ? 'Pausing at the next step' : paused === null ? '' : paused.step === null ? 'Paused' : `Paused at step ${paused.step}`);
  });
  return element;
}
