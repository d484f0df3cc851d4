// The health panel against planted faults: a healthy training passes every check, each fault is named in one sentence, and nothing is
// left changed. On the real MNIST.
import './start.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { accuracy, data, manualSeed, nn, optim, rand, type Tensor } from '../../engine/api/index.ts';
import { beginRun } from '../../engine/api/host.ts';
import { type Check, diagnose, type HealthOptions, loopChecks, verdictOf } from '../../engine/api/inspecthealth.ts';

let train: data.Dataset;
let exam: data.Dataset;

beforeAll(async () => {
  ({ train, test: exam } = await data.mnist({ train: 600, test: 200, normalize: true }));
});

const mlp = (...more: Parameters<typeof nn.sequential>) => nn.sequential(nn.flatten(), nn.linear(784, 32), nn.relu(), nn.linear(32, 10), ...more);
const rawPixels = () => data.fromArrays(train.features.sub(train.features.min()).mul(78.5), train.labels, { classes: train.classes as string[] });
const shuffled = () => data.fromArrays(train.features, train.labels.indexSelect(randomOrder(600), 0), { classes: train.classes as string[] });
const randomOrder = (count: number) => rand(count).argsort(0).to('int32');

class WrongAxis extends nn.Module {
  inner = mlp();
  override forward(x: Tensor) {
    const scores = this.inner(x);
    return scores.sub(scores.mean(0));
  }
}

const dropping = () => nn.sequential(nn.flatten(), nn.linear(784, 32), nn.relu(), nn.dropout(0.5), nn.linear(32, 10));
const convolving = () => nn.sequential(nn.conv2d(1, 4, 3), nn.batchNorm2d(4), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.dropout(0.2), nn.linear(4 * 13 * 13, 10));

/** A few steps of training. */
function taught(model: ReturnType<typeof mlp>): void {
  const optimizer = optim.adam(model, { lr: 1e-3 });
  for (const [x, y] of train.take(100).batches(50)) {
    const loss = nn.crossEntropy(model(x) as Tensor, y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
  }
}

/** Half of its scores come without a gradient. */
class Detached extends nn.Module {
  inner = mlp();
  override forward(x: Tensor) {
    const scores = this.inner(x);
    return scores.add(scores.detach());
  }
}

interface Case {
  readonly fault: string;
  readonly build: () => { model: never; set?: data.Dataset; options?: HealthOptions };
  readonly key: string;
  readonly words: RegExp;
}

const built = (model: unknown, set?: data.Dataset, options?: HealthOptions) => ({ model: model as never, ...(set && { set }), ...(options && { options }) });

const CASES: readonly Case[] = [
  { fault: 'softmax twice', build: () => built(mlp(nn.softmax(1))), key: 'scores', words: /chances already.*Remove softmax/ },
  { fault: 'ReLU on the scores', build: () => built(mlp(nn.relu())), key: 'scores', words: /seems to end in ReLU/ },
  { fault: 'labels out of step with images', build: () => built(mlp(), shuffled()), key: 'labels', words: /no more often than chance/ },
  { fault: 'test data in the training data', build: () => built(mlp(), undefined, { test: train.take(100) }), key: 'overlap', words: /100 % of the test examples are in the training data/ },
  { fault: 'a learning rate a hundred times too large', build: () => { const model = mlp(); return built(model, undefined, { optimizer: optim.sgd(model, { lr: 10 }) }); }, key: 'rate', words: /learning rate is too large: try 0\.1/ },
  { fault: 'a learning rate a hundred times too large for adam', build: () => { const model = mlp(); return built(model, undefined, { optimizer: optim.adam(model, { lr: 0.1 }) }); }, key: 'rate', words: /learning rate is too large: try 0\.001/ },
  { fault: 'inputs from 0 to 255', build: () => built(mlp(), rawPixels()), key: 'range', words: /far too large. Divide them/ },
  { fault: 'a mean over the wrong axis', build: () => built(new WrongAxis()), key: 'independent', words: /runs over axis 0/ },
  { fault: 'weights that start at zero', build: () => { const model = mlp(); for (const weight of model.parameters()) weight.copy_(weight.detach().mul(0)); return built(model); }, key: 'init', words: /All weights of 1\.weight are 0/ },
  { fault: 'training mode while measuring', build: () => { const model = dropping(); taught(model); accuracy(model(exam.features) as Tensor, exam.labels); return built(model); }, key: 'mode', words: /training mode.*dropout\(0\.5\) acted.*model\.eval\(\)/ },
  { fault: 'a layer that no gradient reaches', build: () => { const model = mlp(); model.parameters()[1]!.copy_(model.parameters()[1]!.detach().mul(0).sub(100)); return built(model); }, key: 'flow', words: /No gradient reaches 1\.weight/ },
  { fault: 'a part of the scores without gradient', build: () => built(new Detached()), key: 'slope', words: /is not the slope of the loss \(relative error 0\.5/ },
];

const find = (checks: readonly Check[], key: string) => checks.find((check) => check.key === key)!;

describe('a healthy model', () => {
  test('passes every check, and stays as it was to the bit', async () => {
    manualSeed(4);
    const model = mlp();
    const optimizer = optim.adam(model, { lr: 1e-3 });
    const before = model.parameters().map((weight) => [...weight.values()]);
    manualSeed(9);
    const expected = [...rand(3).values()];
    manualSeed(9);
    const checks = await diagnose(model as never, train, { test: exam, optimizer });
    expect(checks.filter(({ state }) => state !== 'good').map(({ key, state, words }) => `${key} ${state}: ${words}`)).toEqual([]);
    expect(verdictOf(checks)).toBe('Nothing looks wrong.');
    const [error] = find(checks, 'slope').value.split(',');
    expect(Number(error!.replace('< ', ''))).toBeLessThan(1e-5);
    expect(find(checks, 'slope').value).toMatch(/2\d elements, float64$|1\d elements, float64$/);
    expect(model.parameters().map((weight) => [...weight.values()])).toEqual(before);
    expect(optimizer.stateDict().state.every(({ step, slots }) => step === 0 && Object.values(slots).every((slot) => slot.values().every((value) => value === 0)))).toBe(true);
    expect(model.parameters().every((weight) => weight.grad === null)).toBe(true);
    expect([...rand(3).values()]).toEqual(expected);
  });
});

describe('other healthy models', () => {
  const found = async (model: unknown) => {
    const checks = await diagnose(model as never, train, { test: exam, optimizer: optim.adam(model as object, { lr: 1e-3 }) });
    return [verdictOf(checks), ...checks.filter(({ state }) => state !== 'good').map(({ key, words }) => `${key}: ${words}`)];
  };

  test('convolutions with batchNorm and dropout, new and after steps', async () => {
    manualSeed(4);
    const model = convolving();
    expect(await found(model)).toEqual(['Nothing looks wrong.']);
    taught(model);
    expect(await found(model)).toEqual(['Nothing looks wrong.']);
  });

  test('measured in evaluation mode', async () => {
    manualSeed(4);
    const model = dropping();
    taught(model);
    model.eval();
    accuracy(model(exam.features) as Tensor, exam.labels);
    expect(await found(model)).toEqual(['Nothing looks wrong.']);
  });
});

describe.each(CASES)('planted: $fault', ({ build, key, words }) => {
  test('is named, and the verdict says it', async () => {
    manualSeed(4);
    const { model, set, options } = build();
    const checks = await diagnose(model, set ?? train, options);
    expect(find(checks, key).words).toMatch(words);
    expect(['bad', 'warn']).toContain(find(checks, key).state);
    expect(verdictOf(checks)).toMatch(words);
  });
});

describe('the running loop', () => {
  const loop = async (zero: boolean) => {
    beginRun('health');
    const model = mlp();
    const optimizer = optim.sgd(model, { lr: 0.01 });
    for await (const [x, y] of train.take(200).batches(50)) {
      const loss = nn.crossEntropy(model(x), y);
      if (zero) optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
    }
    return loopChecks();
  };

  test('without zeroGrad it is told so', async () => {
    const checks = await loop(false);
    expect(checks[0]).toMatchObject({ state: 'bad', words: expect.stringContaining('No zeroGrad between the steps') });
    expect(verdictOf(checks)).toMatch(/zeroGrad/);
  });

  test('with zeroGrad it is well', async () => {
    expect((await loop(true))[0]!.state).toBe('good');
  });
});

test('the rate finder ends before the loss is gone, marks a sensible rate, and puts the model back to the bit', async () => {
  const { findRate } = await import('../../engine/api/inspectrate.ts');
  manualSeed(6);
  const model = mlp();
  const before = model.parameters().map((weight) => [...weight.values()]);
  const { rates, losses, steepest, tenth } = await findRate(model as never, train, { optimizer: 'sgd', batchSize: 32, steps: 100 });
  expect(rates[0]).toBeCloseTo(1e-6, 12);
  expect(losses[0]).toBeGreaterThan(2);
  expect(steepest).toBeGreaterThan(1e-3);
  expect(steepest).toBeLessThan(2);
  expect(tenth).toBeGreaterThan(1e-3);
  expect(model.parameters().map((weight) => [...weight.values()])).toEqual(before);
  expect([...(await findRate(model as never, train, { optimizer: 'sgd', batchSize: 32, steps: 100 })).losses]).toEqual([...losses]);
});
