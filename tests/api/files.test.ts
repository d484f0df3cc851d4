import './start.ts';
import { expect, test } from 'vitest';
import { setHooks } from '../../engine/api/hooks.ts';
import { data, detectAnomaly, files, fit, log, manualSeed, nn, ones, optim, profile, randn, type Tensor, tensor } from '../../engine/api/index.ts';

test('tensors of every dtype come back from a safetensors file, with their texts', () => {
  const tensors = {
    weight: tensor([
      [1.5, -2],
      [3, 4],
    ]),
    ids: tensor([1, 2, 3], { dtype: 'int32' }),
    pixels: tensor(new Uint8Array([0, 255])),
    mask: tensor([true, false]),
    exact: tensor(new Float64Array([Math.PI])),
    none: tensor([]),
    scalar: tensor(7),
  };
  const { tensors: loaded, metadata } = files.loadTensors(files.saveTensors(tensors, { title: 'käse' }));
  const describe = (all: Record<string, Tensor>) =>
    Object.fromEntries(Object.entries(all).map(([name, x]) => [name, [x.dtype, x.shape, x.toArray()]]));
  expect(describe(loaded)).toEqual(describe(tensors));
  expect(metadata).toEqual({ title: 'käse' });
});

test('damaged files end in an error that says what is wrong', () => {
  const bytes = files.saveTensors({ x: ones(4) });
  expect(() => files.loadTensors(bytes.slice(0, -1))).toThrow(/safetensors/);
  expect(() => files.loadTensors(new Uint8Array([1, 2, 3]))).toThrow(/safetensors/);
  expect(() => files.loadTensors('abc' as never)).toThrow('loadTensors: needs the bytes of a file, got text "abc"');
  expect(() => files.loadCheckpoint(bytes, { model: nn.linear(1, 1) })).toThrow(/no checkpoint/);
});

test('going on from a checkpoint equals not having stopped, bit for bit, with shuffling and dropout', async () => {
  const examples = data.moons({ examples: 100, seed: 1 });
  const make = () => {
    const model = nn.sequential(nn.linear(2, 16), nn.batchNorm1d(16), nn.relu(), nn.dropout(0.2), nn.linear(16, 2));
    const optimizer = optim.adam(model, { lr: 0.01 });
    return { model, optimizer, scheduler: optim.cosineAnnealingLR(optimizer, { tMax: 10 }) };
  };
  const train = async ({ model, optimizer, scheduler }: ReturnType<typeof make>, epochs: number) => {
    const losses: number[] = [];
    for (let epoch = 0; epoch < epochs; epoch++) {
      for await (const [x, y] of examples.batches(20, { shuffle: true })) {
        const loss = nn.crossEntropy(model(x), y);
        optimizer.zeroGrad();
        loss.backward();
        optimizer.step();
        losses.push(loss.item());
      }
      scheduler.step();
    }
    return losses;
  };
  manualSeed(3);
  const first = make();
  await train(first, 2);
  const checkpoint = files.saveCheckpoint(first, { epoch: 2 });
  const straight = await train(first, 3);

  manualSeed(99);
  const second = make();
  expect(files.loadCheckpoint(checkpoint, second)).toEqual({ epoch: 2 });
  expect(await train(second, 3)).toEqual(straight);
});

test('going on from the middle of an epoch gives the batches, dropouts, shifts and averages that not stopping gives', async () => {
  const examples = data
    .fromArrays(randn(60, 1, 6, 6), tensor(new Int32Array(60).map((_, i) => i % 3)), { classes: ['a', 'b', 'c'] })
    .transform((x, y) => [data.transforms.randomShift(1)(x, y)[0], y]);
  const make = () => {
    const model = nn.sequential(nn.flatten(), nn.linear(36, 16), nn.relu(), nn.dropout(0.3), nn.linear(16, 3));
    const optimizer = optim.sgd(model, { lr: 0.05, momentum: 0.9 });
    return {
      model,
      optimizer,
      scheduler: optim.exponentialLR(optimizer, { gamma: 0.99 }),
      ema: nn.ema(model, { decay: 0.9 }),
      batches: examples.batches(16, { epochs: 3, shuffle: true }),
    };
  };
  const train = async ({ model, optimizer, scheduler, ema, batches }: ReturnType<typeof make>, until: number) => {
    const losses: number[] = [];
    for await (const [x, y] of batches) {
      const loss = nn.crossEntropy(model(x), y);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      ema.update();
      scheduler.step();
      losses.push(loss.item());
      if (losses.length === until) break;
    }
    return losses;
  };
  const bits = ({ model, ema }: ReturnType<typeof make>) =>
    [...Object.values(model.stateDict()), ...Object.values(ema.stateDict().averages)].map((tensor) => [...tensor.values()]);

  manualSeed(7);
  const whole = make();
  const all = await train(whole, 12);
  expect(all).toHaveLength(12);
  manualSeed(7);
  const first = make();
  expect(await train(first, 6)).toEqual(all.slice(0, 6));
  // After 6 batches of 4 in an epoch: in the middle of the second.
  expect(first.batches.stateDict()).toMatchObject({ epoch: 1, batch: 2 });
  const checkpoint = files.saveCheckpoint(first);
  manualSeed(1234);
  const second = make();
  files.loadCheckpoint(checkpoint, second);
  expect(files.saveCheckpoint(second)).toEqual(checkpoint);
  expect(await train(second, 12)).toEqual(all.slice(6));
  expect(bits(second)).toEqual(bits(whole));
});

test('fit goes on from a checkpoint of an epoch as if it had not stopped', async () => {
  const examples = data.moons({ examples: 80, seed: 1 });
  const make = () => {
    const model = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.dropout(0.1), nn.linear(8, 2));
    const optimizer = optim.adam(model, { lr: 0.02 });
    return { model, optimizer, scheduler: optim.stepLR(optimizer, { stepSize: 2 }), ema: nn.ema(model) };
  };
  const checkpoints: Uint8Array[] = [];
  const train = (made: ReturnType<typeof make>, history?: Awaited<ReturnType<typeof fit>>) => {
    const { model, ...rest } = made;
    return fit(model, examples, {
      ...rest,
      ...(history && { history }),
      epochs: 4,
      validation: examples,
      clipGradNorm: 1,
      log: false,
      onEpoch: (state) => void checkpoints.push(files.saveCheckpoint(made, state.history)),
    });
  };
  manualSeed(5);
  const straight = await train(make());
  const second = make();
  const history = files.loadCheckpoint(checkpoints[1] as Uint8Array, second) as Awaited<ReturnType<typeof fit>>;
  expect(history.loss).toHaveLength(2);
  expect(await train(second, history)).toEqual(straight);
});

test('detectAnomaly names the op where the first NaN arises, forward and backward', () => {
  const x = tensor([-1], { requiresGrad: true });
  expect(() => detectAnomaly(() => x.sqrt().add(1))).toThrow(/^sqrt: /);
  expect(Number.isNaN(x.sqrt().item())).toBe(true);
  const zero = tensor([0], { requiresGrad: true });
  expect(() => detectAnomaly(() => zero.sqrt().mul(0).sum().backward())).toThrow(/sqrt/);
});

test('detectAnomaly names the layer, and leads to the line of the forward pass, when the gradient goes wrong', () => {
  class Root extends nn.Module {
    inner = nn.linear(2, 2);
    override forward(x: Tensor): Tensor {
      return rootOf(this.inner(x.mul(0)).mul(0));
    }
  }
  const rootOf = (x: Tensor): Tensor => x.sqrt();
  const model = nn.sequential(nn.linear(2, 2), new Root());
  const loss = detectAnomaly(() => model(ones(1, 2)).mul(0).sum());
  let problem: Error | undefined;
  detectAnomaly(() => {
    try {
      model(ones(1, 2)).mul(0).sum().backward();
    } catch (error) {
      problem = error as Error;
    }
  });
  expect(problem?.message).toMatch(/^gradient of sqrt: .*(NaN|Infinity).*; the forward pass computed it in sequential > Root$/);
  // The first frame of ours is where sqrt was called, not backward().
  const frames = (problem?.stack ?? '').split('\n').filter((line) => /files\.test/.test(line));
  expect(frames[0]).toMatch(/rootOf/);
  // Off, nothing is remembered and nothing fails.
  loss.backward();
  expect(() => model(ones(1, 2)).mul(0).sum().backward()).not.toThrow();
});

test('a layer whose forward pass makes the first NaN is named', () => {
  class Logarithm extends nn.Module {
    override forward(x: Tensor): Tensor {
      return x.log();
    }
  }
  expect(() => detectAnomaly(() => nn.sequential(new Logarithm())(tensor([[-1]])))).toThrow(/^Logarithm: log: gave NaN at \[0, 0\].*layer 0/);
});

test('profile tells calls and time of each operation', async () => {
  const w = ones(10, 10, { requiresGrad: true });
  const rows = await profile(() => w.matmul(w).sum().backward());
  const matmul = rows.filter(({ op }) => op === 'matmul');
  expect(matmul.some(({ isGradient }) => !isGradient)).toBe(true);
  expect(rows.every(({ calls, elapsedMs }) => calls > 0 && elapsedMs >= 0)).toBe(true);
});

test('a checkpoint of a training that logs is a tick on its chart', () => {
  const marks: string[] = [];
  setHooks({ marked: ({ step, text }) => void marks.push(`${text} at ${step}`) });
  const model = nn.linear(2, 1);
  files.saveCheckpoint({ model });
  log({ loss: 1 }, { step: 7 });
  files.saveCheckpoint({ model });
  files.packCheckpoint({ model });
  setHooks({ marked: () => {} });
  expect(marks).toEqual(['checkpoint at 7']);
});
