// Random shapes through TensorFlow.js (its plain JavaScript backend) and the engine: results and gradients must agree.
// Seeds are fixed; a failure is printed with the smallest sizes that still show it.
import { startNodeEngine } from '../../../engine/api/node.ts';
import * as tf from '@tensorflow/tfjs';
import { expect, test } from 'vitest';
import { gradients, type Tensor, tensor } from '../../../engine/api/index.ts';
import { difference } from '../compare.ts';
import { Draw, drawSizes, type Sizes, smallest } from './draw.ts';
import { type Row, rows } from './table.ts';

await startNodeEngine();
await tf.setBackend('cpu');

const ROUNDS = 12;
const SEED = 20240601;

const size = (shape: readonly number[]): number => shape.reduce((product, each) => product * each, 1);

/** What differs for these sizes, or undefined. The numbers follow from the sizes and the seed. */
function problemOf(row: Row, sizes: Sizes, seed: number): string | undefined {
  const draw = new Draw(seed);
  const [low, high] = row.range ?? [-2, 2];
  const inputs = row.shapes(sizes).map((shape) => ({ shape, values: draw.floats(size(shape), low, high) }));
  const hasGradient = row.gradient !== false;
  const ours = inputs.map(({ shape, values }) => {
    const x = tensor(values).reshape(shape).detach();
    if (hasGradient) x.requiresGrad = true;
    return x;
  });
  const mine = row.ours(ours, sizes);
  const upstreamValues = draw.floats(mine.elementCount, -1, 1);
  return tf.tidy(() => {
    const given = inputs.map(({ shape, values }) => tf.tensor(values, shape));
    const run = (...x: tf.Tensor[]): tf.Tensor => row.theirs(tf, x, sizes);
    const theirs = run(...given);
    const differs = compare('result', mine, theirs, row);
    if (differs || !hasGradient) return differs;
    const upstream = tensor(upstreamValues)
      .reshape([...mine.shape])
      .detach();
    const got = gradients(mine, ours, { upstream });
    const wanted = tf.grads(run)(given, tf.tensor(upstreamValues, theirs.shape));
    for (const [i, grad] of got.entries()) {
      const found = grad ? compare(`gradient ${i}`, grad, wanted[i] as tf.Tensor, row) : `gradient ${i} is missing`;
      if (found) return found;
    }
    return undefined;
  });
}

function compare(what: string, mine: Tensor, theirs: tf.Tensor, row: Row): string | undefined {
  if (mine.shape.join() !== theirs.shape.join()) return `${what}: shape [${mine.shape}], TensorFlow.js has [${theirs.shape}]`;
  const found = difference(mine.values(), theirs.dataSync());
  return found.isBroken || found.share > (row.bound ?? 2e-5) ? `${what}: ${found.text}` : undefined;
}

test.each(Object.entries(rows))('%s agrees with TensorFlow.js on random shapes', (name, row) => {
  const draw = new Draw(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const sizes = drawSizes(row.limits, draw);
    if (row.isPossible && !row.isPossible(sizes)) continue;
    const seed = draw.whole(0, 2 ** 31);
    const problem = (tried: Sizes): string | undefined =>
      row.isPossible && !row.isPossible(tried) ? undefined : problemOf(row, tried, seed);
    if (problem(sizes)) expect.fail(`${name} with seed ${seed}: ${JSON.stringify(smallest(sizes, row.limits, problem))}`);
  }
});
