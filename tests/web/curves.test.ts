// The parts of a chart that need no page: columns and their extremes, thinning, smoothing, axes, ranges, SVG ticks.
import { describe, expect, test } from 'vitest';
import { Column, columnOf } from '../../web/charts/column.ts';
import { Curves, Metric } from '../../web/charts/curves.ts';
import { decimate, firstAtLeast, nearestIndex } from '../../web/charts/decimate.ts';
import { toCsv } from '../../web/charts/export.ts';
import { trace } from '../../web/charts/lines.ts';
import { formatAmount, formatTick, logTicks, roundTicks, roundUp } from '../../web/charts/numbers.ts';
import { extentOf, packRows } from '../../web/charts/pack.ts';
import { createRandom } from '../../datasets/random.ts';

const random = createRandom(7);
const draw = () => random.uniform() * 2 - 1;

describe('a column', () => {
  test('finds the lowest and highest value of any range, as a plain search does', () => {
    const column = new Column();
    for (let i = 0; i < 1000; i++) column.push(i % 37 === 5 ? Number.NaN : draw());
    for (let trial = 0; trial < 300; trial++) {
      const [start, end] = [Math.floor(random.uniform() * 1000), Math.floor(random.uniform() * 1001)].sort((a, b) => a - b) as [number, number];
      let low = -1;
      let high = -1;
      for (let i = start; i < end; i++) {
        const value = column.values[i]!;
        if (Number.isNaN(value)) continue;
        if (low < 0 || value < column.values[low]!) low = i;
        if (high < 0 || value > column.values[high]!) high = i;
      }
      const found = column.extremes(start, end);
      expect([found.low < 0 ? null : column.values[found.low], found.high < 0 ? null : column.values[found.high]], `${start}..${end}`).toEqual([low < 0 ? null : column.values[low], high < 0 ? null : column.values[high]]);
    }
  });

  test('forgets its end and grows again with the right extremes', () => {
    const column = columnOf(Array.from({ length: 500 }, (_, i) => i));
    column.truncate(100);
    for (let i = 0; i < 100; i++) column.push(-i);
    expect([column.length, column.values[99], column.values[199]]).toEqual([200, 99, -99]);
    const { low, high } = column.extremes(0, 200);
    expect([low, high]).toEqual([199, 99]);
  });
});

describe('thinning', () => {
  const count = 1_000_000;
  const x = Float64Array.from({ length: count }, (_, i) => i);
  const noisy = new Column();
  for (let i = 0; i < count; i++) noisy.push(i === 123_456 ? 9 : i === 765_432 ? -9 : draw());

  test('a million points become at most four per pixel column and keep every peak, first and last', () => {
    const points = decimate(x, noisy, count, 800, 0, count);
    expect(points.length).toBeLessThanOrEqual(800 * 4);
    expect(Math.max(...points.map(({ y }) => y))).toBe(9);
    expect(Math.min(...points.map(({ y }) => y))).toBe(-9);
    expect([points[0]!.x, points.at(-1)!.x]).toEqual([0, count - 1]);
    expect(points.every((point, i) => i === 0 || point.x > points[i - 1]!.x)).toBe(true);
  });

  test('a part of the line shows its own points and one neighbour at each end', () => {
    const points = decimate(x, noisy, count, 800, 1000, 1010);
    expect(points.map((point) => point.x)).toEqual([999, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010]);
  });

  test('what cannot be drawn becomes a gap', () => {
    const points = decimate([0, 1, 2], columnOf([1, -1, 2]), 3, 100, 0, 2, (value) => value > 0);
    expect(points.map(({ y }) => y)).toEqual([1, Number.NaN, 2]);
  });

  test.each([[-5, 0], [0.4, 0], [0.6, 1], [2, 2], [99, 2]])('the value nearest to %f is number %i', (target, index) => {
    expect(nearestIndex([0, 1, 2], 3, target)).toBe(index);
  });

  test('the first value not below a target', () => {
    expect([firstAtLeast([1, 2, 2, 5], 4, 2), firstAtLeast([1, 2, 2, 5], 4, 6), firstAtLeast([1, 2, 2, 5], 4, 0)]).toEqual([1, 4, 0]);
  });
});

describe('the strokes of a line', () => {
  const same = (value: number) => value;
  /** Every upright stroke or slope, as the pixels that it covers. */
  const reach = (corners: ReturnType<typeof trace>) => [Math.min(...corners.map(({ y }) => y)), Math.max(...corners.map(({ y }) => y))];

  test('a smooth line has one corner for each column of pixels, and ends where its values end', () => {
    const points = Array.from({ length: 4000 }, (_, i) => ({ x: i / 10, y: 50 + 20 * Math.sin(i / 1000) }));
    const corners = trace(points, same, same, false);
    expect(corners.length).toBe(400);
    expect(corners.at(-1)).toMatchObject({ x: points.at(-1)!.x, y: points.at(-1)!.y });
    expect(corners.filter(({ isStart }) => isStart).length).toBe(1);
  });

  test.each([true, false])('a noisy line keeps its peaks and has no holes (upright: %s)', (isUpright) => {
    const points = Array.from({ length: 4000 }, (_, i) => ({ x: i / 10, y: i === 1234 ? 90 : i === 2345 ? 10 : 50 + 5 * draw() }));
    const corners = trace(points, same, same, isUpright);
    expect(reach(corners)).toEqual([10, 90]);
    if (!isUpright) return void expect(corners.length).toBe(4000);
    expect(corners.length).toBe(800);
    // Each stroke covers the last value of the column before it: together they touch as the line does.
    for (let column = 1; column < 400; column++) {
      const [top, bottom] = [corners[column * 2]!.y, corners[column * 2 + 1]!.y];
      const last = points[column * 10 - 1]!.y;
      expect(top <= last && last <= bottom, `column ${column}`).toBe(true);
    }
  });

  test('a gap stays one, and few points stay as they are', () => {
    const corners = trace([{ x: 0, y: 1 }, { x: 30, y: 2 }, { x: 60, y: Number.NaN }, { x: 90, y: 3 }], same, same, true);
    expect(corners).toEqual([{ x: 0, y: 1, isStart: true }, { x: 30, y: 2, isStart: false }, { x: 90, y: 3, isStart: true }]);
  });
});

describe('smoothing', () => {
  const values = Array.from({ length: 300 }, draw);

  test('is the debiased average over all values so far, by its definition', () => {
    const metric = new Metric('loss');
    metric.setSmoothing(0.9);
    values.forEach((value, i) => metric.push(i, value));
    for (const at of [0, 1, 17, 299]) {
      let sum = 0;
      let weight = 0;
      for (let i = 0; i <= at; i++) {
        sum += 0.9 ** (at - i) * values[i]!;
        weight += 0.9 ** (at - i);
      }
      expect(metric.smooth.values[at]).toBeCloseTo(sum / weight, 12);
    }
  });

  test('never changes the past, and is the same whenever the share was chosen', () => {
    const early = new Metric('loss');
    early.setSmoothing(0.97);
    values.slice(0, 100).forEach((value, i) => early.push(i, value));
    const past = [...early.smooth.values.slice(0, 100)];
    values.slice(100).forEach((value, i) => early.push(100 + i, value));
    expect([...early.smooth.values.slice(0, 100)]).toEqual(past);
    const late = new Metric('loss');
    values.forEach((value, i) => late.push(i, value));
    late.setSmoothing(0.97);
    expect([...late.smooth.values.slice(0, 300)]).toEqual([...early.smooth.values.slice(0, 300)]);
  });

  test('values that are not finite are marked with their step and enter no average', () => {
    const metric = new Metric('loss');
    [1, 2, Number.NaN, Number.POSITIVE_INFINITY, 3].forEach((value, i) => metric.push(i + 1, value));
    expect([metric.values.length, metric.brokenAt]).toEqual([3, { step: 3, value: Number.NaN }]);
  });
});

describe('the curves of a run', () => {
  const curves = new Curves();
  curves.add({ names: ['loss'], steps: Float64Array.of(1, 2, 3, 4), columns: [Float64Array.of(4, 3, 2, 1)], times: Float64Array.of(500, 600, 800, 1500), samples: Float64Array.of(10, 20, 30, 40), flops: Float64Array.of(1e9, 2e9, 3e9, 4e9), epochSize: 20 });
  curves.add({ names: ['valLoss'], steps: Float64Array.of(4), columns: [Float64Array.of(1.5)], times: Float64Array.of(1600), samples: Float64Array.of(40), flops: Float64Array.of(4e9), epochSize: 20 });

  test('can be drawn over steps, epochs, examples, seconds and arithmetic', () => {
    expect(curves.knownAxes).toEqual(['step', 'epoch', 'samples', 'seconds', 'flops']);
    const loss = curves.metrics.get('loss')!;
    const x = (axis: 'epoch' | 'samples' | 'seconds' | 'flops') => [...curves.x(loss, axis).values.slice(0, 4)].map((value) => Number(value.toFixed(6)));
    expect([x('epoch'), x('samples'), x('seconds'), x('flops')]).toEqual([[0.5, 1, 1.5, 2], [10, 20, 30, 40], [0, 0.1, 0.3, 1], [1e9, 2e9, 3e9, 4e9]]);
    expect(curves.place(4, 'epoch')).toBe(2);
    expect(curves.place(2.5, 'seconds')).toBeCloseTo(0.2);
  });

  test('are the same after they were kept, on every axis', () => {
    const again = new Curves();
    for (const rows of packRows(curves)) again.add(rows);
    expect(again.knownAxes).toEqual(curves.knownAxes);
    for (const axis of curves.knownAxes) for (const step of [1, 2, 3, 4]) expect(again.place(step, axis), `${axis} at ${step}`).toBeCloseTo(curves.place(step, axis), 9);
    expect(again.metrics.get('valLoss')!.values.last).toBe(1.5);
  });

  test('are the same when they were kept piece by piece while they grew, also thinned and with NaN', () => {
    const grown = new Curves();
    const again = new Curves();
    let extent = extentOf(grown);
    const value = (step: number) => (step === 2900 ? 50 : 1 / step);
    for (let from = 1; from <= 4000; from += 500) {
      const steps = Float64Array.from({ length: 500 }, (_, i) => from + i);
      grown.add({ names: ['loss'], steps, columns: [steps.map(value)], times: steps.map((step) => 2000 + 10 * step), samples: steps.map((step) => 20 * step), epochSize: 1000 });
      grown.add({ names: ['valLoss'], steps: steps.slice(-1), columns: [Float64Array.of(from === 1501 ? Number.NaN : from)] });
      for (const rows of packRows(grown, extent, from > 2000 ? 40 : 500)) again.add(rows);
      extent = extentOf(grown);
    }
    const [before, after] = [grown, again].map(({ metrics }) => metrics.get('loss')!);
    expect([...after!.steps.values.slice(0, 2000)]).toEqual([...before!.steps.values.slice(0, 2000)]);
    expect([...after!.values.values.slice(0, 2000)]).toEqual([...before!.values.values.slice(0, 2000)]);
    // Thinned pieces keep their peaks and ends.
    expect(after!.values.length).toBeLessThan(2000 + 4 * 45);
    expect([after!.max, after!.steps.last, after!.values.last]).toEqual([50, 4000, 1 / 4000]);
    const rising = after!.steps.values.slice(0, after!.steps.length);
    expect(rising.every((step, i) => i === 0 || step > rising[i - 1]!), 'no step is there twice').toBe(true);
    expect([...again.metrics.get('valLoss')!.steps.values.slice(0, 7)]).toEqual([500, 1000, 1500, 2500, 3000, 3500, 4000]);
    expect(again.metrics.get('valLoss')!.brokenAt).toEqual({ step: 2000, value: Number.NaN });
    for (const axis of ['seconds', 'samples', 'epoch'] as const) expect(again.place(3990, axis), axis).toBeCloseTo(grown.place(3990, axis), 6);
    expect(packRows(grown, extent), 'nothing new').toEqual([]);
  });

  test('know where epochs end', () => {
    expect(curves.epochMarks(12)).toEqual([{ step: 2, text: 'epoch 1' }, { step: 4, text: 'epoch 2' }]);
    expect(curves.epochMarks(1)).toEqual([]);
  });

  test('without a clock have steps alone', () => {
    const plain = new Curves();
    plain.add({ names: ['a'], steps: Float64Array.of(1), columns: [Float64Array.of(1)] });
    expect(plain.knownAxes).toEqual(['step']);
  });
});

test.each([
  [0.01, 10, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]],
  [1e-7, 10, [1e-7, 1e-5, 1e-3, 0.1, 10]],
  [0.9, 2.4, [1, 1.5, 2]],
])('a logarithmic axis from %f to %f has round ticks', (min, max, ticks) => {
  expect(logTicks(min, max)).toEqual(ticks);
});

test.each([
  [-4.8, 4.8, [-4, -2, 0, 2, 4]],
  [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [0, 2.2, [0, 0.5, 1, 1.5, 2]],
  [0.1, 0.9, [0.2, 0.4, 0.6, 0.8]],
  [1, 938, [200, 400, 600, 800]],
  [-1e-5, 2.4e-5, [-1e-5, 0, 1e-5, 2e-5]],
  [0, 12, [0, 2, 4, 6, 8, 10, 12]],
  [3, 3, [3]],
  [0, Number.NaN, [0]],
])('an axis from %d to %d has round ticks', (low, high, ticks) => {
  expect(roundTicks([low, high], 6)).toEqual(ticks);
});

test('every axis that has a width has two ticks or more, and a few', () => {
  for (let i = 0; i < 500; i++) {
    const low = draw() * 10 ** Math.round(draw() * 6);
    const ticks = roundTicks([low, low + 10 ** (draw() * 6)], 6);
    expect(ticks.length, String(low)).toBeGreaterThan(1);
    expect(ticks.length, String(low)).toBeLessThan(8);
  }
});

test.each([[0.05, '0.05'], [-20, '−20'], [2.5e-5, '2.5e−5'], [1e-6, '1e−6'], [2.5e6, '2.5e6'], [1e6, '1e6'], [0.30000000000000004, '0.3'], [123456, '123500']])('a tick at %d is written as %s', (value, text) => {
  expect(formatTick(value)).toBe(text);
});

test.each([[0, '0'], [999, '999'], [1000, '1 k'], [25e5, '2.5 M'], [1.26e9, '1.26 G'], [3e13, '30 T']])('an amount of %d is written as %s', (value, text) => {
  expect(formatAmount(value)).toBe(text);
});

test('axis ends are round and never below', () => {
  for (let i = 0; i < 200; i++) {
    const value = random.uniform() * 10 ** Math.floor(random.uniform() * 8 - 4);
    expect(roundUp(value)).toBeGreaterThanOrEqual(value * (1 - 1e-9));
    expect(roundUp(value)).toBeLessThanOrEqual(value * 1.3);
  }
});

test('CSV quotes what it must and leaves gaps empty', () => {
  expect(toCsv(['step', 'a,b'], [[1, 'x"y'], [2, Number.NaN], [3, null]])).toBe('step,"a,b"\n1,"x""y"\n2,\n3,\n');
});
