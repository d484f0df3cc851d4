// Live views through the real session: every call in a cell gives data that the page believes, views follow a training, answer
// questions while a cell runs or rests, and end with their cell.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as engineHost from '../../engine/api/host.ts';
import * as api from '../../engine/api/index.ts';
import { startNodeEngine } from '../../engine/api/node.ts';
import { asKernelEvent } from '../../notebook/client/validate.ts';
import type { EngineLink } from '../../notebook/kernel/engine.ts';
import { combinations } from '../../notebook/kernel/sweep.ts';
import { Views } from '../../notebook/kernel/views.ts';
import type { Events } from '../../notebook/protocol/messages.ts';
import type { ViewData } from '../../notebook/protocol/views.ts';
import { type Kernel, openKernel } from './cells.ts';

let engine: EngineLink;
let kernel: Kernel;
beforeAll(async () => {
  engine = { ...engineHost, globals: api, info: await startNodeEngine() };
});
afterEach(() => kernel?.end());

/** Forty pictures of two kinds: ink on the left, or on the right. */
const SETUP = `
manualSeed(1);
const pictures = rand(40, 1, 12, 12).mul(0.2).add(tensor(Array.from({ length: 40 * 144 }, (_, i) => ((i % 12 < 6) === (Math.floor(i / 144) % 2 === 0) ? 1 : 0))).reshape([40, 1, 12, 12]));
const set = data.fromArrays(pictures, Array.from({ length: 40 }, (_, i) => (i % 2 ? 'right' : 'left')));
const model = nn.sequential(nn.conv2d(1, 2, 3, { padding: 1 }), nn.relu(), nn.flatten(), nn.linear(288, 2));
const flat = data.moons({ examples: 40, seed: 1 });
const net = nn.sequential(nn.linear(2, 4), nn.tanh(), nn.linear(4, 2));`;

const viewsOf = (runId: number) => kernel.events.filter((event): event is { type: 'display' } & Events['display'] => event.type === 'display' && event.runId === runId && event.data.kind === 'view');
const dataOf = (event: { data: Events['display']['data'] } | undefined) => (event?.data.kind === 'view' ? event.data.view : null) as ViewData;

async function setUp(): Promise<void> {
  kernel = openKernel(engine);
  expect(await kernel.run('a', SETUP)).not.toHaveProperty('error');
}

describe('a call in a cell', () => {
  test.each([
    ['views.digitPad(model)', 'digitPad'],
    ['views.confusion(model, set)', 'confusion'],
    ['views.mistakes(model, set)', 'mistakes'],
    ['views.calibration(model, set)', 'calibration'],
    ['views.histograms(model, set)', 'histograms'],
    ['views.filters(model)', 'maps'],
    ['views.featureMaps(model, set.at(0)[0])', 'maps'],
    ['views.saliency(model, set.at(0)[0])', 'maps'],
    ['views.surface(net, flat)', 'surface'],
    ['views.embedding(model, set)', 'embedding'],
    ['await views.landscape(model, set, { size: 3 })', 'landscape'],
    ['await views.health(net, flat)', 'health'],
    ['await views.rateFinder(net, flat, { steps: 20 })', 'rateFinder'],
    ['views.timeline(net)', 'timeline'],
    ['await sweep({ lr: [0.1, 0.2] }, ({ lr }) => lr * 2)', 'sweep'],
  ])('%s shows its view, which the page believes', async (source, name) => {
    await setUp();
    const { runId, outcome } = kernel.begin('b', `${source};`);
    expect(await outcome).not.toHaveProperty('error');
    const shown = viewsOf(runId);
    expect(shown.map((event) => dataOf(event).name)).toContain(name);
    for (const event of shown) expect(asKernelEvent(event)).toBe(event);
  });

  test('without data the error says which', async () => {
    await setUp();
    expect((await kernel.run('b', 'views.confusion((x) => x, 3)')).error).toContain('views.confusion: needs a dataset, got');
    expect((await kernel.run('b', 'views.digitPad(3)')).error).toContain('needs a model');
  });
});

describe('while a training runs', () => {
  test('a live view follows, and its last look is that of the trained model over all examples', async () => {
    await setUp();
    const { runId, outcome } = kernel.begin('b', 'views.confusion(model, set);\nawait fit(model, set, { epochs: 12, batchSize: 8, lr: 0.02, seed: 1 });\nconsole.log((await evaluate(model, set)).accuracy);');
    const { printed } = await outcome;
    const last = dataOf(viewsOf(runId).at(-1)) as Extract<ViewData, { name: 'confusion' }>;
    await kernel.run('c', 'views.confusion(model, set)');
    const now = dataOf(viewsOf(runId + 1)[0]) as Extract<ViewData, { name: 'confusion' }>;
    expect([...now.counts].reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(now.accuracy).toBeCloseTo(Number(printed), 6);
    expect(last.total).toBe(40);
  });

  test('a matrix belongs to the training that its model is the result of, whatever trains later', async () => {
    await setUp();
    const matricesOf = (runId: number) => viewsOf(runId).map(dataOf).filter((data): data is Extract<ViewData, { name: 'confusion' }> => data.name === 'confusion');
    const untrained = kernel.begin('z', 'views.confusion(model, set);');
    await untrained.outcome;
    expect(matricesOf(untrained.runId)[0]).toMatchObject({ run: null, of: 'model on set' });
    const one = kernel.begin('b', 'views.confusion(model, set);\nawait fit(model, set, { epochs: 2, batchSize: 8, lr: 0.02, seed: 1 });');
    await one.outcome;
    expect(matricesOf(one.runId).at(-1)).toMatchObject({ run: `${one.runId}.0`, of: 'model on set' });
    // The view of the first model is looked at once more when the training of the other has ended.
    const two = kernel.begin('c', 'const other = nn.sequential(nn.flatten(), nn.linear(144, 2));\nviews.confusion(other, set);\nawait fit(other, set, { epochs: 2, batchSize: 8, lr: 0.02, seed: 1 });');
    const before = matricesOf(one.runId).length;
    await two.outcome;
    expect(matricesOf(one.runId).length).toBeGreaterThan(before);
    expect(matricesOf(one.runId).at(-1)).toMatchObject({ run: `${one.runId}.0` });
    expect(matricesOf(two.runId).at(-1)).toMatchObject({ run: `${two.runId}.0`, of: 'other on set' });
    // Each training of a sweep is a run of its own.
    const swept = kernel.begin('d', 'await sweep({ lr: [0.1, 0.2] }, async ({ lr }) => {\n  const net = nn.sequential(nn.flatten(), nn.linear(144, 2));\n  await fit(net, set, { epochs: 1, batchSize: 8, lr, seed: 1 });\n  views.confusion(net, set);\n});');
    await swept.outcome;
    // Looks at a part of the examples while it trains are nobody's result.
    expect(new Set(matricesOf(swept.runId).flatMap(({ run }) => run ?? []))).toEqual(new Set([`${swept.runId}.1`, `${swept.runId}.2`]));
    // A model that was put back to an earlier step is no run's result.
    const time = kernel.begin('e', 'const past = views.timeline(model, undefined, { every: 1 });\nawait fit(model, set, { epochs: 1, batchSize: 8, lr: 0.02, seed: 1 });\npast.rewind(2);\nviews.confusion(model, set);');
    await time.outcome;
    expect(matricesOf(time.runId)[0]).toMatchObject({ run: null });
  });

  test('what nobody sees is not looked at before the training rests, or it comes into sight; what keeps a past is', () => {
    let now = 0;
    let opened = 0;
    const views = new Views({ open: () => ({ displayId: String(opened++), cellId: 'a', runId: 1, show: () => {} }) }, () => now);
    const counted = (keepsPast: boolean) => {
      const source = { isLive: true, keepsPast, looks: 0, look: (): ViewData => ({ name: 'sweep', names: [], rows: [], isDone: (source.looks++, true) }) as unknown as ViewData };
      views.open(source);
      return source;
    };
    const [seen, unseen, past] = [counted(false), counted(false), counted(true)];
    for (const displayId of ['1', '2']) views.answer(displayId, { act: 'sight', isSeen: false });
    const train = () => { for (const end = now + 60_000; now < end; now += 10) views.logged(); };
    train();
    expect(unseen.looks).toBe(1);
    expect(seen.looks).toBeGreaterThan(100);
    expect(past.looks).toBeGreaterThan(10);
    expect(past.looks).toBeLessThan(seen.looks / 4);
    views.rested();
    expect(unseen.looks).toBe(2);
    views.answer('1', { act: 'sight', isSeen: true });
    expect(unseen.looks).toBe(2);
    train();
    expect(unseen.looks).toBeGreaterThan(100);
  });

  test('a run begins with looks that rest less; later they take a three-hundredth of the time, and the next run begins anew', () => {
    let now = 0;
    const views = new Views({ open: () => ({ displayId: '1', cellId: 'a', runId: 1, show: () => {} }) }, () => now);
    const looks: number[] = [];
    views.open({ isLive: true, look: (): ViewData => {
      looks.push(now);
      now += 15;
      return { name: 'sweep', names: [], rows: [], isDone: true } as unknown as ViewData;
    } });
    const train = (runId: number, ms: number) => {
      const from = now;
      looks.length = 0;
      for (; now < from + ms; now++) views.logged(runId);
      return looks.map((at) => at - from);
    };
    for (const runId of [1, 2]) {
      const at = train(runId, 60_000);
      // Ten looks of 15 ms use up the early time; then each is followed by 300 times as long.
      expect(at.filter((each) => each < 4500).length).toBeGreaterThanOrEqual(8);
      expect(at.filter((each) => each >= 10_000).length * 15).toBeLessThan(50_000 / 250);
    }
  });

  test('a look that something held up for seconds is followed by the next within twenty seconds', () => {
    let now = 0;
    let looks = 0;
    const views = new Views({ open: () => ({ displayId: '1', cellId: 'a', runId: 1, show: () => {} }) }, () => now);
    views.open({ isLive: true, look: (): ViewData => {
      looks++;
      now += 2500;
      return { name: 'sweep', names: [], rows: [], isDone: true } as unknown as ViewData;
    } });
    for (now = 0; now < 100_000; now += 100) views.logged(1);
    expect(looks).toBeGreaterThanOrEqual(5);
  });

  test('looks leave no tensor behind, however many there are', async () => {
    await setUp();
    await kernel.run('b', 'const all = [views.confusion(model, set), views.mistakes(model, set), views.histograms(model, set), views.featureMaps(model, set.at(0)[0]), views.saliency(model, set.at(0)[0]), views.embedding(model, set), views.surface(net, flat)];');
    const after = async (times: number) => {
      await kernel.run('c', `for (let i = 0; i < ${times}; i++) for (const each of all) each.update();`);
      return engineHost.memoryUse().tensorCount;
    };
    expect(await after(9)).toBe(await after(1));
  });

  test('a question is answered as an update of the display; after a rerun the old view is silent', async () => {
    await setUp();
    const { runId, outcome } = kernel.begin('b', 'views.confusion(model, set);');
    await outcome;
    const { displayId } = viewsOf(runId)[0]!;
    kernel.session.ask({ displayId, question: { act: 'open', truth: 0, prediction: 0 } });
    kernel.session.ask({ displayId, question: { act: 'open', truth: 0, prediction: 1 } });
    await new Promise((resolve) => setTimeout(resolve, 40));
    const last = viewsOf(runId).at(-1)!;
    expect([last.update, last.displayId]).toEqual([true, displayId]);
    expect((dataOf(last) as Extract<ViewData, { name: 'confusion' }>).open).toMatchObject({ truth: 0, prediction: 1 });
    await kernel.run('b', '1');
    const count = kernel.events.length;
    kernel.session.ask({ displayId, question: { act: 'close' } });
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(kernel.events.slice(count).filter(({ type }) => type === 'display')).toEqual([]);
  });

  test('moving the timeline puts the model back, and other views follow', async () => {
    await setUp();
    const { runId, outcome } = kernel.begin('b', `
const past = views.timeline(net, undefined, { every: 1 });
views.surface(net, flat);
const before = net.parameters()[0].toArray();
await fit(net, flat, { epochs: 3, batchSize: 10, lr: 0.05, seed: 1 });
console.log(JSON.stringify(past.steps()));`);
    const { printed, error } = await outcome;
    expect(error).toBeUndefined();
    expect(JSON.parse(printed!)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    const displays = viewsOf(runId);
    const timeline = displays.find((event) => dataOf(event).name === 'timeline')!;
    const count = displays.filter((event) => dataOf(event).name === 'surface').length;
    kernel.session.ask({ displayId: timeline.displayId, question: { act: 'go', index: 3 } });
    await new Promise((resolve) => setTimeout(resolve, 40));
    const after = viewsOf(runId);
    expect((dataOf(after.filter((event) => dataOf(event).name === 'timeline').at(-1)) as Extract<ViewData, { name: 'timeline' }>).at).toBe(3);
    expect(after.filter((event) => dataOf(event).name === 'surface').length).toBeGreaterThan(count);
    expect(await kernel.run('c', 'past.rewind(12)')).toMatchObject({ value: '12' });
  });

  test('an embedding hands out the rows behind its points when it is asked for them', async () => {
    await setUp();
    const { runId, outcome } = kernel.begin('b', "views.embedding(model, set, { layer: 'relu' });");
    await outcome;
    const [first] = viewsOf(runId);
    expect((dataOf(first) as Extract<ViewData, { name: 'embedding' }>).rows).toBeNull();
    kernel.session.ask({ displayId: first!.displayId, question: { act: 'rows' } });
    await expect.poll(() => viewsOf(runId).length).toBe(2);
    const { rows, x } = dataOf(viewsOf(runId)[1]) as Extract<ViewData, { name: 'embedding' }>;
    expect([x.length, rows!.width, rows!.values.length]).toEqual([40, 288, 40 * 288]);
    expect(asKernelEvent(viewsOf(runId)[1])).toBe(viewsOf(runId)[1]);
  });

  test('histograms of one model stay with its data while another model trains on other data', async () => {
    await setUp();
    const { runId, outcome } = kernel.begin('b', `
const seen = views.histograms(model);
await fit(model, set, { epochs: 2, batchSize: 10, seed: 1 });
await fit(net, flat, { epochs: 2, batchSize: 10, seed: 1 });
seen.update();`);
    expect((await outcome).error).toBeUndefined();
    const last = dataOf(viewsOf(runId).at(-1)) as Extract<ViewData, { name: 'histograms' }>;
    expect(last.rows.filter(({ kind }) => kind === 'activation').map(({ layer }) => layer)).toEqual(['0 conv2d', '1 relu', '3 linear']);
  });
});

test('a sweep goes through every combination, the last name fastest, and says so to the page', async () => {
  expect(combinations({ lr: [0.1, 0.01], width: [4, 8] })).toEqual([{ lr: 0.1, width: 4 }, { lr: 0.1, width: 8 }, { lr: 0.01, width: 4 }, { lr: 0.01, width: 8 }]);
  kernel = openKernel(engine);
  const { runId, outcome } = kernel.begin('a', 'await sweep({ lr: [1, 2] }, ({ lr }) => { for (let i = 0; i < 3; i++) log({ loss: lr * i }); return { loss: lr }; });');
  await outcome;
  const marks = kernel.events.flatMap((event) => (event.type === 'mark' && event.runId === runId ? [{ kind: event.kind, settings: event.settings }] : []));
  expect(marks).toEqual([{ kind: 'trial', settings: { lr: 1 } }, { kind: 'settings', settings: {} }, { kind: 'trial', settings: { lr: 2 } }, { kind: 'settings', settings: {} }]);
  const steps = kernel.events.flatMap((event) => (event.type === 'metrics' && event.runId === runId ? [...event.steps] : []));
  expect(steps).toEqual([1, 2, 3, 1, 2, 3]);
});

test('what a training changes itself, as the steps that it counts, is no setting of it', async () => {
  kernel = openKernel(engine);
  const { runId, outcome } = kernel.begin('a', "const width = 8;\nlet step = 0;\nlet best = Infinity;\nfor (let i = 0; i < 20; i++) {\n  step++;\n  log({ loss: 1 / step });\n  await new Promise((resolve) => setTimeout(resolve, 2));\n}\nawait new Promise((resolve) => setTimeout(resolve, 300));\nbest = 1 / step;");
  await outcome;
  const marks = kernel.events.flatMap((event) => (event.type === 'mark' && event.runId === runId ? [event] : []));
  expect(marks.every((mark) => asKernelEvent(mark) === mark)).toBe(true);
  expect(marks[0]).toMatchObject({ kind: 'settings', settings: { width: 8, best: Infinity } });
  const changed = marks.filter(({ kind }) => kind === 'changed');
  // The counter is known as soon as more than one row has come, the other one at the end.
  expect(changed.map(({ settings }) => Object.keys(settings!))).toEqual([['step'], ['best']]);
});
