// All training runs of the open notebook: kept while they log, and across visits in the browser's database.
import { signal } from '@preact/signals-core';
import { Curves } from '../charts/curves.ts';
import { extentOf, packRows, type Extent } from '../charts/pack.ts';
import type { ConfusionData } from '../../notebook/protocol/views.ts';
import type { RunMatrix, Settings, TrainingRun } from './record.ts';
import { dropRuns, readRuns, writeRun } from './database.ts';
import { addToRun } from './tails.ts';

/** Newest first. Replaced when a run comes, goes or is renamed; grows in place while it logs. */
export const trainingRuns = signal<readonly TrainingRun[]>([]);
/** The run that others are compared with. */
export const baseline = signal<string | null>(null);
/** Counts up when curves have grown, at most a few times a second. */
export const growth = signal(0);

const MOST_RUNS = 300;
const GROWTH_MS = 300;
/** What is new of a run that goes on is written so often: a page that is killed meanwhile loses no more of it. */
const KEEP_MS = 2500;
/** Values of one metric that one such piece holds at most; peaks stay. */
const MOST_NEW = 1000;

interface Current {
  readonly run: TrainingRun;
  readonly runId: number;
  keptAt: number;
  timer: number;
  /** What the database has; null before the run was written whole. */
  kept: { extent: Extent; marks: number; part: number } | null;
}

const current = new Map<string, Current>();
let notebook = '';
let lastNumber = 0;
let grewAt = 0;

/** Another notebook is open: its runs come from the database. */
export async function openRuns(key: string): Promise<void> {
  notebook = key;
  for (const { timer } of current.values()) clearTimeout(timer);
  current.clear();
  byKey.clear();
  tooEarly.clear();
  trainingRuns.value = [];
  baseline.value = null;
  lastNumber = 0;
  const kept = await readRuns(key).catch(() => []);
  if (notebook !== key) return;
  lastNumber = Math.max(0, ...kept.map(({ number }) => number));
  // Runs that began meanwhile stay.
  trainingRuns.value = [...trainingRuns.value, ...kept.sort((a, b) => b.startedAt - a.startedAt)];
}

export interface Beginning {
  readonly cellId: string;
  readonly runId: number;
  readonly source: string;
  readonly program: string;
  readonly seed: number | null;
  readonly curves: Curves;
}

/** Numbers of a run have come. The second row makes it a training run that is kept. */
export function runLogged(beginning: Beginning): void {
  const known = current.get(beginning.cellId);
  if (known?.runId === beginning.runId && known.run.curves === beginning.curves) return grow(known);
  if (beginning.curves.rows < 2) return;
  if (known) end(known, 'done');
  lastNumber += 1;
  const run: TrainingRun = {
    id: crypto.randomUUID?.() ?? `${Date.now()}-${lastNumber}`, notebook, cellId: beginning.cellId, number: lastNumber, startedAt: Date.now(), source: beginning.source, program: beginning.program,
    curves: beginning.curves, settings: pending.get(beginning.cellId) ?? {}, seed: beginning.seed, name: `Run ${lastNumber}`, note: '', state: 'running', elapsedMs: 0, isShown: true,
  };
  const key = keyOf(beginning.runId);
  byKey.set(key, run);
  const early = tooEarly.get(key);
  if (early) run.matrices = early;
  tooEarly.delete(key);
  const fresh: Current = { run, runId: beginning.runId, keptAt: performance.now(), timer: 0, kept: null };
  current.set(beginning.cellId, fresh);
  keepSoon(fresh);
  trainingRuns.value = [run, ...trainingRuns.value].slice(0, MOST_RUNS);
}

const pending = new Map<string, Settings>();

/** Trainings within a run of a cell, as the kernel counts them too. */
const trials = new Map<number, number>();
const byKey = new Map<string, TrainingRun>();
/** Matrices that came before the run was known by its second row. */
const tooEarly = new Map<string, Record<string, RunMatrix>>();

const keyOf = (runId: number): string => `${runId}.${trials.get(runId) ?? 0}`;

/** A view showed the matrix of what a run had trained: it is kept with the run. */
export function runMatrix({ run: key, of, classes, counts, total, accuracy, recall, precision }: ConfusionData): void {
  if (key === null) return;
  const matrix: RunMatrix = { classes, counts: counts.slice(), total, accuracy, recall, precision };
  const run = byKey.get(key);
  if (!run) {
    tooEarly.set(key, { ...tooEarly.get(key), [of]: matrix });
    return;
  }
  run.matrices = { ...run.matrices, [of]: matrix };
  if (run.state !== 'running' && trainingRuns.peek().includes(run)) void writeRun(run).catch(() => undefined);
}

/** What the run that logs in a cell was set to; may come before its first row. */
export function runDescribed(cellId: string, settings: Settings): void {
  pending.set(cellId, { ...pending.get(cellId), ...settings });
}

/** What a run changes itself, as the steps that its cell counts, is no setting of it. */
export function runChanged(cellId: string, names: readonly string[]): void {
  const without = (settings: Settings) => Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));
  pending.set(cellId, without(pending.get(cellId) ?? {}));
  const run = current.get(cellId)?.run;
  if (run) run.settings = without(run.settings);
}

/** A new run begins in the cell, with settings of its own. */
export function runBegins(cellId: string, settings: Settings = {}): void {
  runEnded(cellId, 'done');
  pending.set(cellId, settings);
}

/** Another training begins within a run of a cell. */
export function trialBegins(cellId: string, runId: number, settings: Settings): void {
  trials.set(runId, (trials.get(runId) ?? 0) + 1);
  runBegins(cellId, settings);
}

export function runEnded(cellId: string, state: TrainingRun['state']): void {
  const known = current.get(cellId);
  if (!known) return;
  end(known, state);
  current.delete(cellId);
}

function end({ run, timer }: Current, state: TrainingRun['state']): void {
  clearTimeout(timer);
  if (run.state !== 'running') return;
  run.state = state;
  run.elapsedMs = Date.now() - run.startedAt;
  run.settings = { ...run.settings, ...pending.get(run.cellId) };
  trainingRuns.value = [...trainingRuns.value];
  void writeRun(run).catch(() => undefined);
}

function grow(known: Current): void {
  const { run } = known;
  run.elapsedMs = Date.now() - run.startedAt;
  const settings = pending.get(run.cellId);
  if (settings) run.settings = { ...run.settings, ...settings };
  keepSoon(known);
  const now = performance.now();
  if (now - grewAt < GROWTH_MS) return;
  grewAt = now;
  growth.value += 1;
}

/** What has come is in the database in a while, also when nothing more comes. Timers of a hidden page are late: then at the next row. */
function keepSoon(known: Current): void {
  const wait = known.keptAt + KEEP_MS - performance.now();
  if (wait <= 0) keep(known);
  else known.timer ||= window.setTimeout(() => keep(known), wait);
}

function keep(known: Current): void {
  clearTimeout(known.timer);
  known.timer = 0;
  known.keptAt = performance.now();
  const { run, kept } = known;
  const { curves } = run;
  known.kept = { extent: extentOf(curves), marks: curves.marks.length, part: (kept?.part ?? 0) + 1 };
  const writing = kept ? addToRun(run, known.kept.part, packRows(curves, kept.extent, MOST_NEW), curves.marks.slice(kept.marks)) : writeRun(run);
  // A piece is missing: the next time all of it is written.
  writing.catch(() => { known.kept = null; });
}

/** Renames a run, writes a note, shows or hides it. */
export function changeTrainingRun(id: string, change: Partial<Pick<TrainingRun, 'name' | 'note' | 'isShown'>>): void {
  const run = trainingRuns.value.find((each) => each.id === id);
  if (!run) return;
  Object.assign(run, change);
  trainingRuns.value = [...trainingRuns.value];
  if (run.state !== 'running') void writeRun(run).catch(() => undefined);
}

export function deleteRuns(ids: readonly string[]): void {
  trainingRuns.value = trainingRuns.value.filter(({ id, state }) => !ids.includes(id) || state === 'running');
  if (baseline.value && ids.includes(baseline.value)) baseline.value = null;
  void dropRuns(ids).catch(() => undefined);
}
