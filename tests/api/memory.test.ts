import './start.ts';
import { world } from './start.ts';
import { afterEach, expect, test } from 'vitest';
import { StateError } from '../../engine/api/error.ts';
import { beginRun, endRun, memoryUse } from '../../engine/api/host.ts';
import { data, nn, noGrad, ones, optim, randn, stack, type Tensor, tensor, zeros } from '../../engine/api/index.ts';
import { limits, waiting } from '../../engine/api/scope.ts';

const usual = { ...limits };
afterEach(() => {
  Object.assign(limits, usual);
  world.roots = [];
  endRun([]);
});

const model = () => nn.sequential(nn.linear(20, 64), nn.relu(), nn.dropout(0.1), nn.linear(64, 5));
const STEPS = 5000;
const MB = 2 ** 20;

interface Use {
  readonly bytes: number;
  readonly handles: number;
}

/**
 * Finds how the peaks of memory grew from the first fifth of a loop to its end. The queue fills and is half emptied again
 * and again, up to 1,500 small handles; a single early reading would hit that saw at a chance place.
 */
class Peaks {
  #early: Use = { bytes: 0, handles: 0 };
  #late: Use = { bytes: 0, handles: 0 };

  read(step: number): void {
    if (step % 10 !== 0) return;
    const now = memoryUse();
    const higher = (peak: Use): Use => ({ bytes: Math.max(peak.bytes, now.liveBytes), handles: Math.max(peak.handles, now.handleCount) });
    if (step <= STEPS / 5) this.#early = higher(this.#early);
    else this.#late = higher(this.#late);
  }

  growth(): Use {
    return { bytes: this.#late.bytes - this.#early.bytes, handles: this.#late.handles - this.#early.handles };
  }
}

/** Runs `step` 5000 times and returns how the peaks of bytes and handles grew. */
async function growth<Item>(steps: AsyncIterable<Item>, step: (item: Item) => void): Promise<Use> {
  const peaks = new Peaks();
  let count = 0;
  for await (const item of steps) {
    step(item);
    peaks.read(++count);
  }
  expect(count).toBe(STEPS);
  return peaks.growth();
}

// In a loop without await no finalizer runs at all: the queue alone keeps the memory flat.
function syncGrowth(step: () => void): Use {
  const peaks = new Peaks();
  for (let count = 1; count <= STEPS; count++) {
    step();
    peaks.read(count);
  }
  return peaks.growth();
}

test('a for await loop over batches keeps the memory flat over 5000 steps', async () => {
  Object.assign(limits, { bytes: MB, smallCount: 500 });
  const examples = data.fromArrays(randn(500, 20), randn(500, 5));
  const net = model();
  const optimizer = optim.adam(net, { lr: 1e-3 });
  const grown = await growth(take(examples.batches(32, { epochs: 1000, shuffle: true }), STEPS), ([x, y]) => {
    const loss = nn.mse(net(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
  });
  expect(grown.bytes).toBeLessThan(1.5 * MB);
  expect(grown.handles).toBeLessThan(1200);
});

async function* take<Item>(items: AsyncIterable<Item>, count: number): AsyncGenerator<Item> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    if (++taken === count) return;
  }
}

test('a plain for loop with an optimizer keeps the memory flat over 5000 steps', () => {
  Object.assign(limits, { bytes: MB, smallCount: 500 });
  const net = model();
  const optimizer = optim.sgd(net, { lr: 1e-3 });
  const target = randn(32, 5);
  const grown = syncGrowth(() => {
    const x = randn(32, 20);
    const loss = nn.mse(net(x), target);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
  });
  expect(grown.bytes).toBeLessThan(1.5 * MB);
  expect(grown.handles).toBeLessThan(1200);
  expect(target.shape).toEqual([32, 5]);
});

test('a plain for loop that changes parameters by hand keeps the memory flat over 5000 steps', () => {
  Object.assign(limits, { bytes: MB, smallCount: 500 });
  const x = randn(100, 20);
  const y = randn(100, 1);
  let w = zeros(20, 1).requiresGrad_();
  const grown = syncGrowth(() => {
    const loss = x.matmul(w).sub(y).square().mean();
    loss.backward();
    w = noGrad(() => w.sub((w.grad as Tensor).mul(0.01))).requiresGrad_();
  });
  expect(grown.bytes).toBeLessThan(1.5 * MB);
  expect(grown.handles).toBeLessThan(1200);
  expect(w.shape).toEqual([20, 1]);
});

test('an optimizer without backward() ends rounds too', () => {
  Object.assign(limits, { bytes: MB, smallCount: 500 });
  const w = zeros(1000).requiresGrad_();
  const optimizer = optim.sgd([w], { lr: 1e-3 });
  const grown = syncGrowth(() => {
    w.grad = randn(1000).mul(0.1);
    optimizer.step();
  });
  expect(grown.bytes).toBeLessThan(1.5 * MB);
});

test('a loop that only evaluates keeps the memory flat', () => {
  Object.assign(limits, { bytes: MB, smallCount: 500 });
  const net = model().eval();
  const examples = data.fromArrays(randn(5000, 20), randn(5000, 5));
  let early = 0;
  for (const [x, y] of examples.batches(2, { epochs: 2 })) {
    noGrad(() => nn.mse(net(x), y));
    early ||= memoryUse().handleCount;
  }
  expect(memoryUse().handleCount - early).toBeLessThan(1200);
});

test('what was made before a loop is never let go of, though the loop needs memory', () => {
  Object.assign(limits, { bytes: MB / 4, smallCount: 100 });
  const before = randn(100, 20);
  const net = model();
  const optimizer = optim.sgd(net, { lr: 1e-3 });
  for (let i = 0; i < 200; i++) {
    const loss = net(randn(32, 20)).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
  }
  expect(before.sum().shape).toEqual([]);
});

test('a list of losses stays usable', () => {
  Object.assign(limits, { bytes: MB / 4 });
  const net = model();
  const optimizer = optim.sgd(net, { lr: 1e-3 });
  const losses: Tensor[] = [];
  for (let i = 0; i < 500; i++) {
    const loss = net(randn(32, 20)).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    losses.push(loss);
  }
  expect(stack(losses).shape).toEqual([500]);
});

/** Ten rounds of a loop, each with a tensor of 400 kB that goes into `hold`. */
function rounds(hold: (made: Tensor, round: number) => void): void {
  const w = ones(1, { requiresGrad: true });
  const optimizer = optim.sgd([w], { lr: 0.1 });
  for (let i = 0; i < 10; i++) {
    optimizer.zeroGrad();
    w.sum().backward();
    optimizer.step();
    hold(randn(100_000), i);
  }
}

test('a tensor of an earlier round that was let go of says how to keep it, and never gives a wrong value', () => {
  Object.assign(limits, { bytes: MB });
  const held: Tensor[] = [];
  rounds((made) => held.push(made));
  expect(() => held[1]?.add(1)).toThrow(StateError);
  expect(() => held[1]?.add(1)).toThrow(
    'add: the tensor of shape [100000] that randn made is from an earlier round of a training loop and was let go of to keep the memory flat. To hold on to a tensor, call keep() on it when you make it: const h = x.randn(...).keep(). For a number, use item().',
  );
  expect(held[9]?.add(1).shape).toEqual([100_000]);
});

test('keep() holds a tensor over all rounds', () => {
  Object.assign(limits, { bytes: MB });
  const held: Tensor[] = [];
  rounds((made) => held.push(made.keep()));
  expect(held.map((made) => made.shape)).toEqual(new Array(10).fill([100_000]));
  expect(held[0]?.add(1).shape).toEqual([100_000]);
});

test('variables of the notebook hold tensors, also inside of lists, maps and objects', () => {
  Object.assign(limits, { bytes: MB });
  const variables = { list: [] as Tensor[], deep: { map: new Map<number, { x: Tensor }>() } };
  world.roots = [variables];
  rounds((made, i) => (i % 2 === 0 ? variables.list.push(made) : variables.deep.map.set(i, { x: made })));
  for (const made of [...variables.list, ...[...variables.deep.map.values()].map(({ x }) => x)])
    expect(made.add(1).shape).toEqual([100_000]);
});

test('a tensor that is used in every round stays, wherever it was made', () => {
  Object.assign(limits, { bytes: MB / 4 });
  let average: Tensor | undefined;
  rounds((made) => {
    average = average ? noGrad(() => (average as Tensor).mul(0.9).add(made.mul(0.1))) : made;
  });
  expect(average?.shape).toEqual([100_000]);
});

test('layers let go of what lies between them, and functions among them keep what they saw', () => {
  const seen: Tensor[] = [];
  const net = nn.sequential(
    nn.linear(4, 3),
    nn.relu(),
    (x: Tensor) => {
      seen.push(x);
      return x;
    },
    nn.linear(3, 2),
    nn.sigmoid(),
  );
  net(ones(1, 4)).sum().backward();
  expect(seen[0]?.shape).toEqual([1, 3]);
  const before = memoryUse().handleCount;
  const deep = nn.sequential(...Array.from({ length: 10 }, () => nn.relu()));
  const result = deep(ones(2));
  expect(memoryUse().handleCount - before).toBe(2);
  expect(result.toArray()).toEqual([1, 1]);
});

test.each([
  { name: 'lstm', layer: () => nn.lstm(3, 4), results: 3 },
  { name: 'gru of two layers and directions', layer: () => nn.gru(3, 4, { layers: 2, bidirectional: true, batchFirst: true, dropout: 0.5 }), results: 2 },
  { name: 'rnn', layer: () => nn.rnn(3, 4, { batchFirst: true }), results: 2 },
  { name: 'multihead attention', layer: () => nn.multiheadAttention(3, 3), results: 1 },
])('$name lets go of all but its results, and has its gradients', ({ layer, results }) => {
  const [model, x] = [layer(), randn(2, 5, 3)] as [nn.Module<[Tensor], Tensor | [Tensor, unknown]>, Tensor];
  x.requiresGrad = true;
  const before = memoryUse().handleCount;
  const result = model(x);
  expect(memoryUse().handleCount - before).toBe(results);
  const output = Array.isArray(result) ? result[0] : result;
  output.sum().backward();
  for (const tensor of [x, ...model.parameters()]) expect(tensor.grad?.isfinite().all().item()).toBe(1);
  expect(x.grad?.abs().sum().item()).toBeGreaterThan(0);
});

test('layers keep a state that is given to them', () => {
  const model = nn.lstm(3, 4);
  const [h, c] = [zeros(1, 2, 4), zeros(1, 2, 4)];
  model(randn(5, 2, 3), [h, c]);
  expect([h.shape, c.shape]).toEqual([[1, 2, 4], [1, 2, 4]]);
});

test('running a cell a thousand times does not grow the memory', () => {
  Object.assign(limits, { bytes: MB, smallCount: 200 });
  const scope: Record<string, unknown> = {};
  world.roots = [scope];
  let early = 0;
  for (let i = 0; i < 1000; i++) {
    beginRun('cell');
    scope.x = randn(1000).mul(2).add(1);
    endRun([scope.x]);
    if (i === 500) early = memoryUse().liveBytes;
  }
  expect(memoryUse().liveBytes - early).toBeLessThan(1.5 * MB);
  expect((scope.x as Tensor).add(1).shape).toEqual([1000]);
});

test('an error in the middle of a round leaves nothing behind', () => {
  Object.assign(limits, { bytes: MB / 4, smallCount: 100 });
  const net = model();
  const examples = data.fromArrays(randn(64, 20), randn(64, 4));
  const attempt = () => {
    for (const [x, y] of examples.batches(32)) nn.mse(net(x), y).backward();
  };
  for (let i = 0; i < 200; i++) expect(attempt).toThrow(/same shape/);
  const early = memoryUse();
  for (let i = 0; i < 200; i++) expect(attempt).toThrow(/same shape/);
  expect(memoryUse().liveBytes - early.liveBytes).toBeLessThan(MB / 2);
  expect(waiting().bytes).toBeLessThan(MB / 2);
});

test('a disposed tensor gives its memory back at once', () => {
  const before = memoryUse().liveBytes;
  const x = tensor(new Float32Array(1000));
  expect(memoryUse().liveBytes - before).toBeGreaterThanOrEqual(4000);
  x.dispose();
  expect(memoryUse().liveBytes).toBe(before);
});
