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

test('a value that refuses every question does not disturb the search for tensors that are still held', async () => {
  kernel = openKernel(engine);
  await kernel.run('a', "const no = () => { throw 'no' }\nconst held = { shy: new Proxy({}, { get: no, has: no, ownKeys: no, getPrototypeOf: no, getOwnPropertyDescriptor: no }), ones: ones([1024, 1024]) }");
  for (let i = 0; i < 20; i++) expect(await kernel.run('b', 'Number.isFinite(randn([1024, 1024]).sum().item())')).toEqual({ value: 'true' });
  expect(await kernel.run('c', 'held.ones.sum().item()')).toEqual({ value: '1048576' });
  await kernel.run('d', 'const { shy } = held');
  await kernel.session.summarize({ type: 'summarize', token: 1, cellId: 'd', names: ['shy'], isDetailed: true } as never);
  expect(kernel.events.at(-1)).toMatchObject({ type: 'summaries', values: [{ name: 'shy', text: '[cannot be shown]', tensor: null }] });
});

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
  test('a loop that logs as fast as it can loses nothing, however long numbers may wait', async () => {
    kernel = openKernel(engine);
    const { runId, outcome } = kernel.begin('a', 'for (let i = 1; i <= 200_000; i++) log({ a: i, b: -i, c: i });');
    expect(await outcome).toEqual({});
    const rows = metricsOf(runId);
    expect(rows.reduce((sum, { steps }) => sum + steps.length, 0)).toBe(200_000);
    expect(rows.flatMap(({ steps }) => [...steps]).every((step, i) => step === i + 1)).toBe(true);
    expect(rows.every(({ names }) => names.length === 3)).toBe(true);
  });

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

  test('a loss that breaks ends the training at the line of the operation that broke it', async () => {
    kernel = openKernel(engine);
    const outcome = await kernel.run('a', [
      'const set = data.fromArrays(randn(40, 4), randn(40, 1));',
      'const model = nn.linear(4, 1);',
      'const optimizer = optim.sgd(model, { lr: 0.1 });',
      'for await (const [x, y] of set.batches(8, { epochs: 50 })) {',
      '  const loss = model(x)',
      '    .sub(y).abs().sub(1).sqrt().mean();',
      '  optimizer.zeroGrad();',
      '  loss.backward();',
      '  optimizer.step();',
      '  log({ loss });',
      '}',
    ].join('\n'));
    expect(outcome.error).toMatch(/sqrt: gave NaN at \[\d, 0\]/);
    expect(outcome.at).toEqual(['a:6:26']);
    const error = kernel.events.findLast((event) => event.type === 'error') as { hint: string };
    expect(error.hint).toMatch(/^loss became NaN \(not a number\) at step 1, so training has stopped\. Its last step was done again in checked mode/);
    expect((await kernel.run('b', 'log({ loss: tensor([NaN]) }, { keepGoing: true }); 1')).value).toBe('1');
  });

  test('a loop that never gives way sends its numbers while it runs', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', 'const end = performance.now() + 200; while (performance.now() < end) log({ x: 1 })');
    expect(metricsOf(1).length).toBeGreaterThan(3);
    // With each frame at most, or with each 16,384 numbers where they come faster.
    const rows = metricsOf(1).reduce((sum, { steps }) => sum + steps.length, 0);
    expect(metricsOf(1).length).toBeLessThan(16 + rows / 16_384);
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

test('the module gradbook gives the names that cells have anyway', async () => {
  kernel = openKernel(engine);
  expect(await kernel.run('a', "import { nn as layers, Tensor } from 'gradbook'\n[layers === nn, ones([1]) instanceof Tensor]")).toEqual({ value: '[true, true]' });
});

describe('a training that is held', () => {
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const pausesOf = () => kernel.events.flatMap((event) => (event.type === 'paused' ? [{ isPaused: event.isPaused, step: event.step }] : []));
  const TRAIN =
    'const set = data.fromArrays(randn([64, 4]), randn([64, 1]))\nconst model = nn.linear(4, 1)\nconst optimizer = optim.sgd(model.parameters(), { lr: 0.01 })\n' +
    'let count = 0\nfor await (const [x, y] of set.batches(8, { epochs: Infinity })) { optimizer.zeroGrad(); const loss = nn.mse(model(x), y); loss.backward(); optimizer.step(); count++; log({ loss }); }';

  test('stands still, does single steps, goes on, and keeps its weights when it is stopped', async () => {
    kernel = openKernel(engine);
    const { runId, outcome } = kernel.begin('a', TRAIN);
    await until(() => metricsOf(runId).length > 0);
    kernel.session.pause({ runId, mode: 'on' });
    await until(() => pausesOf().length === 1);
    const at = pausesOf()[0]?.step as number;
    for (let i = 1; i <= 3; i++) {
      kernel.session.pause({ runId, mode: 'step' });
      await until(() => pausesOf().length === 1 + 2 * i);
      expect(pausesOf().at(-1)).toEqual({ isPaused: true, step: at + i });
    }
    kernel.session.pause({ runId, mode: 'off' });
    await until(() => (metricsOf(runId).at(-1)?.steps.at(-1) ?? 0) > at + 5);
    kernel.session.pause({ runId, mode: 'on' });
    await until(() => pausesOf().at(-1)?.isPaused === true);
    kernel.session.interrupt(runId);
    expect(await outcome).toEqual({ stopped: true });
    expect(await kernel.run('b', 'count > 5 && Number.isFinite(model.parameters()[0]!.sum().item())')).toEqual({ value: 'true' });
  });

  test('leaves its weights, which a model of the same name takes over in another kernel', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', TRAIN.replace('Infinity', '2'));
    await kernel.run('b', "const mine = model.parameters().map((p) => [...p.values()].join()).join(';'); mine");
    const [checkpoint] = kernel.events.filter((event) => event.type === 'checkpoint');
    expect(checkpoint).toMatchObject({ cellId: 'a', name: 'model', step: 16 });
    const weights = kernel.events.flatMap((event) => (event.type === 'display' && event.data.kind === 'value' ? [event.data.value.text] : [])).at(-1);
    kernel.end();
    kernel = openKernel(engine);
    if (checkpoint?.type === 'checkpoint') kernel.session.restore({ checkpoints: [{ name: 'model', bytes: checkpoint.bytes, step: checkpoint.step }, { name: 'other', bytes: new ArrayBuffer(3), step: null }] });
    await kernel.run('a', 'const model = nn.linear(4, 1), other = nn.linear(2, 2)');
    expect(kernel.events.filter((event) => event.type === 'restored')).toEqual([{ type: 'restored', runId: 1, cellId: 'a', name: 'model', step: 16 }]);
    expect(await kernel.run('b', "const mine = model.parameters().map((p) => [...p.values()].join()).join(';'); mine")).toEqual({ value: weights });
    // Only once: who runs the cell again wants a fresh model.
    await kernel.run('a', 'const model = nn.linear(4, 1)');
    expect((await kernel.run('c', "model.parameters().map((p) => [...p.values()].join()).join(';')")).value).not.toBe(weights);
  });

  test('is a changed value: the model has a new version, and the cell that trained it says so', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', 'const model = nn.linear(2, 1)\nconst optimizer = optim.sgd(model.parameters(), { lr: 0.1 })');
    await kernel.run('b', '1');
    await kernel.run('c', 'model(ones([1, 2])).sum().backward(); optimizer.step()');
    const values = kernel.events.flatMap((event) => (event.type === 'reply' ? [event.values.map(({ name, kind }) => `${name} ${kind}`)] : []));
    expect(values).toEqual([['model model', 'optimizer optimizer'], [], ['model model']]);
  });
});

describe('charts of tensors', () => {
  const chartOf = async (source: string) => {
    const [data] = await displaysOf(source);
    return data?.kind === 'chart' ? data.chart : null;
  };

  test('bars take names or numbers', async () => {
    expect(await chartOf("plot.bar(['a', 'b'], tensor([1, 2]), { title: 'T' })")).toMatchObject({ title: 'T', xNames: ['a', 'b'], series: [{ kind: 'bar', y: Float64Array.of(1, 2) }] });
    expect(await chartOf('plot.bar([5, 6], [1, 2])')).toMatchObject({ series: [{ kind: 'bar', x: Float64Array.of(5, 6) }] });
  });

  test('a histogram counts every finite value of any shape once', async () => {
    const chart = await chartOf('plot.histogram(tensor([[0, 1, 2], [3, 4, NaN]]), { bins: 2 })');
    expect(chart?.series[0]).toMatchObject({ kind: 'bar', x: Float64Array.of(1, 3), y: Float64Array.of(2, 3) });
    expect((await chartOf('plot.histogram([7, 7, 7], { bins: 3 })'))?.series[0]?.y).toEqual(Float64Array.of(3, 0, 0));
  });

  test('a heatmap takes a matrix as rows or as a tensor', async () => {
    const heat = { rows: 2, columns: 2, values: Float64Array.of(1, 2, 3, 4), rowNames: ['x', 'y'], columnNames: [] };
    expect((await chartOf("plot.heatmap([[1, 2], [3, 4]], { rowNames: ['x', 'y'] })"))?.heat).toEqual(heat);
    expect((await chartOf("plot.heatmap(tensor([[1, 2], [3, 4]]), { rowNames: ['x', 'y'] })"))?.heat).toEqual(heat);
  });

  for (const [source, message] of [
    ['plot.heatmap([[1, 2], [3]])', 'RangeError: plot: heatmap: row 1 has 1 numbers and row 0 has 2'],
    ['plot.heatmap(ones([2, 3, 4]))', 'TypeError: plot: heatmap of float32 [2, 3, 4]; expected [rows, columns]'],
    ['plot.histogram([1], { bins: 0 })', 'RangeError: plot: `bins` must be a whole number from 1 to 10000, got 0'],
    ["display.picture(new Uint8Array(3))", 'TypeError: display.picture: expected the bytes of a PNG, JPEG, GIF, WebP or SVG file'],
    ["display.download('a/b', '')", 'TypeError: display.download: expected a file name, got "a/b"'],
  ] as const) {
    test(`${source} is refused with the reason`, async () => {
      kernel = openKernel(engine);
      expect((await kernel.run('a', source)).error).toBe(message);
    });
  }

  test('files and HTML are shown as what they are', async () => {
    const displays = await displaysOf("display.picture('<svg xmlns=\"http://www.w3.org/2000/svg\"/>', { caption: 'c' }); display.html('<b>x</b>', { height: 50 }); display.download('a.json', { a: 1 }); display.download('t.txt', 'hi')");
    expect(displays.map((data) => ('bytes' in data ? [data.kind, data.mediaType, new TextDecoder().decode(data.bytes)] : data))).toEqual([
      ['picture', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      { kind: 'html', text: '<b>x</b>', height: 50 },
      ['download', 'application/json', '{\n "a": 1\n}'],
      ['download', 'text/plain', 'hi'],
    ]);
  });
});

test('an engine of another build fails the run that needs it, and says that the page should be loaded again', async () => {
  kernel = openKernel({ ...engine, beginRun: undefined as never });
  expect(await kernel.run('a', '1 + 1')).toMatchObject({ error: expect.stringContaining('beginRun is not a function') });
  expect(kernel.events.find((event) => event.type === 'error')).toMatchObject({ cellId: 'a', hint: expect.stringContaining('Reload the page') });
  // The next one is not kept waiting.
  expect(await kernel.run('b', '2')).toHaveProperty('error');
});

test('a cell that runs out of memory ends in an error with numbers, and the kernel goes on', async () => {
  kernel = openKernel(engine);
  const failed = await kernel.run('a', 'const kept = ones(3);\nconst much = zeros(40_000, 40_000)');
  expect(failed.error).toMatch(/^MemoryError: .*\d+ MB/);
  expect(failed.at?.[0]).toMatch(/^a:2:/);
  expect(await kernel.run('b', 'kept.add(1).toArray()')).toEqual({ value: '[2, 2, 2]' });
});

test('detectAnomaly leads to the line of the forward pass whose gradient is not finite', async () => {
  kernel = openKernel(engine);
  const source = [
    'const w = tensor([0, 1], { requiresGrad: true });',
    'const root = (x: Tensor) => x.sqrt();',
    'detectAnomaly(() => {',
    '  const loss = root(w).mul(0).sum();',
    '  loss.backward();',
    '});',
  ].join('\n');
  const failed = await kernel.run('a', source);
  expect(failed.error).toMatch(/^ValueError: gradient of sqrt: /);
  expect(failed.at?.map((place) => place.replace(/:\d+$/, '')).slice(0, 2)).toEqual(['a:2', 'a:4']);
});

describe('what variables hold', () => {
  const inspect = async (cellId: string, names: readonly string[], isDetailed: boolean) => {
    await kernel.session.summarize({ token: 7, cellId, names, isDetailed });
    const event = kernel.events.at(-1);
    return event?.type === 'summaries' ? event.values : null;
  };

  test('a tensor tells shape, dtype, range and how its values spread; other values are one text', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', 'const x = tensor([[0, 1], [3, NaN]]); let n = 2; const late = () => 1;');
    const [x, n, missing] = (await inspect('b', ['x', 'n', 'nothing'], true))!;
    expect(x).toMatchObject({ name: 'x', text: 'float32 [2, 2]', tensor: { shape: [2, 2], dtype: 'float32', requiresGrad: false, range: { min: 0, max: 3 }, nonFinite: 1 } });
    expect(x!.tensor!.histogram!.reduce((sum, count) => sum + count)).toBe(3);
    expect(x!.tensor!.histogram![0]).toBe(1);
    expect(n).toEqual({ name: 'n', text: '2', tensor: null });
    expect(missing).toEqual({ name: 'nothing', text: '', tensor: null });
  });

  test('without details no value is read, and a cell sees its own declaration first', async () => {
    kernel = openKernel(engine);
    await kernel.run('a', 'const x = zeros(2);');
    await kernel.run('b', 'const x = zeros(3, 4);');
    expect((await inspect('a', ['x'], false))![0]).toEqual({ name: 'x', text: 'float32 [2]', tensor: { shape: [2], dtype: 'float32', requiresGrad: false, range: null, nonFinite: 0, histogram: null } });
    expect((await inspect('c', ['x'], false))![0]!.tensor!.shape).toEqual([3, 4]);
  });
});
