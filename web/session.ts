// Runs cells: a queue in document order, compiled one by one, results put under their cells. Owns the kernel of the open notebook.
import { batch, computed, effect, signal } from '@preact/signals-core';
import type { KernelClient, Outcome } from '../notebook/client/client.ts';
import { codeNumber } from '../notebook/document/notebook.ts';
import type { Events, InspectOptions, ValueSummary } from '../notebook/protocol/messages.ts';
import type { Diagnostic } from '../notebook/transpile/program.ts';
import { comparison, Digest, sumOfSaved } from './digest.ts';
import { afterPicture } from './dom.ts';
import { compileCell, type CompileAnswer } from './editor/compiler.ts';
import { withCalls } from './editor/foreseen.ts';
import { failedLineOf } from './editor/problems.ts';
import { forgetShapes, renewShapes } from './editor/values.ts';
import { showError, showNote, type ErrorFact } from './errors.ts';
import { kernelState, makeKernel } from './host/kernel.ts';
import { missingFeature } from './host/features.ts';
import { forgetFreshness, noteMove, noteRestored, noteRun, startFreshness } from './freshness.ts';
import type { KeptOutputs } from './host/outputs.ts';
import { finishRestoring, keptSum, noteOutputs, restoreKept } from './keeping.ts';
import { cellOutputs } from './outputs/export.ts';
import { onMove } from './outputs/controls.ts';
import { save } from './outputs/files.ts';
import { forgetWeights, keepWeights, leftWeights } from './weights.ts';
import { ghosts, watchTraining, watchView } from './runs/watch.ts';
import { runBegins, runEnded } from './runs/store.ts';
import { savedResult, type CellResult } from '../notebook/document/ipynb.ts';
import { knownHeight, rememberHeight, roomFor } from './outputs/heights.ts';
import { runAsked, settleWaitedFor } from './outputs/room.ts';
import { savedView } from './outputs/saved.ts';
import { OutputArea, type TakenOutputs } from './outputs/area.ts';
import { changeRun, forgetRuns, nextRunNumber, runOf } from './runs.ts';
import { changeBeside, hasCell, notebook } from './store.ts';

const areas = new Map<string, OutputArea>();
const queue = signal<readonly string[]>([]);
const running = signal<string | null>(null);
let kernel: KernelClient | null = null;
/** What the last run of each cell showed. */
const digests = new Map<string, Digest>();
let kernelSeed = 0;
/** Grows when everything waiting must be forgotten (restart, another notebook). */
let era = 0;

export const isBusy = computed(() => running.value !== null || queue.value.length > 0);
export const runningCell = computed(() => running.value);
/** Where the running cell stands still; null while it goes on. */
export const pausedAt = signal<{ readonly step: number | null } | null>(null);
/** A pause was asked for, and the run has not come to its next step yet. */
export const isPausing = signal(false);
export const queuedCells = computed(() => queue.value);

/** What a cell shows; kept while the notebook is open, so that an undone deletion brings it back. */
export function outputsOf(cellId: string): OutputArea {
  let area = areas.get(cellId);
  if (!area) {
    area = new OutputArea();
    area.showGhosts(ghosts.peek());
    area.saveLog = () => kernel?.readLog(cellId);
    area.ask = (displayId, question) => kernel?.ask(displayId, question);
    const result = fileResult(cellId);
    const view = result && savedView(result);
    if (view) area.showSaved(view);
    area.onChange = () => noteOutputs(cellId);
    areas.set(cellId, area);
  }
  return area;
}

/** What a cell shows so far; null when it shows nothing. */
export function shownOutputs(cellId: string): HTMLElement | null {
  return areas.get(cellId)?.element ?? null;
}

/** What the file that the notebook came from holds under a cell. */
function fileResult(cellId: string): CellResult | null {
  const cell = notebook.peek().cells.find(({ id }) => id === cellId);
  return cell ? savedResult(cell) : null;
}

/** Puts back what the notebook that was just opened showed before. */
export function restoreOutputs(key: string, found: readonly KeptOutputs[]): void {
  const has = (cellId: string) => notebook.peek().cells.some(({ id, kind }) => id === cellId && kind === 'code');
  // What a file shows gives way to what its cells have shown since.
  const through = {
    area: outputsOf,
    sum: (cellId: string) => digests.get(cellId)?.sum() ?? null,
    isBusy: () => isBusy.peek(),
  };
  restoreKept(key, found, has, through);
  noteRestored(found.filter(({ cellId }) => has(cellId)).map(({ cellId, source: text }) => ({ id: cellId, source: text })));
}

/** Ends the kernel of the notebook that is left, and lets go of all that it showed: the next one may have cells of the same names. */
export function leaveKernel(): void {
  era++;
  kernel?.dispose();
  kernel = null;
  queue.value = [];
  running.value = null;
  for (const area of areas.values()) area.clear();
  areas.clear();
  digests.clear();
  forgetRuns();
  forgetFreshness();
  forgetWeights();
  forgetShapes();
  pausedAt.value = null;
}

/** Begins a kernel for the notebook that was just opened. */
export function startKernel(): void {
  if (missingFeature()) return;
  startFreshness((ids) => enqueue(ids));
  openKernel();
}

const seedNow = () => (typeof notebook.value.metadata.seed === 'number' ? notebook.value.metadata.seed : 0);

function openKernel(): void {
  kernelSeed = seedNow();
  kernel = makeKernel(kernelSeed, (event) => {
    if (event.type === 'checkpoint') return keepWeights(event);
    digests.get(event.cellId)?.add(event);
    const area = areas.get(event.cellId);
    if (!area) return;
    if (event.type === 'log') save({ name: 'console.txt', mediaType: 'text/plain', bytes: new Uint8Array(event.bytes) });
    if (event.type === 'paused') isPausing.value = false;
    if (event.type === 'paused') pausedAt.value = event.isPaused ? { step: event.step } : null;
    if (event.type === 'restored') showNote(area, `The weights of ${event.name} were put back${event.step === null ? '' : `: they are those of step ${event.step}`}.`);
    if (event.type === 'stream') area.stream(event.chunks);
    else if (event.type === 'display') {
      area.display(event.displayId, event.data, event.update);
      watchView(event);
    }
    else if (event.type === 'metrics' || event.type === 'mark') watchTraining(area, event);
    else if (event.type === 'error') {
      showError(area, event, event.origin === 'run' && event.name === 'DatasetError' ? () => runCell(event.cellId) : null);
      if (event.line !== null) failedLineOf(event.cellId).value = { line: event.line, column: event.column ?? 1, message: event.message };
    }
  });
  // What can be read comes first. The state says what went wrong, if anything did.
  const mine = kernel;
  afterPicture(() => { if (kernel === mine) mine.start().catch(() => undefined); });
}

/** Lets the running cell stand still, go on, or do one step. */
export function pauseRun(mode: 'on' | 'off' | 'step'): void {
  isPausing.value = mode === 'on';
  kernel?.pause(mode);
}

onMove((control, value) => {
  kernel?.moveControl(control, value);
  noteMove(control, value);
  // What has a place in shared memory reaches every loop.
  return control.slot < 0 && running.peek() !== null && kernel ? kernel.turn() : null;
});

export function runCell(cellId: string): void {
  enqueue([cellId]);
}

export function runAll(): void {
  runCells(notebook.value.cells.map(({ id }) => id));
}

/** Runs those of the cells that hold code, in document order. */
export function runCells(ids: readonly string[]): void {
  enqueue(notebook.value.cells.filter(({ kind, id }) => kind === 'code' && ids.includes(id)).map(({ id }) => id));
}

/** Code cells that have not run, or not with the text and success they should have. */
export function staleCells(): string[] {
  return notebook.value.cells.filter(({ kind, id, source: text }) => {
    const { phase, source: ran, stale } = runOf(id).value;
    return kind === 'code' && text.trim() !== '' && !(phase === 'running' || phase === 'queued' || (phase === 'fresh' && ran === text && stale === null));
  }).map(({ id }) => id);
}

/** Empties what the cells show, as a step of undo. */
export function clearOutputs(ids: readonly string[]): void {
  const full = ids.filter((id) => areas.get(id)?.isEmpty === false && running.value !== id);
  if (full.length === 0) return;
  let taken: TakenOutputs[] = [];
  const clear = () => {
    taken = full.map((id) => outputsOf(id).take());
  };
  clear();
  changeBeside({ undo: () => full.forEach((id, i) => outputsOf(id).give(taken[i]!)), redo: clear });
}

function enqueue(ids: readonly string[]): void {
  if (!kernel || missingFeature()) return;
  const fresh = ids.filter((id) => !queue.value.includes(id) && running.value !== id && source(id).trim() !== '');
  if (!fresh.length) return;
  runAsked();
  for (const id of fresh) changeRun(id, { phase: 'queued' });
  queue.value = [...queue.value, ...fresh];
  void reserve(fresh);
  if (running.value === null) void work();
}

/** Keeps the outputs' place from the moment of the click on, so that nothing moves while cells run. */
async function reserve(ids: readonly string[]): Promise<void> {
  for (const id of ids) outputsOf(id).reserve(knownHeight(source(id)) ?? 0);
  for (const id of ids) {
    const answer = await compileCell(source(id)).catch(() => null);
    if (!answer) return;
    const others = await readOthers(answer);
    const room = () => roomFor(withCalls(answer.expected, new Map(others.flatMap(({ showers }) => Object.entries(showers)))));
    const will = { log: metricsToCome(answer, others), room: knownHeight(source(id)) === null ? room() : 0 };
    if (queue.value.includes(id) || running.value === id) outputsOf(id).reserve(0, will);
  }
}

/** What is known of the cells whose functions this one may call. */
async function readOthers({ uses }: CompileAnswer): Promise<readonly CompileAnswer[]> {
  if (uses.references.length === 0) return [];
  const others = await Promise.all(notebook.value.cells.filter(({ kind }) => kind === 'code').map(({ source: text }) => compileCell(text).catch(() => null)));
  return others.filter((other) => other !== null);
}

/** Names of the numbers that the cell logs again and again, as far as texts tell, by itself or by a function of another cell; null when it does not log. */
function metricsToCome({ doesLog, metrics, uses }: CompileAnswer, others: readonly CompileAnswer[]): readonly string[] | null {
  const loggers = others.filter(({ loggers }) => loggers.some((name) => uses.references.includes(name)));
  return doesLog || loggers.length > 0 ? [...metrics, ...loggers.flatMap((other) => other.metrics)] : null;
}

const source = (id: string) => notebook.value.cells.find((cell) => cell.id === id)?.source ?? '';

async function work(): Promise<void> {
  const mine = era;
  while (queue.value.length && mine === era) {
    const [id, ...rest] = queue.value as [string, ...string[]];
    // Together: nobody may see an empty queue and nothing running in between.
    batch(() => {
      queue.value = rest;
      if (hasCell(id)) running.value = id;
    });
    if (running.peek() !== id) continue;
    const isOk = await runOne(id, mine);
    if (mine !== era) return;
    running.value = null;
    pausedAt.value = null;
    isPausing.value = false;
    if (!isOk) cancelQueue();
  }
}

/** Runs one cell to its end. False when what waits behind it should not run. */
async function runOne(id: string, mine: number): Promise<boolean> {
  const text = source(id);
  const area = outputsOf(id);
  finishRestoring(id);
  const startedAt = performance.now();
  runBegins(id);
  digests.set(id, new Digest());
  changeRun(id, { phase: 'running', number: nextRunNumber(), source: text, startedAt, elapsedMs: null, step: null });
  failedLineOf(id).value = null;
  const answer = await compileCell(text).catch((error: Error) => error);
  const metrics = answer instanceof Error ? null : metricsToCome(answer, await readOthers(answer));
  if (mine !== era) return false;
  area.begin(metrics);
  if (answer instanceof Error) {
    showError(area, { cellId: id, name: '', message: answer.message, line: null, column: null, frames: [], hint: '' }, () => runCell(id));
    return end(id, { phase: 'error' });
  }
  if (!answer.compiled.program) {
    showSyntax(id, area, answer.compiled.diagnostics);
    return end(id, { phase: 'error' });
  }
  const outcome: Outcome = await kernel!.execute(id, codeNumber(notebook.value, id), answer.compiled.program).reply;
  if (mine !== era) return false;
  const elapsedMs = outcome.state === 'lost' ? performance.now() - startedAt : outcome.elapsedMs;
  if (outcome.state !== 'lost') noteRun(id, outcome.state, text, outcome.runId, outcome.values);
  if (outcome.state !== 'lost') void renewShapes(id, text, inspectNames).catch(() => undefined);
  if (outcome.state === 'ok') return end(id, { phase: 'fresh', elapsedMs, step: outcome.step });
  if (outcome.state === 'lost') showNote(area, `The kernel ended while this cell ran. What it had computed is gone. ${leftWeights()?.words ?? ''}`.trim());
  end(id, { phase: outcome.state === 'error' ? 'error' : 'stopped', elapsedMs, step: outcome.step });
  return false;
}

function end(id: string, change: Parameters<typeof changeRun>[1]): boolean {
  const area = outputsOf(id);
  area.end();
  runEnded(id, change.phase === 'fresh' ? 'done' : change.phase === 'stopped' ? 'stopped' : 'error');
  changeRun(id, change);
  noteOutputs(id);
  const ran = runOf(id).value.source;
  if (change.phase === 'fresh' && ran !== null && area.element.offsetParent) rememberHeight(ran, area.height);
  return change.phase === 'fresh';
}

function showSyntax(id: string, area: OutputArea, diagnostics: readonly Diagnostic[]): void {
  const first = diagnostics[0]!;
  const error: ErrorFact = { cellId: id, name: 'Syntax error', message: first.message, line: first.line, column: first.column, frames: [{ cellId: id, line: first.line, column: first.column, name: '', old: false }], hint: diagnostics.length > 1 ? `There ${diagnostics.length === 2 ? 'is one more' : `are ${diagnostics.length - 1} more`}; the first is often the cause.` : '' };
  showError(area, error, null);
  failedLineOf(id).value = { line: first.line, column: first.column, message: first.message };
}

function cancelQueue(): void {
  for (const id of queue.value) {
    outputsOf(id).release();
    changeRun(id, { phase: 'cancelled' });
  }
  queue.value = [];
}

/** Stops the running cell and takes back what waits. */
export function interruptRun(): void {
  cancelQueue();
  if (!running.value) return;
  // A run that still waits for the kernel to start is taken back, one that runs is asked to end.
  kernel?.cancelWaiting();
  kernel?.interrupt();
}

/** Stops the cell if it runs; takes it out of the queue if it waits. */
export function stopCell(cellId: string): void {
  if (running.value === cellId) interruptRun();
  else if (queue.value.includes(cellId)) {
    queue.value = queue.value.filter((id) => id !== cellId);
    outputsOf(cellId).release();
    changeRun(cellId, { phase: runOf(cellId).value.number === null ? 'none' : 'cancelled' });
  }
}

/** A new kernel: every value is gone, texts and shown results stay. */
export async function restartKernel(): Promise<void> {
  if (!kernel) return;
  const isLost = kernel.state.canForceStop || kernel.state.phase === 'dead';
  era++;
  const ended = running.value;
  cancelQueue();
  running.value = null;
  if (ended) {
    showNote(outputsOf(ended), 'The kernel was restarted while this cell ran.');
    outputsOf(ended).end();
  }
  forgetValues(ended);
  pausedAt.value = null;
  // A kernel that had to go, because it broke or would not stop, leaves the weights it had; a restart by choice begins anew.
  const left = isLost ? leftWeights() : null;
  forgetWeights();
  if (kernelSeed !== seedNow()) {
    // Another seed needs a client of its own.
    kernel.dispose();
    openKernel();
  } else {
    const started = kernel.restart().catch(() => undefined);
    if (!left) return started;
  }
  if (!left) return;
  if (ended) showNote(outputsOf(ended), left.words);
  for (const checkpoint of left.checkpoints) keepWeights(checkpoint);
  await kernel.restore(left.checkpoints).catch(() => undefined);
}

/** The values are gone; what the cells show stays, and says so. */
function forgetValues(running: string | null): void {
  const shown = notebook.peek().cells.flatMap(({ id }) => {
    const run = runOf(id).peek();
    return run.source !== null && areas.get(id)?.isEmpty === false ? [{ id, source: run.source, run }] : [];
  });
  forgetRuns();
  forgetFreshness();
  forgetShapes();
  for (const { id, source: text, run } of shown) {
    areas.get(id)!.freeze();
    const former = run.phase === 'restored' ? run.former : id === running ? 'running' : run.phase;
    changeRun(id, { phase: 'restored', former, source: text, number: run.number, elapsedMs: run.elapsedMs, step: run.step });
  }
  noteRestored(shown);
}

/** A new kernel and all cells in it. Resolves with a sentence that says whether they show what they showed before. */
export async function restartAndRunAll(): Promise<string> {
  const numbered = notebook.value.cells.filter(({ kind }) => kind === 'code').map(({ id, source: text }, i) => ({ id, number: i + 1, text }));
  const before = new Map(numbered.flatMap(({ id, text }) => {
    const shown = shownBefore(id, text);
    return shown ? [[id, shown] as const] : [];
  }));
  await restartKernel();
  runAll();
  await new Promise<void>((resolve) => {
    const stop = effect(() => {
      if (isBusy.value) return;
      // Outside of the effect, which must not end itself while it begins.
      queueMicrotask(() => {
        stop();
        resolve();
      });
    });
  });
  const compared = numbered.filter(({ id, text }) => before.has(id) && hasCell(id) && source(id) === text);
  const different = compared.filter(({ id, text }) => {
    const { phase, source: ran } = runOf(id).peek();
    const { sum, of } = before.get(id)!;
    return phase !== 'fresh' || ran !== text || sum !== (of === 'file' ? sumOfSaved(cellOutputs(id, outputsOf(id)).outputs) : digests.get(id)?.sum());
  });
  const isSaved = compared.some(({ id }) => before.get(id)!.of !== 'session');
  return comparison(compared.length - different.length, different.map(({ number }) => number), isSaved);
}

/** What a cell with this text showed when it last went well: in this visit, in one before, or in the file it came from. */
function shownBefore(id: string, text: string): { readonly sum: string; readonly of: 'session' | 'browser' | 'file' } | null {
  const { phase, former, source: ran } = runOf(id).peek();
  const isGood = ran === text && (phase === 'fresh' || (phase === 'restored' && former === 'fresh'));
  const digest = digests.get(id);
  if (isGood && digest) return { sum: digest.sum(), of: 'session' };
  const sum = keptSum(id, text);
  if (sum !== null) return { sum, of: 'browser' };
  const result = areas.get(id)?.isTouched ? null : fileResult(id);
  return result?.outputs.length ? { sum: sumOfSaved(result.outputs), of: 'file' } : null;
}

/** What names hold as the cell sees them; nothing while there is no kernel. */
export async function inspectNames(cellId: string, names: readonly string[], isDetailed: boolean): Promise<readonly ValueSummary[]> {
  return kernel ? kernel.summarize(cellId, names, isDetailed) : [];
}

/** The cell is gone from the notebook: its names vanish from the kernel. */
export function cellRemoved(cellId: string): void {
  stopCell(cellId);
  kernel?.forget(cellId);
}

/** The engine's state as bytes; null without a kernel. */
export async function inspectKernel(options: InspectOptions): Promise<Events['snapshot'] | null> {
  return (await kernel?.inspect(options)) ?? null;
}

export { kernelState };

// A baseline that is pinned, or no more, shows behind the curves of every cell.
effect(() => {
  for (const area of areas.values()) area.showGhosts(ghosts.value);
});
// Whoever has waited for what ran sees all of it.
effect(() => {
  if (!isBusy.value) settleWaitedFor();
});
