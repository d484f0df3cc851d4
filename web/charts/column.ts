// A growing column of numbers that knows its extremes block by block, so that a million values can be looked over at once.

const BLOCK = 64;

/** Float64 values that grow at the end; `values` may be longer than `length`. */
export class Column {
  values = new Float64Array(256);
  length = 0;
  /** Positions of the lowest and highest value of each full block. */
  private lows = new Uint32Array(8);
  private highs = new Uint32Array(8);
  private low = 0;
  private high = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    const at = this.length++;
    this.values[at] = value;
    if (at % BLOCK === 0) {
      this.low = at;
      this.high = at;
    } else {
      if (!(value >= this.values[this.low]!)) this.low = Number.isNaN(value) ? this.low : at;
      if (!(value <= this.values[this.high]!)) this.high = Number.isNaN(value) ? this.high : at;
    }
    if (at % BLOCK === BLOCK - 1) this.close((at - (BLOCK - 1)) / BLOCK);
  }

  /** Forgets everything from position `length` on. */
  truncate(length: number): void {
    if (length >= this.length) return;
    const from = Math.floor(length / BLOCK) * BLOCK;
    this.length = from;
    for (let i = from; i < length; i++) this.push(this.values[i]!);
  }

  get last(): number {
    return this.length ? this.values[this.length - 1]! : Number.NaN;
  }

  /** Positions of the lowest and the highest value from `start` up to `end`; -1 when there is none that is a number. */
  extremes(start: number, end: number): { low: number; high: number } {
    let low = -1;
    let high = -1;
    const { values } = this;
    const meet = (below: number, above: number) => {
      if (!Number.isNaN(values[below]!) && (low < 0 || values[below]! < values[low]!)) low = below;
      if (!Number.isNaN(values[above]!) && (high < 0 || values[above]! > values[high]!)) high = above;
    };
    let i = start;
    const stop = Math.min(end, this.length);
    while (i < stop) {
      if (i % BLOCK === 0 && i + BLOCK <= stop) {
        meet(this.lows[i / BLOCK]!, this.highs[i / BLOCK]!);
        i += BLOCK;
      } else {
        meet(i, i);
        i++;
      }
    }
    return { low, high };
  }

  private close(block: number): void {
    if (block >= this.lows.length) {
      this.lows = grown(this.lows);
      this.highs = grown(this.highs);
    }
    this.lows[block] = this.low;
    this.highs[block] = this.high;
  }
}

function grown(old: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(old.length * 2);
  larger.set(old);
  return larger;
}

/** A column over values that are there already. */
export function columnOf(values: ArrayLike<number>, count = values.length): Column {
  const column = new Column();
  for (let i = 0; i < count; i++) column.push(values[i]!);
  return column;
}
