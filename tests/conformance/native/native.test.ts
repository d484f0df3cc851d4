// The native build gives what the WebAssembly build gives, on every sample and training run of PyTorch's.
import { existsSync, mkdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startNodeEngine } from '../../../engine/api/node.ts';
import { readSamples, replay } from '../torch/replay.ts';
import { hasOptimizer, readRuns, replayRun } from '../torch/training.ts';
import { Recorder } from './record.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../../build/${path}`, import.meta.url));
const program = at('native/engine_replay');
const recorder = new Recorder();
await startNodeEngine({ wrap: recorder.wrap });

// `npm test` builds the program; a run of this folder alone may be without it.
test.skipIf(!existsSync(program))('operators, gradients and optimizers give natively what they give in WebAssembly', { timeout: 300_000 }, () => {
  const { samples, stored } = readSamples();
  let count = 0;
  for (const floating of ['float32', 'float64'] as const) {
    for (const [i, sample] of samples.entries()) {
      recorder.label(`${sample.op}, sample ${i}, ${floating}`, Math.max(1e-5, 4 * (sample.float32Error ?? 0)));
      replay(sample, stored, floating);
      count++;
    }
  }
  const { runs, stored: trained } = readRuns();
  for (const run of runs.filter(hasOptimizer)) {
    recorder.label(`${run.model} with ${run.optimizer}`, 1e-4);
    replayRun(run, trained);
    count++;
  }
  mkdirSync(at('reports'), { recursive: true });
  recorder.write(at('reports/border.bin'));
  const { status, stdout, stderr } = spawnSync(program, [at('reports/border.bin')], { encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toMatch(new RegExp(`^${count} samples, \\d{6,} values, 0 differ\\n$`));
  expect(status).toBe(0);
});
