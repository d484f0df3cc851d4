// The same first weights, batches and settings give the losses that PyTorch gives, for 200 steps of every optimizer.
import { startNodeEngine } from '../../../engine/api/node.ts';
import { expect, test } from 'vitest';
import { hasOptimizer, readRuns, replayRun } from './training.ts';

await startNodeEngine();
const { runs, stored } = readRuns();
const ours = runs.filter(hasOptimizer);

/** Optimizers of the runs that the engine has no row for. */
const absent: readonly string[] = [];

test('every optimizer of the runs is an optimizer of ours', () => {
  expect([...new Set(runs.filter((run) => !hasOptimizer(run)).map((run) => run.optimizer))].sort()).toEqual(absent);
});

test.each(ours.map((run) => [`${run.model} with ${run.optimizer} ${JSON.stringify(run.settings)}`, run] as const))('%s', (_name, run) => {
  const { distance, step, losses } = replayRun(run, stored);
  expect(losses.length).toBe(200);
  expect(distance, `step ${step}`).toBeLessThan(1e-4);
});
