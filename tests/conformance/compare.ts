// How far numbers are from those expected: one measure for all conformance tests.

export interface Bound {
  /** Of the expected number. */
  readonly relative: number;
  readonly absolute: number;
}

export interface Difference {
  /** Pairs that differ at all, NaN and NaN being the same. */
  readonly pairs: readonly (readonly [got: number, wanted: number])[];
  /** The largest difference divided by the largest finite expected number. */
  readonly share: number;
  /** Exact types must not differ; a NaN or infinity on one side only counts as different for any bound. */
  readonly isBroken: boolean;
  /** The worst pair, for people. */
  readonly text: string;
}

/** Compares two lists of the same length. */
export function difference(got: ArrayLike<number>, wanted: ArrayLike<number>, isExact = false): Difference {
  const pairs: [number, number][] = [];
  let isBroken = got.length !== wanted.length;
  let text = isBroken ? `${got.length} numbers instead of ${wanted.length}` : '';
  let largest = 0;
  let worst = 0;
  for (let i = 0; i < wanted.length; i++) {
    const [a, b] = [got[i] as number, wanted[i] as number];
    if (Number.isFinite(b)) largest = Math.max(largest, Math.abs(b));
    if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
    pairs.push([a, b]);
    const distance = Math.abs(a - b);
    if (isExact || !Number.isFinite(distance)) isBroken = true;
    if (!(distance <= worst)) {
      worst = distance;
      text = `element ${i} is ${a} instead of ${b} (${pairs.length} of ${wanted.length} differ so far)`;
    }
  }
  return { pairs, share: worst === 0 ? 0 : worst / Math.max(largest, Number.MIN_VALUE), isBroken, text };
}

/** True when some pair is outside of the bound. */
export function worse(found: Difference, bound: Bound): boolean {
  return found.isBroken || found.pairs.some(([a, b]) => !(Math.abs(a - b) <= bound.absolute + bound.relative * Math.abs(b)));
}
