// The runs of the notebook beside it: curves over each other, a table to sort and filter, the difference of two, and export.
import { effect, signal } from '@preact/signals-core';
import { fileName, saveFile } from '../charts/export.ts';
import { makeMenu } from '../charts/menu.ts';
import { h } from '../dom.ts';
import { icon } from '../shell/icons.ts';
import { askFirst } from '../shell/help.ts';
import { notebook } from '../store.ts';
import { RunsChart } from './chart.ts';
import { runsCsv } from './csv.ts';
import { diffView } from './diff.ts';
import { ParallelView } from './parallel.ts';
import { toJson, type TrainingRun } from './record.ts';
import { deleteRuns, growth, trainingRuns } from './store.ts';
import { RunTable } from './table.ts';

let panel: HTMLElement | null = null;
let opener: HTMLElement | null = null;
let stop: (() => void) | null = null;

export function toggleRuns(button: HTMLElement): void {
  if (panel) return closeRuns();
  opener = button;
  panel = makePanel();
  document.body.append(panel);
  button.setAttribute('aria-expanded', 'true');
  panel.querySelector<HTMLElement>('input[type="search"]')?.focus({ preventScroll: true });
}

export function closeRuns(): void {
  stop?.();
  panel?.remove();
  panel = null;
  opener?.setAttribute('aria-expanded', 'false');
  opener?.focus({ preventScroll: true });
}

function makePanel(): HTMLElement {
  const filter = signal('');
  const chosen = signal<readonly string[]>([]);
  const chart = new RunsChart();
  const parallel = new ParallelView();
  const shownDiff = h('div', { class: 'runs-diff' });
  const visible = () => matching(trainingRuns.value, filter.value);
  const table = new RunTable((ids) => { chosen.value = ids; });
  const search = h('input', { type: 'search', placeholder: 'Filter: name, note, lr=0.01', 'aria-label': 'Filter runs', on: { input: () => { filter.value = search.value; } } });
  const compare = h('button', { class: 'button', type: 'button', data: { compare: '' }, title: 'Choose two runs in the table first', on: { click: () => showDiff() } }, 'Compare two');
  const remove = h('button', { class: 'button', type: 'button', data: { remove: '' }, on: { click: () => void ask() } }, 'Delete');
  const menu = makeMenu('Export runs', 'Export', () => [
    { label: 'Table as CSV', act: () => saveFile(`${fileName(notebook.peek().title)}-runs.csv`, runsCsv(visible()), 'text/csv') },
    { label: 'Everything as JSON', act: () => saveFile(`${fileName(notebook.peek().title)}-runs.json`, toJson(visible()), 'application/json') },
  ]);
  menu.querySelector('.menu-button-small')!.className = 'button';
  const runsOf = () => chosen.value.map((id) => trainingRuns.value.find((run) => run.id === id)).filter((run) => run !== undefined);
  const showDiff = () => {
    const [a, b] = runsOf().sort((first, second) => first.startedAt - second.startedAt);
    shownDiff.replaceChildren(...(a && b ? [diffView(a, b, () => shownDiff.replaceChildren())] : []));
    shownDiff.scrollIntoView({ block: 'nearest' });
  };
  const ask = async () => {
    const ids = chosen.value;
    if (await askFirst('Delete runs', `${ids.length === 1 ? 'One run is' : `${ids.length} runs are`} forgotten, with their curves. The notebook stays as it is.`, 'Delete')) {
      deleteRuns(ids);
      chosen.value = [];
    }
  };
  const element = h('aside', { class: 'runs', 'aria-label': 'Training runs', on: { keydown: (event: Event) => {
    event.stopPropagation();
    if ((event as KeyboardEvent).key === 'Escape' && !(event.target as HTMLElement).closest('[popover]')) closeRuns();
  } } },
    h('div', { class: 'runs-head' }, h('h2', null, 'Training runs'), search, compare, remove, menu, h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close the runs', on: { click: closeRuns } }, icon('cross'))),
    h('div', { class: 'runs-body' }, chart.element, table.element, shownDiff, parallel.element));
  // The first layout of a chart needs a place on the page.
  const stops: (() => void)[] = [];
  queueMicrotask(() => {
    stops.push(effect(() => {
      const runs = visible();
      table.show(runs);
      parallel.show(runs);
      chart.show(runs.filter(({ isShown }) => isShown));
    }), effect(() => {
      void growth.value;
      chart.grow();
      table.grow();
    }), effect(() => {
      compare.disabled = chosen.value.length !== 2;
      remove.disabled = chosen.value.length === 0;
    }));
  });
  stop = () => {
    for (const each of stops) each();
    chart.close();
  };
  return element;
}

/** Every word must be found: in name or note, or as `setting=value`. */
export function matching(runs: readonly TrainingRun[], text: string): TrainingRun[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => words.every((word) => {
    const [name, value] = word.split('=');
    if (value !== undefined) return Object.entries(run.settings).some(([key, set]) => key.toLowerCase() === name && String(set).toLowerCase().startsWith(value));
    return `${run.name} ${run.note} ${run.state}`.toLowerCase().includes(word);
  }));
}
