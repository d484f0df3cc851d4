// Random sizes and numbers that depend on nothing but a seed, and the search for the smallest sizes that still fail.

/** mulberry32: 32 bits of state, good enough to choose test cases. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From low to high, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  /** Numbers that float32 holds, in [low, high). */
  floats(count: number, low: number, high: number): Float32Array {
    return Float32Array.from({ length: count }, () => low + this.unit() * (high - low));
  }
}

/** Named sizes of a case, such as { rows: 3, columns: 4 }. */
export type Sizes = Readonly<Record<string, number>>;
export type Limits = Readonly<Record<string, readonly [low: number, high: number]>>;

export function drawSizes(limits: Limits, draw: Draw): Sizes {
  return Object.fromEntries(Object.entries(limits).map(([name, [low, high]]) => [name, draw.whole(low, high)]));
}

/** The smallest sizes within the limits, found greedily, for which `problem` still finds one. */
export function smallest(
  sizes: Sizes,
  limits: Limits,
  problem: (sizes: Sizes) => string | undefined,
): { readonly sizes: Sizes; readonly text: string } {
  let best = sizes;
  let text = problem(sizes) ?? 'passes when run again';
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const [name, [low]] of Object.entries(limits)) {
      const size = best[name] as number;
      for (const tried of [low, Math.floor((low + size) / 2), size - 1]) {
        if (tried >= size || tried < low) continue;
        const candidate = { ...best, [name]: tried };
        const found = problem(candidate);
        if (!found) continue;
        [best, text, isSmaller] = [candidate, found, true];
        break;
      }
    }
  }
  return { sizes: best, text };
}
