// Keeps what cells show in the browser, within a second after a run and every few seconds while it goes on, and brings it
// back when the notebook is opened again. Restored outputs are only shown: no name has a value.
import { showError, showNote } from './errors.ts';
import { dropOutputs, readOutputs, writeOutputs, type KeptOutputs } from './host/outputs.ts';
import type { OutputArea } from './outputs/area.ts';
import { keepable, packCurves, type KeptItem } from './outputs/items.ts';
import { changeRun, runOf } from './runs.ts';
import { readRuns } from './runs/database.ts';
import type { TrainingRun } from './runs/record.ts';
import { isReadOnly } from './store.ts';

const SOON_MS = 500;
const RUNNING_MS = 3000;
/** A run is written less often the longer it goes on: its curves get long, and what is new is a small part of them. */
const RUNNING_SHARE = 0.1;
const MOST_RUNNING_MS = 15_000;
/**
 * Views of cells that do not run themselves change with a training elsewhere: what they hold is large, and old in a moment. When that
 * training has ended they are written as all others.
 */
const WATCHING_MS = 60_000;
/** How long one slice of restoring may take before the page draws again. */
const SLICE_MS = 12;

/** How the session sees a cell. */
export interface Keeper {
  area(cellId: string): OutputArea;
  /** Sum over what the last run showed; null when there was none. */
  sum(cellId: string): string | null;
  /** Some cell runs now. */
  isBusy(): boolean;
}

let key: string | null = null;
let keeper: Keeper | null = null;
/** What the database holds of the open notebook. */
const kept = new Map<string, KeptOutputs>();
/** Cells whose outputs have changed, and when they are to be written. */
const dirty = new Map<string, number>();
let timer = 0;
let dueAt = 0;
let waiting: KeptOutputs[] = [];

/** Reads what a notebook showed; call it before the notebook is opened. */
export async function readKept(notebook: string): Promise<readonly KeptOutputs[]> {
  const found = await readOutputs(notebook).catch(() => []);
  if (!found.some(({ phase }) => phase === 'running')) return found;
  // Their page was gone before the run ended. The kept training is written more often than what stands under the cell.
  const runs = await readRuns(notebook).catch(() => []);
  return found.map((each) => (each.phase === 'running' ? { ...each, items: each.items.map((item) => longest(item, runs.filter(({ cellId, source }) => cellId === each.cellId && source === each.source))) } : each));
}

/** Curves of the kept training that began with the same number, when it has come further. */
function longest(item: KeptItem, runs: readonly TrainingRun[]): KeptItem {
  if (item.kind !== 'curves') return item;
  const first = item.rows[0];
  const last = Math.max(...item.rows.map(({ steps }) => steps[steps.length - 1] ?? 0));
  const same = [...runs].sort((a, b) => b.startedAt - a.startedAt).find(({ curves }) => {
    const metric = curves.metrics.get(first?.names[0] ?? '');
    return metric && metric.steps.values[0] === first?.steps[0] && metric.values.values[0] === first?.columns[0]?.[0] && curves.steps.last > last;
  });
  return same ? packCurves(same.curves) : item;
}

/** The notebook was just opened: its outputs come back. `has`: whether it still holds a code cell of that name. */
export function restoreKept(notebook: string, found: readonly KeptOutputs[], has: (cellId: string) => boolean, through: Keeper): void {
  key = notebook;
  keeper = through;
  kept.clear();
  dirty.clear();
  waiting = found.filter(({ cellId }) => has(cellId));
  for (const each of waiting) {
    const { cellId, source, phase, number, elapsedMs, step, height } = each;
    kept.set(cellId, each);
    changeRun(cellId, { phase: 'restored', former: phase, number, source, elapsedMs, step });
    through.area(cellId).awaitRestoring(height);
  }
  const gone = found.filter(({ cellId }) => !has(cellId)).map(({ cellId }) => cellId);
  if (gone.length) void writeOutputs(notebook, [], gone).catch(() => undefined);
  // After the first picture of the page, in slices: text can be read at once.
  if (waiting.length) requestAnimationFrame(() => setTimeout(restoreSlice));
}

function restoreSlice(): void {
  const end = performance.now() + SLICE_MS;
  while (waiting.length && performance.now() < end) restore(waiting.shift()!);
  if (waiting.length) setTimeout(restoreSlice);
}

/** Whatever of this cell, or of all, is still to be shown is shown now. */
export function finishRestoring(cellId?: string): void {
  const now = waiting.filter((each) => cellId === undefined || each.cellId === cellId);
  waiting = waiting.filter((each) => !now.includes(each));
  for (const each of now) restore(each);
}

function restore({ cellId, items }: KeptOutputs): void {
  const area = keeper!.area(cellId);
  area.isRestoring = true;
  for (const item of items) {
    try {
      restoreItem(area, item);
    } catch {
      showNote(area, 'An output of the last visit could not be shown again. Run the cell to see it.');
    }
  }
  area.isRestoring = false;
  area.endRestoring();
}

function restoreItem(area: OutputArea, item: KeptItem): void {
  if (item.kind === 'display') area.redisplay(item.displayId, item.data, item.isFolded === true);
  else if (item.kind === 'console') area.stream(item.lines.map(([level, text], i) => ({ level, text: `${text}\n`, ...(i === 0 && item.dropped && { droppedLines: item.dropped }) })));
  else if (item.kind === 'error') showError(area, item.error, null);
  else if (item.kind === 'words') showNote(area, item.words);
  else {
    for (const rows of item.rows) area.metrics(rows);
    for (const { step, text } of item.marks) area.mark(step, text);
  }
}

/** Something changed under a cell. */
export function noteOutputs(cellId: string): void {
  const { phase, number, startedAt } = runOf(cellId).peek();
  const record = kept.get(cellId);
  const isWatching = record?.number === number && record?.phase === phase && keeper?.isBusy();
  const wait = !record ? SOON_MS : phase === 'running' ? Math.min(MOST_RUNNING_MS, Math.max(RUNNING_MS, RUNNING_SHARE * (performance.now() - startedAt))) : isWatching ? WATCHING_MS : SOON_MS;
  const now = performance.now();
  const former = dirty.get(cellId) ?? 0;
  // What could not be written when its time came (in a tab that only reads) is none to wait for.
  const at = former > now ? Math.min(former, now + wait) : now + wait;
  dirty.set(cellId, at);
  flushAt(at);
}

function flushAt(at: number): void {
  if (timer && dueAt <= at) return;
  clearTimeout(timer);
  dueAt = at;
  timer = window.setTimeout(() => void flushDue(), at - performance.now());
}

/** Writes what has waited long enough. */
async function flushDue(): Promise<void> {
  timer = 0;
  // A timer may come a little early.
  const until = performance.now() + 1;
  await write([...dirty].flatMap(([cellId, at]) => (at <= until ? [cellId] : [])));
  const later = [...dirty.values()].filter((at) => at > until);
  if (later.length) flushAt(Math.min(...later));
}

/** Writes what is not written yet. */
export async function flushOutputs(): Promise<void> {
  clearTimeout(timer);
  timer = 0;
  await write([...dirty.keys()]);
}

async function write(changed: readonly string[]): Promise<void> {
  // What a notebook shows is kept by the tab that may change it.
  if (key === null || !keeper || changed.length === 0 || isReadOnly.peek()) return;
  const notebook = key;
  for (const cellId of changed) dirty.delete(cellId);
  const full: KeptOutputs[] = [];
  const empty: string[] = [];
  for (const cellId of changed) {
    const record = recordOf(notebook, cellId);
    if (record) {
      kept.set(cellId, record);
      full.push(record);
    } else if (kept.delete(cellId)) empty.push(cellId);
  }
  if (full.length || empty.length) await writeOutputs(notebook, full, empty).catch(() => undefined);
}

function recordOf(notebook: string, cellId: string): KeptOutputs | null {
  finishRestoring(cellId);
  const { phase, former, source, number, elapsedMs, step } = runOf(cellId).peek();
  const area = keeper!.area(cellId);
  if (source === null || (area.isEmpty && phase !== 'running')) return null;
  const isRestored = phase === 'restored';
  return {
    notebook, cellId, source, number, elapsedMs, step,
    phase: isRestored ? (former ?? 'fresh') : phase === 'queued' ? 'stopped' : phase,
    sum: isRestored ? (kept.get(cellId)?.sum ?? null) : phase === 'running' ? null : keeper!.sum(cellId),
    height: area.height,
    items: area.keep().map(keepable),
  };
}

/** What the kept outputs of a cell add up to, when they are those of this very text and of a run that went well. */
export function keptSum(cellId: string, source: string): string | null {
  const each = kept.get(cellId);
  return each?.source === source && each.phase === 'fresh' ? each.sum : null;
}

/** The notebook goes back to what it was, or goes for good. */
export async function dropKept(notebook: string): Promise<void> {
  if (notebook === key) {
    dirty.clear();
    kept.clear();
    waiting = [];
  }
  await dropOutputs(notebook).catch(() => undefined);
}
