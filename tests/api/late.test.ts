// An engine that is long in coming: with threads it is given up, since a pool may never come; without them it is waited for.
import { afterEach, expect, test, vi } from 'vitest';
import { startEngine } from '../../engine/api/host.ts';

afterEach(() => void vi.useRealTimers());

test.each([[1, 'is waited for'], [2, 'is given up after five seconds']])('an engine with %i threads that does not answer %s', async (threads) => {
  vi.useFakeTimers();
  let state = 'waited for';
  startEngine({ createEngine: () => new Promise(() => {}), module: {}, flavour: 'relaxed', threads }).catch((error: Error) => { state = error.message; });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state).toMatch(threads === 1 ? /^waited for$/ : /2 threads did not start within 5 s/);
});
