import './start.ts';
import { expect, test } from 'vitest';
import {
  arange,
  eye,
  full,
  gradients,
  linspace,
  manualSeed,
  noGrad,
  ones,
  ops,
  rand,
  randint,
  randn,
  randperm,
  Tensor,
  tensor,
  zeros,
} from '../../engine/api/index.ts';

test('nesting gives the shape, and values come back as they went in', () => {
  const x = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  expect({ shape: x.shape, dtype: x.dtype, rank: x.rank, count: x.elementCount, values: x.toArray() }).toEqual({
    shape: [2, 3],
    dtype: 'float32',
    rank: 2,
    count: 6,
    values: [
      [1, 2, 3],
      [4, 5, 6],
    ],
  });
  expect(tensor(7).toArray()).toBe(7);
  expect(tensor([[], []]).shape).toEqual([2, 0]);
});

test('an index in brackets is an error that says what to write', () => {
  const x = tensor([1, 2, 3]) as unknown as Record<number, unknown>;
  expect(() => x[0]).toThrow('a tensor has no [0]: write t.select(0, 0) for a part of it, or t.toArray()[0] for its numbers');
  expect(() => x[99]).toThrow('a tensor has no [99]');
  expect(() => { x[1] = 5; }).toThrow('[1] of a tensor cannot be assigned');
  expect(Object.keys(x)).toEqual(Object.keys(tensor(0)).filter((key) => !/^\d+$/.test(key)));
});

test('typed arrays keep their type, booleans become bool', () => {
  const types = [new Float64Array(2), new Int32Array(2), new Uint8Array(2), new Float32Array(2), new Int16Array(2), [true, false]].map(
    (values) => tensor(values).dtype,
  );
  expect(types).toEqual(['float64', 'int32', 'uint8', 'float32', 'int32', 'bool']);
});

test('factories make what their names say', () => {
  expect(zeros(2, 2).toArray()).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(ones([2], { dtype: 'int32' }).toArray()).toEqual([1, 1]);
  expect(full([2], 0.5).toArray()).toEqual([0.5, 0.5]);
  expect(arange(4).toArray()).toEqual([0, 1, 2, 3]);
  expect(arange(1, 2, 0.25).toArray()).toEqual([1, 1.25, 1.5, 1.75]);
  expect(linspace(0, 1, 5).toArray()).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(eye(2, 3).toArray()).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ]);
  expect(zeros(0, 3).shape).toEqual([0, 3]);
});

test('one seed gives the same random numbers again', () => {
  const draw = () => {
    manualSeed(42);
    return [rand(3).toArray(), randn(2, 2).toArray(), randint(0, 100, [4]).toArray(), randperm(6).toArray()];
  };
  const first = draw();
  expect(draw()).toEqual(first);
  manualSeed(43);
  expect(rand(3).toArray()).not.toEqual(first[0]);
  expect([...(first[3] as number[])].sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

test('prints bounded text with shape and dtype', () => {
  expect(
    String(
      tensor([
        [1, 2.5],
        [3, 4],
      ]),
    ),
  ).toBe('Tensor([[1, 2.5], [3, 4]], shape [2, 2], float32)');
  expect(String(tensor(3, { requiresGrad: true }))).toBe('Tensor(3, shape [], float32, requiresGrad)');
  expect(String(zeros(2000))).toBe('Tensor([0, 0, 0, ..., 0, 0, 0], shape [2000], float32)');
  expect(`${zeros(100, 100)}`.length).toBeLessThan(300);
});

test('a tensor with one element works as a number, others refuse operators', () => {
  expect((tensor(2) as unknown as number) < 3).toBe(true);
  expect(() => (tensor([1, 2]) as unknown as number) + (tensor([3, 4]) as unknown as number)).toThrow('use a.add(b)');
});

test('goes through the parts of the first axis', () => {
  const [first, second] = tensor([
    [1, 2],
    [3, 4],
  ]);
  expect([first?.toArray(), second?.toArray()]).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('backward finds gradients, which add up until they are cleared', () => {
  const x = tensor([1, 2, 3], { requiresGrad: true });
  expect(x.grad).toBe(null);
  x.mul(x).sum().backward();
  expect(x.grad?.toArray()).toEqual([2, 4, 6]);
  x.mul(3).sum().backward();
  expect(x.grad?.toArray()).toEqual([5, 7, 9]);
  x.grad = null;
  x.mul(2).backward(tensor([1, 10, 100]));
  expect((x.grad as Tensor | null)?.toArray()).toEqual([2, 20, 200]);
});

test('a second backward over the same operations needs retainGraph', () => {
  const x = tensor(3, { requiresGrad: true });
  const y = x.mul(x);
  y.backward(null, { retainGraph: true });
  y.backward();
  expect(x.grad?.item()).toBe(12);
  expect(() => y.backward()).toThrow(/retainGraph/);
});

test('second derivatives come from gradients with createGraph', () => {
  const x = tensor(2, { requiresGrad: true });
  const [first] = gradients(x.mul(x).mul(x), [x], { createGraph: true });
  expect(first?.item()).toBe(12);
  const [second] = gradients(first as Tensor, [x]);
  expect(second?.item()).toBe(12);
  expect(gradients(x.mul(1), [tensor(1, { requiresGrad: true })])).toEqual([null]);
});

test('noGrad remembers nothing and gives back the former mode, also after an error and a promise', async () => {
  const x = tensor([1, 2], { requiresGrad: true });
  expect(noGrad(() => x.mul(2)).requiresGrad).toBe(false);
  expect(() =>
    noGrad(() => {
      throw new Error('inside');
    }),
  ).toThrow('inside');
  await noGrad(async () => {});
  expect(x.mul(2).requiresGrad).toBe(true);
});

test('detach cuts the history and shares the memory', () => {
  const x = tensor([1, 2], { requiresGrad: true });
  const cut = x.mul(2).detach();
  expect([cut.requiresGrad, cut.isLeaf, cut.toArray()]).toEqual([false, true, [2, 4]]);
});

test('an op is a method and a function; attributes go by position or by name', () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const expected = [[3], [7]];
  expect(x.sum(1, true).toArray()).toEqual(expected);
  expect(x.sum(1, { keepDims: true }).toArray()).toEqual(expected);
  expect(x.sum({ axes: [1], keepDims: true }).toArray()).toEqual(expected);
  expect(ops.sum(x, 1, true).toArray()).toEqual(expected);
  expect(x.reshape(4).toArray()).toEqual([1, 2, 3, 4]);
  expect(x.reshape(1, -1).shape).toEqual([1, 4]);
  expect(x.reshape([4, 1]).shape).toEqual([4, 1]);
  expect(x.add(1).toArray()).toEqual([
    [2, 3],
    [4, 5],
  ]);
  expect(ops.sub(10, x).toArray()).toEqual([
    [9, 8],
    [7, 6],
  ]);
});

test('in-place copy changes a leaf and keeps its dtype', () => {
  const x = zeros(2);
  x.copy_(tensor([1.5, 2]));
  expect(x.toArray()).toEqual([1.5, 2]);
  expect(() => x.copy_(zeros(3))).toThrow(/shape/);
});
