// One kept training run, and what can be said of several: which settings differ, means and bands over seeds. Pure; no page.
import { columnOf, type Column } from '../charts/column.ts';
import type { Curves, Metric } from '../charts/curves.ts';
import type { ConfusionData } from '../../notebook/protocol/views.ts';

/** A confusion matrix that a view showed of what a run had trained. */
export type RunMatrix = Pick<ConfusionData, 'classes' | 'counts' | 'total' | 'accuracy' | 'recall' | 'precision'>;

export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface TrainingRun {
  readonly id: string;
  /** Notebook it belongs to. */
  readonly notebook: string;
  readonly cellId: string;
  readonly number: number;
  readonly startedAt: number;
  readonly source: string;
  /** All code cells, in order: what the run's variables came from. */
  readonly program: string;
  readonly curves: Curves;
  settings: Settings;
  seed: number | null;
  name: string;
  note: string;
  state: 'running' | 'done' | 'stopped' | 'error';
  elapsedMs: number;
  isShown: boolean;
  /** By what they are of: `model on test`. Runs that were kept before there were any have none. */
  matrices?: Readonly<Record<string, RunMatrix>>;
}

/** The last value of every metric. */
export function finals(run: TrainingRun): Map<string, number> {
  return new Map([...run.curves.metrics.values()].filter(({ values }) => values.length > 0).map((metric) => [metric.name, metric.values.last]));
}

/** Settings that are not the same in all runs, most telling first: those that change most often. */
export function differing(runs: readonly TrainingRun[]): string[] {
  const names = [...new Set(runs.flatMap(({ settings }) => Object.keys(settings)))];
  const values = (name: string) => new Set(runs.map(({ settings }) => JSON.stringify(settings[name]))).size;
  return names.filter((name) => values(name) > 1).sort((a, b) => values(b) - values(a));
}

/** Runs that differ in nothing but their seed, together. */
export function bySettings(runs: readonly TrainingRun[]): TrainingRun[][] {
  const groups = new Map<string, TrainingRun[]>();
  for (const run of runs) {
    const { seed: _, ...rest } = run.settings;
    const key = JSON.stringify([run.source, Object.entries(rest).sort()]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

export interface Band {
  readonly x: Float64Array;
  readonly mean: Column;
  readonly low: Column;
  readonly high: Column;
  readonly count: number;
  readonly runs: number;
}

/** Mean, lowest and highest value over runs at the steps that all of them have. */
export function bandOver(metrics: readonly Metric[], isSmooth: boolean): Band {
  const [first, ...others] = metrics;
  const steps: number[] = [];
  const mean: number[] = [];
  const low: number[] = [];
  const high: number[] = [];
  if (first) {
    const places = others.map(() => 0);
    for (let i = 0; i < first.steps.length; i++) {
      const step = first.steps.values[i]!;
      const values = [(isSmooth ? first.smooth : first.values).values[i]!];
      others.forEach((metric, m) => {
        let at = places[m]!;
        while (at < metric.steps.length && metric.steps.values[at]! < step) at++;
        places[m] = at;
        if (at < metric.steps.length && metric.steps.values[at] === step) values.push((isSmooth ? metric.smooth : metric.values).values[at]!);
      });
      if (values.length !== metrics.length) continue;
      steps.push(step);
      mean.push(values.reduce((sum, value) => sum + value, 0) / values.length);
      low.push(Math.min(...values));
      high.push(Math.max(...values));
    }
  }
  return { x: Float64Array.from(steps), mean: columnOf(mean), low: columnOf(low), high: columnOf(high), count: steps.length, runs: metrics.length };
}

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Line by line: what is gone from `before` and what is new in `after` (longest common subsequence). */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1]! + 1 : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) lines.push({ kind: 'gone', text: a[i++]! });
    else lines.push({ kind: 'new', text: b[j++]! });
  }
  return lines;
}

/** What export gives: every run with settings, finals and curves. */
export function toJson(runs: readonly TrainingRun[]): string {
  return JSON.stringify(runs.map((run) => ({
    name: run.name, note: run.note, startedAt: new Date(run.startedAt).toISOString(), elapsedMs: Math.round(run.elapsedMs), state: run.state, seed: run.seed,
    settings: run.settings, final: Object.fromEntries(finals(run)), source: run.source,
    confusion: Object.fromEntries(Object.entries(run.matrices ?? {}).map(([of, { classes, counts }]) => [of, { classes, counts: [...classes.keys()].map((row) => [...counts.subarray(row * classes.length, (row + 1) * classes.length)]) }])),
    curves: Object.fromEntries([...run.curves.metrics.values()].map((metric) => [metric.name, { steps: [...metric.steps.values.subarray(0, metric.steps.length)], values: [...metric.values.values.subarray(0, metric.values.length)] }])),
  })), null, 1);
}
