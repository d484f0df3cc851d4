// breath(): lets loops of ours give the event loop a turn by time, so that messages (Stop, a moved slider) arrive.
// Engine calls themselves are synchronous; who awaits, and where, is left to the loops in dataset.ts and fit.ts.

import { Interrupted } from './error.ts';
import { hooks } from './hooks.ts';

// One frame: a loop that gives way more often costs more than it helps.
const BREATH_MS = 16;

// Node has it; its types are not here, since the API runs in browsers too.
const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => void };

const nextTurn = turnTaker();
let lastTurn = performance.now();

function turnTaker(): () => Promise<void> {
  if (setImmediate) return () => new Promise((resolve) => setImmediate(resolve));
  // setTimeout(0) would cost 4 ms a turn; scheduler.yield() would run before the messages that we wait for.
  let wake: (() => void)[] = [];
  let channel: MessageChannel | undefined;
  return () =>
    new Promise((resolve) => {
      if (!channel) {
        channel = new MessageChannel();
        channel.port1.onmessage = () => {
          const woken = wake;
          wake = [];
          for (const each of woken) each();
        };
      }
      wake.push(resolve);
      channel.port2.postMessage(null);
    });
}

/** Throws Interrupted when Stop was pressed. */
export function checkStop(): void {
  if (hooks.shouldStop()) throw new Interrupted();
}

/**
 * Gives the event loop a turn when the last one is 16 ms ago or longer, else returns at once.
 * Throws Interrupted when Stop was pressed. Loops of `batches` and `fit` call it; call it yourself in long loops of your own.
 */
export async function breath(): Promise<void> {
  checkStop();
  const pause = hooks.pause();
  if (pause) {
    await pause;
    checkStop();
  }
  if (performance.now() - lastTurn < BREATH_MS) return;
  await nextTurn();
  lastTurn = performance.now();
  hooks.breathed();
  checkStop();
}
