// The live chart as a reader meets it: a training whose numbers are known is logged, drawn, smoothed, zoomed, saved and read aloud.
import type { Download, Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { cell, kernelReady, PATIENT, runAndWait, seriesOf, shiftsOf, watchShifts, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();
let opened: Opened;
let page: Page;

/** A tiny training on real tensors: 40 examples in batches of 10, 3 epochs, so 12 steps; the loss is known by formula. */
const TRAINING = `
const set = data.fromArrays(tensor(Array.from({ length: 40 }, (_, i) => [i])), tensor(Array.from({ length: 40 }, (_, i) => [2 * i])));
const weight = tensor([[0.5]]).requiresGrad_();
const optimizer = optim.sgd([weight], { lr: 1e-4 });
let step = 0;
for await (const [x, y] of set.batches(10, { epochs: 3 })) {
  const loss = nn.mse(x.matmul(weight), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  step += 1;
  log({ loss: 100 / step, valLoss: 120 / step, accuracy: step / 12 });
  if (step === 6) log.mark('rate halved');
}`;

beforeAll(async () => {
  opened = await site.scratch([TRAINING, `for (let i = 1; i <= 20; i++) log({ loss: i === 15 ? NaN : 1 / i });`,
    `for (let i = 0; i < 1_000_000; i += 1) { log({ wave: Math.sin(i / 3000) + (i === 500_000 ? 5 : 0) }); if (i % 2000 === 0) await new Promise((next) => setTimeout(next)); }`,
    'for (let i = 1; i <= 5; i++) log({ a: i, b: 2 * i, c: 3 * i, d: 4 * i, e: 5 * i });']);
  page = opened.page;
  await kernelReady(page);
  await runAndWait(page, 1);
}, 300_000);

const chart = (title: string) => cell(page, 1).locator('figure.chart', { has: page.locator('.title', { hasText: new RegExp(`^${title}$`) }) });

async function choose(title: string, item: string): Promise<void> {
  await chart(title).locator('.menu-button-small').click();
  await page.locator('.menu-list:popover-open button', { hasText: item }).click();
}

async function saved(title: string, item: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download') as Promise<Download>, choose(title, item)]);
  return readFile(await download.path(), item.endsWith('PNG') ? 'latin1' : 'utf8');
}

describe('the live chart', () => {
  test('says what was logged: points, first, last, and in a sentence', async () => {
    const series = await seriesOf(page, 1);
    const loss = series.find(({ name }) => name === 'loss')!;
    expect([loss.points, loss.first, loss.min, loss.lastStep]).toEqual([12, 100, 100 / 12, 12]);
    expect(await chart('Loss').locator('canvas').getAttribute('aria-label')).toMatch(/^Loss chart\. loss went from 100\.0 to 8\.333 in 12 points up to step 12; valLoss went from/);
    expect(await chart('Loss').locator('figcaption').textContent()).toContain('loss went from 100.0');
  });

  test('CSV has every step with epochs, examples and seconds; what was not logged stays empty', async () => {
    const rows = (await saved('Loss', 'Save as CSV')).trim().split('\n').map((line) => line.split(','));
    expect(rows[0]).toEqual(['step', 'epoch', 'samples', 'seconds', 'flops', 'loss', 'valLoss']);
    expect(rows).toHaveLength(13);
    expect(rows[4]!.filter((_, i) => i !== 3 && i !== 4)).toEqual(['4', '1', '40', '25', '30']);
    expect(rows[12]!.slice(0, 3)).toEqual(['12', '3', '120']);
    expect(Number(rows[12]![3])).toBeGreaterThan(0);
    // Every step does the same arithmetic.
    const flops = rows.slice(1).map((row) => Number(row[4]));
    expect(flops[0]).toBeGreaterThan(0);
    expect(flops).toEqual(flops.map((_, i) => flops[0]! * (i + 1)));
  });

  test('the table says the same, with a head for every row', async () => {
    await choose('Loss', 'Table of values');
    const table = chart('Loss').locator('table');
    await expect.poll(() => table.locator('tbody tr').count()).toBe(12);
    expect(await table.locator('tbody tr').nth(3).locator('th, td').allTextContents()).toEqual(['4', '1.000', '40.00', expect.any(String), expect.any(String), '25.00', '30.00']);
    await choose('Loss', 'Table of values');
    await expect.poll(() => chart('Loss').locator('table').count()).toBe(0);
  });

  test('SVG holds the lines, the dashed validation line, the marks and the epochs', async () => {
    const svg = await saved('Loss', 'Save as SVG');
    expect(svg).toMatch(/^<svg xmlns/);
    expect(svg).toContain('stroke-dasharray="6 4"');
    for (const words of ['epoch 1', 'epoch 2', 'rate halved', 'loss 8.333', 'valLoss 10.00']) expect(svg).toContain(words);
    expect(await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror'), svg)).toBeNull();
  });

  test('PNG is a picture with ink on it', async () => {
    const png = await saved('Loss', 'Save as PNG');
    expect(png.slice(1, 4)).toBe('PNG');
    expect(png.length).toBeGreaterThan(4000);
  });

  test('few lines bear their names themselves; more than four have a legend', async () => {
    expect(await chart('Loss').locator('.key').count()).toBe(0);
    await runAndWait(page, 4);
    await expect.poll(() => cell(page, 4).locator('.key').allTextContents()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('a logarithmic axis says so, and smoothing says how much', async () => {
    await cell(page, 1).locator('[data-setting="log"]').check();
    await expect.poll(() => chart('Loss').locator('.chart-note').textContent()).toBe('log axis');
    expect(await saved('Loss', 'Save as SVG')).toMatch(/>100<\/text>/);
    await cell(page, 1).locator('[data-setting="log"]').uncheck();
    await cell(page, 1).locator('[data-smoothing]').fill('0.5');
    expect(await cell(page, 1).locator('.chart-settings output').textContent()).toBe('0.968');
    await expect.poll(async () => (await seriesOf(page, 1)).find(({ name }) => name === 'loss')!.last).toBeGreaterThan(15);
    await cell(page, 1).locator('[data-smoothing]').fill('0');
    await expect.poll(async () => (await seriesOf(page, 1)).find(({ name }) => name === 'loss')!.last).toBeCloseTo(100 / 12, 6);
  });

  test('the axis can count epochs', async () => {
    await cell(page, 1).locator('[data-axis]').selectOption('epoch');
    const svg = await saved('Loss', 'Save as SVG');
    expect(svg).toContain('>epoch</text>');
    expect(svg).toContain('>2.5</text>');
    await cell(page, 1).locator('[data-axis]').selectOption('flops');
    expect(await saved('Loss', 'Save as SVG')).toMatch(/>floating-point operations<.*/);
    await cell(page, 1).locator('[data-axis]').selectOption('step');
  });

  test('a drag zooms all panels, a double click shows all again, the keys do the same', async () => {
    const box = (await chart('Loss').locator('canvas').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.4, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 80, { steps: 4 });
    await page.mouse.up();
    const note = (title: string) => chart(title).locator('.chart-note').textContent();
    await expect.poll(() => note('Loss')).toBe('zoomed, double click shows all');
    await expect.poll(() => note('Accuracy')).toBe('zoomed, double click shows all');
    await chart('Loss').locator('canvas').dblclick({ position: { x: 200, y: 80 } });
    await expect.poll(() => note('Loss')).toBe('');
    await chart('Accuracy').locator('canvas').focus();
    await page.keyboard.press('+');
    await expect.poll(() => note('Loss')).toBe('zoomed, double click shows all');
    await page.keyboard.press('0');
    await expect.poll(() => note('Loss')).toBe('');
  });

  test('a rerun moves nothing and leaves the former run as a ghost', async () => {
    await page.mouse.move(2, 2);
    await cell(page, 1).scrollIntoViewIfNeeded();
    const height = await cell(page, 1).evaluate((element) => element.getBoundingClientRect().height);
    await watchShifts(page);
    await runAndWait(page, 1);
    expect(await shiftsOf(page)).toEqual({ sum: 0, sources: [] });
    expect(await cell(page, 1).evaluate((element) => element.getBoundingClientRect().height)).toBe(height);
    expect(await saved('Loss', 'Save as SVG')).toContain('stroke-opacity="0.28"');
  });

  test('NaN is a mark with its step and a sentence, and the other points stay', async () => {
    await runAndWait(page, 2);
    const [loss] = await seriesOf(page, 2);
    expect([loss!.points, loss!.brokenAt]).toEqual([19, 15]);
    expect(await cell(page, 2).locator('.chart-trouble').textContent()).toContain('loss is not a number (NaN) from step 15 on');
  });

  test('a million points stay smooth to draw, and the peak among them stays visible', { timeout: 240_000 }, async () => {
    await runAndWait(page, 3, 200_000);
    const [wave] = await seriesOf(page, 3);
    expect(wave!.points).toBe(1_000_000);
    expect(wave!.max).toBeGreaterThan(4.8);
    const quickest = await cell(page, 3).locator('figure.chart canvas').evaluate(async (canvas) => {
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      const times: number[] = [];
      const box = canvas.getBoundingClientRect();
      for (let i = 0; i < 30; i++) {
        const start = performance.now();
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 60 + i * 8, clientY: box.top + 60, bubbles: true }));
        await frame();
        times.push(performance.now() - start);
      }
      return Math.min(...times);
    });
    // A chart that visits every point for every move takes longer each time; what else a machine does is not in the way of each.
    expect(quickest, 'shortest time from a move to its frame, ms').toBeLessThan(250);
  });

  test('in a background tab the training goes on, and the chart catches up on return', { timeout: 240_000 }, async () => {
    const endless = await site.scratch(['for (let i = 0; i < 1e6; i++) { log({ loss: 1 / (i + 1) }); await new Promise((next) => setTimeout(next, 2)); }'], {
      // Browsers give no animation frames to a page that is behind another.
      before: () => {
        const real = globalThis.requestAnimationFrame;
        const held: FrameRequestCallback[] = [];
        // What was asked for before it went away is drawn when this is over.
        const goAway = () => new Promise((done) => { tab.isAway = true; real(() => real(done)); });
        const tab = { isAway: false, goAway, comeBack: () => { tab.isAway = false; for (const each of held.splice(0)) real(each); } };
        globalThis.requestAnimationFrame = (callback) => (tab.isAway ? held.push(callback) : real(callback));
        Object.assign(globalThis, { tab });
      },
    });
    await kernelReady(endless.page);
    await cell(endless.page, 1).locator('.gutter .run').click();
    const live = cell(endless.page, 1).locator('.live');
    const shown = () => live.locator('figure.chart').evaluate((chart) => (JSON.parse((chart as HTMLElement).dataset.series ?? '[]') as { points: number }[])[0]?.points ?? 0);
    const points = () => live.getAttribute('data-points').then(Number);
    await expect.poll(shown, PATIENT).toBeGreaterThan(20);
    await endless.page.evaluate(() => (globalThis as unknown as { tab: { goAway(): Promise<void> } }).tab.goAway());
    const left = await points();
    await expect.poll(points, PATIENT).toBeGreaterThan(left + 1000);
    const behind = await shown();
    expect(behind).toBeLessThanOrEqual(left);
    const reached = await points();
    await endless.page.evaluate(() => (globalThis as unknown as { tab: { comeBack(): void } }).tab.comeBack());
    await expect.poll(shown, PATIENT).toBeGreaterThanOrEqual(reached);
    await endless.close();
  });

  test('a frame that is held up for seconds does not stop the chart for a minute', { timeout: 240_000 }, async () => {
    const endless = await site.scratch(['for (let i = 0; i < 1e6; i++) { log({ loss: 1 / (i + 1) }); await new Promise((next) => setTimeout(next, 2)); }']);
    await kernelReady(endless.page);
    await cell(endless.page, 1).locator('.gutter .run').click();
    const figure = cell(endless.page, 1).locator('figure.chart');
    const drawn = () => figure.getAttribute('data-series');
    // The empty chart that stands there before the first number is another one.
    await expect.poll(drawn, PATIENT).toContain('points');
    // A frame in which the chart is drawn takes four seconds, as it does where others take the processor.
    await figure.evaluate((chart) => new Promise<void>((done) => {
      new MutationObserver((_, observer) => {
        observer.disconnect();
        for (const until = performance.now() + 4000; performance.now() < until;);
        done();
      }).observe(chart, { attributeFilter: ['data-series'] });
    }));
    const held = await drawn();
    await expect.poll(drawn, PATIENT).not.toBe(held);
    await endless.close();
  });

  test('while a cell runs, a chart that nobody sees is not drawn, and is there when somebody scrolls to it', { timeout: 240_000 }, async () => {
    const endless = await site.scratch(['for (let i = 0; i < 1e6; i++) { log({ loss: 1 / (i + 1) }); await new Promise((next) => setTimeout(next, 2)); }', ...'12345678'], { viewport: { width: 900, height: 300 } });
    await kernelReady(endless.page);
    await cell(endless.page, 1).locator('.gutter .run').click();
    const live = cell(endless.page, 1).locator('.live');
    const canvas = live.locator('canvas');
    const picture = () => canvas.evaluate((element) => (element as HTMLCanvasElement).toDataURL().split('').reduce((hash, sign) => (Math.imul(hash, 31) + sign.charCodeAt(0)) | 0, 0));
    const points = () => live.getAttribute('data-points').then(Number);
    const later = async (count: number) => {
      const from = await points();
      await expect.poll(points, PATIENT).toBeGreaterThan(from + count);
    };
    // The empty chart that stands there before the first number is another one.
    await expect.poll(points, PATIENT).toBeGreaterThan(0);
    await canvas.scrollIntoViewIfNeeded();
    const first = await picture();
    await expect.poll(picture, PATIENT).not.toBe(first);
    await endless.page.locator('.column-end').scrollIntoViewIfNeeded();
    // The page hears of it as this test does, and draws what it began.
    await canvas.evaluate((element) => new Promise<void>((done) => {
      new IntersectionObserver((entries, observer) => {
        if (entries.at(-1)!.isIntersecting) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => done()));
      }, { rootMargin: '100px' }).observe(element);
    }));
    await later(50);
    const left = await picture();
    await later(200);
    expect(await picture()).toBe(left);
    await canvas.scrollIntoViewIfNeeded();
    await expect.poll(picture, PATIENT).not.toBe(left);
    expect(endless.troubles).toEqual([]);
    await endless.close();
  });

  test('the console stayed clean', () => {
    expect(opened.troubles).toEqual([]);
  });
});
