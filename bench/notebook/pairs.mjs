// What a change costs where a machine's pace drifts by more than the change: many short turns side by side, and what they say together.

/** Random numbers from 0 to 1 that are the same each time. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

const DRAWS = 4000;

/** The median with the interval that holds it 19 times of 20: of so many samples drawn from these, with repetition. */
export function medianWithin(values, next = random(1)) {
  const medians = Array.from({ length: DRAWS }, () => median(values.map(() => values[Math.floor(next() * values.length)]))).sort((a, b) => a - b);
  return { median: median(values), low: medians[Math.floor(DRAWS * 0.025)], high: medians[Math.ceil(DRAWS * 0.975) - 1] };
}

/**
 * Pairs of turns, with and without, in random order. `turn(isWith)` measures one and gives a number or anything else; the result
 * has one `{ with, without }` for each pair.
 */
export async function pairsOf(count, turn, next = random(2)) {
  const pairs = [];
  for (let i = 0; i < count; i++) {
    const isFirst = next() < 0.5;
    const first = await turn(isFirst, i);
    const second = await turn(!isFirst, i);
    pairs.push(isFirst ? { with: first, without: second } : { with: second, without: first });
  }
  return pairs;
}
