import './start.ts';
import { expect, test } from 'vitest';
import { engine } from '../../engine/api/engine.ts';
import { arange, manualSeed, nn, noGrad, ones, type Tensor, tensor, zeros } from '../../engine/api/index.ts';

class Net extends nn.Module {
  hidden = nn.linear(4, 3);
  out = nn.linear(3, 2, { bias: false });
  override forward(x: Tensor) {
    return this.out(this.hidden(x).relu());
  }
}

const shapes = (model: unknown) => Object.fromEntries(nn.namedParameters(model).map(([name, { shape }]) => [name, [...shape]]));

test('a model is called like a function, and its parameters have the names that PyTorch gives', () => {
  const net = new Net();
  expect(net(ones(5, 4)).shape).toEqual([5, 2]);
  expect(net).toBeInstanceOf(nn.Module);
  expect(shapes(net)).toEqual({ 'hidden.weight': [3, 4], 'hidden.bias': [3], 'out.weight': [2, 3] });
  expect(shapes(nn.sequential(nn.conv2d(1, 2, 3), nn.relu(), nn.flatten(), nn.linear(8, 1)))).toEqual({
    '0.weight': [2, 1, 3, 3],
    '0.bias': [2],
    '3.weight': [1, 8],
    '3.bias': [1],
  });
});

test('any object or list of layers is a model for parameters()', () => {
  const layers = { blocks: [nn.linear(1, 1), nn.linear(1, 2)], scale: nn.parameter(ones(1)) };
  expect(Object.keys(shapes(layers))).toEqual(['blocks.0.weight', 'blocks.0.bias', 'blocks.1.weight', 'blocks.1.bias', 'scale']);
  const shared = nn.linear(2, 2);
  expect(nn.parameters([shared, shared])).toHaveLength(2);
});

test('layers start as in PyTorch: uniform within 1 / sqrt(fan in)', () => {
  manualSeed(1);
  const layer = nn.linear(100, 50);
  const values = [...layer.weight.values()];
  expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(0.1);
  expect(Math.max(...values)).toBeGreaterThan(0.09);
  expect(Math.min(...values)).toBeLessThan(-0.09);
  const filters = [...nn.conv2d(4, 8, 5).weight.values()];
  expect(Math.max(...filters.map(Math.abs))).toBeLessThanOrEqual(0.1);
  expect(Math.max(...filters)).toBeGreaterThan(0.09);
  manualSeed(1);
  expect([...nn.linear(100, 50).weight.values()]).toEqual(values);
});

test('stateDict copies, and loadStateDict brings a model back', () => {
  const net = new Net();
  const x = ones(1, 4);
  const before = net(x).toArray();
  const state = net.stateDict();
  noGrad(() => net.hidden.weight.copy_(zeros(3, 4)));
  expect(net(x).toArray()).not.toEqual(before);
  net.loadStateDict(state);
  expect(net(x).toArray()).toEqual(before);
  expect(() => net.loadStateDict({ 'hidden.wieght': zeros(1) })).toThrow(
    /missing hidden\.weight, hidden\.bias, out\.weight; unknown hidden\.wieght; did you mean hidden\.weight\?/,
  );
  expect(() => net.loadStateDict({ ...state, 'hidden.bias': zeros(4) })).toThrow(
    'loadStateDict: hidden.bias has shape [3], the saved one [4]',
  );
});

test('linear, crossEntropy, mse give the numbers that a hand gives', () => {
  const layer = nn.linear(2, 2);
  layer.loadStateDict({
    weight: tensor([
      [1, 2],
      [3, 4],
    ]),
    bias: tensor([10, 20]),
  });
  expect(layer(tensor([[1, 1]])).toArray()).toEqual([[13, 27]]);
  expect(nn.crossEntropy(zeros(4, 10), zeros([4], { dtype: 'int32' })).item()).toBeCloseTo(Math.log(10), 6);
  const loss = nn.crossEntropy(tensor([[1, 2, 3]]), tensor([0], { dtype: 'int32' })).item();
  expect(loss).toBeCloseTo(-Math.log(Math.E / (Math.E + Math.E ** 2 + Math.E ** 3)), 6);
  expect(nn.mse(tensor([1, 2]), tensor([3, 5])).item()).toBe(6.5);
});

test('crossEntropy has the gradient (softmax - target) / size', () => {
  const logits = tensor(
    [
      [0, 0],
      [0, 0],
    ],
    { requiresGrad: true },
  );
  nn.crossEntropy(logits, tensor([0, 1], { dtype: 'int32' })).backward();
  expect(logits.grad?.toArray()).toEqual([
    [-0.25, 0.25],
    [0.25, -0.25],
  ]);
});

test('conv2d and pooling give the numbers that a hand gives', () => {
  const layer = nn.conv2d(1, 1, 2, { bias: false });
  layer.loadStateDict({
    weight: tensor([
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ]),
  });
  const x = tensor([
    [
      [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ],
    ],
  ]);
  expect(layer(x).toArray()).toEqual([
    [
      [
        [37, 47],
        [67, 77],
      ],
    ],
  ]);
  expect(nn.conv2d(1, 4, 3, { padding: 'same' })(x).shape).toEqual([1, 4, 3, 3]);
  expect(nn.conv2d(1, 4, 3, { padding: 1, stride: 2 })(x).shape).toEqual([1, 4, 2, 2]);
  expect(nn.maxPool2d(2, { stride: 1 })(x).toArray()).toEqual([
    [
      [
        [5, 6],
        [8, 9],
      ],
    ],
  ]);
  expect(nn.avgPool2d(3)(x).toArray()).toEqual([[[[5]]]]);
});

test('dropout drops while training only, and keeps the mean', () => {
  const layer = nn.dropout(0.25);
  const x = ones(10_000);
  const dropped = layer(x);
  const values = [...dropped.values()];
  expect(new Set(values.map((value) => value.toFixed(4)))).toEqual(new Set(['0.0000', '1.3333']));
  expect(dropped.mean().item()).toBeCloseTo(1, 1);
  expect(nn.sequential(layer).eval()(x)).toBe(x);
  expect(layer.training).toBe(false);
});

test('batchNorm2d normalises over the batch and remembers for evaluation', () => {
  const layer = nn.batchNorm2d(1);
  const x = tensor([[[[1, 3]]], [[[5, 7]]]]);
  const result = layer(x);
  expect(result.mean().item()).toBeCloseTo(0, 6);
  expect(result.square().mean().item()).toBeCloseTo(1, 5);
  // mean 4; variance without bias 20 / 3
  expect(layer.runningMean.item()).toBeCloseTo(0.4, 6);
  expect(layer.runningVar.item()).toBeCloseTo(0.9 + 0.1 * (20 / 3), 5);
  expect(layer.numBatchesTracked.item()).toBe(1);
  expect(Object.keys(layer.stateDict())).toEqual(['weight', 'bias', 'running_mean', 'running_var', 'num_batches_tracked']);
  layer.eval();
  const scaled = layer(x).toArray() as number[][][][];
  expect(scaled[0]?.[0]?.[0]?.[0]).toBeCloseTo((1 - 0.4) / Math.sqrt(0.9 + 2 / 3 + 1e-5), 5);
});

test('layerNorm and embedding give the numbers that a hand gives', () => {
  const normal = nn
    .layerNorm(2)(tensor([[1, 3]]))
    .toArray() as number[][];
  expect(normal[0]?.[0]).toBeCloseTo(-1, 4);
  const table = nn.embedding(3, 2);
  table.loadStateDict({
    weight: tensor([
      [1, 2],
      [3, 4],
      [5, 6],
    ]),
  });
  const rows = table(tensor([2, 0, 2], { dtype: 'int32' }));
  expect(rows.toArray()).toEqual([
    [5, 6],
    [1, 2],
    [5, 6],
  ]);
  rows.sum().backward();
  expect(table.weight.grad?.toArray()).toEqual([
    [1, 1],
    [0, 0],
    [2, 2],
  ]);
});

test('freeze keeps parameters from being trained', () => {
  const layer = nn.linear(1, 1);
  nn.freeze(layer);
  expect(layer.weight.requiresGrad).toBe(false);
  expect(Object.keys(layer.stateDict())).toEqual(['weight', 'bias']);
  nn.freeze(layer, false);
  expect(layer.weight.requiresGrad).toBe(true);
});

test('summary lists layers, result shapes, parameters and floating-point operations', () => {
  const model = nn.sequential(nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.linear(8 * 14 * 14, 10));
  expect(nn.summary(model, [1, 1, 28, 28])).toBe(
    [
      '   layer                            result          parameters    FLOPs',
      '0  conv2d(1, 8, 3, { padding: 1 })  [1, 8, 28, 28]          80  112,896',
      '1  relu()                           [1, 8, 28, 28]           0    6,272',
      '2  maxPool2d(2)                     [1, 8, 14, 14]           0    6,272',
      '3  flatten()                        [1, 1568]                0        0',
      '4  linear(1568, 10)                 [1, 10]             15,690   31,360',
      '15,770 parameters, 156,800 FLOPs',
    ].join('\n'),
  );
  expect(nn.summary(nn.linear(2, 3))).toMatch(/9 parameters$/);
});

test('floating-point operations count what a class computes between its layers', () => {
  class Net extends nn.Module {
    a = nn.linear(4, 4);
    override forward(x: Tensor): Tensor {
      return this.a(x).matmul(this.a.weight).relu();
    }
  }
  // 2 * 3 * 4 * 4 for the layer, as much for matmul, 12 for relu.
  expect(nn.summary(new Net(), [3, 4])).toMatch(/\n20 parameters, 204 FLOPs$/);
  // Both weights of an lstm, at each of 5 steps: 2 * batch * (4 * 8 * 3 + 4 * 8 * 8) and what the gates cost by elements.
  expect(nn.summary(nn.lstm(3, 8), [5, 2, 3])).toMatch(/7,040 FLOPs$/);
});

test('hooks see activations and gradients of a layer, and can be taken away', () => {
  const model = nn.sequential(nn.linear(2, 3), nn.relu(), nn.linear(3, 1));
  const seen: string[] = [];
  const layer = model[1] as nn.Module;
  const removals = [
    layer.registerForwardPreHook((module, [x]) => void seen.push(`before ${module} ${(x as Tensor).shape}`)),
    layer.registerForwardHook((module, _, output) => void seen.push(`after ${module} ${output.shape}`)),
    layer.registerBackwardHook((module, grad) => void seen.push(`gradient ${module} ${grad.shape}`)),
  ];
  for (let round = 0; round < 2; round++) model(ones(4, 2)).sum().backward();
  const once = ['before relu() 4,3', 'after relu() 4,3', 'gradient relu() 4,3'];
  expect(seen).toEqual([...once, ...once]);
  for (const remove of removals) remove();
  model(ones(4, 2)).sum().backward();
  expect(seen).toHaveLength(6);
  expect(() => layer.registerForwardHook('x' as never)).toThrow('relu(): a hook must be a function, got text "x"');
});

test('a forward hook may replace the result', () => {
  const layer = nn.linear(2, 2);
  layer.registerForwardHook((_, __, output) => output.mul(0));
  expect(layer(ones(1, 2)).toArray()).toEqual([[0, 0]]);
});

test('retainGrad leaves the gradient of a result, registerHook is told of it, and second gradients hold no memory in a ring', () => {
  const w = tensor([2, 3], { requiresGrad: true });
  const h = w.mul(w).retainGrad();
  const told: unknown[] = [];
  const remove = w.registerHook((grad) => void told.push(grad.toArray()));
  h.sum().mul(5).backward();
  expect(h.grad?.toArray()).toEqual([5, 5]);
  expect(told).toEqual([[20, 30]]);
  remove();
  w.grad = null;
  const before = engine().memoryUse().recordCount;
  for (let i = 0; i < 10; i++) {
    const y = w.exp().retainGrad();
    const sum = y.sum();
    sum.backward(null, { createGraph: true });
    sum.dispose();
    y.dispose();
    w.grad = null;
  }
  expect(engine().memoryUse().recordCount).toBe(before);
});

test('averaged weights follow slowly, can be tried out, and come back from their state', () => {
  const model = nn.linear(1, 1, { bias: false });
  nn.init.constant(model.weight, { value: 1 });
  const ema = nn.ema(model, { decay: 0.5, warmUp: false });
  nn.init.constant(model.weight, { value: 3 });
  ema.update();
  expect(ema.use(() => model.weight.item())).toBe(2);
  expect(model.weight.item()).toBe(3);
  expect(() => ema.use(() => { throw new Error('stop'); })).toThrow('stop');
  expect(model.weight.item()).toBe(3);
  const saved = ema.stateDict();
  ema.update();
  expect(ema.use(() => model.weight.item())).toBe(2.5);
  ema.loadStateDict(saved);
  ema.copyTo();
  expect([model.weight.item(), ema.updates]).toEqual([2, 1]);
  expect(() => nn.ema(model, { decay: 1 })).toThrow('nn.ema: `decay` must be from 0 to below 1, got number 1');
});

test('split, chunk and unbind give views along an axis', () => {
  const x = arange(10).reshape(2, 5);
  const lists = (parts: Tensor[]) => parts.map((part) => part.toArray());
  expect(lists(x.split(2, 1))).toEqual([[[0, 1], [5, 6]], [[2, 3], [7, 8]], [[4], [9]]]);
  expect(lists(x.split([1, 4], 1))).toEqual([[[0], [5]], [[1, 2, 3, 4], [6, 7, 8, 9]]]);
  expect(x.chunk(3, 1).map((part) => part.shape)).toEqual([[2, 2], [2, 2], [2, 1]]);
  expect(lists(x.unbind())).toEqual([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]);
  const [q, r] = tensor([[3, 1], [4, 2]]).qr();
  expect([...q.matmul(r).values()].map((value) => Math.round(value * 1e5) / 1e5)).toEqual([3, 1, 4, 2]);
  expect(() => x.split([1, 1], 1)).toThrow('split: needs a size from 1 on, or sizes that add up to the 5 of axis 1, got an array of 2 for shape [2, 5]');
});
