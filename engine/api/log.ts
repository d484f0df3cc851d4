// log(): numbers of a training run, into the ring of the engine. Nothing is read back: tensors are handed over by handle,
// and whoever shows them drains the ring when it likes.

import { examplesSeen, restartClock } from './clock.ts';
import { forgetLoops, isReplaying, lossBroke } from './detective.ts';
import { ABSENT, engine } from './engine.ts';
import { ArgumentError } from './error.ts';
import { hooks } from './hooks.ts';
import { handleOfTensor, Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';

/** Rows of steps that logged the same names. What two calls of log() said about one step is one row. */
export interface MetricsBatch {
  readonly names: readonly string[];
  /** One step number per row. */
  readonly steps: Float64Array<ArrayBuffer>;
  /** columns[i] belongs to names[i]. */
  readonly columns: readonly Float64Array<ArrayBuffer>[];
  /** When each row was logged, in milliseconds on the engine's clock. */
  readonly times: Float64Array<ArrayBuffer>;
  /** Examples trained on when each row was logged; 0 where nobody counted. */
  readonly samples: Float64Array<ArrayBuffer>;
  /** Floating-point operations of this run when each row was logged. */
  readonly flops: Float64Array<ArrayBuffer>;
  /** Examples in one epoch; 0 when unknown. */
  readonly epochSize: number;
}

export interface LogOptions {
  /** Number of this step. Default: one more than that of the log before; the first of a run is 1. */
  readonly step?: number;
  /** True goes on training when a loss is NaN or infinite. Default: training stops, and the error says where it began. */
  readonly keepGoing?: boolean;
}

export interface Log {
  /**
   * Records numbers of this step; a live chart of them appears under the cell. Values are numbers or tensors with one
   * element, which are not read back: `log({ loss, accuracy: accuracy(logits, y) })`.
   */
  (values: Readonly<Record<string, Tensor | number>>, options?: LogOptions): void;
  /** Number of the step that was logged last in this run; 0 before the first. */
  readonly step: number;
  /** Marks this step in the chart: `log.mark('rate halved')`. */
  mark(text: string): void;
}

/** The metric that carries the count of examples through the ring; it never leaves as a metric. */
const SAMPLES = '#samples';

const MOST_RECORDS = 2048;

let lastStep = 0;
let countedStep = Number.NaN;
let lastSamples = 0;
const ids = new Map<string, number>();
/** Losses that came as tensors and must stay finite. Plain numbers are their owner's business. */
const lossIds = new Set<number>();
const nameOfId: string[] = [];
/** By id: the name speaks of a loss. */
const isLoss: boolean[] = [];

// The arguments of one log, here so that no step makes arrays.
const metrics: number[] = [];
const handles: number[] = [];
const numbers: number[] = [];

function write(values: Readonly<Record<string, Tensor | number>>, options: LogOptions = {}): void {
  if (typeof values !== 'object' || values === null || values instanceof Tensor) {
    throw new ArgumentError(`log: needs names with values, as in log({ loss }), got ${describeValue(values)}`);
  }
  const step = options.step ?? lastStep + 1;
  if (typeof step !== 'number' || !Number.isFinite(step))
    throw new ArgumentError(`log: \`step\` must be a number, got ${describeValue(step)}`);
  if (isReplaying()) return;
  // Every step comes by here, so nothing is made anew.
  metrics.length = handles.length = numbers.length = 0;
  for (const name of Object.keys(values)) {
    const value = values[name];
    const id = idOf(name);
    metrics.push(id);
    if (value instanceof Tensor) {
      if (value.elementCount !== 1)
        throw new ArgumentError(
          `log: \`${name}\` must be one number, got a tensor of shape ${shapeText(value.shape)}; use mean() or sum() first`,
        );
      handles.push(handleOfTensor(value, 'log'));
      numbers.push(0);
      if (isLoss[id]) guard(id, options.keepGoing ?? false);
    } else if (typeof value === 'number') {
      handles.push(ABSENT);
      numbers.push(value);
      if (lossIds.size > 0) lossIds.delete(id);
    } else throw new ArgumentError(`log: \`${name}\` must be a number or a tensor with one element, got ${describeValue(value)}`);
  }
  // Once per step: a second log of the same step belongs to the same row. Not in a recording: the number changes each time.
  const { samples } = examplesSeen();
  if (metrics.length > 0 && samples > 0 && step !== countedStep && !engine().programs.isRecording) {
    metrics.push(idOf(SAMPLES));
    handles.push(ABSENT);
    numbers.push(samples);
    countedStep = step;
  }
  const isBroken = metrics.length > 0 && engine().logMetrics(step, metrics, handles, numbers);
  lastStep = step;
  hooks.logged(metrics.length);
  // What is not finite is taken note of here, so that nobody takes it for one of a later tensor.
  if (isBroken) watchLosses();
}

function guard(id: number, keepGoing: boolean): void {
  if (keepGoing) lossIds.delete(id);
  else lossIds.add(id);
}

/** Looks whether a loss has become NaN or infinite. Not the values cross over, but whether one was not finite. */
function watchLosses(): void {
  const found = engine().takeTrouble();
  if (found && lossIds.has(found.metric)) lossBroke({ name: nameOfId[found.metric] ?? 'loss', step: found.step, value: found.value });
}

function idOf(name: string): number {
  let id = ids.get(name);
  if (id === undefined) {
    id = engine().metricId(name);
    ids.set(name, id);
    nameOfId[id] = name;
    isLoss[id] = /loss/i.test(name);
  }
  return id;
}

/**
 * Records numbers of this step; a live chart of them appears under the cell: `log({ loss, accuracy: accuracy(logits, y) })`.
 * Tensors with one element are not read back.
 */
export const log: Log = Object.defineProperties(write, { step: { get: () => lastStep }, mark: { value: mark } }) as unknown as Log;

function mark(text: string): void {
  if (typeof text !== 'string') throw new ArgumentError(`log.mark: needs a text, as in log.mark('rate halved'), got ${describeValue(text)}`);
  hooks.marked({ step: lastStep, kind: 'tick', text: text.slice(0, 200), settings: null });
}

/** For captured steps: adds the number of examples to the row that was logged last. */
export function noteSamples(): void {
  const { samples } = examplesSeen();
  if (samples === 0 || lastStep === countedStep) return;
  engine().logMetrics(lastStep, [idOf(SAMPLES)], [ABSENT], [samples]);
  countedStep = lastStep;
}

/** For captured steps: the number that was logged last, to go on from. */
export function lastLoggedStep(): number {
  return lastStep;
}

/** For captured steps: a program has logged this many steps. */
export function noteLogs(count: number): void {
  lastStep += count;
  noteSamples();
  hooks.logged(count * ids.size);
  if (lossIds.size > 0) watchLosses();
}

/** A run begins: its steps count from 1. */
export function restartSteps(): void {
  lastStep = 0;
  countedStep = Number.NaN;
  lastSamples = 0;
  lossIds.clear();
  engine().flops(0);
  engine().takeTrouble();
  forgetLoops();
  restartClock();
}

/** Everything that was logged since the last call, one batch per set of names that a step logged. */
export function drainMetrics(): MetricsBatch[] {
  interface Rows {
    ids: readonly number[];
    steps: number[];
    values: number[][];
    times: number[];
    samples: number[];
    flops: number[];
  }
  const byNames = new Map<string, Rows>();
  const samplesId = ids.get(SAMPLES);
  let row: { step: number; ids: number[]; values: number[]; time: number; samples: number; flops: number } | undefined;
  let rows: Rows | undefined;
  const closeRow = (): void => {
    if (!row || row.ids.length === 0) return;
    // Most rows have the names of the one before.
    const { ids: own } = row;
    if (rows?.ids.length !== own.length || !own.every((id, i) => id === rows?.ids[i])) {
      const key = own.join();
      rows = byNames.get(key);
      if (!rows) byNames.set(key, (rows = { ids: own, steps: [], values: own.map(() => []), times: [], samples: [], flops: [] }));
    }
    rows.steps.push(row.step);
    rows.times.push(row.time);
    rows.samples.push(row.samples);
    rows.flops.push(row.flops);
    for (let i = 0; i < own.length; i++) (rows.values[i] as number[]).push(row.values[i] as number);
    row = undefined;
  };
  for (let records = engine().drainMetrics(MOST_RECORDS); records.length > 0; records = engine().drainMetrics(MOST_RECORDS)) {
    for (let i = 0; i < records.length; i += 5) {
      const step = records[i] as number;
      const id = records[i + 1] as number;
      const value = records[i + 2] as number;
      const time = records[i + 3] as number;
      const flops = records[i + 4] as number;
      if (row && (row.step !== step || row.ids.includes(id))) closeRow();
      row ??= { step, ids: [], values: [], time, samples: lastSamples, flops };
      if (id === samplesId) {
        row.samples = value;
        lastSamples = value;
        continue;
      }
      row.ids.push(id);
      row.values.push(value);
    }
  }
  closeRow();
  const { epochSize } = examplesSeen();
  return [...byNames.values()].map((rows) => ({
    names: rows.ids.map((id) => nameOfId[id] ?? `metric ${id}`),
    steps: Float64Array.from(rows.steps),
    columns: rows.values.map((values) => Float64Array.from(values)),
    times: Float64Array.from(rows.times),
    samples: Float64Array.from(rows.samples),
    flops: Float64Array.from(rows.flops),
    epochSize,
  }));
}
