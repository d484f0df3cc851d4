// Memory over long training, and when there is no more: every lesson's model stays flat over ten thousand steps, and an
// allocation that cannot be met is an error with numbers after which everything still works.
import './start.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { engine, type MemoryUse } from '../../engine/api/engine.ts';
import { MemoryError } from '../../engine/api/error.ts';
import type { Optimizer } from '../../engine/api/optim.ts';
import { memoryUse } from '../../engine/api/host.ts';
import { data, manualSeed, nn, ones, optim, rand, randint, randn, type Tensor, zeros } from '../../engine/api/index.ts';

afterEach(() => engine().setMemoryLimit(0));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const STEPS = 10_000;
const MB = 2 ** 20;

interface Lesson {
  readonly examples: data.Dataset;
  readonly optimizer: Optimizer;
  lossOf(x: Tensor, y: Tensor): Tensor;
}

/** The models of the lessons, over few examples at a time. */
const lessons: Readonly<Record<string, () => Lesson>> = {
  'linear regression': () => {
    const w = zeros(1, { requiresGrad: true });
    const b = zeros(1, { requiresGrad: true });
    return { examples: data.line({ examples: 8, seed: 1 }), optimizer: optim.sgd([w, b], { lr: 1e-3 }), lossOf: (x, y) => x.mul(w).add(b).sub(y).square().mean() };
  },
  'handwritten digits': () => {
    const model = nn.sequential(
      nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.conv2d(8, 16, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
      nn.flatten(), nn.linear(16 * 7 * 7, 10),
    );
    return {
      examples: data.fromArrays(rand(8, 1, 28, 28), randint(0, 10, [8]), { classes: [...'0123456789'] }),
      optimizer: optim.adam(model.parameters(), { lr: 1e-3 }),
      lossOf: (x, y) => nn.crossEntropy(model(x), y),
    };
  },
};

/** What JavaScript can still reach, in the engine: the collector has run, and the finalizers of all that it found. */
async function reachable(): Promise<Pick<MemoryUse, 'liveBytes' | 'handleCount' | 'recordCount'>> {
  for (let last = -1; ; ) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve));
    const { liveBytes, handleCount, recordCount } = memoryUse();
    if (handleCount === last) return { liveBytes, handleCount, recordCount };
    last = handleCount;
  }
}

test.each(Object.entries(lessons))('ten thousand steps of the model of %s leave nothing behind that JavaScript cannot reach', async (_, make) => {
  manualSeed(1);
  const { examples, optimizer, lossOf } = make();
  let early: Awaited<ReturnType<typeof reachable>> | undefined;
  let late: Awaited<ReturnType<typeof reachable>> | undefined;
  let most = 0;
  let count = 0;
  for await (const [x, y] of examples.batches(1, { epochs: Number.POSITIVE_INFINITY, shuffle: true })) {
    const loss = lossOf(x, y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    if (count % 10 === 0) most = Math.max(most, memoryUse().liveBytes);
    if (++count === STEPS / 10) early = await reachable();
    if (count === STEPS) {
      late = await reachable();
      break;
    }
  }
  // Registers of the machine that runs JavaScript may still name a few tensors of the last step.
  const growth = (key: 'liveBytes' | 'handleCount' | 'recordCount'): number => (late?.[key] ?? Number.NaN) - (early?.[key] ?? Number.NaN);
  expect(growth('handleCount')).toBeLessThan(10);
  expect(growth('recordCount')).toBeLessThan(3);
  expect(growth('liveBytes')).toBeLessThan(MB / 4);
  // What waits for the collector goes up and down, but has an end.
  expect(most).toBeLessThan((early?.liveBytes ?? 0) + 64 * MB);
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
    collectGarbage();
    expect(memoryUse().recordCount).toBeLessThanOrEqual(recordCount + 12);
  }
  expect(failures).toBeGreaterThan(5);
  const before = step().item();
  for (let i = 0; i < 20; i++) step();
  expect(step().item()).toBeLessThan(before);
});
