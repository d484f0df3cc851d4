import './start.ts';
import { world } from './start.ts';
import { beforeEach, expect, test } from 'vitest';
import { Interrupted } from '../../engine/api/error.ts';
import { drainMetrics } from '../../engine/api/host.ts';
import { accuracy, data, log, manualSeed, Tensor, tensor } from '../../engine/api/index.ts';

beforeEach(() => {
  world.isStopped = false;
});

const numbers = (count: number) =>
  data.fromArrays(
    Array.from({ length: count }, (_, i) => [i]),
    new Int32Array(count).map((_, i) => i),
  );

test('batches go through all examples, the last one may be smaller', async () => {
  const seen: number[][] = [];
  for await (const [x, y] of numbers(5).batches(2, { epochs: 2 })) {
    expect(x.shape).toEqual([y.shape[0], 1]);
    expect([...x.values()]).toEqual([...y.values()]);
    seen.push([...y.values()]);
  }
  expect(seen).toEqual([[0, 1], [2, 3], [4], [0, 1], [2, 3], [4]]);
  expect([numbers(5).batches(2).length, numbers(5).batches(2, { dropLast: true, epochs: 3 }).length]).toEqual([3, 6]);
});

test('shuffling orders each epoch anew, features with their labels, and one seed repeats it', async () => {
  const epochs = async (seed?: number) => {
    const order: number[] = [];
    for await (const [x, y] of numbers(20).batches(6, { epochs: 2, shuffle: true, ...(seed !== undefined && { seed }) })) {
      expect([...x.values()]).toEqual([...y.values()]);
      order.push(...y.values());
    }
    return [order.slice(0, 20), order.slice(20)];
  };
  const [first, second] = (await epochs(7)) as [number[], number[]];
  expect(first).not.toEqual(second);
  const all = Array.from({ length: 20 }, (_, i) => i);
  expect([...first].sort((a, b) => a - b)).toEqual(all);
  expect([...second].sort((a, b) => a - b)).toEqual(all);
  expect(await epochs(7)).toEqual([first, second]);
  manualSeed(3);
  const drawn = await epochs();
  expect(await epochs()).not.toEqual(drawn);
  manualSeed(3);
  expect(await epochs()).toEqual(drawn);
});

test('a plain for works too', () => {
  let count = 0;
  for (const [x] of numbers(5).batches(2)) count += x.shape[0] as number;
  expect(count).toBe(5);
});

test('a dataset is split, sliced and looked into', () => {
  const all = numbers(10);
  const [train, test] = all.split(0.8, { seed: 1 });
  expect([train.length, test.length]).toEqual([8, 2]);
  expect([...train.labels.values(), ...test.labels.values()].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => i));
  expect([...all.slice(2, 5).slice(1).labels.values()]).toEqual([3, 4]);
  expect(all.at(-1).map((part) => part.toArray())).toEqual([[9], 9]);
  expect(all.pick([3, 3, 0])[1].toArray()).toEqual([3, 3, 0]);
  expect(String(all.take(3))).toBe('Dataset(arrays: 3 examples, features [1], labels [])');
});

test('labels that are texts become class ids, numbers become a column', () => {
  const flowers = data.fromArrays([[1], [2], [3]], ['setosa', 'iris', 'setosa']);
  expect([flowers.classes, flowers.labels.toArray(), flowers.labels.dtype]).toEqual([['iris', 'setosa'], [1, 0, 1], 'int32']);
  expect(data.fromArrays([[1], [2]], [0.5, 1]).labels.shape).toEqual([2, 1]);
  expect(data.fromArrays([[1], [2]], [0, 1], { classes: ['no', 'yes'] }).labels.dtype).toBe('int32');
});

test('generated datasets have the shapes that models expect', () => {
  const shapes = [
    data.line({ examples: 10 }),
    data.sine({ examples: 10 }),
    data.moons({ examples: 10 }),
    data.spiral({ examples: 10 }),
    data.xor({ examples: 10 }),
    data.circles({ examples: 10 }),
  ].map((set) => [set.features.shape, set.labels.shape, set.labelType]);
  const curve = [[10, 1], [10, 1], 'float32'];
  const points = [[10, 2], [10], 'int32'];
  expect(shapes).toEqual([curve, curve, points, points, points, points]);
});

test('MNIST comes as float images from 0 to 1 with class ids, and takes a byte a pixel', async () => {
  world.progress.length = 0;
  const { train, test } = await data.mnist({ train: 1000, test: 100 });
  expect([train.length, test.length, train.shape, train.classes.length]).toEqual([1000, 100, [1, 28, 28], 10]);
  const [x, y] = train.pick([0, 5, 17]);
  expect([x.shape, x.dtype, y.shape, y.dtype, x.isImage]).toEqual([[3, 1, 28, 28], 'float32', [3], 'int32', true]);
  expect([x.min().item(), x.max().item()]).toEqual([0, 1]);
  const counts = new Array(10).fill(0);
  for (const label of train.labels.values()) counts[label]++;
  expect(counts).toEqual(new Array(10).fill(100));
  expect(world.progress).toEqual(['MNIST of known bytes', 'MNIST done']);
  const normal = await data.mnist({ train: 1000, test: 0, normalize: true });
  expect(normal.train.features.mean().item()).toBeCloseTo(0, 1);
  await expect(data.mnist({ train: 1_000_000 })).rejects.toThrow(/60000/);
});

test.each([
  ['bytes scaled', (bytes: Tensor) => ({ features: bytes, scaling: { scale: 1 / 255 / 0.3081, shift: -0.1307 / 0.3081 } })],
  ['bytes as they are', (bytes: Tensor) => ({ features: bytes })],
  ['whole numbers scaled', (bytes: Tensor) => ({ features: bytes.to('int32').mul(-1000), scaling: { scale: 0.1, shift: 0 } })],
  ['floats as they are', (bytes: Tensor) => ({ features: bytes.to('float32').div(7) })],
  ['doubles', (bytes: Tensor) => ({ features: bytes.to('float64').div(7) })],
  ['a transposed view', (bytes: Tensor) => ({ features: bytes.to('float32').transpose(1, 2) })],
])('batches hold bit for bit what the whole dataset has at their places: %s', (_what, contents) => {
  const values = Uint8Array.from({ length: 50 * 3 * 5 }, (_, i) => (i * 37) % 256);
  const labels = tensor(Float32Array.from({ length: 100 }, (_, i) => i / 3)).reshape([50, 2]);
  const all = new data.Dataset({ name: 'numbers', labels, ...contents(tensor(values).reshape([50, 3, 5])) });
  for (const set of [all, all.slice(7, 40), all.split(0.5, { seed: 3 })[0]]) {
    const { features, labels: allLabels } = set;
    for (const positions of [[0], [2, 3, 4, 5], [9, 1, 1, 20, 3, 7, 2, 2, 11, 8, 5], []]) {
      const [x, y] = set.pick(positions);
      expect([x.shape, x.dtype, y.shape, y.dtype]).toEqual([[positions.length, ...features.shape.slice(1)], 'float32', [positions.length, 2], 'float32']);
      const rows = (whole: Tensor) => positions.flatMap((position) => [...whole.select(0, position).values()]);
      expect([...x.values()]).toEqual(rows(features));
      expect([...y.values()]).toEqual(rows(allLabels));
    }
  }
});

test('Stop ends a loop at its next round, and the loop can start again', async () => {
  let rounds = 0;
  const loop = async () => {
    for await (const [x] of numbers(100).batches(1)) {
      rounds++;
      expect(x).toBeInstanceOf(Tensor);
      if (rounds === 3) world.isStopped = true;
    }
  };
  await expect(loop()).rejects.toThrow(Interrupted);
  expect(rounds).toBe(3);
  world.isStopped = false;
  rounds = 10;
  await loop();
  expect(rounds).toBe(110);
});

test('Stop also ends a loop that only runs ops', () => {
  const loop = () => {
    for (let i = 0; ; i++) {
      if (i === 50) world.isStopped = true;
      tensor([1]).add(1);
    }
  };
  expect(loop).toThrow(Interrupted);
});

test('loops give the event loop a turn by time', async () => {
  const before = world.breaths;
  let timers = 0;
  const timer = setInterval(() => timers++, 1);
  const end = performance.now() + 100;
  for await (const _ of numbers(10).batches(1, { epochs: Number.POSITIVE_INFINITY })) if (performance.now() > end) break;
  clearInterval(timer);
  expect(world.breaths - before).toBeGreaterThan(2);
  expect(timers).toBeGreaterThan(2);
});

test('log counts steps, takes tensors without reading them, and keeps what belongs together', () => {
  drainMetrics();
  log({ loss: tensor(0.5), accuracy: 0.25 }, { step: 10 });
  log({ loss: tensor([2]), accuracy: Number.NaN });
  log({ validation: 3 }, { step: 11 });
  expect(log.step).toBe(11);
  const drained = drainMetrics().map(({ names, steps, columns }) => ({
    names,
    steps: [...steps],
    columns: columns.map((column) => [...column]),
  }));
  expect(drained).toEqual([
    { names: ['loss', 'accuracy'], steps: [10], columns: [[0.5], [0.25]] },
    { names: ['loss', 'accuracy', 'validation'], steps: [11], columns: [[2], [Number.NaN], [3]] },
  ]);
  expect(drainMetrics()).toEqual([]);
});

test('accuracy counts the largest logit, or the sign for yes and no', () => {
  const ids = tensor([0, 1, 1], { dtype: 'int32' });
  expect(
    accuracy(
      tensor([
        [2, 1],
        [0, 1],
        [5, 4],
      ]),
      ids,
    ).item(),
  ).toBeCloseTo(2 / 3, 6);
  expect(accuracy(tensor([[-1], [3], [-2]]), ids).item()).toBeCloseTo(2 / 3, 6);
  expect(() => accuracy(tensor([[1, 2]]), ids)).toThrow('accuracy: needs logits [size, classes] and class ids [size], got [1, 2] and [3]');
});

test('a dataset is split into several parts, and into folds, each example in one', () => {
  const ids = (set: data.Dataset) => Array.from(set.features.values());
  const all = numbers(20);
  const parts = all.split([0.5, 0.25, 0.25], { seed: 3 });
  expect(parts.map((part) => part.length)).toEqual([10, 5, 5]);
  expect(parts.flatMap(ids).sort((a, b) => a - b)).toEqual(ids(all));
  const folds = all.folds(3, { seed: 1 });
  expect(folds.map(({ train, test }) => [train.length, test.length])).toEqual([[13, 7], [14, 6], [13, 7]]);
  expect(folds.flatMap(({ test }) => ids(test)).sort((a, b) => a - b)).toEqual(ids(all));
  for (const { train, test } of folds) expect(ids(train).some((id) => ids(test).includes(id))).toBe(false);
  expect(() => all.split([0.9, 0.2])).toThrow('split: needs fractions between 0 and 1 that add up to at most 1');
  expect(() => all.folds(1)).toThrow('folds: needs a whole number from 2 to 20, got number 1');
});

test('transforms change batches, one after the other, and random ones follow the seed', () => {
  const picture = tensor([[[[1, 2], [3, 4]]]]);
  const one = data.fromArrays(picture, tensor([0], { dtype: 'int32' }), { classes: ['a', 'b'] });
  const seen = (set: data.Dataset) => set.pick([0])[0].toArray()[0][0];
  expect(seen(one.transform(data.transforms.normalize(1, 2)))).toEqual([[0, 0.5], [1, 1.5]]);
  expect(seen(one.transform(data.transforms.normalize([1], [2])))).toEqual([[0, 0.5], [1, 1.5]]);
  expect(seen(one.transform(data.transforms.randomHorizontalFlip(1)))).toEqual([[2, 1], [4, 3]]);
  expect(seen(one.transform(data.transforms.randomHorizontalFlip(0)))).toEqual([[1, 2], [3, 4]]);
  expect(seen(one.transform(data.transforms.normalize(1, 1)).transform((x, y) => [x.mul(10), y]))).toEqual([[0, 10], [20, 30]]);
  expect(one.transform(data.transforms.oneHot(2)).labels.toArray()).toEqual([[1, 0]]);
  expect(one.transform(data.transforms.flatten()).features.toArray()).toEqual([[1, 2, 3, 4]]);

  const shifted = one.transform(data.transforms.randomShift(1, 9));
  const draw = () => {
    manualSeed(4);
    return Array.from({ length: 40 }, () => JSON.stringify(seen(shifted)));
  };
  const pictures = draw();
  expect(draw()).toEqual(pictures);
  const possible = [
    [[1, 2], [3, 4]], [[9, 1], [9, 3]], [[2, 9], [4, 9]], [[9, 9], [1, 2]], [[3, 4], [9, 9]],
    [[9, 9], [9, 1]], [[9, 9], [2, 9]], [[9, 3], [9, 9]], [[4, 9], [9, 9]],
  ].map((each) => JSON.stringify(each));
  expect(pictures.every((each) => possible.includes(each))).toBe(true);
  expect(new Set(pictures).size).toBe(9);
  expect(() => one.transform((x) => x as never).pick([0])).toThrow('transform: the function must return [x, y], got a Tensor');
  expect(() => data.fromArrays(tensor([[1]]), tensor([[1]])).transform(data.transforms.randomShift(1)).pick([0])).toThrow(
    'randomShift: needs images [batch, channels, height, width], got [1, 1]',
  );
});
