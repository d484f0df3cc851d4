// The table of runs: choose, show, rename, pin, note; sorted by any column. Columns are the settings that differ and the last values.
import { h, setText } from '../dom.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { groupOf } from '../charts/groups.ts';
import { chartTheme } from '../charts/theme.ts';
import { formatDuration } from '../shell/words.ts';
import { runColour } from './chart.ts';
import { differing, finals, type TrainingRun } from './record.ts';
import { baseline, changeTrainingRun, trainingRuns } from './store.ts';

const MOST_SETTINGS = 6;
const STATE = { running: 'running', done: 'done', stopped: 'stopped', error: 'failed' } as const;

type Value = string | number | boolean | null;

interface Column {
  readonly key: string;
  readonly title: string;
  value(run: TrainingRun): Value;
  text?(value: Value): string;
}

export class RunTable {
  readonly element = h('div', { class: 'table-out runs-table', tabIndex: 0, role: 'region', 'aria-label': 'Table of runs' });
  private readonly choose: (ids: readonly string[]) => void;
  private runs: readonly TrainingRun[] = [];
  private readonly chosen = new Set<string>();
  private sort: { key: string; isUp: boolean } | null = null;

  constructor(choose: (ids: readonly string[]) => void) {
    this.choose = choose;
  }

  show(runs: readonly TrainingRun[]): void {
    this.runs = runs;
    for (const id of this.chosen) if (!runs.some((run) => run.id === id)) this.chosen.delete(id);
    this.draw();
  }

  /** Values of a run that still logs. */
  grow(): void {
    for (const run of this.runs) {
      if (run.state !== 'running') continue;
      for (const [name, value] of finals(run)) {
        const cell = this.element.querySelector(`tr[data-run="${run.id}"] td[data-metric="${CSS.escape(name)}"]`);
        if (cell) setText(cell, textOf(name, value));
      }
    }
  }

  private columns(): Column[] {
    const settings = differing(this.runs).slice(0, MOST_SETTINGS);
    const metrics = [...new Set(this.runs.flatMap((run) => [...finals(run).keys()]))];
    return [
      ...settings.map((name): Column => ({ key: `s:${name}`, title: name, value: (run) => run.settings[name] ?? null })),
      ...metrics.map((name): Column => ({ key: `m:${name}`, title: name, value: (run) => finals(run).get(name) ?? null, text: (value) => (typeof value === 'number' ? textOf(name, value) : '') })),
      { key: 'time', title: 'time', value: (run) => run.elapsedMs, text: (value) => formatDuration(Number(value)) },
      { key: 'started', title: 'started', value: (run) => run.startedAt, text: (value) => new Date(Number(value)).toLocaleString(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }) },
    ];
  }

  private draw(): void {
    if (this.element.contains(document.activeElement) && document.activeElement?.matches('input[type="text"]')) return;
    const columns = this.columns();
    const name: Column = { key: 'name', title: 'run', value: (run) => run.name };
    const by = [name, ...columns].find(({ key }) => key === this.sort?.key);
    const rows = by ? [...this.runs].sort((a, b) => compare(by.value(a), by.value(b)) * (this.sort!.isUp ? 1 : -1)) : this.runs;
    const head = (column: Column) => h('th', { scope: 'col', 'aria-sort': this.sort?.key === column.key ? (this.sort.isUp ? 'ascending' : 'descending') : 'none' },
      h('button', { type: 'button', data: { sort: column.key }, on: { click: () => this.sortBy(column.key) } }, column.title, this.sort?.key === column.key ? (this.sort.isUp ? ' ↑' : ' ↓') : ''));
    if (!this.runs.length) return this.element.replaceChildren(h('p', { class: 'quiet' }, trainingRuns.peek().length ? 'No run fits the filter.' : 'No training run yet. Run a cell that logs numbers, such as a training loop or fit().'));
    this.element.replaceChildren(h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, h('span', { class: 'only-read' }, 'chosen')), h('th', { scope: 'col' }, h('span', { class: 'only-read' }, 'shown')), head(name), ...columns.map(head), h('th', { scope: 'col' }, 'note'))),
      h('tbody', null, rows.map((run) => this.row(run, columns)))));
  }

  private row(run: TrainingRun, columns: readonly Column[]): HTMLElement {
    const isBaseline = baseline.value === run.id;
    const box = h('input', { type: 'checkbox', checked: this.chosen.has(run.id), 'aria-label': `Choose ${run.name}`, on: { change: () => {
      if (box.checked) this.chosen.add(run.id);
      else this.chosen.delete(run.id);
      this.choose([...this.chosen]);
    } } });
    const colour = chartTheme().series[runColour(run)]!;
    const shown = h('button', { type: 'button', class: 'run-shown', 'aria-pressed': String(run.isShown), title: run.isShown ? 'Hide its curve' : 'Show its curve', 'aria-label': `Curve of ${run.name}`, on: { click: () => changeTrainingRun(run.id, { isShown: !run.isShown }) } }, h('span', { style: { background: run.isShown ? colour : 'transparent', 'border-color': colour } }));
    const pin = h('button', { type: 'button', class: 'run-pin', 'aria-pressed': String(isBaseline), title: isBaseline ? 'No longer the baseline' : 'Make it the baseline: drawn behind all others', data: { pin: '' }, on: { click: () => { baseline.value = isBaseline ? null : run.id; } } }, isBaseline ? 'baseline' : 'pin');
    const name = field(run.name, `Name of ${run.name}`, (text) => changeTrainingRun(run.id, { name: text || `Run ${run.number}` }));
    return h('tr', { data: { run: run.id, state: run.state } },
      h('td', null, box), h('td', null, shown),
      h('th', { scope: 'row' }, h('span', { class: 'run-name' }, name, run.state === 'done' ? null : h('span', { class: 'run-state' }, STATE[run.state]), pin)),
      ...columns.map((column) => {
        const value = column.value(run);
        return h('td', { data: { ...(typeof value === 'number' ? { number: '' } : {}), ...(column.key.startsWith('m:') ? { metric: column.title } : {}) } }, column.text ? column.text(value) : value === null ? '' : typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value));
      }),
      h('td', null, field(run.note, `Note on ${run.name}`, (text) => changeTrainingRun(run.id, { note: text }), 'write a note')));
  }

  private sortBy(key: string): void {
    this.sort = this.sort?.key !== key ? { key, isUp: true } : this.sort.isUp ? { key, isUp: false } : null;
    this.draw();
    this.element.querySelector<HTMLElement>(`[data-sort="${CSS.escape(key)}"]`)?.focus();
  }
}

function field(value: string, label: string, change: (text: string) => void, placeholder = ''): HTMLInputElement {
  const input = h('input', { type: 'text', value, placeholder, 'aria-label': label, on: {
    change: () => change(input.value.trim()),
    keydown: (event: Event) => { if ((event as KeyboardEvent).key === 'Enter') input.blur(); },
  } });
  return input;
}

function compare(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

const textOf = (name: string, value: number) => (groupOf(name).scale === 'share' ? formatShare(value) : formatValue(value));
