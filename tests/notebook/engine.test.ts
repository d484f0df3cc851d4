// Cells that use the engine: displays of tensors, metrics, NaN, errors with places, Stop in training loops.
// Needs the engine in build/engine (npm run build).
import { setTimeout } from 'node:timers';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as engineHost from '../../engine/api/host.ts';
import * as api from '../../engine/api/index.ts';
import { startNodeEngine } from '../../engine/api/node.ts';
import type { EngineLink } from '../../notebook/kernel/engine.ts';
import type { DisplayData, Events } from '../../notebook/protocol/messages.ts';
import { type Kernel, openKernel } from './cells.ts';

let engine: EngineLink;
let kernel: Kernel;
beforeAll(async () => {
  engine = { ...engineHost, globals: api, info: await startNodeEngine() };
});
afterEach(() => kernel.end());

/** Runs one cell in a new kernel and gives what it displayed. */
async function displaysOf(source: string): Promise<DisplayData[]> {
  kernel = openKernel(engine);
  expect(await kernel.run('a', source)).not.toHaveProperty('error');
  return kernel.events.flatMap((event) => (event.type === 'display' ? [event.data] : []));
}

const metricsOf = (runId: number) => kernel.events.filter((event): event is { type: 'metrics' } & Events['metrics'] => event.type === 'metrics' && event.runId === runId);

describe('displays', () => {
  test('a tensor shows shape, dtype, aligned values and their range', async () => {
    expect(await displaysOf('tensor([[1.5, -2], [0.25, 10]])')).toEqual([
      {
        kind: 'tensor',
        shape: [2, 2],
        dtype: 'float32',
        requiresGrad: false,
        text: '[[ 1.5000, -2.0000],\n [ 0.2500, 10.0000]]',
        range: { min: -2, max: 10, mean: 2.4375 },
        nonFinite: 0,
      },
    ]);
  });

  for (const [source, text] of [
    ['tensor(3)', '3.'],
    ['tensor([1, 2, 300], { dtype: "int32" })', '[  1,   2, 300]'],
    ['tensor([true, false])', '[true, false]'],
    ['tensor([NaN, Infinity, 1])', '[nan, inf,  1.]'],
    ['tensor([1e-8, 1])', '[1.0000e-8, 1.0000e+0]'],
    ['zeros([0])', '[]'],
    ['arange(2000)', '[   0.,    1.,    2., ..., 1997., 1998., 1999.]'],
  ] as const) {
    test(`${source} is written as ${text}`, async () => {
      expect((await displaysOf(source)).map((data) => 'text' in data && data.text)).toEqual([text]);
    });
  }

  test('a batch shown as images is cut to the limit and scaled to bytes', async () => {
    const [data] = await displaysOf("display(tensor([[[0, 0.5]], [[1, 0]], [[1, 1]], [[0, 0]]]), { as: 'image', limit: 2, captions: [7, 8, 9] })");
    expect(data).toEqual({
      kind: 'images', width: 2, height: 1, channels: 1, count: 2, total: 4, captions: ['7', '8'], shape: [4, 1, 2], dtype: 'float32',
      pixels: Uint8Array.of(0, 128, 255, 0),
    });
  });

  test('values outside of 0 to 1 are stretched', async () => {
    const [data] = await displaysOf("display(tensor([[-1, 3]]), { as: 'image' })");
    expect(data?.kind === 'images' && [...data.pixels]).toEqual([0, 255]);
  });

  test('colour planes become pixels', async () => {
    const [data] = await displaysOf("display(tensor([[[1, 0]], [[0, 1]], [[0, 0]]]), { as: 'image' })");
    expect(data?.kind === 'images' && [data.channels, data.count, ...data.pixels]).toEqual([3, 1, 255, 0, 0, 0, 255, 0]);
  });

  test('a tensor that is no image says what was expected', async () => {
    kernel = openKernel(engine);
    expect(await kernel.run('a', "display(tensor([1, 2]), { as: 'image' })")).toEqual({
      error: 'TypeError: display as image: expected shape [H, W], [B, H, W], [B, 1, H, W] or [B, 3, H, W], got [2]',
      at: ['a:1:1'],
    });
  });

  test('a chart takes tensors', async () => {
    const [data] = await displaysOf('plot.line(tensor([0, 1]), tensor([[2], [3]]), { name: "fit" });');
    expect(data?.kind === 'chart' && data.chart.series).toEqual([{ name: 'fit', kind: 'line', x: Float64Array.of(0, 1), y: Float64Array.of(2, 3) }]);
  });
});

describe('metrics', () => {
  test('logged numbers and tensors arrive as columns, with steps from 1', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', 'for (let i = 0; i < 3; i++) log({ loss: tensor(i).mul(2), lr: 0.5 })');
    const events = metricsOf(1);
    expect([events.flatMap(({ steps }) => [...steps]), events.flatMap(({ columns }) => [...(columns[0] ?? [])]), events[0]?.names]).toEqual([[1, 2, 3], [0, 2, 4], ['loss', 'lr']]);
    expect(kernel.events.findLast((event) => event.type === 'reply')).toMatchObject({ state: 'ok', step: 3 });
  });

  test('a run counts its steps from 1 again', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', 'log({ x: 1 }); log({ x: 2 })');
    await kernel.run('a', 'log({ x: 3 })');
    expect(metricsOf(2).flatMap(({ steps }) => [...steps])).toEqual([1]);
  });

  test('the first value that is not a number is told once, and the cell goes on', async () => {
    kernel = openKernel(engine);
    const outcome = await kernel.run('a', 'for (let i = 1; i <= 40; i++) log({ loss: i < 3 ? 1 : NaN, other: i })\n"end"');
    expect(outcome.value).toBe('"end"');
    expect(outcome.printed?.match(/loss became NaN \(not a number\) at step 3\./g)).toHaveLength(1);
  });

  test('a loop that never gives way sends its numbers while it runs', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', 'const end = performance.now() + 200; while (performance.now() < end) log({ x: 1 })');
    expect(metricsOf(1).length).toBeGreaterThan(3);
    expect(metricsOf(1).length).toBeLessThan(16);
  });
});

describe('errors', () => {
  test('shapes that do not fit are an error at the line of the call', async () => {
    kernel = openKernel(engine);
    const outcome = await kernel.run('a', 'const a = zeros([2, 3])\n\na.matmul(zeros([2, 3]))');
    expect(outcome).toEqual({ error: expect.stringMatching(/^ShapeError: matmul: .*\[2, 3\] and \[2, 3\]/), at: ['a:3:3'] });
  });

  test('an engine name cannot be assigned, and can be declared', async () => {
    kernel = openKernel(engine);
    expect(await kernel.run('a', 'zeros = 1')).toMatchObject({ error: expect.stringContaining("Cannot assign to read only property 'zeros'") });
    expect(await kernel.run('b', 'const zeros = 1\nzeros')).toEqual({ value: '1' });
    kernel.session.forget('b');
    expect(await kernel.run('c', 'zeros([2]).shape')).toEqual({ value: '[2]' });
  });
});

const train = `const model = nn.linear(1, 1)
const optimizer = optim.sgd(model.parameters(), { lr: 0.001 })
const points = data.line({ examples: 64 })`;

describe('stop', () => {
  const stopAfter = async (source: string, how: 'message' | 'flag'): Promise<void> => {
    kernel = openKernel(engine);
    await kernel.run('a', train);
    const { runId, outcome } = kernel.begin('b', source);
    setTimeout(() => (how === 'flag' ? Atomics.store(kernel.stopFlag, 0, runId) : kernel.session.interrupt(runId)), 60);
    expect(await outcome).toMatchObject({ stopped: true });
    // The weights are as the loop left them, and training can go on.
    expect(await kernel.run('c', 'Number.isFinite(model.parameters()[0].item())')).toEqual({ value: 'true' });
    expect(await kernel.run('d', 'for await (const [x, y] of points.batches(8)) nn.mse(model(x), y).backward()')).not.toHaveProperty('error');
  };
  const loop = 'for await (const [x, y] of points.batches(8, { epochs: 1e9 })) { optimizer.zeroGrad(); nn.mse(model(x), y).backward(); optimizer.step(); log({ n: 1 }) }';

  for (const how of ['message', 'flag'] as const) {
    test(`a loop over batches ends by ${how}`, () => stopAfter(loop, how));
    test(`fit ends by ${how}`, () => stopAfter('await fit(model, points, { epochs: 1e9, batchSize: 8, optimizer, loss: nn.mse })', how));
  }
});
