// What screen readers hear of runs: which cell ended and how, not more often than once a second.
import { effect, untracked } from '@preact/signals-core';
import { codeNumber } from '../../notebook/document/notebook.ts';
import { shownState, stateWords } from '../cells/gutter.ts';
import { h } from '../dom.ts';
import { runOf } from '../runs.ts';
import { queuedCells, runningCell } from '../session.ts';
import { cellOf, hasCell, notebook } from '../store.ts';

const GAP_MS = 1000;

export function startAnnouncing(): void {
  const place = h('div', { class: 'only-read', role: 'status', 'aria-live': 'polite', data: { announce: '' } });
  document.body.append(place);
  let before: string | null = null;
  let waiting: string[] = [];
  let timer = 0;
  const speak = () => {
    timer = 0;
    if (waiting.length === 0) return;
    place.textContent = waiting.slice(-3).join('. ');
    waiting = [];
    timer = window.setTimeout(speak, GAP_MS);
  };
  effect(() => {
    const now = runningCell.value;
    untracked(() => {
      const ended = before !== now ? before : null;
      before = now;
      if (!ended || !hasCell(ended) || cellOf(ended)!.kind !== 'code') return;
      const run = runOf(ended).value;
      const left = queuedCells.value.length;
      waiting.push(`Cell ${codeNumber(notebook.value, ended)}: ${stateWords(run, shownState(run, cellOf(ended)!.source))}${left ? `, ${left} waiting` : ''}`);
      if (!timer) speak();
    });
  });
}
