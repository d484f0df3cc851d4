import './start.ts';
import { expect, test } from 'vitest';
import { data, detectAnomaly, files, manualSeed, nn, ones, optim, profile, type Tensor, tensor } from '../../engine/api/index.ts';

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

test('detectAnomaly names the op where the first NaN arises, forward and backward', () => {
  const x = tensor([-1], { requiresGrad: true });
  expect(() => detectAnomaly(() => x.sqrt().add(1))).toThrow(/^sqrt: /);
  expect(Number.isNaN(x.sqrt().item())).toBe(true);
  const zero = tensor([0], { requiresGrad: true });
  expect(() => detectAnomaly(() => zero.sqrt().mul(0).sum().backward())).toThrow(/sqrt/);
});

test('profile tells calls and time of each operation', async () => {
  const w = ones(10, 10, { requiresGrad: true });
  const rows = await profile(() => w.matmul(w).sum().backward());
  const matmul = rows.filter(({ op }) => op === 'matmul');
  expect(matmul.some(({ isGradient }) => !isGradient)).toBe(true);
  expect(rows.every(({ calls, elapsedMs }) => calls > 0 && elapsedMs >= 0)).toBe(true);
});
