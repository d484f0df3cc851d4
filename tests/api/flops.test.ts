// The count of arithmetic that comes with every logged row: what formulas say for a known model, the same captured or not, and none of
// it from those who watch.
import './start.ts';
import { beforeEach, expect, test } from 'vitest';
import { accuracy, capture, data, fit, log, manualSeed, nn, optim, randint, randn, type Tensor } from '../../engine/api/index.ts';
import { beginRun, drainMetrics } from '../../engine/api/host.ts';
import { uncounted } from '../../engine/api/inspect.ts';
import { diagnose } from '../../engine/api/inspecthealth.ts';

beforeEach(() => {
  beginRun('flops');
  drainMetrics();
  manualSeed(1);
});

const counts = (): number[] => drainMetrics().flatMap(({ flops }) => [...flops]);
const increases = (all: readonly number[]): number[] => all.slice(1).map((count, i) => count - (all[i] as number));

/** Layers of widths `sizes` with relu between them, on `batch` examples: forward, then each weight's and each input's gradient. */
function products(batch: number, sizes: readonly number[]): number {
  return sizes.slice(1).reduce((sum, out, i) => sum + 2 * batch * (sizes[i] as number) * out * (i === 0 ? 2 : 3), 0);
}

test('a row carries what products, activations and loss of its steps took', () => {
  const [x, y] = [randn(16, 12), randint(0, 4, [16])];
  const model = nn.sequential(nn.linear(12, 8), nn.relu(), nn.linear(8, 4));
  const optimizer = optim.sgd(model, { lr: 0.1 });
  for (let i = 0; i < 3; i++) {
    const loss = nn.crossEntropy(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    log({ loss });
  }
  const all = counts();
  expect(all[0]).toBeGreaterThan(0);
  const [first, second] = increases(all) as [number, number];
  expect(second).toBe(first);
  const expected = products(16, [12, 8, 4]);
  // All else goes element by element: relu and its gradient, biases' gradients, and the loss, all on 16 x 8 or 16 x 4 numbers.
  expect(first).toBeGreaterThan(expected);
  expect(first - expected).toBeLessThan(16 * 8 * 6 + 16 * 4 * 8);
});

test('convolutions count two for each tap', () => {
  const [x, weight] = [randn(2, 3, 8, 8), randn(5, 3, 3, 3).requiresGrad_()];
  log({ start: 0 });
  const y = x.conv2d(weight);
  log({ forward: 0 });
  y.sum().backward();
  log({ backward: 0 });
  const [forward, backward] = increases(counts()) as [number, number];
  const taps = 2 * (2 * 5 * 6 * 6) * (3 * 3 * 3);
  expect(forward).toBe(taps);
  // The pictures need no gradient.
  expect(backward).toBeGreaterThanOrEqual(taps);
  expect(backward).toBeLessThan(taps * 1.1);
});

test.each([['layers', () => nn.sequential(nn.flatten(), nn.linear(12, 8), nn.relu(), nn.linear(8, 4))], ['convolutions', () => nn.sequential(nn.conv2d(1, 4, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.linear(4 * 1 * 2, 4))]] as const)(
  'a training of %s counts the same whether its steps are captured or not',
  async (_, build) => {
    const course = async (isCaptured: boolean) => {
      beginRun('flops');
      manualSeed(2);
      const set = data.fromArrays(randn(64, 1, 3, 4), randint(0, 4, [64]));
      await fit(build() as never, set, { epochs: 5, batchSize: 16, seed: 1, capture: isCaptured });
      return counts();
    };
    const plain = await course(false);
    expect(plain).toHaveLength(20);
    expect(await course(true)).toEqual(plain);
  },
);

test('a captured step counts as much in every run, and log() inside it sees the whole step', () => {
  const [x, weight] = [randn(6, 5), randn(5, 3).requiresGrad_()];
  const optimizer = optim.sgd([weight], { lr: 0.1 });
  const step = capture((batch: Tensor) => {
    const loss = batch.matmul(weight).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    log({ loss });
    return loss;
  });
  for (let i = 0; i < 6; i++) step(x);
  expect(step.reason).toBe('');
  expect(new Set(increases(counts())).size).toBe(1);
});

test('what watches a training is not counted, and each run begins at nothing', async () => {
  const set = data.fromArrays(randn(64, 12), randint(0, 4, [64]));
  const model = nn.sequential(nn.linear(12, 4));
  log({ start: 0 });
  uncounted(() => accuracy(model(set.features), set.labels));
  await uncounted(() => diagnose(model as never, set));
  log({ end: 0 });
  expect(increases(counts())).toEqual([0]);
  model(set.features);
  beginRun('flops');
  log({ start: 0 });
  expect(counts()).toEqual([0]);
});
