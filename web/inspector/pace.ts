// How often snapshots are taken, and whether there is something new in one. Pure.

/** The least pause, at rest and while something trains: drawing a panel takes the processor too, more than the snapshot that it shows. */
const PAUSE_MS = 1000;
const PAUSE_TRAINING_MS = 4000;
/** While something trains the pause is so many times as long as what it is the pause after. */
const REST = 400;
/** At rest nobody waits for the kernel, but a battery does not last for ever. */
const REST_IDLE = 4;
/** A machine with too much to do makes all snapshots slow; what is shown still follows. */
const MOST_PAUSE_MS = 20_000;
/** So many costs are looked at: a single slow snapshot (the first, or one that a collection of memory held up) says little. */
export const REMEMBERED = 3;
/** Bytes of one number, the time at which a snapshot was taken. */
const TIME_BYTES = 8;

/** Milliseconds to wait after snapshots that cost so much, the last one at the end. */
export function pauseAfter(costs: readonly number[], isTraining: boolean): number {
  // What is shown first is often not what was waited for, so the second one comes soon.
  if (costs.length < 2) return PAUSE_MS;
  const cost = Math.min(...costs.slice(-REMEMBERED));
  return isTraining ? Math.min(MOST_PAUSE_MS, Math.max(PAUSE_TRAINING_MS, REST * cost)) : Math.max(PAUSE_MS, REST_IDLE * cost);
}

/** Whether anything but the time has changed: a kernel at rest is not drawn anew. */
export function isNews(former: Uint8Array, next: Uint8Array): boolean {
  if (former.length !== next.length) return true;
  let changed = 0;
  for (let i = 0; i < next.length && changed <= TIME_BYTES; i++) if (former[i] !== next[i]) changed++;
  return changed > TIME_BYTES;
}
