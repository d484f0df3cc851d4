// What views show is what the engine computed: counts against a plain count, slopes against differences, directions against known ones;
// and looking changes nothing: weights, gradients, modes and random numbers stay as they were.
import './start.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { arange, data, fit, gradients, log, manualSeed, nn, optim, rand, randn, tensor, type Tensor } from '../../engine/api/index.ts';
import { histogram, looking, moments } from '../../engine/api/inspect.ts';
import { calibration, examine, gallery, rates } from '../../engine/api/inspectclasses.ts';
import { activationsOf, distributions, idleUnits, updateRatios } from '../../engine/api/inspectlayers.ts';
import { featureMaps, filters, occlusion, saliency } from '../../engine/api/inspectmaps.ts';
import { hiddenRows, landscape, principal, surface } from '../../engine/api/inspectplane.ts';

let train: data.Dataset;
let exam: data.Dataset;
const model = nn.sequential(nn.conv2d(1, 4, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.dropout(0.2), nn.linear(4 * 14 * 14, 10));

beforeAll(async () => {
  manualSeed(3);
  ({ train, test: exam } = await data.mnist({ train: 1000, test: 300, normalize: true }));
  await fit(model, train, { epochs: 1, batchSize: 50, lr: 0.003, seed: 1 });
});

const bytesOf = () => model.parameters().map((weight) => [...weight.values()]);

describe('looking', () => {
  test('leaves weights, modes, gradients and random numbers as they were', async () => {
    const before = bytesOf();
    manualSeed(11);
    const expected = [...rand(4).values()];
    manualSeed(11);
    model.train();
    const examined = examine('test', model, exam, 100);
    gallery('test', model, exam, examined, () => true, 5);
    distributions('test', model, exam.pick([0, 1, 2])[0]);
    featureMaps(model, exam.at(0)[0]);
    saliency(model, exam.at(0)[0]);
    occlusion(model, exam.at(0)[0]);
    const [x, y] = exam.pick([0, 1, 2, 3]);
    await landscape(model, x, y, nn.crossEntropy, 3, 1, 5);
    expect([...rand(4).values()]).toEqual(expected);
    expect(bytesOf()).toEqual(before);
    expect(model.training).toBe(true);
    expect(model.parameters().every((weight) => weight.requiresGrad)).toBe(true);
    expect(() => looking(model, () => { throw new Error('broken'); })).toThrow('broken');
    expect(model.training).toBe(true);
  });
});

describe('a classifier', () => {
  test('its confusion counts are those of a plain count, and its rates follow from them', () => {
    const examined = examine('test', model, exam);
    const logits = looking(model, () => model(exam.features));
    const predicted = logits.argmax(1).values();
    const truth = exam.labels.values();
    const counts = new Array(100).fill(0);
    for (let i = 0; i < exam.length; i++) counts[truth[i]! * 10 + predicted[i]!]++;
    expect([...examined.counts]).toEqual(counts);
    expect(examined.counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    const { accuracy, recall, precision, margin } = rates(examined);
    const right = [...truth].filter((id, i) => id === predicted[i]).length;
    expect(accuracy).toBe(right / 300);
    expect(margin).toBeCloseTo(1.96 * Math.sqrt((accuracy * (1 - accuracy)) / 300), 12);
    expect(recall[3]).toBeCloseTo(counts[33] / counts.slice(30, 40).reduce((sum, count) => sum + count, 0), 12);
    expect(precision[3]).toBeCloseTo(counts[33] / [...Array(10).keys()].reduce((sum, row) => sum + counts[row * 10 + 3], 0), 12);
  });

  test('the gallery shows the largest losses first, with the chances of the engine', () => {
    const examined = examine('test', model, exam);
    const { items, total, pictures } = gallery('test', model, exam, examined, (i) => examined.truth[i] !== examined.prediction[i], 8);
    expect(items.length).toBe(Math.min(8, total));
    expect([pictures!.width, pictures!.height, pictures!.pixels.length]).toEqual([28, 28, 784 * items.length]);
    expect(items.every(({ loss }, i) => i === 0 || loss <= items[i - 1]!.loss)).toBe(true);
    for (const { index, truth, loss, chances } of items.slice(0, 3)) {
      const [x, y] = exam.pick([index]);
      expect(loss).toBeCloseTo(looking(model, () => nn.crossEntropy(model(x), y).item()), 4);
      expect(-Math.log(chances[truth]!)).toBeCloseTo(loss, 3);
    }
  });

  test('calibration bins hold every example once and weigh their gaps', () => {
    const found = calibration({ classes: ['a', 'b'], count: 4, truth: Int32Array.of(0, 0, 1, 1), prediction: Int32Array.of(0, 1, 1, 1), loss: new Float32Array(4), confidence: Float32Array.of(0.95, 0.55, 0.65, 1), counts: new Int32Array(4) });
    expect([...found.counts]).toEqual([0, 0, 0, 0, 0, 1, 1, 0, 0, 2]);
    expect(found.accuracy[9]).toBe(1);
    expect(found.error).toBeCloseTo((0.55 + 0.35 + 2 * 0.025) / 4, 6);
  });
});

describe('layers', () => {
  test.each([['float32'], ['int32']] as const)('a histogram of %s counts every value once', (dtype) => {
    const values = dtype === 'float32' ? randn(1000) : arange(1000).to('int32');
    const { min, max } = moments(values.to('float32'));
    const counts = histogram(values.to('float32'), 16, min, max);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1000);
    const expected = new Array(16).fill(0);
    for (const value of values.values()) expected[Math.min(15, Math.floor(Math.fround(Math.fround(value - min) / Math.fround((max - min) / 16))))]++;
    expect([...counts]).toEqual(expected);
  });

  test('a histogram leaves out what is not finite', () => {
    expect([...histogram(tensor([0, 1, Number.NaN, Number.POSITIVE_INFINITY]), 2, 0, 2)]).toEqual([1, 1]);
  });

  test('moments are mean, deviation and extremes', () => {
    expect(moments(tensor([1, 2, 3, 6]))).toEqual({ mean: 3, std: Math.sqrt(3.5), min: 1, max: 6 });
  });

  test('dead relu units and saturated tanh units are counted', () => {
    expect(idleUnits(nn.relu() as never, tensor([[0, 1, 0, 2], [0, 0, 0, 3]]))).toEqual({ idle: 0.5, idleWord: 'dead' });
    expect(idleUnits(nn.tanh() as never, tensor([[0.99, -0.99, 0, 0.5]]))).toEqual({ idle: 0.5, idleWord: 'saturated' });
    expect(idleUnits(nn.linear(1, 1) as never, tensor([[0]]))).toEqual({ idle: null, idleWord: '' });
  });

  test('activations are those that the layers hand on', () => {
    const x = exam.pick([0, 1])[0];
    const all = activationsOf('test', model, x);
    expect(all.map(({ layer }) => layer)).toEqual(['0 conv2d', '1 relu', '2 maxPool2d', '3 flatten', '4 dropout', '5 linear']);
    expect([...all.at(-1)!.output.values()]).toEqual([...looking(model, () => model(x)).values()]);
  });

  test('the ratio of an update is measured, not guessed: plain sgd changes weights by rate times gradient', () => {
    const layer = nn.linear(6, 5, { bias: false });
    const optimizer = optim.sgd(layer, { lr: 0.1 });
    layer(randn(4, 6)).square().sum().backward();
    const [, weight] = layer.namedParameters()[0]!;
    const expected = (moments(weight.grad!).std * 0.1) / moments(weight).std;
    const [found] = updateRatios(layer, () => optimizer.step());
    expect(found!.ratio).toBeCloseTo(expected, 5);
  });
});

describe('pictures', () => {
  test('filters are the weights', () => {
    const map = filters(model);
    expect([map.width, map.height, map.count]).toEqual([3, 3, 4]);
    expect([...map.values]).toEqual([...model.parameters()[0]!.values()]);
    expect(filters(nn.linear(784, 3)).width).toBe(28);
    expect(() => filters(nn.linear(3, 2))).toThrow('no filters');
  });

  test('saliency is the slope of the score, as differences find it', () => {
    const picture = exam.at(5)[0];
    const { values, target } = saliency(model, picture);
    const scoreOf = (x: Tensor) => looking(model, () => model(x.unsqueeze(0)).values()[target]!);
    const flat = [...picture.values()];
    const steepest = [...values.keys()].sort((a, b) => Math.abs(values[b]!) - Math.abs(values[a]!)).slice(0, 6);
    for (const pixel of steepest) {
      const moved = (by: number) => tensor(flat.map((value, i) => (i === pixel ? value + by : value))).reshape([1, 28, 28]);
      const slope = (scoreOf(moved(0.01)) - scoreOf(moved(-0.01))) / 0.02;
      expect(Math.abs(slope - values[pixel]!)).toBeLessThan(0.02 * Math.abs(slope) + 2e-3);
    }
    expect(model.parameters().every((weight) => weight.grad === null || Number.isFinite(weight.grad.sum().item()))).toBe(true);
  });

  test('occlusion is the chance lost when a square is covered', () => {
    const picture = exam.at(2)[0];
    const { values, width, target } = occlusion(model, picture, undefined, 7, 4);
    const chance = (x: Tensor) => looking(model, () => model(x.unsqueeze(0)).softmax(1).values()[target]!);
    const cells = [...picture.values()];
    const least = Math.min(...cells);
    for (const [row, column] of [[3, 3], [0, 0], [5, 2]] as const) {
      const covered = cells.map((value, i) => (Math.abs(Math.floor(i / 28) - row * 4) <= 3 && Math.abs((i % 28) - column * 4) <= 3 ? least : value));
      expect(values[row * width + column]).toBeCloseTo(chance(picture) - chance(tensor(covered).reshape([1, 28, 28])), 4);
    }
  });
});

describe('planes', () => {
  test('principal components find the directions that were put in, by their variance', () => {
    manualSeed(2);
    const along = randn(500, 2).mul(tensor([[5, 2]]));
    const across = tensor([[0.6, 0.8, 0], [-0.8, 0.6, 0]]);
    const rows = along.matmul(across).add(randn(500, 3).mul(0.01));
    const { x, y, explained } = principal(rows);
    const given = along.sub(along.mean(0)).values();
    const correlation = (a: Float32Array, column: number) => {
      let [ab, aa, bb] = [0, 0, 0];
      a.forEach((value, i) => { const other = given[i * 2 + column]!; ab += value * other; aa += value * value; bb += other * other; });
      return Math.abs(ab) / Math.sqrt(aa * bb);
    };
    expect(correlation(x, 0)).toBeGreaterThan(0.99);
    expect(correlation(y, 1)).toBeGreaterThan(0.99);
    expect(explained).toBeGreaterThan(0.999);
    expect([...principal(rows).x]).toEqual([...x]);
  });

  test('the hidden rows are what the last layer is given', () => {
    const x = exam.pick([0, 1, 2])[0];
    const { rows, name } = hiddenRows('test', model, x);
    expect([rows.shape, name]).toEqual([[3, 784], '3 flatten']);
  });

  test('a surface says at each point what the model says there', () => {
    const moons = data.moons({ examples: 80, seed: 1 });
    const net = nn.sequential(nn.linear(2, 6), nn.tanh(), nn.linear(6, 2));
    const found = surface(net, moons, 20, 8);
    const at = (row: number, column: number) => tensor([[found.xRange[0] + ((column + 0.5) / 20) * (found.xRange[1] - found.xRange[0]), found.yRange[1] - ((row + 0.5) / 20) * (found.yRange[1] - found.yRange[0])]]);
    for (const [row, column] of [[0, 0], [7, 13], [19, 19]] as const) {
      const chances = net(at(row, column)).softmax(1);
      expect(found.winner[row * 20 + column]).toBe(chances.argmax(1).values()[0]);
      expect(found.chance[row * 20 + column]).toBeCloseTo(chances.max().item(), 5);
    }
    expect(found.accuracy).toBeCloseTo(net(moons.features).argmax(1).eq(moons.labels).to('float32').mean().item(), 6);
    expect(found.units.map(({ layer, maps }) => [layer, maps.length])).toEqual([['0 linear', 6], ['1 tanh', 6], ['2 linear', 2]]);
  });

  test('the landscape has the loss of the model in its middle and brings the weights back to the bit', async () => {
    const [x, y] = exam.pick(Array.from({ length: 50 }, (_, i) => i));
    const before = bytesOf();
    const { losses, centre } = await landscape(model, x, y, nn.crossEntropy, 5, 0.5, 7);
    expect(losses[12]).toBe(centre);
    expect(centre).toBeCloseTo(looking(model, () => nn.crossEntropy(model(x), y).item()), 6);
    expect(Math.max(...losses)).toBeGreaterThan(centre);
    expect(bytesOf()).toEqual(before);
  });
});

test('steps, examples and epochs are counted by what optimizers learned from', async () => {
  const { trainingFacts, examplesSeen } = await import('../../engine/api/clock.ts');
  const { beginRun, drainMetrics } = await import('../../engine/api/host.ts');
  beginRun('clock');
  drainMetrics();
  const layer = nn.linear(2, 2);
  const optimizer = optim.sgd(layer, { lr: 0.1 });
  const moons = data.moons({ examples: 50, seed: 1 });
  for await (const [x, y] of moons.batches(20, { epochs: 2 })) {
    optimizer.zeroGrad();
    nn.crossEntropy(layer(x), y).backward();
    optimizer.step();
    // Looking at examples in between is no learning.
    for (const [probe] of moons.batches(25)) layer(probe);
    log({ loss: 1 });
    log({ more: 2 }, { step: log.step });
  }
  const [batch] = drainMetrics();
  expect([batch!.names, [...batch!.samples], batch!.epochSize]).toEqual([['loss', 'more'], [20, 40, 50, 70, 90, 100], 50]);
  expect([...batch!.times].every((time, i, all) => i === 0 || time >= all[i - 1]!)).toBe(true);
  expect(examplesSeen()).toEqual({ samples: 100, epochSize: 50 });
  expect(trainingFacts()).toEqual({ optimizer: 'sgd', lr: expect.closeTo(0.1, 6), batchSize: 20, examples: 50 });
  expect(gradients).toBeTypeOf('function');
});
