// Parts of the page that nobody sees yet are made when the browser has nothing better to do, a few at a time.
/** Work goes on for so long at a time, also when the browser says that it has less; nobody's key waits longer. */
const SLICE_MS = 16;
const LATEST_MS = 100;

const waiting = new Set<() => void>();
let isScheduled = false;

/** Does the work soon. What comes back does it at once, and nothing when it was done already. */
export function later(work: () => void): () => void {
  const once = () => {
    if (waiting.delete(once)) work();
  };
  waiting.add(once);
  schedule();
  return once;
}

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  if ('requestIdleCallback' in globalThis) requestIdleCallback(slice, { timeout: LATEST_MS });
  else setTimeout(slice, 50);
}

function slice(): void {
  isScheduled = false;
  const end = performance.now() + SLICE_MS;
  for (const work of waiting) {
    work();
    if (performance.now() > end) break;
  }
  schedule();
}
