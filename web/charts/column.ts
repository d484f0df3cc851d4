// A growing column of numbers, and one logged metric: steps, values, and a debiased moving average whose past never changes.

/** Float64 values that grow at the end; `values` may be longer than `length`. */
export class Column {
  values = new Float64Array(256);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  get last(): number {
    return this.length ? this.values[this.length - 1]! : Number.NaN;
  }
}

const KEEP = 0.88;
/** A line whose ups and downs add up to more than this many times its height is called noisy. */
const NOISY = 3;
const ENOUGH = 40;

/** One metric of one run. Only finite values enter; the first non-finite one is remembered as `brokenAt`. */
export class Metric {
  readonly name: string;
  readonly steps = new Column();
  readonly values = new Column();
  readonly smooth = new Column();
  /** First step whose value was NaN or infinite, and that value. */
  brokenAt: { step: number; value: number } | null = null;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
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
    this.average = KEEP * this.average + (1 - KEEP) * value;
    this.weight = KEEP * this.weight + (1 - KEEP);
    this.steps.push(step);
    this.values.push(value);
    this.smooth.push(this.average / this.weight);
  }

  /** Whether the average says more than the line itself. */
  get isNoisy(): boolean {
    return this.values.length >= ENOUGH && this.travelled > NOISY * (this.max - this.min);
  }
}
