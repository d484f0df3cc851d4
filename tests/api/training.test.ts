import './start.ts';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { data, evaluate, fit, log, manualSeed, nn, optim, predict, tensor, type Tensor } from '../../engine/api/index.ts';

test('linear regression recovers slope and intercept', async () => {
  manualSeed(0);
  const points = data.line({ examples: 200, slope: 2, intercept: 1, noise: 0.1, seed: 1 });
  const model = nn.linear(1, 1);
  const optimizer = optim.sgd(model.parameters(), { lr: 0.1 });
  const losses: number[] = [];
  for await (const [x, y] of points.batches(50, { epochs: 50, shuffle: true })) {
    const loss = nn.mse(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    log({ loss });
    losses.push(loss.item());
  }
  expect(losses.at(-1)).toBeLessThan(0.05);
  expect(model.weight.item()).toBeCloseTo(2, 1);
  expect((model.bias as Tensor).item()).toBeCloseTo(1, 1);
});

test('accuracy of a regression is refused with the reason', async () => {
  const result = await evaluate(nn.linear(1, 1), data.line({ examples: 10 }));
  expect(result.loss).toBeGreaterThan(0);
  expect(() => result.accuracy).toThrow(/accuracy needs targets that are class ids/);
});

test('a small network learns a spiral, the same way each time', async () => {
  const train = async () => {
    manualSeed(5);
    const [examples, rest] = data.spiral({ examples: 400, arms: 2, noise: 0.02, seed: 2 }).split(0.75, { seed: 0 });
    const model = nn.sequential(nn.linear(2, 32), nn.tanh(), nn.linear(32, 32), nn.tanh(), nn.linear(32, 2));
    const history = await fit(model, examples, { epochs: 60, batchSize: 32, lr: 0.01, validation: rest, log: false });
    return { history, result: await evaluate(model, rest) };
  };
  const first = await train();
  expect(first.history.loss).toHaveLength(60);
  expect(first.history.loss.at(-1)).toBeLessThan((first.history.loss[0] as number) / 4);
  expect(first.result.accuracy).toBeGreaterThan(0.9);
  expect((await train()).history).toEqual(first.history);
}, 60_000);

test('fit stops early, calls back, and predict gives what the model gives', async () => {
  manualSeed(1);
  const points = data.line({ examples: 64 });
  const model = nn.linear(1, 1);
  const steps: number[] = [];
  const history = await fit(model, points, {
    epochs: 10,
    batchSize: 16,
    onStep: ({ step }) => steps.push(step),
    onEpoch: ({ epoch }) => epoch < 3,
    log: false,
  });
  expect([history.loss.length, history.steps, history.stoppedEarly, steps.at(-1)]).toEqual([3, 12, true, 12]);
  const x = tensor([[1], [2], [3]]);
  expect((await predict(model, x, { batchSize: 2 })).toArray()).toEqual(model(x).toArray());
  const patient = await fit(model, points, {
    epochs: 100,
    validation: points,
    patience: 2,
    optimizer: optim.sgd(model, { lr: 0 }),
    log: false,
  });
  expect(patient.loss).toHaveLength(3);
});

test.skipIf(!existsSync('build/data'))(
  'a small convolutional network learns real MNIST',
  async () => {
    manualSeed(0);
    const { train, test } = await data.mnist({ train: 1000, test: 500 });
    const model = nn.sequential(
      nn.conv2d(1, 8, 3, { padding: 1 }),
      nn.relu(),
      nn.maxPool2d(2),
      nn.conv2d(8, 16, 3, { padding: 1 }),
      nn.relu(),
      nn.maxPool2d(2),
      nn.flatten(),
      nn.linear(16 * 7 * 7, 10),
    );
    const before = await evaluate(model, test);
    expect(before.loss).toBeCloseTo(Math.log(10), 0);
    const history = await fit(model, train, { epochs: 4, batchSize: 32, lr: 3e-3, log: false });
    const after = await evaluate(model, test);
    expect(history.loss.at(-1)).toBeLessThan(0.3);
    expect(after.accuracy).toBeGreaterThan(0.88);
  },
  120_000,
);

test('fit puts back the best weights, stops without patience, and lowers the rate on a plateau', async () => {
  manualSeed(2);
  const points = data.line({ examples: 40, noise: 0.5, seed: 3 });
  const model = nn.linear(1, 1);
  const optimizer = optim.sgd(model, { lr: 0.2 });
  const kept: { loss: number; weight: number }[] = [];
  const history = await fit(model, points, {
    epochs: 30,
    batchSize: 5,
    optimizer,
    scheduler: optim.reduceLROnPlateau(optimizer, { patience: 1 }),
    validation: points,
    patience: 4,
    minDelta: 1e-3,
    restoreBest: true,
    log: false,
    onEpoch: ({ validation }) => void kept.push({ loss: validation?.loss as number, weight: model.weight.item() }),
  });
  expect(history.stoppedEarly).toBe(true);
  expect(optimizer.lr).toBeLessThan(0.2);
  let best = kept[0] as (typeof kept)[number];
  for (const each of kept) if (each.loss < best.loss - 1e-3) best = each;
  expect(model.weight.item()).toBe(best.weight);
  expect(kept.indexOf(best)).toBe(kept.length - 5);
});
