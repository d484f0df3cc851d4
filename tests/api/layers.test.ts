import './start.ts';
import { expect, test } from 'vitest';
import { linspace, manualSeed, metrics, nn, noGrad, ones, optim, randn, type Tensor, tensor, zeros } from '../../engine/api/index.ts';

const set = (layer: { loadStateDict(state: Record<string, Tensor>): void }, state: Record<string, unknown>) =>
  layer.loadStateDict(Object.fromEntries(Object.entries(state).map(([name, values]) => [name, tensor(values as number[])])));

test('normalisations give mean 0 and variance 1 over their axes', () => {
  const x = randn(4, 6, 5, 5).mul(3).add(2);
  const centre = (y: Tensor) => [y.mean().item(), y.square().mean().item()];
  for (const result of [
    nn.groupNorm(3, 6)(x).select(0, 1).narrow(0, 2, 2),
    nn.layerNorm([6, 5, 5])(x).select(0, 2),
    nn.batchNorm2d(6)(x).select(1, 3),
  ]) {
    const [mean, square] = centre(result) as [number, number];
    expect(mean).toBeCloseTo(0, 4);
    expect(square).toBeCloseTo(1, 3);
  }
  const rms = nn
    .rmsNorm(4)(tensor([[1, 2, 3, 4]]))
    .toArray() as number[][];
  expect(rms[0]?.[0]).toBeCloseTo(1 / Math.sqrt(7.5), 4);
  expect(() => nn.batchNorm2d(6)(zeros(1, 6, 1, 1))).toThrow(/needs more than one value per channel/);
  expect(() => nn.groupNorm(4, 6)).toThrow('groupNorm: 4 groups must divide 6 channels');
});

test('attention weighs values by how well keys fit, and hides what comes later', () => {
  const layer = nn.multiheadAttention(2, 1);
  set(layer, {
    in_proj_weight: [
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
    ],
    in_proj_bias: [0, 0, 0, 0, 0, 0],
    'out_proj.weight': [
      [1, 0],
      [0, 1],
    ],
    'out_proj.bias': [0, 0],
  });
  const x = tensor([
    [
      [1, 0],
      [0, 1],
    ],
  ]);
  const [first, second] = (layer(x).toArray() as number[][][])[0] as [number[], number[]];
  // Scores of the first place: 1 / sqrt(2) and 0.
  const share = Math.exp(Math.SQRT1_2) / (Math.exp(Math.SQRT1_2) + 1);
  expect(first[0]).toBeCloseTo(share, 5);
  expect(second[1]).toBeCloseTo(share, 5);
  const causal = (layer(x, x, x, { isCausal: true }).toArray() as number[][][])[0] as number[][];
  expect(causal[0]).toEqual([1, 0]);
});

test('a transformer block keeps the shape and learns', () => {
  manualSeed(0);
  const block = nn.transformerEncoderLayer(8, 2, { hidden: 16, dropout: 0, activation: 'gelu', normFirst: true });
  expect(Object.keys(block.stateDict())).toEqual([
    'self_attn.in_proj_weight',
    'self_attn.in_proj_bias',
    'self_attn.out_proj.weight',
    'self_attn.out_proj.bias',
    'linear1.weight',
    'linear1.bias',
    'linear2.weight',
    'linear2.bias',
    'norm1.weight',
    'norm1.bias',
    'norm2.weight',
    'norm2.bias',
  ]);
  const x = randn(3, 5, 8);
  const optimizer = optim.adam(block, { lr: 0.01 });
  const losses: number[] = [];
  for (let i = 0; i < 30; i++) {
    const loss = nn.mse(block(x, { isCausal: true }), x.mul(0.5));
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    losses.push(loss.item());
  }
  expect(losses.at(-1)).toBeLessThan((losses[0] as number) / 3);
});

test('an lstm step gives the numbers that a hand gives', () => {
  const layer = nn.lstm(1, 1);
  set(layer, {
    weight_ih_l0: [[1], [1], [1], [1]],
    weight_hh_l0: [[0], [0], [0], [0]],
    bias_ih_l0: [0, 0, 0, 0],
    bias_hh_l0: [0, 0, 0, 0],
  });
  const sigmoid = 1 / (1 + Math.exp(-1));
  const cell = sigmoid * Math.tanh(1);
  const [output, [h, c]] = layer(ones(1, 1, 1));
  expect(c.item()).toBeCloseTo(cell, 6);
  expect(h.item()).toBeCloseTo(sigmoid * Math.tanh(cell), 6);
  expect(output.item()).toBe(h.item());
});

test.each([
  [
    'rnn',
    nn.rnn(3, 4, { layers: 2 }),
    ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0', 'weight_ih_l1', 'weight_hh_l1', 'bias_ih_l1', 'bias_hh_l1'],
  ],
  ['gru', nn.gru(3, 4, { bias: false }), ['weight_ih_l0', 'weight_hh_l0']],
] as const)('%s goes on from the state it left, and all its weights get gradients', (_, layer, names) => {
  expect(Object.keys(layer.stateDict())).toEqual(names);
  const x = randn(6, 2, 3);
  const [whole, end] = layer(x);
  const [, middle] = layer(x.narrow(0, 0, 4));
  const [rest, resumed] = layer(x.narrow(0, 4, 2), middle);
  expect(whole.shape).toEqual([6, 2, 4]);
  expect([...rest.values()]).toEqual([...whole.narrow(0, 4, 2).values()]);
  expect([...resumed.values()]).toEqual([...end.values()]);
  whole.square().sum().backward();
  for (const [name, weight] of layer.namedParameters()) expect([name, weight.grad?.shape]).toEqual([name, weight.shape]);
});

test('two directions have weights and states of their own; the last output backward is the first step of the sequence', () => {
  const layer = nn.lstm(3, 4, { layers: 2, bidirectional: true, bias: false });
  expect(Object.entries(layer.stateDict()).map(([name, { shape }]) => [name, ...shape])).toEqual([
    ['weight_ih_l0', 16, 3],
    ['weight_hh_l0', 16, 4],
    ['weight_ih_l0_reverse', 16, 3],
    ['weight_hh_l0_reverse', 16, 4],
    ['weight_ih_l1', 16, 8],
    ['weight_hh_l1', 16, 4],
    ['weight_ih_l1_reverse', 16, 8],
    ['weight_hh_l1_reverse', 16, 4],
  ]);
  const [output, [h, c]] = layer(randn(5, 2, 3));
  expect([output.shape, h.shape, c.shape]).toEqual([[5, 2, 8], [4, 2, 4], [4, 2, 4]]);
  expect([...h.select(0, 2).values()]).toEqual([...output.select(0, 4).narrow(1, 0, 4).values()]);
  expect([...h.select(0, 3).values()]).toEqual([...output.select(0, 0).narrow(1, 4, 4).values()]);
  output.sum().backward();
  for (const [name, weight] of layer.namedParameters()) expect([name, weight.grad?.shape]).toEqual([name, weight.shape]);
  expect(() => layer(randn(5, 2, 3), [h.narrow(0, 0, 2), c])).toThrow(
    'lstm(3, 4, { layers: 2, bidirectional: true }): needs a state of shape [4, 2, 4], got [2, 2, 4]',
  );
});

test.each([
  ['rnn', nn.rnn(3, 4), nn.rnnCell(3, 4)],
  ['gru', nn.gru(3, 4), nn.gruCell(3, 4)],
  ['lstm', nn.lstm(3, 4), nn.lstmCell(3, 4)],
] as const)('steps of the cell of %s are those of the layer', (kind, layer, cell) => {
  expect(Object.keys(cell.stateDict())).toEqual(['weight_ih', 'weight_hh', 'bias_ih', 'bias_hh']);
  cell.loadStateDict(Object.fromEntries(Object.entries(layer.stateDict()).map(([name, weight]) => [name.replace('_l0', ''), weight])));
  const x = randn(5, 2, 3);
  const [output] = layer(x);
  const step = cell as nn.Module<[x: Tensor, state?: unknown], unknown>;
  let state: unknown;
  for (let t = 0; t < 5; t++) {
    state = step(x.select(0, t), state);
    const h = (kind === 'lstm' ? (state as Tensor[])[0] : state) as Tensor;
    expect([...h.values()]).toEqual([...output.select(0, t).values()]);
  }
  expect(() => step(x)).toThrow(`${kind}Cell(3, 4): needs inputs of shape [batch, 3], got [5, 2, 3]: a cell takes one step at a time, x.select(0, t)`);
  expect(() => step(x.select(0, 0), kind === 'lstm' ? [zeros(2, 3), zeros(2, 3)] : zeros(2, 3))).toThrow('needs a state of shape [2, 4], got [2, 3]');
});

test('a recurrent layer drops outputs between its layers, while it trains only', () => {
  manualSeed(3);
  const layer = nn.gru(3, 4, { layers: 2, dropout: 0.5 });
  const x = randn(5, 2, 3);
  expect([...layer(x)[0].values()]).not.toEqual([...layer(x)[0].values()]);
  layer.eval();
  expect([...layer(x)[0].values()]).toEqual([...layer(x)[0].values()]);
  expect(() => nn.gru(3, 4, { dropout: 1 })).toThrow('gru: dropout must be from 0 up to, but not, 1, got 1');
});

test('batchFirst swaps the first two axes', () => {
  const layer = nn.gru(3, 4, { batchFirst: true });
  expect(layer(randn(2, 6, 3))[0].shape).toEqual([2, 6, 4]);
  expect(() => layer(randn(2, 6, 4))).toThrow('gru(3, 4): needs inputs of shape [batch, length, 3], got [2, 6, 4]');
});

test('initializers of the table fill parameters', () => {
  manualSeed(0);
  const layer = nn.linear(100, 100);
  nn.init.kaimingNormal(layer.weight, { nonlinearity: 'relu' });
  const spread = Math.sqrt(layer.weight.square().mean().item());
  expect(spread).toBeCloseTo(Math.sqrt(2 / 100), 2);
  expect(nn.init.constant(layer.weight, { value: 3 }).mean().item()).toBe(3);
  expect(() => nn.init.constant(layer.weight, { valeu: 3 } as never)).toThrow('constant: unknown option "valeu"; did you mean value?');
});

const rates = (make: (optimizer: ReturnType<typeof optim.sgd>) => { step(): void; lr: number }, steps: number) => {
  const optimizer = optim.sgd([ones(1, { requiresGrad: true })], { lr: 1 });
  const scheduler = make(optimizer);
  return Array.from({ length: steps }, () => {
    const rate = optimizer.lr;
    scheduler.step();
    return Number(rate.toPrecision(6));
  });
};

test('schedulers follow their formulas', () => {
  expect(rates((o) => optim.stepLR(o, { stepSize: 2, gamma: 0.5 }), 5)).toEqual([1, 1, 0.5, 0.5, 0.25]);
  expect(rates((o) => optim.multiStepLR(o, { milestones: [1, 3] }), 4)).toEqual([1, 0.1, 0.1, 0.01]);
  expect(rates((o) => optim.exponentialLR(o, { gamma: 0.5 }), 3)).toEqual([1, 0.5, 0.25]);
  expect(rates((o) => optim.cosineAnnealingLR(o, { tMax: 4 }), 5)).toEqual([1, 0.853553, 0.5, 0.146447, 0]);
  expect(rates((o) => optim.linearLR(o, { startFactor: 0.5, totalIters: 2 }), 4)).toEqual([0.5, 0.75, 1, 1]);
  expect(rates((o) => optim.lambdaLR(o, (step) => 1 / (step + 1)), 3)).toEqual([1, 0.5, 0.333333]);
  const oneCycle = rates((o) => optim.oneCycleLR(o, { maxLr: 1, totalSteps: 10 }), 10);
  expect([oneCycle[0], Math.max(...oneCycle), oneCycle.indexOf(1), oneCycle[9]]).toEqual([0.04, 1, 2, 0.000004]);
  const warm = rates(
    (o) => optim.sequentialLR(o, [optim.linearLR(o, { startFactor: 0.1, totalIters: 3 }), optim.cosineAnnealingLR(o, { tMax: 2 })], [3]),
    6,
  );
  expect(warm).toEqual([0.1, 0.4, 0.7, 1, 0.5, 0]);
  expect(() => optim.stepLR(optim.sgd([ones(1, { requiresGrad: true })]), { stepsize: 1 } as never)).toThrow(
    'optim.stepLR: unknown option "stepsize"; did you mean stepSize?',
  );
});

test('reduceLROnPlateau waits, lowers the rate, and resumes', () => {
  const optimizer = optim.sgd([ones(1, { requiresGrad: true })], { lr: 1 });
  const scheduler = optim.reduceLROnPlateau(optimizer, { patience: 1, factor: 0.5 });
  const seen = [5, 4, 4, 4, 4, 3].map((metric) => {
    scheduler.step(metric);
    return optimizer.lr;
  });
  expect(seen).toEqual([1, 1, 1, 0.5, 0.5, 0.5]);
  const other = optim.reduceLROnPlateau(optim.sgd([ones(1, { requiresGrad: true })], { lr: 1 }), { patience: 1, factor: 0.5 });
  other.loadStateDict(scheduler.stateDict());
  expect(other.lr).toBe(0.5);
});

test('metrics count what a hand counts', () => {
  const logits = tensor([
    [3, 1, 0],
    [0, 2, 1],
    [0, 3, 1],
    [1, 0, 5],
  ]);
  const target = tensor([0, 1, 2, 2], { dtype: 'int32' });
  expect(metrics.confusionMatrix(logits, target).toArray()).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 1, 1],
  ]);
  const report = metrics.classReport(logits, target);
  expect(report.precision).toEqual([1, 0.5, 1]);
  expect(report.recall).toEqual([1, 1, 0.5]);
  expect(report.accuracy).toBe(0.75);
  expect(metrics.topKAccuracy(logits, target, 2)).toBe(1);
  expect(metrics.r2(tensor([1, 2, 3]), tensor([1, 2, 3]))).toBe(1);
  expect(metrics.r2(tensor([2, 2, 2]), tensor([1, 2, 3]))).toBe(0);
  expect(() => metrics.confusionMatrix(logits, target, 2)).toThrow(/example 2 has target 2/);
});

test('a bowl is found under a warm-up and a cosine', () => {
  const x = linspace(-1, 1, 20).reshape(20, 1);
  const layer = nn.linear(1, 1);
  const optimizer = optim.sgd(layer, { lr: 0.3 });
  const scheduler = optim.cosineAnnealingLR(optimizer, { tMax: 100 });
  for (let i = 0; i < 100; i++) {
    optimizer.zeroGrad();
    nn.mse(layer(x), x.mul(2).add(1)).backward();
    optimizer.step();
    scheduler.step();
  }
  expect(noGrad(() => nn.mse(layer(x), x.mul(2).add(1))).item()).toBeLessThan(1e-4);
});

test('layers that change sizes give the shapes of PyTorch', () => {
  const image = randn(2, 4, 8, 8);
  const sequence = randn(2, 4, 9);
  const shapes = [
    nn.conv1d(4, 3, 3, { stride: 2 })(sequence),
    nn.conv3d(1, 2, [1, 2, 2])(randn(1, 1, 3, 4, 4)),
    nn.convTranspose2d(4, 2, 3, { stride: 2, padding: 1, outputPadding: 1 })(image),
    nn.convTranspose1d(4, 2, 2, { stride: 2 })(sequence),
    nn.conv2d(4, 8, 3, { groups: 4, padding: 'same' })(image),
    nn.maxPool1d(3)(sequence),
    nn.adaptiveAvgPool2d(1)(image),
    nn.adaptiveMaxPool2d([2, 4])(image),
    nn.adaptiveAvgPool1d(2)(sequence),
    nn.adaptiveMaxPool1d(3)(sequence),
    nn.upsample(2)(image),
    nn.upsample(2, { mode: 'bilinear' })(image),
  ].map(({ shape }) => shape);
  expect(shapes).toEqual([
    [2, 3, 4],
    [1, 2, 3, 3, 3],
    [2, 2, 16, 16],
    [2, 2, 18],
    [2, 8, 8, 8],
    [2, 4, 3],
    [2, 4, 1, 1],
    [2, 4, 2, 4],
    [2, 4, 2],
    [2, 4, 3],
    [2, 4, 16, 16],
    [2, 4, 16, 16],
  ]);
  expect(nn.convTranspose2d(4, 2, 3).weight.shape).toEqual([4, 2, 3, 3]);
  expect(String(nn.conv2d(4, 8, [3, 1], { groups: 2 }))).toBe('conv2d(4, 8, [3, 1], { groups: 2 })');
  expect(() => nn.conv1d(4, 3, 3)(randn(2, 9, 4))).toThrow(
    'conv1d(4, 3, 3): needs inputs of shape [batch, 4, length], got [2, 9, 4]: channels come second, x.permute(0, 2, 1)',
  );
  expect(() => nn.conv2d(4, 4, 2, { padding: 'same' })).toThrow("conv2d: padding 'same' needs an odd filter size");
});

test('every activation is the op of its name', () => {
  const x = linspace(-3, 3, 7);
  const layers = [
    nn.relu(),
    nn.elu(0.5),
    nn.gelu('tanh'),
    nn.mish(),
    nn.hardswish(),
    nn.selu(),
    nn.celu(),
    nn.softsign(),
    nn.logSigmoid(),
    nn.hardtanh(-2, 2),
    nn.relu6(),
    nn.hardsigmoid(),
    nn.softmax(0),
  ];
  expect(layers.map((layer) => [...layer(x).values()])).toEqual(
    [
      x.relu(),
      x.elu(0.5),
      x.gelu('tanh'),
      x.mish(),
      x.hardswish(),
      x.selu(),
      x.celu(),
      x.softsign(),
      x.logSigmoid(),
      x.hardtanh(-2, 2),
      x.relu6(),
      x.hardsigmoid(),
      x.softmax(0),
    ].map((y) => [...y.values()]),
  );
  expect([...nn.prelu()(x).values()]).toEqual([-0.75, -0.5, -0.25, 0, 1, 2, 3]);
  const dropped = nn.dropout2d(0.5)(ones(8, 8, 2, 2));
  expect(new Set(dropped.sum([2, 3]).values())).toEqual(new Set([0, 8]));
});
