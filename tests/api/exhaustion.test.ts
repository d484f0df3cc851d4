// Memory over long training, and when there is no more: every lesson's model stays flat over ten thousand steps, and an
// allocation that cannot be met is an error with numbers after which everything still works.
import './start.ts';
import { afterEach, expect, test } from 'vitest';
import { engine } from '../../engine/api/engine.ts';
import { MemoryError } from '../../engine/api/error.ts';
import { memoryUse } from '../../engine/api/host.ts';
import { data, manualSeed, nn, ones, optim, rand, randint, randn, type Tensor, zeros } from '../../engine/api/index.ts';

afterEach(() => engine().setMemoryLimit(0));

const STEPS = 10_000;
const MB = 2 ** 20;

/** The models of the lessons, over few examples at a time. */
const lessons: Readonly<Record<string, () => readonly [model: nn.Module, examples: data.Dataset, loss: typeof nn.mse]>> = {
  'linear regression': () => [nn.linear(1, 1), data.line({ examples: 8, seed: 1 }), nn.mse],
  'handwritten digits': () => [
    nn.sequential(
      nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.conv2d(8, 16, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
      nn.flatten(), nn.linear(16 * 7 * 7, 10),
    ),
    data.fromArrays(rand(8, 1, 28, 28), randint(0, 10, [8]), { classes: [...'0123456789'] }),
    nn.crossEntropy,
  ],
};

test.each(Object.entries(lessons))('ten thousand steps of the model of %s keep live bytes flat', async (_, make) => {
  manualSeed(1);
  const [model, examples, lossOf] = make();
  const optimizer = optim.adam(model);
  // The floor: how much waits above it for the collector of garbage goes up and down.
  let early = Number.POSITIVE_INFINITY;
  let late = Number.POSITIVE_INFINITY;
  let most = 0;
  let count = 0;
  for await (const [x, y] of examples.batches(1, { epochs: Number.POSITIVE_INFINITY, shuffle: true })) {
    const loss = lossOf(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    if (count % 10 === 0) {
      const { liveBytes } = memoryUse();
      // The first steps fill what waits.
      if (count >= STEPS / 10 && count < STEPS / 2) early = Math.min(early, liveBytes);
      else if (count >= STEPS / 2) late = Math.min(late, liveBytes);
      most = Math.max(most, liveBytes);
    }
    if (++count === STEPS) break;
  }
  expect(late - early).toBeLessThan(MB);
  expect(most).toBeLessThan(early + 64 * MB);
}, 240_000);

/** What stands in an error of memory. */
function failure(body: () => unknown): MemoryError {
  try {
    body();
  } catch (error) {
    expect(error).toBeInstanceOf(MemoryError);
    return error as MemoryError;
  }
  throw new Error('it had memory enough');
}

test('what does not fit is an error with numbers, and gives back what the failed call took', () => {
  // Beyond the address space, beyond what is counted, and just below the address space.
  for (const size of [40_000, 2 ** 20, 32_000]) {
    expect(failure(() => zeros(size, size).add(1)).message).toMatch(/\d+ MB|more than 2,147,483,647/);
    const before = memoryUse().liveBytes;
    failure(() => ones(size, size));
    expect(memoryUse().liveBytes).toBe(before);
    expect(ones(2, 2).matmul(ones(2, 2)).toArray()).toEqual([[2, 2], [2, 2]]);
  }
});

test('a limit in the middle of a step, at every place of it, leaves no memory behind and nothing half done', () => {
  manualSeed(3);
  const model = nn.sequential(nn.linear(64, 128), nn.relu(), nn.batchNorm1d(128), nn.linear(128, 8));
  const optimizer = optim.adam(model);
  const [x, y] = [randn(256, 64).keep(), randint(0, 8, [256]).keep()];
  const step = (): Tensor => {
    const loss = nn.crossEntropy(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss;
  };
  step().dispose();
  optimizer.zeroGrad();
  let failures = 0;
  for (let room = 0; room < 1.2 * MB; room += 40_000) {
    const { liveBytes, recordCount } = memoryUse();
    engine().setMemoryLimit(liveBytes + room);
    try {
      step().dispose();
    } catch (error) {
      expect(error).toBeInstanceOf(MemoryError);
      expect((error as Error).message).toMatch(/out of memory: \d+ MB more would pass the limit of \d+ MB \(\d+ MB live\)/);
      failures++;
    }
    engine().setMemoryLimit(0);
    optimizer.zeroGrad();
    globalThis.gc?.();
    expect(memoryUse().recordCount).toBeLessThanOrEqual(recordCount + 12);
  }
  expect(failures).toBeGreaterThan(5);
  const before = step().item();
  for (let i = 0; i < 20; i++) step();
  expect(step().item()).toBeLessThan(before);
});
