// The top bar: title, saved state, run and stop, restart, theme, and the chip that says what the kernel runs on.
import { effect } from '@preact/signals-core';
import { drawSoon } from '../charts/frames.ts';
import { isLasting, saved } from '../documents.ts';
import { h, setAttribute, setText } from '../dom.ts';
import { missingFeature } from '../host/features.ts';
import { kernelState } from '../host/kernel.ts';
import { isInspectorOpen, toggleInspector } from '../inspector/dock.ts';
import { runOf } from '../runs.ts';
import { codeNumber } from '../../notebook/document/notebook.ts';
import { focusCell } from '../cells/column.ts';
import { commandItem } from '../cells/tools.ts';
import { interruptRun, isBusy, queuedCells, restartKernel, runAll, runningCell, stopCell } from '../session.ts';
import { canRedo, canUndo, isReadOnly, notebook, selectedIds, setTitle } from '../store.ts';
import { makeRunsButton } from '../runs/button.ts';
import { chipWords, chipNote } from './chip.ts';
import { VIEW_CALLS } from '../views/calls.ts';
import { icon } from './icons.ts';
import { makePauseBar } from './pausebar.ts';
import { menuButton, openMenu, type MenuItem } from './menu.ts';
import { theme, toggleTheme } from './theme.ts';
import { formatCount, formatDuration } from './words.ts';

export function makeTopBar(openRail: () => void): HTMLElement {
  const title = h('input', { class: 'title', 'aria-label': 'Title of the notebook', spellcheck: false, on: {
    change: () => setTitle(title.value.trim() || 'Untitled'),
    keydown: (event: Event) => { if ((event as KeyboardEvent).key === 'Enter') title.blur(); },
  } });
  const savedText = h('span', { class: 'saved', role: 'status' });
  const run = h('button', { class: 'button main wide', type: 'button', data: { action: 'run-all' }, on: { click: () => runAll() } }, icon('runAll'), 'Run all');
  const runMore = menuButton('More ways to run', 'chevron', runItems, { class: 'button main wide split' });
  const more = menuButton('Notebook', 'dots', notebookItems, { class: 'icon-button wide' });
  const inside = menuButton('Look inside the network', 'eye', viewItems, { class: 'icon-button wide', data: { action: 'views' } });
  const share = h('button', { class: 'button wide', type: 'button', data: { action: 'share' }, on: { click: () => commandItem('share').run() } }, icon('share'), 'Share');
  const waiting = h('button', { class: 'queue wide', type: 'button', title: 'What waits to run', hidden: true, 'aria-haspopup': 'menu', 'aria-expanded': 'false', on: { click: () => openMenu(waiting, 'Waiting cells', queueItems()) } });
  const stop = h('button', { class: 'button wide', type: 'button', data: { action: 'stop' }, on: { click: () => interruptRun() } }, icon('stop'), 'Stop');
  const clock = h('span', { class: 'figures wide', data: { running: '' } });
  const strip = h('div', { class: 'run-strip' }, waiting, clock, makePauseBar());
  const restart = h('button', { class: 'icon-button wide', type: 'button', title: 'Restart the kernel (0 0)', 'aria-label': 'Restart the kernel', data: { action: 'restart' }, on: { click: () => void restartKernel() } }, icon('restart'));
  const inspector = h('button', { class: 'icon-button wide', type: 'button', title: 'Inspector (G)', 'aria-label': 'Inspector', data: { action: 'inspector' }, on: { click: toggleInspector } }, icon('inspector'));
  const themeIcon = h('span', { style: { display: 'contents' } });
  const themeButton = h('button', { class: 'icon-button', type: 'button', on: { click: toggleTheme } }, themeIcon);
  const chip = makeChip();

  effect(() => {
    title.readOnly = isReadOnly.value;
    if (document.activeElement !== title) title.value = notebook.value.title;
  });
  effect(() => {
    setText(savedText, saved.value.words);
    savedText.dataset.kind = saved.value.kind;
    savedText.title = saved.value.kind !== 'saved' ? saved.value.words : isLasting.value === false ? 'Saved in this browser, which may clear it; save what matters as a file' : 'Saved in this browser';
  });
  effect(() => {
    const cannot = missingFeature() !== null;
    run.disabled = cannot;
    runMore.disabled = cannot;
    const count = queuedCells.value.length;
    waiting.hidden = count === 0;
    setText(waiting, `${count} waiting`);
    restart.disabled = cannot;
    stop.disabled = !isBusy.value;
    setAttribute(strip, 'data-idle', isBusy.value ? null : '');
  });
  effect(() => setAttribute(inspector, 'aria-pressed', String(isInspectorOpen.value)));
  effect(() => {
    themeIcon.replaceChildren(icon(theme.value === 'dark' ? 'sun' : 'moon'));
    const words = theme.value === 'dark' ? 'Light colours' : 'Dark colours';
    setAttribute(themeButton, 'aria-label', words);
    themeButton.title = words;
  });
  startClock(clock, (words) => {
    setText(clock, words);
    moveOn();
  });

  return h('header', { class: 'bar' },
    h('button', { class: 'skip button', type: 'button', on: { click: () => { if (notebook.value.cells[0]) focusCell(selectedIds.value[0] ?? notebook.value.cells[0].id); } } }, 'Skip to the notebook'),
    h('button', { class: 'icon-button menu-button', type: 'button', 'aria-label': 'Lessons and contents', on: { click: openRail } }, icon('menu')),
    h('a', { class: 'brand', href: './', 'aria-label': 'Gradbook' }, logo(), h('span', null, 'Gradbook')),
    title, savedText, h('div', { class: 'space' }),
    h('div', { class: 'running' }, strip, stop), h('div', { class: 'split-button wide' }, run, runMore), restart, makeRunsButton(), inside, inspector, share, themeButton, more, chip);
}

const runItems = () => [
  ...['run', 'run-next', 'run-insert'].map((id) => commandItem(id, id === 'run' && selectedIds.value.length > 1 ? { words: `Run the ${selectedIds.value.length} selected cells` } : {})), null,
  commandItem('run-above'), commandItem('run-below'), commandItem('run-all'), commandItem('run-stale'), null,
  commandItem('restart'), commandItem('restart-run'),
];

/** One-line calls that open a view in a cell of its own. */
export const viewItems = (): (MenuItem | null)[] => VIEW_CALLS.map(({ id }) => commandItem(`view-${id}`));

/** Everything about the notebook as a whole; also what "More" on a phone opens. */
export const notebookItems = (): (MenuItem | null)[] => [
  ...['new', 'open', 'save-as', 'share'].map((id) => commandItem(id)), null,
  commandItem('undo', { isDisabled: !canUndo.value }), commandItem('redo', { isDisabled: !canRedo.value }), null,
  commandItem('find'), commandItem('fold-all'), commandItem('unfold-all'), commandItem('clear-outputs'), null,
  commandItem('settings'), commandItem('palette'), commandItem('keys'),
];

const queueItems = () => [
  ...queuedCells.value.map((id) => ({ words: `Cell ${codeNumber(notebook.value, id)}`, icon: 'cross' as const, run: () => stopCell(id) })), null,
  { words: 'Stop and run none of them', icon: 'stop' as const, run: () => interruptRun() },
];

const CLOCK_MS = 250;

/** While something runs: elapsed time and step, in figures of equal width, in the frames of the charts. */
export function startClock(place: Element, show: (words: string) => void): void {
  let timer = 0;
  const tick = () => {
    const id = runningCell.peek();
    if (!id) return;
    const { startedAt } = runOf(id).peek();
    const step = stepOf(id);
    show(`${formatDuration(Math.max(100, performance.now() - startedAt))}${step === null ? '' : `, step ${formatCount(step)}`}`);
  };
  effect(() => {
    clearInterval(timer);
    if (runningCell.value) {
      timer = window.setInterval(() => drawSoon(show, place, tick), CLOCK_MS);
      tick();
    } else show('');
  });
}

/** Places of the moving part of the line under a running cell, each half of its width from the next. */
const PLACES = 7;
let moved = 0;

/** The line under the running cell moves on with the clock. */
function moveOn(): void {
  const id = runningCell.peek();
  if (!id) return;
  moved = (moved + 1) % PLACES;
  document.querySelector<HTMLElement>(`.cell[data-id="${CSS.escape(id)}"] .progress-line`)?.style.setProperty('--moved', String(moved));
}

/** The last step that the running cell has logged, as its chart knows it. */
function stepOf(id: string): number | null {
  const text = document.querySelector<HTMLElement>(`.cell[data-id="${CSS.escape(id)}"] [data-last-step]`)?.dataset.lastStep;
  return text ? Number(text) : null;
}

function makeChip(): HTMLElement {
  const words = h('span');
  const chip = h('button', { class: 'chip', type: 'button', 'aria-expanded': 'false', data: { chip: '' } }, icon('chip'), words);
  let note: HTMLElement | null = null;
  const close = () => {
    note?.remove();
    note = null;
    chip.setAttribute('aria-expanded', 'false');
  };
  chip.addEventListener('click', () => {
    if (note) return close();
    note = chipNote();
    document.body.append(note);
    chip.setAttribute('aria-expanded', 'true');
  });
  document.addEventListener('pointerdown', (event) => {
    if (note && !note.contains(event.target as Node) && !chip.contains(event.target as Node)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && note) {
      close();
      chip.focus();
    }
  });
  let shown = '';
  const show = () => {
    const { short, long, memory, state } = chipWords(kernelState.peek());
    setAttribute(chip, 'data-state', state);
    const said = `Kernel: ${short}${memory}${long}`;
    if (said === shown) return;
    shown = said;
    words.replaceChildren(short, h('span', { class: 'long' }, memory, h('span', { class: 'simd' }, long)));
    chip.setAttribute('aria-label', said);
  };
  let state = '';
  effect(() => {
    const now = chipWords(kernelState.value).state;
    // The memory, told every second, moves on in the frames of the charts; a change of state shows at once.
    if (now === state) drawSoon(chip, chip, show);
    else show();
    state = now;
    if (note) {
      const fresh = chipNote();
      note.replaceWith(fresh);
      note = fresh;
    }
  });
  return chip;
}

function logo(): Element {
  const holder = document.createElement('span');
  holder.innerHTML = '<svg viewBox="0 0 32 32" aria-hidden="true"><rect x="3" y="3" width="26" height="26" rx="5" fill="var(--accent)"/><path d="M8 9c3.2.4 4.2 7.6 7 10.6 2 2.1 5 2.8 9 3" fill="none" stroke="var(--accent-ink)" stroke-width="2.6" stroke-linecap="round"/><circle cx="24" cy="22.6" r="2.6" fill="var(--accent-ink)"/></svg>';
  return holder.firstElementChild!;
}
