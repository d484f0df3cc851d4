// The left side of a code cell: run button, run number, state as icon, time and words.
import { effect } from '@preact/signals-core';
import { h, setText } from '../dom.ts';
import { problemsOf } from '../editor/problems.ts';
import { runOf, type CellRun } from '../runs.ts';
import { icon, type IconName } from '../shell/icons.ts';
import { formatCount, formatDuration } from '../shell/words.ts';

/** What the cell shows as its state; `stale`: its text, or something that it uses, changed after the run. */
export type ShownState = CellRun['phase'] | 'stale';

export function shownState(run: CellRun, source: string): ShownState {
  const isDone = run.phase === 'fresh' || run.phase === 'stopped' || run.phase === 'restored';
  return isDone && run.source !== null && (run.source !== source || run.stale !== null) ? 'stale' : run.phase;
}

const ICONS: Record<ShownState, IconName | null> = { none: null, queued: 'dots', running: 'pulse', fresh: 'check', error: 'warn', stopped: 'stop', cancelled: 'cross', stale: 'pencil', restored: 'clock' };

const FORMER: Partial<Record<CellRun['phase'], string>> = {
  running: 'it was cut short when the kernel ended, ',
  error: 'it had failed, ',
  stopped: 'it had been stopped, ',
};

export function stateWords(run: CellRun, state: ShownState): string {
  const time = run.elapsedMs === null ? '' : formatDuration(run.elapsedMs);
  const step = run.step === null ? '' : ` at step ${formatCount(run.step)}`;
  switch (state) {
    case 'none': return 'Not run yet';
    case 'queued': return 'Waiting for its turn';
    case 'running': return 'Running';
    case 'fresh': return `Ran in ${time}`;
    case 'error': return time ? `Failed after ${time}` : 'Not run: it has an error';
    case 'stopped': return `Stopped${step} after ${time}`;
    case 'cancelled': return 'Not run: a cell before it failed or was stopped';
    case 'restored': return `Restored: ${FORMER[run.former ?? 'fresh'] ?? ''}shown as it was before. Run it to use its names`;
    case 'stale': return run.stale === null ? 'Edited since it ran' : `Out of date: ${run.stale.replaceAll('`', '')}`;
  }
}

export interface Gutter {
  readonly element: HTMLElement;
  /** Shows the state; `source` is the cell's text now. */
  show(source: string): void;
  close(): void;
}

export function makeGutter(cellId: string, onRun: () => void, onStop: () => void): Gutter {
  const number = h('span', { class: 'number', 'aria-hidden': 'true' });
  const glyph = h('span', { style: { display: 'contents' } });
  const button = h('button', { class: 'run', type: 'button', on: { click: () => (isBusy() ? onStop() : onRun()) } }, glyph);
  const stateIcon = h('span', { style: { display: 'contents' } });
  const time = h('span', { class: 'time' });
  const words = h('span', { class: 'words' });
  const element = h('div', { class: 'gutter' }, h('div', { class: 'run-seat' }, number, button), h('div', { class: 'state' }, stateIcon, time, words));
  const run = runOf(cellId);
  const isBusy = () => run.value.phase === 'running' || run.value.phase === 'queued';
  let source = '';
  let shown: ShownState | null = null;
  const paint = () => {
    const current = run.value;
    const state = shownState(current, source);
    setText(number, current.number === null ? ' ' : String(current.number));
    setText(time, current.elapsedMs === null || state === 'running' || state === 'queued' ? '' : formatDuration(current.elapsedMs));
    const mistakes = problemsOf(cellId).value.filter(({ severity }) => severity === 'error').length;
    const said = `${stateWords(current, state)}${state === 'fresh' && mistakes ? `, with ${mistakes} type ${mistakes === 1 ? 'error' : 'errors'}` : ''}`;
    setText(words, said);
    element.title = state === 'none' ? '' : said;
    if (state === shown) return;
    shown = state;
    const busy = state === 'running' || state === 'queued';
    glyph.replaceChildren(icon(busy ? 'stop' : 'run'));
    button.setAttribute('aria-label', state === 'queued' ? 'Take out of the queue' : busy ? 'Stop this cell' : 'Run this cell');
    button.title = busy ? 'Stop' : 'Run (Shift-Enter)';
    const name = ICONS[state];
    stateIcon.replaceChildren(...(name ? [icon(name)] : []));
  };
  const stop = effect(paint);
  return {
    element,
    show(text) {
      source = text;
      paint();
    },
    close: stop,
  };
}
