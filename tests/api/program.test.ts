// capture(): a captured step gives the numbers of the eager step, and what it cannot do runs as it stands, with a reason.
import { world } from './start.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { capture, data, fit, log, manualSeed, nn, noGrad, optim, rand, randint, randn, Tensor, tensor } from '../../engine/api/index.ts';
import { drainMetrics, memoryUse } from '../../engine/api/host.ts';
import { engine } from '../../engine/api/engine.ts';
import { passing } from '../../engine/api/scope.ts';

afterEach(() => {
  world.isStopped = false;
  vi.restoreAllMocks();
});

type Optimizer = ReturnType<typeof optim.adam>;
type Wrap = <Args extends unknown[], Result>(body: (...args: Args) => Result) => (...args: Args) => Result;
const asItStands: Wrap = (body) => body;
/** Why a step that may be captured did not run as a program; '' when it did. */
const reasonOf = (step: unknown): string => (step as { readonly reason?: string }).reason ?? 'not captured';

interface Setting {
  readonly model: () => nn.Module;
  readonly optimizer: (parameters: Tensor[]) => Optimizer;
  readonly batch: (size: number) => [Tensor, Tensor];
  readonly loss?: (prediction: Tensor, target: Tensor) => Tensor;
  readonly between?: (optimizer: Optimizer, step: number) => void;
  readonly clip?: number;
  /** Largest difference from the eager numbers; gradients that visit only maxima are summed in another order. Default: none. */
  readonly tolerance?: number;
}

const rows = (features: number, classes: number) => (size: number) => [randn(size, features), randint(0, classes, [size])] as [Tensor, Tensor];
const images = (size: number) => [rand(size, 1, 28, 28), randint(0, 10, [size])] as [Tensor, Tensor];
const mlp = () => nn.sequential(nn.linear(20, 16), nn.relu(), nn.linear(16, 8), nn.tanh(), nn.linear(8, 4));
const lenet = () =>
  nn.sequential(
    nn.conv2d(1, 6, 5),
    nn.relu(),
    nn.maxPool2d(2),
    nn.conv2d(6, 16, 5),
    nn.relu(),
    nn.maxPool2d(2),
    nn.flatten(),
    nn.linear(256, 120),
    nn.relu(),
    nn.linear(120, 84),
    nn.relu(),
    nn.linear(84, 10),
  );
const adam = (parameters: Tensor[]) => optim.adam(parameters, { lr: 1e-2 });

const settings: Record<string, Setting> = {
  'linear regression with sgd': {
    model: () => nn.linear(1, 1),
    optimizer: (parameters) => optim.sgd(parameters, { lr: 0.1 }),
    batch: (size) => [randn(size, 1), randn(size, 1)],
    loss: nn.mse,
  },
  'a perceptron with momentum': {
    model: mlp,
    optimizer: (parameters) => optim.sgd(parameters, { lr: 0.1, momentum: 0.9, nesterov: true }),
    batch: rows(20, 4),
  },
  'a perceptron with adam and a schedule': {
    model: mlp,
    optimizer: adam,
    batch: rows(20, 4),
    between: (optimizer, step) => void (optimizer.lr = 1e-2 * 0.9 ** step),
  },
  'LeNet with adamw': { model: lenet, optimizer: (parameters) => optim.adamw(parameters), batch: images, tolerance: 1e-3 },
  'gradients cut to a norm': { model: mlp, optimizer: adam, batch: rows(20, 4), clip: 0.1 },
  'dropout': {
    model: () => nn.sequential(nn.linear(20, 32), nn.relu(), nn.dropout(0.5), nn.linear(32, 4)),
    optimizer: adam,
    batch: rows(20, 4),
  },
  'batch normalisation': {
    model: () =>
      nn.sequential(nn.conv2d(1, 4, 3), nn.batchNorm2d(4), nn.relu(), nn.maxPool2d(4), nn.flatten(), nn.linear(144, 16), nn.batchNorm1d(16), nn.linear(16, 10)),
    optimizer: adam,
    batch: images,
  },
  'a transformer': {
    model: () => nn.sequential(nn.linear(20, 16), (x) => x.reshape(-1, 4, 16), nn.transformerEncoderLayer(16, 2, { dropout: 0.1 }), (x) => x.mean(1), nn.linear(16, 4)),
    optimizer: adam,
    batch: (size) => [randn(size * 4, 20), randint(0, 4, [size])],
  },
  'a recurrent network': {
    model: () => nn.sequential((x) => x.reshape(-1, 4, 5), (x) => lstm(x)[0].select(1, 3), nn.linear(6, 4)),
    optimizer: (parameters) => adam([...parameters, ...lstm.parameters()]),
    batch: rows(20, 4),
  },
};
let lstm = undefined as unknown as ReturnType<typeof nn.lstm>;

/** Trains for some steps, the fifth and the last with a short batch, and gives all numbers that came out. */
function train(setting: Setting, isCaptured: boolean) {
  manualSeed(7);
  lstm = nn.lstm(5, 6);
  const model = setting.model();
  const optimizer = setting.optimizer(model.parameters());
  const lossOf = setting.loss ?? nn.crossEntropy;
  const body = (x: Tensor, y: Tensor) => {
    const prediction = model(x);
    const loss = lossOf(prediction, y);
    optimizer.zeroGrad();
    loss.backward();
    const norm = setting.clip === undefined ? undefined : optim.clipGradNorm(model.parameters(), setting.clip);
    optimizer.step();
    return { loss, prediction, norm };
  };
  const captured = capture(body);
  const step = isCaptured ? captured : body;
  const numbers: unknown[] = [];
  const reasons: string[] = [];
  for (let n = 0; n < 14; n++) {
    setting.between?.(optimizer, n);
    const { loss, prediction, norm } = step(...setting.batch(n % 5 === 4 ? 3 : 8));
    reasons.push(captured.reason);
    numbers.push(loss.item(), prediction.toArray(), norm?.item());
  }
  numbers.push(Object.fromEntries(Object.entries(model.stateDict()).map(([name, value]) => [name, value.toArray()])));
  numbers.push(model.parameters().map((parameter) => parameter.grad?.toArray()));
  numbers.push(optimizer.stateDict().state.map(({ step: count, slots }) => [count, Object.values(slots).map((slot) => slot.toArray())]));
  numbers.push(rand(3).toArray());
  return { numbers, reasons, explained: captured.explain() };
}

/** Of two structures of the same form; infinite when they are not. */
function largestDifference(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b);
  if (a === undefined || a === null || b === undefined || b === null || typeof a !== typeof b) return a === b ? 0 : Number.POSITIVE_INFINITY;
  return Math.max(0, ...Object.keys(a).map((key) => largestDifference((a as never)[key], (b as never)[key])));
}

test.each(Object.keys(settings))('a captured step gives the bits of the eager step: %s', (name) => {
  const setting = settings[name] as Setting;
  const captured = train(setting, true);
  expect(captured.reasons.filter((reason) => reason === '')).toHaveLength(9);
  const eager = train(setting, false);
  if (setting.tolerance === undefined) expect(captured.numbers).toEqual(eager.numbers);
  else expect(largestDifference(captured.numbers, eager.numbers)).toBeLessThan(setting.tolerance);
  // Full batches and short ones have a program each.
  expect(captured.explained.match(/one arena of/g)).toHaveLength(2);
});

test('a timed step says how long each operation took, and gives the same numbers', () => {
  const lossesOf = (timed: boolean): { losses: number[]; explained: string } => {
    manualSeed(4);
    const model = nn.linear(3, 2);
    const optimizer = optim.sgd(model.parameters(), { lr: 0.1 });
    const x = rand(8, 3);
    const step = capture((batch: Tensor) => {
      const loss = model(batch).square().mean();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      return loss;
    });
    step.timed = timed;
    const losses = Array.from({ length: 6 }, () => step(x).item());
    return { losses, explained: step.explain() };
  };
  const [plain, timed] = [lossesOf(false), lossesOf(true)];
  expect(timed.losses).toEqual(plain.losses);
  expect(plain.explained).not.toMatch(/ us/);
  expect(timed.explained.match(/[\d.]+ us/g)?.length).toBeGreaterThan(4);
});

/** A captured step of a classifier. */
function captured(model: (x: Tensor) => Tensor, optimizer: { zeroGrad(): void; step(): void }) {
  return capture((x: Tensor, y: Tensor) => {
    const loss = nn.crossEntropy(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss;
  });
}

test('a program names operations as the reference does, and its arena is at most 1.2 times the largest live set', () => {
  const model = nn.sequential(
    ...[nn.conv2d(1, 6, 5), nn.relu(), nn.maxPool2d(2), nn.conv2d(6, 16, 5), nn.relu(), nn.maxPool2d(2)],
    ...[nn.flatten(), nn.linear(256, 120), nn.relu(), nn.linear(120, 84), nn.relu(), nn.linear(84, 10)],
  );
  const optimizer = optim.adam(model.parameters());
  const step = captured(model, optimizer);
  for (let i = 0; i < 4; i++) step(...images(64));
  expect(step.reason).toBe('');
  const text = step.explain();
  const internal = engine().description.ops.filter((row) => row.internal).map(({ name }) => name);
  expect(internal.filter((name) => new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  for (const words of ['gradient of conv2d (filter)', 'gradient of conv2d (input)', 'gradient of crossEntropy']) expect(text).toContain(words);
  expect(Number(/([\d.]+) times the largest live set/.exec(text)?.[1])).toBeLessThanOrEqual(1.2);
});

test('captured training is the same run after run', () => {
  const setting = settings['dropout'] as Setting;
  expect(train(setting, true).numbers).toEqual(train(setting, true).numbers);
});

test('gradients add up over captured steps until another one takes the optimizer’s step', () => {
  const run = (wrap: Wrap) => {
    manualSeed(3);
    const model = mlp();
    const optimizer = adam(model.parameters());
    const add = wrap((x: Tensor, y: Tensor) => {
      const loss = nn.crossEntropy(model(x), y).div(2);
      loss.backward();
      return loss;
    });
    const update = wrap(() => {
      optimizer.step();
      optimizer.zeroGrad();
    });
    for (let n = 0; n < 10; n++) {
      add(...rows(20, 4)(8));
      add(...rows(20, 4)(8));
      update();
    }
    return { values: model.parameters().map((each) => each.toArray()), add };
  };
  const captured = run(capture);
  expect(captured.values).toEqual(run(asItStands).values);
  expect(reasonOf(captured.add)).toBe('');
});

test('parameters that are changed from outside are used as they are now', () => {
  const model = nn.linear(3, 1);
  const optimizer = optim.sgd(model.parameters(), { lr: 0 });
  const step = capture((x: Tensor) => {
    const loss = model(x).sum();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss;
  });
  const x = tensor([[1, 2, 3]]);
  for (let n = 0; n < 4; n++) step(x);
  expect(step.reason).toBe('');
  model.loadStateDict({ weight: tensor([[1, 1, 1]]), bias: tensor([0.5]) });
  expect(step(x).item()).toBe(6.5);
  expect(step.reason).toBe('');
  expect((model.weight.grad as Tensor).toArray()).toEqual([[1, 2, 3]]);
  const held = model.weight.grad as Tensor;
  step(tensor([[4, 5, 6]]));
  expect(held.toArray()).toEqual([[1, 2, 3]]);
});

test.each<[string, string, () => (x: Tensor, n: number) => unknown]>([
  ['item()', 'a value is read inside the step', () => (x) => (x.sum().item() > 0 ? x : x.neg())],
  ['values()', 'a value is read inside the step', () => (x) => x.exp().values()[0]],
  ['a learning rate that is set', 'a setting of an optimizer is changed', () => {
    const w = tensor([1, 2], { requiresGrad: true });
    const optimizer = optim.sgd([w]);
    return (x, n) => {
      optimizer.lr = 0.1 / (n + 1);
      return x;
    };
  }],
  ['manualSeed()', 'manualSeed() is called', () => (x) => (manualSeed(1), x.add(1))],
  ['numbers that change', 'made inside the step changed', () => {
    let n = 0;
    return (x) => x.mul(n++);
  }],
  ['operations that change', 'differs from step to step', () => {
    let n = 0;
    return (x) => (n++ % 2 ? x.exp() : x.tanh());
  }],
  ['numbers of its own in the log', 'its numbers changed', () => {
    let n = 0;
    return (x) => log({ loss: x.sum(), n: n++ });
  }],
])('a step with %s runs as it stands, and says why', (_, reason, make) => {
  const step = make();
  const results: unknown[] = [];
  const captured = capture((x: Tensor) => {
    const result = step(x, results.length);
    results.push(result);
    return result;
  });
  for (let n = 0; n < 20; n++) captured(tensor([n, -1]));
  expect(results).toHaveLength(20);
  expect(captured.reason).toContain(reason);
  expect(captured.explain()).toContain(reason);
});

test('a step that changes later is noticed, said, and done as it is then', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  let factor = 2;
  const step = capture((x: Tensor) => x.mul(factor));
  const x = tensor([1]);
  for (let n = 0; n < 5; n++) expect(step(x).item()).toBe(2);
  factor = 3;
  let calls = 0;
  while (step(x).item() === 2 && calls < 1000) calls++;
  expect(calls).toBeLessThan(260);
  expect(warn.mock.calls.flat().join()).toContain('the step has changed');
  for (let n = 0; n < 5; n++) expect(step(x).item()).toBe(3);
  expect(step.reason).toBe('');
});

test('training mode that changes between steps is seen at once', () => {
  const model = nn.sequential(nn.linear(4, 4), nn.dropout(0.5));
  const step = capture((x: Tensor) => noGrad(() => model(x)));
  const x = randn(8, 4);
  const count = () => [...step(x).values()].filter((value) => value === 0).length;
  for (let n = 0; n < 5; n++) expect(count()).toBeGreaterThan(0);
  model.eval();
  for (let n = 0; n < 5; n++) expect(count()).toBe(0);
  model.train();
  for (let n = 0; n < 5; n++) expect(count()).toBeGreaterThan(0);
});

test('what the step logs arrives with the same numbers as from eager steps', () => {
  const run = (wrap: Wrap) => {
    drainMetrics();
    manualSeed(1);
    const step = wrap((x: Tensor) => {
      const loss = x.square().mean();
      log({ loss, half: loss.div(2), fixed: 4 });
    });
    for (let n = 0; n < 6; n++) step(randn(4));
    log({ after: 1 });
    return drainMetrics().map(({ names, steps, columns }) => ({ names, steps: [...steps].map((s) => s - (steps[0] as number)), columns: columns.map((each) => [...each]) }));
  };
  expect(run(capture).slice(0, 1)).toEqual(run(asItStands).slice(0, 1));
});

test('errors name the operation and its line, as in an eager step, and the step goes on working', () => {
  const model = nn.linear(4, 3);
  const optimizer = adam(model.parameters());
  const step = captured(model, optimizer);
  const x = randn(2, 4);
  for (let n = 0; n < 4; n++) step(x, tensor([0, 2], { dtype: 'int32' }));
  const before = model.weight.toArray();
  const attempt = () => step(x, tensor([0, 7], { dtype: 'int32' }));
  expect(attempt).toThrow(/class id 7 at place 1 lies outside 0 to 2/);
  try {
    attempt();
  } catch (error) {
    expect((error as Error).stack).toContain('loss.ts');
  }
  expect(model.weight.toArray()).toEqual(before);
  expect(() => step(randn(2, 5), tensor([0, 2], { dtype: 'int32' }))).toThrow(/needs inputs of shape/);
  step(x, tensor([0, 2], { dtype: 'int32' }));
  expect(step.reason).toBe('');
});

test('misuse is told in words', () => {
  expect(() => capture(3 as never)).toThrow(/capture: needs a function/);
  expect(() => capture(async (x: Tensor) => x)(tensor([1]))).toThrow(/must not be async/);
  const step = capture((x: Tensor) => x.add(1));
  expect(step.explain()).toContain('has not been called yet');
  // The failed recording above has ended.
  for (let n = 0; n < 4; n++) expect(step(tensor([1])).item()).toBe(2);
  expect(step.reason).toBe('');
});

test('Stop ends a captured step', () => {
  const step = capture((x: Tensor) => x.add(1));
  for (let n = 0; n < 4; n++) step(tensor([1]));
  const x = tensor([1]);
  world.isStopped = true;
  expect(() => step(x)).toThrow(/[Ss]topped/);
});

test('arguments may be views of one memory, lists are not tensors, and results may be lists', () => {
  const all = tensor([1, 2, 3, 4]);
  const step = capture((x: Tensor, y: Tensor, scale: number) => [x.add(y), { product: x.mul(y).mul(scale) }] as const);
  for (let n = 0; n < 6; n++) {
    const [sum, { product }] = step(all.narrow(0, 0, 3), all.narrow(0, 1, 3), 10);
    expect([sum.toArray(), product.toArray()]).toEqual([[3, 5, 7], [20, 60, 120]]);
    expect(step(all, all, 2)[1].product.toArray()).toEqual([2, 8, 18, 32]);
  }
  expect(step.reason).toBe('');
});

test('fit runs a program for models of our layers, with the numbers of eager steps', async () => {
  const run = async (isCaptured: boolean) => {
    manualSeed(2);
    const points = data.spiral({ examples: 70, arms: 2, seed: 2 });
    const model = nn.sequential(nn.linear(2, 8), nn.relu(), nn.dropout(0.1), nn.linear(8, 2));
    const history = await fit(model, points, { epochs: 4, batchSize: 16, log: false, validation: points, capture: isCaptured });
    return { history, weights: model.parameters().map((each) => each.toArray()) };
  };
  expect(await run(true)).toEqual(await run(false));
});

test('the memory of 5,000 captured steps is flat', () => {
  manualSeed(1);
  const model = mlp();
  const optimizer = adam(model.parameters());
  const step = capture((x: Tensor, y: Tensor) => {
    const loss = nn.crossEntropy(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    log({ loss });
  });
  const batches = Array.from({ length: 4 }, () => rows(20, 4)(8));
  const during = (count: number) => {
    for (let n = 0; n < count; n++) step(...(batches[n % 4] as [Tensor, Tensor]));
    return memoryUse();
  };
  during(300);
  const before = during(200);
  const after = during(5000);
  expect(after.heapBytes).toBe(before.heapBytes);
  // Now and then the function itself is run; its tensors wait for the end of their round.
  expect(after.recordCount - before.recordCount).toBeLessThan(200);
  expect(after.liveBytes - before.liveBytes).toBeLessThan(200_000);
  expect(after.tensorCount - before.tensorCount).toBeLessThan(500);
  drainMetrics();
});

test('results of one number are tensors of their own, made when somebody asks for more than the number', () => {
  manualSeed(4);
  const model = nn.linear(3, 1);
  const optimizer = optim.sgd(model.parameters(), { lr: 0.1 });
  const [x, y] = [randn(8, 3), randn(8, 1)];
  const step = capture((x: Tensor, y: Tensor) => {
    const loss = nn.mse(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return { loss, column: loss.reshape([1, 1]), both: [loss, y] };
  });
  for (let i = 0; i < 3; i++) step(x, y);
  const handles = () => memoryUse().handleCount;
  const before = handles();
  const results = Array.from({ length: 4 }, () => step(x, y));
  expect(reasonOf(step)).toBe('');
  // Only the copies of `y` are there.
  expect(handles() - before).toBe(4);
  const losses = results.map(({ loss }) => loss.item());
  expect(new Set(losses).size).toBe(4);
  expect(handles() - before).toBe(4);
  for (const [i, { loss, column, both }] of results.entries()) {
    const [value, held] = [losses[i] as number, loss as Tensor];
    expect([held.shape, held.dtype, held.elementCount, held.requiresGrad, held.isLeaf]).toEqual([[], 'float32', 1, false, true]);
    expect(column.toArray()).toEqual([[value]]);
    expect(Math.fround(value * 2)).toBe(held.mul(2).item());
    expect((both[0] as Tensor).keep().item()).toBe(value);
    expect(held.item()).toBe(value);
  }
  const [first, second] = [results[0]?.loss as Tensor, step(x, y).loss];
  first.requiresGrad = true;
  first.mul(first).backward();
  expect(first.grad?.item()).toBeCloseTo(2 * (losses[0] as number), 5);
  second.dispose();
  expect(() => second.item()).toThrow('the tensor of shape [] that captured step made has been disposed of');
});

test('a number that a captured step gave before a loop outlives what the rounds of the loop let go of', () => {
  const step = capture((x: Tensor) => x.sum());
  const x = tensor([1, 2, 3]);
  for (let i = 0; i < 3; i++) step(x);
  const sum = step(x);
  expect(reasonOf(step)).toBe('');
  expect(passing(() => sum.add(1).item())).toBe(7);
  expect(sum.add(1).item()).toBe(7);
});
