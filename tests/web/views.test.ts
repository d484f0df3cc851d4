// The inside of a network trained on the real MNIST, as a reader sees it; every number on the page is asked of the engine too.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { cell, kernelReady, PATIENT, runAndWait, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const SETUP = `
const { train, test } = await data.mnist({ train: 1000, test: 400, normalize: true });
const model = nn.sequential(nn.conv2d(1, 4, 5, { padding: 2 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.linear(4 * 14 * 14, 10));
views.histograms(model);
views.confusion(model, test);
await fit(model, train, { epochs: 2, batchSize: 50, lr: 0.003, seed: 1 });`;
const TRUTH = `
const logits = noGrad(() => model(test.features));
const counts = metrics.confusionMatrix(logits, test.labels, 10).toArray();
// By plain loops over the numbers, apart from what the views compute.
const [filters, biases] = model.parameters();
const largest = Math.max(...filters.values().map(Math.abs));
const bins = Array(40).fill(0);
for (const value of filters.values()) bins[Math.min(39, Math.floor((value + largest) / (2 * largest / 40)))] += 1;
const labels = test.labels.values();
const chances = logits.softmax(1).toArray();
const sure = Array(10).fill(0), right = Array(10).fill(0);
let worst = 0;
chances.forEach((row, i) => {
  const most = Math.max(...row);
  const bin = Math.min(9, Math.floor(most * 10));
  sure[bin] += most;
  right[bin] += row.indexOf(most) === labels[i] ? 1 : 0;
  if (row.indexOf(most) !== labels[i]) worst = Math.max(worst, -Math.log(row[labels[i]]));
});
const gap = sure.reduce((sum, each, bin) => sum + Math.abs(each - right[bin]), 0) / labels.length;
const maps = noGrad(() => test.at(0)[0].unsqueeze(0).conv2d(filters, biases, { padding: 2 }));
// The two largest shares of variance, from the products of examples with each other.
const hidden = noGrad(() => test.features.narrow(0, 0, 150).conv2d(filters, biases, { padding: 2 }).relu().maxPool2d(2).reshape([150, -1]).to('float64'));
const centred = hidden.sub(hidden.mean(0));
let products = centred.matmul(centred.transpose(0, 1));
const total = products.trace().item();
let explained = 0;
for (let k = 0; k < 2; k++) {
  let along = ones(150, 1, { dtype: 'float64' }).add(arange(150).reshape([150, 1]).mul(0.01));
  for (let turn = 0; turn < 400; turn++) { along = products.matmul(along); along = along.div(along.square().sum().sqrt()); }
  const share = along.transpose(0, 1).matmul(products).matmul(along).item();
  explained += share / total;
  products = products.sub(along.matmul(along.transpose(0, 1)).mul(share));
}
const centre = noGrad(() => nn.crossEntropy(model(test.features.narrow(0, 0, 64)), test.labels.narrow(0, 0, 64))).item();
console.log(JSON.stringify({ counts, accuracy: accuracy(logits, test.labels).item(), weights: filters.elementCount, largest, bins, gap, worst, map: maps.abs().max().item(), place: maps.select(0, 0).select(0, 1).select(0, 14).select(0, 15).item(), explained, centre, labels: Array.from(labels).slice(0, 150) }));`;
// The slope of the winning score by each pixel, from differences: two batches of as many pictures as there are pixels.
const SLOPES = `
const picture = test.at(0)[0];
const winner = noGrad(() => model(picture.unsqueeze(0)).argmax(1).item());
const scores = (by) => noGrad(() => model(picture.reshape([1, 784]).add(eye(784).mul(by)).reshape([784, 1, 28, 28])).select(1, winner));
// One step of the fast gradient sign method, a fifth of the picture's range.
const pixels = picture.values();
const reach = [Math.min(...pixels), Math.max(...pixels)];
const input = picture.unsqueeze(0).add(0).detach().requiresGrad_();
nn.crossEntropy(model(input), tensor([winner], { dtype: 'int32' })).backward();
const moved = Array.from(input.grad.values(), (slope, i) => Math.min(reach[1], Math.max(reach[0], pixels[i] + Math.sign(slope) * 0.2 * (reach[1] - reach[0]))));
const said = noGrad(() => model(tensor(moved).reshape([1, 1, 28, 28])).softmax(1)).toArray()[0];
console.log(JSON.stringify({ said, winner, slopes: Array.from(scores(0.01).sub(scores(-0.01)).div(0.02).values(), (slope) => Math.round(slope * 1e4) / 1e4) }));`;
const LATER = `
await fit(model, train, { epochs: 1, batchSize: 50, lr: 0.01, seed: 2 });
console.log(JSON.stringify(metrics.confusionMatrix(noGrad(() => model(test.features)), test.labels, 10).toArray()));`;
const MORE = `
views.mistakes(model, test);
views.calibration(model, test);
views.filters(model);
views.featureMaps(model, test.at(0)[0]);
views.saliency(model, test.at(0)[0]);
views.embedding(model, test, { examples: 150 });
await views.landscape(model, test, { size: 7, examples: 64 });`;
const PLANE = `
const moons = data.moons({ examples: 100, seed: 1 });
const net = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.linear(8, 2));
views.surface(net, moons);
await fit(net, moons, { epochs: 60, batchSize: 20, lr: 0.05, seed: 1 });
console.log(accuracy(net(moons.features), moons.labels).item());`;

const TIME = `
const set = data.moons({ examples: 90, seed: 2 });
const build = () => {
  manualSeed(5);
  const made = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.linear(8, 2));
  return { made, adam: optim.adam(made, { lr: 0.02 }) };
};
async function learn({ made, adam }, steps) {
  let step = 0;
  for await (const [x, y] of set.batches(20, { epochs: 20, shuffle: true, seed: 3 })) {
    const loss = nn.crossEntropy(made(x), y);
    adam.zeroGrad();
    loss.backward();
    adam.step();
    log({ loss });
    if (++step === steps) break;
  }
}
const long = build();
views.timeline(long.made, long.adam, { every: 1 });
views.surface(long.made, set);
await learn(long, 40);`;
const FRESH = `
const short = build();
await learn(short, 12);
const valuesOf = ({ made }) => made.parameters().map((weight) => [...weight.values()]);
console.log(JSON.stringify({ past: valuesOf(long), fresh: valuesOf(short), accuracy: accuracy(short.made(set.features), set.labels).item() }));`;

const site = useSite();
let opened: Opened;
let page: Page;
let truth: { counts: number[][]; accuracy: number; weights: number; largest: number; bins: number[]; gap: number; worst: number; map: number; place: number; explained: number; centre: number; labels: number[] };

beforeAll(async () => {
  opened = await site.scratch([SETUP, TRUTH, MORE, PLANE, SLOPES, TIME, FRESH, LATER]);
  page = opened.page;
  await kernelReady(page);
  await runAndWait(page, 1, 240_000);
  await runAndWait(page, 2);
  truth = JSON.parse((await cell(page, 2).locator('.console').textContent())!);
}, 400_000);

const view = (number: number, name: string) => cell(page, number).locator(`[data-view="${name}"]`);

describe('inside the network', () => {
  test('the confusion matrix shows the counts of the engine for the trained model', async () => {
    const shown = () => view(1, 'confusion').locator('table button').allTextContents().then((texts) => texts.map(Number));
    // What a training changed is drawn when its turn has come.
    await expect.poll(shown, PATIENT).toEqual(truth.counts.flat());
    expect((await shown()).reduce((sum, count) => sum + count, 0)).toBe(400);
    expect(Number(await view(1, 'confusion').locator('[data-accuracy]').getAttribute('data-accuracy'))).toBeCloseTo(truth.accuracy, 6);
  });

  test('a cell opens its pictures, by mouse and by keys, and closes again', async () => {
    const all = truth.counts.flatMap((row, i) => row.map((count, j) => ({ count, i, j }))).filter(({ i, j }) => i !== j);
    const worst = all.reduce((a, b) => (b.count > a.count ? b : a));
    const button = view(1, 'confusion').locator(`button[data-truth="${worst.i}"][data-prediction="${worst.j}"]`);
    await button.click();
    const figures = view(1, 'confusion').locator('.gallery figure');
    await expect.poll(() => figures.count(), PATIENT).toBe(Math.min(30, worst.count));
    expect(await figures.evaluateAll((found) => found.map((figure) => [Number((figure as HTMLElement).dataset.truth), Number((figure as HTMLElement).dataset.prediction)]))).toEqual(Array(Math.min(30, worst.count)).fill([worst.i, worst.j]));
    await button.click();
    await expect.poll(() => figures.count(), PATIENT).toBe(0);
    await view(1, 'confusion').locator('button[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset.prediction)).not.toBeUndefined();
  });

  test('histograms hold every weight, grew while training, and measured updates', async () => {
    const ridge = view(1, 'histograms').locator('.ridge[data-kind="weight"]').first();
    await expect.poll(() => ridge.getAttribute('data-count'), PATIENT).toBe(String(truth.weights));
    await expect.poll(async () => (await ridge.getAttribute('data-bins'))!.split(' ').map(Number), PATIENT).toEqual(truth.bins);
    const kinds = await view(1, 'histograms').locator('.ridge').evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.kind));
    expect(new Set(kinds)).toEqual(new Set(['weight', 'gradient', 'activation']));
    const relu = view(1, 'histograms').locator('.ridge[data-layer="1 relu"]');
    expect(Number(await relu.getAttribute('data-idle'))).toBeGreaterThanOrEqual(0);
    const ratios = JSON.parse((await view(1, 'histograms').locator('figure.chart').getAttribute('data-series'))!) as { name: string; last: number; points: number }[];
    expect(ratios.map(({ name }) => name)).toEqual(['0.weight', '4.weight']);
    for (const { last } of ratios) expect(last).toBeGreaterThan(1e-5);
  });

  test('mistakes, calibration, filters, maps, saliency, embedding and landscape are drawn', { timeout: 120_000 }, async () => {
    await runAndWait(page, 3, 90_000);
    const wrong = truth.counts.flatMap((row, i) => row.filter((_, j) => j !== i)).reduce((sum, count) => sum + count, 0);
    expect(await view(3, 'mistakes').locator('[data-total]').getAttribute('data-total')).toBe(String(wrong));
    const losses = await view(3, 'mistakes').locator('figure').evaluateAll((all) => all.map((figure) => Number((figure as HTMLElement).dataset.loss)));
    expect(losses).toEqual([...losses].sort((a, b) => b - a));
    expect(losses[0]).toBeCloseTo(truth.worst, 3);
    expect(Number(await view(3, 'calibration').locator('[data-error]').getAttribute('data-error'))).toBeCloseTo(truth.gap, 5);
    const filters = view(3, 'maps').nth(0).locator('img');
    await expect.poll(() => filters.count(), PATIENT).toBe(4);
    const largest = await filters.evaluateAll((all) => Math.max(...all.map((map) => Number((map as HTMLElement).dataset.largest))));
    expect(largest).toBeCloseTo(truth.largest, 6);
    await expect.poll(() => view(3, 'maps').nth(1).locator('img').count(), PATIENT).toBe(12);
    const ofConvolution = await view(3, 'maps').nth(1).locator('section').first().locator('img').evaluateAll((all) => Math.max(...all.map((map) => Number((map as HTMLElement).dataset.largest))));
    expect(ofConvolution).toBeCloseTo(truth.map, 4);
    await expect.poll(() => view(3, 'maps').nth(2).locator('img').count(), PATIENT).toBe(4);
    expect(Number(await view(3, 'embedding').locator('[data-explained]').getAttribute('data-explained'))).toBeCloseTo(truth.explained, 4);
    expect(Number(await view(3, 'landscape').locator('[data-centre]').getAttribute('data-centre'))).toBeCloseTo(truth.centre, 5);
  });

  test('a sentence that a training makes longer moves no control beside it', async () => {
    const moved = await page.locator('[data-view]').evaluateAll((views) => views.flatMap((view) => {
      const controls = [...view.querySelectorAll('select, button, input, table, canvas')];
      const places = () => controls.map((control) => { const { left, top } = control.getBoundingClientRect(); return `${left} ${top}`; });
      return [...view.querySelectorAll('.told, .told *')].filter((told) => told.childElementCount === 0).flatMap((told) => {
        const [words, before] = [told.textContent, places()];
        told.textContent = `${words}123`;
        const after = places();
        told.textContent = words;
        return after.flatMap((place, i) => (place === before[i] ? [] : [`"${words}" moves a ${controls[i]!.tagName}`]));
      });
    }));
    expect(moved).toEqual([]);
    expect(await page.locator('[data-view] .told').count()).toBeGreaterThanOrEqual(4);
  });

  test('a mistake that the model is sure of may be a wrong label, and says so', async () => {
    const found = await view(3, 'mistakes').locator('figure').evaluateAll((all) => all.map((figure) => ({ sure: Number.parseFloat(figure.querySelector('.chance')!.getAttribute('title')!.split(': ')[1]!), isSuspect: figure.querySelector('.suspect:not([hidden])') !== null })));
    expect(found.map(({ isSuspect }) => isSuspect)).toEqual(found.map(({ sure }) => sure >= 98));
  });

  test('the points of an embedding stand in a table, too', async () => {
    const list = view(3, 'embedding').locator('details');
    expect(await list.locator('tr').count()).toBe(0);
    await list.locator('summary').click();
    await expect.poll(() => list.locator('tbody tr').count(), PATIENT).toBe(150);
    const classes = await list.locator('tbody td:nth-child(2)').allTextContents();
    expect(classes.map(Number)).toEqual(truth.labels);
    await list.locator('summary').click();
  });

  test('an embedding is arranged by neighbours, off the page, the same each time', { timeout: 120_000 }, async () => {
    const embedding = view(3, 'embedding');
    const picture = () => embedding.locator('canvas.plane').last().evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const arrangements = () => embedding.locator('.embedding').getAttribute('data-arrangements');
    const directions = await picture();
    await embedding.locator('select').selectOption('neighbours');
    await expect.poll(arrangements, PATIENT).toBe('1');
    const arranged = await picture();
    expect(arranged).not.toBe(directions);
    await embedding.locator('button', { hasText: 'Arrange again' }).click();
    await expect.poll(arrangements, PATIENT).toBe('2');
    expect(await picture()).toBe(arranged);
    await embedding.locator('select').selectOption('principal');
    await expect.poll(picture, PATIENT).toBe(directions);
  });

  test('the surface follows the training and ends where the engine says', { timeout: 120_000 }, async () => {
    await runAndWait(page, 4, 90_000);
    const value = Number(await cell(page, 4).locator('.console').last().textContent());
    await expect.poll(async () => Number(await view(4, 'surface').locator('[data-accuracy]').getAttribute('data-accuracy')), PATIENT).toBeCloseTo(value, 5);
    expect(value).toBeGreaterThan(0.9);
    await expect.poll(() => view(4, 'surface').locator('.unit-layers img').count(), PATIENT).toBe(8 + 8 + 2);
  });

  test('the training of another model leaves the histograms of this one as they were', async () => {
    // Cell 4 has trained a model of its own by now.
    const ratios = JSON.parse((await view(1, 'histograms').locator('figure.chart').getAttribute('data-series'))!) as { points: number; last: number }[];
    for (const { points, last } of ratios) {
      expect(points).toBeGreaterThan(0);
      expect(last).toBeGreaterThan(1e-5);
    }
    expect((await view(1, 'histograms').locator('.ridge[data-kind="weight"]').first().getAttribute('data-bins'))!.split(' ').map(Number)).toEqual(truth.bins);
  });

  test('saliency is the slope that differences find', { timeout: 120_000 }, async () => {
    await runAndWait(page, 5, 90_000);
    const { slopes: found, said, winner } = JSON.parse((await cell(page, 5).locator('.console').textContent())!) as { slopes: number[]; said: number[]; winner: number };
    const map = view(3, 'maps').nth(2).locator('img').nth(1);
    const largest = Number(await map.getAttribute('data-largest'));
    expect(Math.abs(largest - Math.max(...found.map(Math.abs)))).toBeLessThan(0.05 * largest);
    // White is zero; the strongest blue and red are the largest slope, either way.
    const pixels = await map.evaluate((image) => {
      const canvas = new OffscreenCanvas(28, 28);
      const context = canvas.getContext('2d')!;
      context.drawImage(image as HTMLImageElement, 0, 0);
      return [...context.getImageData(0, 0, 28, 28).data];
    });
    found.forEach((slope, i) => {
      const [red, green, blue] = pixels.slice(i * 4, i * 4 + 3) as [number, number, number];
      const shown = (red >= blue ? (255 - green) / (255 - 50) : -(255 - green) / (255 - 90)) * largest;
      // A step of 0.01 may cross a kink of relu or of the maximum.
      expect(Math.abs(shown - slope), `pixel ${i}: shown ${shown}, found ${slope}`).toBeLessThan(0.1 * largest);
    });
    // Changed against its class, the picture is read as the engine says.
    const attack = view(3, 'maps').nth(2).locator('[data-epsilon]');
    await attack.locator('input').fill('20');
    await expect.poll(() => attack.getAttribute('data-epsilon'), PATIENT).toBe('0.2');
    expect(Number(await attack.getAttribute('data-chance'))).toBeCloseTo(Math.max(...said), 4);
    expect(Number(await attack.getAttribute('data-left'))).toBeCloseTo(said[winner]!, 4);
    // The data set that was trained on last may have other names for its classes.
    expect(await attack.getAttribute('data-prediction')).toMatch(new RegExp(`(^| )${said.indexOf(Math.max(...said))}$`));
  });

  test('a place of a feature map shows the sum that its number is', async () => {
    const maps = view(3, 'maps').nth(1);
    await maps.locator('section').first().locator('img').nth(1).press('ArrowRight');
    await expect.poll(async () => Number(await maps.locator('.arithmetic').getAttribute('data-sum')), PATIENT).toBeCloseTo(truth.place, 4);
    expect(await maps.locator('.pick-row output').first().textContent()).toContain('1 row 14, column 15');
    expect(await maps.locator('.arithmetic td').count()).toBe(50);
  });

  test('moved back to a step, the model and its views are those of a fresh run to this step', { timeout: 240_000 }, async () => {
    await runAndWait(page, 6, 90_000);
    const slider = view(6, 'timeline').locator('input');
    await expect.poll(() => slider.getAttribute('max'), PATIENT).toBe('39');
    await slider.fill('11');
    await expect.poll(() => slider.getAttribute('data-step'), PATIENT).toBe('12');
    await runAndWait(page, 7, 90_000);
    const { past, fresh, accuracy } = JSON.parse((await cell(page, 7).locator('.console').textContent())!);
    expect(past).toEqual(fresh);
    await expect.poll(async () => Number(await view(6, 'surface').locator('[data-accuracy]').getAttribute('data-accuracy')), PATIENT).toBeCloseTo(accuracy, 6);
    // A training of another model is none of this one's past.
    expect(await slider.getAttribute('data-step')).toBe('12');
  });

  test('a matrix that was kept is compared with that of a later training', { timeout: 180_000 }, async () => {
    const matrix = view(1, 'confusion');
    const texts = () => matrix.locator('table button').allTextContents();
    await matrix.locator('[data-action="keep-matrix"]').click();
    await runAndWait(page, 8, 90_000);
    const now = JSON.parse((await cell(page, 8).locator('.console').textContent())!) as number[][];
    await expect.poll(async () => (await texts()).map(Number), PATIENT).toEqual(now.flat());
    await matrix.locator('select').selectOption('difference');
    const sum = (row: readonly number[]) => row.reduce((all, count) => all + count, 0);
    const changes = now.flatMap((row, i) => row.map((count, j) => count / sum(row) - truth.counts[i]![j]! / sum(truth.counts[i]!)));
    expect(changes.some((change) => change > 0.001) && changes.some((change) => change < -0.001)).toBe(true);
    await expect.poll(texts, PATIENT).toEqual(changes.map((change) => (Math.abs(change) < 5e-4 ? '' : `${change > 0 ? '+' : '\u2212'}${Math.abs(change * 100).toFixed(1)}`)));
    await matrix.locator('select').selectOption('kept');
    await expect.poll(async () => (await texts()).map(Number), PATIENT).toEqual(truth.counts.flat());
    await matrix.locator('select').selectOption('now');
    truth.counts = now;
  });

  test('the menu of views writes the line of one under the selected cell, and runs it', { timeout: 120_000 }, async () => {
    const items = page.locator('.menu [role="menuitem"]');
    await page.locator('[data-action="views"]').click();
    // A menu of the bar stays while the page scrolls, as it may while the cell that ran last settles.
    const seen = await page.evaluate(async () => {
      const place = () => document.scrollingElement!.scrollTop;
      const before = place();
      const scrolled = new Promise((resolve) => { addEventListener('scroll', resolve, { capture: true, once: true }); });
      document.scrollingElement!.scrollTop = before > 200 ? before - 150 : before + 150;
      await scrolled;
      await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
      return { hasMoved: place() !== before, menus: document.querySelectorAll('.menu').length };
    });
    expect(seen).toEqual({ hasMoved: true, menus: 1 });
    await expect.poll(() => items.allTextContents(), PATIENT).toEqual(expect.arrayContaining(['Confusion matrix', 'Filters', 'Health checks', 'Learning-rate finder']));
    await items.filter({ hasText: 'Confusion matrix' }).click();
    const matrices = page.locator('.cell.code[data-state="fresh"] [data-view="confusion"]');
    await expect.poll(() => matrices.count(), PATIENT).toBe(2);
    await expect.poll(async () => (await matrices.nth(1).locator('table button').allTextContents()).map(Number), PATIENT).toEqual(truth.counts.flat());
    const made = matrices.nth(1).locator('xpath=ancestor::*[@data-number][1]');
    expect((await made.innerText()).replace(/\s/g, ' ')).toContain('views.confusion(model, test);');
    // With room for the view below its line, as far as the page goes.
    await expect.poll(() => made.evaluate((element) => {
      const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement!;
      return element.getBoundingClientRect().top < innerHeight / 2 || scrollTop + clientHeight > scrollHeight - 2;
    }), PATIENT).toBe(true);
  });

  test('the console stayed clean', () => {
    expect(opened.troubles).toEqual([]);
  });
});
