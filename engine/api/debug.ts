// Looking for what goes wrong: the first value that is not finite, and where the time goes.

import { after } from './after.ts';
import { engine, type ProfileRow } from './engine.ts';
import { ArgumentError } from './error.ts';
import { markPlaces } from './places.ts';
import { describeValue } from './words.ts';

/**
 * With `true` an operation, forward or backward, fails as soon as its result is the first to hold NaN or an infinity; the
 * error names it, and in backward() also the layer and the line of the forward pass whose gradient it is. Slower, for finding
 * the cause of a NaN loss. Returns the former mode. With a function, only while it runs.
 */
export function detectAnomaly(enabled: boolean): boolean;
export function detectAnomaly<Result>(body: () => Result): Result;
export function detectAnomaly<Result>(what: boolean | (() => Result)): boolean | Result {
  if (typeof what === 'boolean') return setAnomalyDetection(what);
  if (typeof what !== 'function') throw new ArgumentError(`detectAnomaly: needs true, false or a function, got ${describeValue(what)}`);
  const before = setAnomalyDetection(true);
  return after(what, () => void setAnomalyDetection(before));
}

function setAnomalyDetection(enabled: boolean): boolean {
  const before = engine().detectAnomaly(enabled);
  if (enabled !== before) markPlaces(enabled);
  return before;
}

/** Where the time of `body` went: calls and milliseconds of each operation, the longest first. A promise is waited for. */
export async function profile(body: () => unknown): Promise<ProfileRow[]> {
  if (typeof body !== 'function')
    throw new ArgumentError(`profile: needs a function, as in profile(() => step()), got ${describeValue(body)}`);
  const before = engine().profile(true);
  let rows: ProfileRow[] = [];
  await after(body, () => {
    rows = engine().profileRows();
    engine().profile(before);
  });
  return [...rows].sort((a, b) => b.elapsedMs - a.elapsedMs);
}
