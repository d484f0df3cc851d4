// The curves of one training run: its metrics, what its steps mean in epochs, examples, seconds and arithmetic, and what happened on the way.
import { Column } from './column.ts';
import { firstAtLeast } from './decimate.ts';

/** What the horizontal axis counts. */
export type Axis = 'step' | 'epoch' | 'samples' | 'seconds' | 'flops';

/** Rows of logged numbers, as the kernel sends them. */
export interface MetricRows {
  readonly names: readonly string[];
  readonly steps: Float64Array;
  readonly columns: readonly Float64Array[];
  /** Milliseconds of each row on the engine's clock. */
  readonly times?: Float64Array;
  /** Examples trained on when each row was logged; 0 where nobody counted. */
  readonly samples?: Float64Array;
  /** Floating-point operations of the run when each row was logged. */
  readonly flops?: Float64Array;
  /** Examples in one epoch; 0 when unknown. */
  readonly epochSize?: number;
}

/** Something that happened at a step: a slider moved, a checkpoint was taken. */
export interface Mark {
  readonly step: number;
  readonly text: string;
}

/** Share of the former average that stays, unless the reader chooses another. */
export const USUAL_SMOOTHING = 0.88;
/** A line whose ups and downs add up to more than this many times its height is called noisy. */
const NOISY = 3;
const ENOUGH = 40;

/** One metric of one run. Only finite values enter; the first non-finite one is remembered as `brokenAt`. */
export class Metric {
  readonly name: string;
  readonly steps = new Column();
  readonly values = new Column();
  /** Debiased moving average over all values so far: later values never change it. */
  smooth = new Column();
  /** First step whose value was NaN or infinite, and that value. */
  brokenAt: { step: number; value: number } | null = null;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  /** Grows when what was there has changed: what is computed from it must be computed anew. */
  revision = 0;
  private smoothing = USUAL_SMOOTHING;
  private average = 0;
  private weight = 0;
  private travelled = 0;

  constructor(name: string) {
    this.name = name;
  }

  push(step: number, value: number): void {
    if (!Number.isFinite(value)) {
      this.brokenAt ??= { step, value };
      return;
    }
    if (this.values.length) this.travelled += Math.abs(value - this.values.last);
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    this.steps.push(step);
    this.values.push(value);
    this.average_(value);
  }

  /** Another share for the average, 0 (the values themselves) to 0.999. */
  setSmoothing(share: number): void {
    if (share === this.smoothing) return;
    this.smoothing = share;
    this.average = 0;
    this.weight = 0;
    this.smooth = new Column();
    for (let i = 0; i < this.values.length; i++) this.average_(this.values.values[i]!);
  }

  private average_(value: number): void {
    this.average = this.smoothing * this.average + (1 - this.smoothing) * value;
    this.weight = this.smoothing * this.weight + (1 - this.smoothing);
    this.smooth.push(this.average / this.weight);
  }

  /** Whether the average says more than the line itself. */
  get isNoisy(): boolean {
    return this.values.length >= ENOUGH && this.travelled > NOISY * (this.max - this.min);
  }
}

/** All curves of one run. */
export class Curves {
  readonly metrics = new Map<string, Metric>();
  readonly marks: Mark[] = [];
  rows = 0;
  lastStep = Number.NaN;
  /** Rows of the clock, one per logged step. */
  readonly steps = new Column();
  private readonly seconds = new Column();
  private readonly samples = new Column();
  private readonly flops = new Column();
  private epochSize = 0;
  private startedMs = Number.NaN;
  private readonly axes = new WeakMap<Metric, Map<Axis, { column: Column; revision: number }>>();

  add({ names, steps, columns, times, samples, flops, epochSize }: MetricRows): void {
    const metrics = names.map((name) => this.metric(name));
    if (epochSize) this.epochSize = epochSize;
    for (let row = 0; row < steps.length; row++) {
      const step = steps[row]!;
      for (let i = 0; i < names.length; i++) metrics[i]!.push(step, columns[i]![row]!);
      if (step <= this.steps.last) continue;
      if (times && Number.isNaN(this.startedMs)) this.startedMs = times[row]!;
      this.steps.push(step);
      this.seconds.push(times ? (times[row]! - this.startedMs) / 1000 : Number.NaN);
      this.samples.push(samples?.[row] || Number.NaN);
      this.flops.push(flops?.[row] || Number.NaN);
    }
    this.rows += steps.length;
    this.lastStep = steps[steps.length - 1] ?? this.lastStep;
  }

  metric(name: string): Metric {
    let metric = this.metrics.get(name);
    if (!metric) {
      metric = new Metric(name);
      this.metrics.set(name, metric);
    }
    return metric;
  }

  /** Which axes the run can be drawn over. */
  get knownAxes(): Axis[] {
    const known: Axis[] = ['step'];
    if (this.epochSize > 0 && this.samples.last > 0) known.push('epoch', 'samples');
    if (Number.isFinite(this.seconds.last)) known.push('seconds');
    if (this.flops.last > 0) known.push('flops');
    return known;
  }

  /** Where a step lies on an axis. */
  place(step: number, axis: Axis): number {
    if (axis === 'step') return step;
    const source = axis === 'seconds' ? this.seconds : axis === 'flops' ? this.flops : this.samples;
    const scale = axis === 'epoch' ? 1 / this.epochSize : 1;
    const at = Math.min(this.steps.length - 1, firstAtLeast(this.steps.values, this.steps.length, step));
    const here = this.steps.values[at]!;
    if (here === step || at <= 0) return source.values[Math.max(at, 0)]! * scale;
    const before = this.steps.values[at - 1]!;
    const share = Math.min(1, (step - before) / (here - before || 1));
    return (source.values[at - 1]! + share * (source.values[at]! - source.values[at - 1]!)) * scale;
  }

  /** Positions of all values of a metric on an axis. */
  x(metric: Metric, axis: Axis): Column {
    if (axis === 'step') return metric.steps;
    let kept = this.axes.get(metric);
    if (!kept) this.axes.set(metric, (kept = new Map()));
    let entry = kept.get(axis);
    if (!entry || entry.revision !== metric.revision) kept.set(axis, (entry = { column: new Column(), revision: metric.revision }));
    const { column } = entry;
    for (let i = column.length; i < metric.steps.length; i++) column.push(this.place(metric.steps.values[i]!, axis));
    return column;
  }

  /** Steps at which a new epoch began, at most `most`; none when there are more. */
  epochMarks(most: number): Mark[] {
    if (!(this.epochSize > 0) || !(this.samples.last > 0)) return [];
    const count = Math.floor(this.samples.last / this.epochSize + 1e-9);
    if (count > most) return [];
    return Array.from({ length: count }, (_, i) => {
      const at = firstAtLeast(this.samples.values, this.samples.length, (i + 1) * this.epochSize);
      return { step: this.steps.values[Math.min(at, this.steps.length - 1)]!, text: `epoch ${i + 1}` };
    });
  }
}
