import './start.ts';
import { expect, test } from 'vitest';
import { drainMetrics, memoryUse, trainingFacts, warmUp } from '../../engine/api/host.ts';
import { engine } from '../../engine/api/engine.ts';
import { log, manualSeed, rand } from '../../engine/api/index.ts';

const state = () => ({ random: engine().randomState(), flops: engine().flops(), facts: trainingFacts(), step: log.step, metrics: drainMetrics(), threads: engine().info.threads });

test('warming up leaves random numbers, counts and memory as they were', () => {
  manualSeed(5);
  rand(3).dispose();
  const before = state();
  const { liveBytes } = memoryUse();
  let parts = 0;
  for (const _ of warmUp()) parts++;
  expect(parts).toBeGreaterThan(8);
  expect(state()).toEqual(before);
  // A few losses wait for the collector.
  expect(memoryUse().liveBytes - liveBytes).toBeLessThan(2000);
});

test('warming up can be left between two parts', () => {
  const before = state();
  const { liveBytes } = memoryUse();
  const parts = warmUp();
  parts.next();
  parts.next();
  parts.return();
  expect(state()).toEqual(before);
  expect(memoryUse().liveBytes - liveBytes).toBeLessThan(2000);
});
