import './start.ts';
import { expect, test } from 'vitest';
import { engine } from '../../engine/api/engine.ts';
import { manualSeed, nn, ones, optim, type Tensor, tensor } from '../../engine/api/index.ts';
import type { Optimizer } from '../../engine/api/optim.ts';

const make = (name: string, params: Tensor[], settings = {}): Optimizer =>
  (optim as unknown as Record<string, (params: Tensor[], settings: object) => Optimizer>)[name]?.(params, settings) as Optimizer;

test('sgd with momentum does the steps that a hand does', () => {
  const w = tensor([1], { requiresGrad: true });
  const optimizer = optim.sgd([w], { lr: 0.1, momentum: 0.9 });
  // gradient of w^2 is 2 w. Step 1: v = 2, w = 0.8. Step 2: v = 0.9 * 2 + 1.6 = 3.4, w = 0.46.
  for (const expected of [0.8, 0.46]) {
    optimizer.zeroGrad();
    w.square().sum().backward();
    optimizer.step();
    expect(w.item()).toBeCloseTo(expected, 6);
  }
});

test('the first step of adam is as long as its learning rate', () => {
  const w = tensor([1, -5], { requiresGrad: true });
  const optimizer = optim.adam([w], { lr: 0.01 });
  w.mul(tensor([3, 1000]))
    .sum()
    .backward();
  optimizer.step();
  expect((w.toArray() as number[])[0]).toBeCloseTo(0.99, 6);
  expect((w.toArray() as number[])[1]).toBeCloseTo(-5.01, 5);
});

test.each(engine().description.optimizers.map((row) => row.name))(
  '%s goes down a bowl, and saved and resumed it equals not having stopped',
  (name) => {
    manualSeed(0);
    const start = [3, -2, 1, 0.5];
    const target = tensor([
      [0.5, 1],
      [-1, 2],
    ]);
    const train = (w: Tensor, optimizer: Optimizer, steps: number): number => {
      let loss = Number.NaN;
      for (let i = 0; i < steps; i++) {
        const distance = nn.mse(w, target);
        optimizer.zeroGrad();
        distance.backward();
        optimizer.step();
        loss = distance.item();
      }
      return loss;
    };
    const settings = { lr: name === 'adadelta' ? 1 : 0.01 };
    const leaf = () => tensor([start.slice(0, 2), start.slice(2)], { requiresGrad: true });

    const whole = leaf();
    const first = train(whole, make(name, [whole], settings), 1);
    const straight = leaf();
    const loss = train(straight, make(name, [straight], settings), 40);
    expect(loss).toBeLessThan(first);

    const half = leaf();
    const optimizer = make(name, [half], settings);
    train(half, optimizer, 20);
    const resumed = leaf();
    resumed.copy_(half);
    const other = make(name, [resumed], {});
    other.loadStateDict(optimizer.stateDict());
    train(resumed, other, 20);
    expect([...resumed.values()]).toEqual([...straight.values()]);
  },
);

test('the learning rate can change while a loop runs; groups have settings of their own', () => {
  const [a, b] = [ones(1, { requiresGrad: true }), ones(1, { requiresGrad: true })];
  const optimizer = optim.sgd([{ params: [a] }, { params: [b], lr: 1 }], { lr: 0.5 });
  a.add(b).sum().backward();
  optimizer.step();
  expect([a.item(), b.item(), optimizer.groupCount]).toEqual([0.5, 0, 2]);
  optimizer.lr = 0.25;
  optimizer.step();
  expect([a.item(), b.item(), optimizer.lr]).toEqual([0.25, -0.25, 0.25]);
  expect(optim.adam([a]).get('betas')).toEqual([0.9, 0.999]);
  expect(() => optimizer.set('momentun', 1)).toThrow('optim.sgd: there is no setting "momentun"; did you mean momentum?');
});

test('gradients are clipped to a common norm', () => {
  const w = tensor([3, 4], { requiresGrad: true });
  w.square().sum().backward();
  expect(optim.clipGradNorm([w], 1).item()).toBeCloseTo(10, 5);
  expect((w.grad as Tensor).square().sum().item()).toBeCloseTo(1, 4);
  optim.clipGradValue([w], 0.7);
  expect(Math.max(...(w.grad as Tensor).values())).toBeCloseTo(0.7, 6);
});

test('a model or a list of layers can be given in place of parameters', () => {
  const layers = [nn.linear(1, 2), nn.linear(2, 1)];
  expect(optim.sgd(layers, { lr: 1 }).parameters()).toHaveLength(4);
  expect(optim.sgd(nn.sequential(...layers)).parameters()).toHaveLength(4);
});
