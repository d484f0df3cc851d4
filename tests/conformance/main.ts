// Prints the conformance scores: `npm run conformance [-- --json] [-- --only NAME]`. Exits with 1 when a case fails that is
// not skipped with a reason.

import { join } from 'node:path';
import { startNodeEngine } from '../../engine/api/node.ts';
import { findOnnx } from '../../tools/setup/onnx.mjs';
import { type Score, scoreSuite } from './onnx/score.ts';
import { readSamples, replay } from './torch/replay.ts';
import { hasOptimizer, readRuns, replayRun } from './torch/training.ts';

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '') : '';
const say = (text: string): void => {
  if (!isJson) process.stdout.write(`${text}\n`);
};

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);

function sayOnnx(score: Score, suite: string): void {
  say(`ONNX, ${suite}: passed / applicable / total, and within 1e-5\n`);
  for (const row of score.rows) {
    say(
      `  ${row.operator.slice(0, 60).padEnd(62)}${String(row.passed).padStart(4)} /${String(row.applicable).padStart(4)} /${String(row.total).padStart(4)}${String(row.tight).padStart(6)}`,
    );
    for (const [reason, count] of row.skipped) say(`      ${count} skipped: ${reason}`);
  }
  for (const { name, operator, reason } of score.failures) say(`  FAILED ${name} (${operator}): ${reason}`);
  say(
    `\n  ONNX: ${score.passed} of ${score.applicable} applicable cases pass (${percent(score.passed, score.applicable)}), ${score.tight} within 1e-5; ${score.total} cases in all\n`,
  );
}

interface Count {
  passed: number;
  applicable: number;
  total: number;
}

function torchOperators(): Count {
  const { samples, stored } = readSamples();
  const count = { passed: 0, applicable: 0, total: 0 };
  const skipped = new Map<string, number>();
  for (const floating of ['float32', 'float64'] as const) {
    for (const [i, sample] of samples.entries()) {
      if (!sample.op.includes(only)) continue;
      count.total++;
      const outcome = replay(sample, stored, floating);
      if (outcome.state === 'skipped') {
        const key = `${sample.op}: ${outcome.reason}`;
        skipped.set(key, (skipped.get(key) ?? 0) + 1);
        continue;
      }
      count.applicable++;
      if (outcome.state === 'passed') count.passed++;
      else say(`  FAILED ${sample.op} (sample ${i}, ${floating}): ${outcome.reason}`);
    }
  }
  for (const [reason, number] of skipped) say(`  ${number} skipped: ${reason}`);
  say(
    `\n  PyTorch operators: ${count.passed} of ${count.applicable} applicable samples pass (${percent(count.passed, count.applicable)}), results and gradients; ${count.total} in all\n`,
  );
  return count;
}

function torchTraining(): Count {
  const { runs, stored } = readRuns();
  const count = { passed: 0, applicable: 0, total: 0 };
  for (const run of runs) {
    const name = `${run.model} with ${run.optimizer} ${JSON.stringify(run.settings)}`;
    if (!name.includes(only)) continue;
    count.total++;
    if (!hasOptimizer(run)) {
      say(`  skipped ${name}: the engine has no such optimizer`);
      continue;
    }
    count.applicable++;
    try {
      const { distance, step } = replayRun(run, stored);
      const isClose = distance < 1e-4;
      if (isClose) count.passed++;
      say(`  ${isClose ? '      ' : 'FAILED'} ${name}: at most ${distance.toExponential(1)} from PyTorch, at step ${step}`);
    } catch (error) {
      say(`  FAILED ${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  say(`\n  PyTorch training: ${count.passed} of ${count.applicable} runs of 200 steps stay within 1e-4; ${count.total} in all\n`);
  return count;
}

const info = await startNodeEngine();
if (!isJson) say(`engine ${info.flavour}\n`);
const data = findOnnx();
if (!data) throw new Error('the ONNX test data is missing: run npm run conformance, which fetches it, or apt-get install libonnx-testdata');
const onnx = scoreSuite(join(data, 'node'), only);
sayOnnx(onnx, 'node cases');
const more = ['pytorch-converted', 'pytorch-operator', 'simple'].map((suite) => {
  const score = scoreSuite(join(data, suite), only);
  sayOnnx(score, `${suite} models`);
  return score;
});
const operators = torchOperators();
const training = torchTraining();
if (isJson) {
  const counts = (scores: readonly Score[]): object =>
    Object.fromEntries(
      (['passed', 'applicable', 'total', 'tight'] as const).map((key) => [
        key === 'tight' ? 'within1e-5' : key,
        scores.reduce((sum, score) => sum + score[key], 0),
      ]),
    );
  process.stdout.write(
    `${JSON.stringify({ onnx: counts([onnx]), onnxModels: counts(more), torchOperators: operators, torchTraining: training })}\n`,
  );
}
const isAllRight = [onnx, ...more, operators, training].every((count) => count.passed === count.applicable);
process.exitCode = isAllRight ? 0 : 1;
