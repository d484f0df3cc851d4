// The MNIST lesson in a real browser: it loads, trains, shows its curves live, can be stopped and goes on, and the page holds still.
import { beforeAll, describe, expect, test } from 'vitest';
import { cell, kernelReady, PATIENT, run, seriesOf, shiftsOf, waitForState, watchShifts, type Opened } from './browser.ts';
import { useSite } from './site.ts';

/** The training cell of the lesson, and the one that prints the exam's result. */
const TRAINING = 5;
const EXAM = 6;

const site = useSite();
let opened: Opened;

beforeAll(async () => {
  opened = await site.open({ hash: '#lesson=mnist-live' });
  await kernelReady(opened.page);
});

describe('MNIST, live', () => {
  test('Run all trains with a falling loss on the chart, and nothing on the page moves', { timeout: 600_000 }, async () => {
    const { page } = opened;
    await page.locator('[data-action="run-all"]').click();
    await waitForState(page, TRAINING, 'running', 180_000);
    await cell(page, TRAINING).locator('.live-panels').scrollIntoViewIfNeeded();
    await expect.poll(async () => (await seriesOf(page, TRAINING)).find(({ name }) => name === 'loss')?.points ?? 0, PATIENT).toBeGreaterThan(20);
    await watchShifts(page, TRAINING);
    const early = (await seriesOf(page, TRAINING)).find(({ name }) => name === 'loss')!;
    // Times between frames, for as long as it trains, be that two seconds or two minutes.
    await page.evaluate((number) => {
      const gaps: number[] = [];
      Object.assign(globalThis, { gaps });
      const training = document.querySelector<HTMLElement>(`.cell.code[data-number="${number}"]`)!;
      let last = performance.now();
      const frame = (now: number) => {
        gaps.push(now - last);
        last = now;
        if (training.dataset.state === 'running') requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }, TRAINING);
    await waitForState(page, TRAINING, 'fresh', 480_000);
    const gaps = await page.evaluate(() => (globalThis as unknown as { gaps: number[] }).gaps.sort((a, b) => a - b));
    expect(gaps[gaps.length >> 1], 'median time between two frames while training, ms').toBeLessThan(400);
    const shifts = await shiftsOf(page);
    expect(shifts.sum, `layout shifts of ${shifts.sources.join(', ')}`).toBe(0);
    const late = (await seriesOf(page, TRAINING)).find(({ name }) => name === 'loss')!;
    expect(late.points).toBeGreaterThan(early.points);
    expect(late.last).toBeLessThan(early.first / 3);
    const right = (await seriesOf(page, TRAINING)).find(({ name }) => name === 'accuracy')!;
    expect(right.last).toBeGreaterThan(0.9);
  });

  test('the exam says more than 97 %, and the last cell agrees', { timeout: 300_000 }, async () => {
    const { page } = opened;
    await waitForState(page, EXAM, 'fresh', 120_000);
    const accuracy = Number(await cell(page, EXAM).locator('.facts [data-metric="accuracy"]').getAttribute('data-value'));
    expect(accuracy).toBeGreaterThanOrEqual(0.97);
    const last = await page.locator('.cell.code').count();
    await waitForState(page, last, 'fresh', 120_000);
    await page.waitForSelector('[data-action="stop"]:disabled');
  });

  test('a second training stops midway, keeps its weights, and goes on from there', { timeout: 180_000 }, async () => {
    const { page } = opened;
    await run(page, TRAINING);
    await expect.poll(async () => (await seriesOf(page, TRAINING)).find(({ name }) => name === 'loss')?.points ?? 0, PATIENT).toBeGreaterThan(60);
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, TRAINING, 'stopped');
    await cell(page, TRAINING).locator('.gutter').hover();
    expect(await cell(page, TRAINING).locator('.gutter .words').textContent()).toMatch(/^Stopped at step \d+ after/);
    const stopped = (await seriesOf(page, TRAINING)).find(({ name }) => name === 'loss')!;
    expect(stopped.points).toBeLessThan(900);
    // Trained weights begin far below ln 10 = 2.303.
    expect(stopped.first).toBeLessThan(1);
    await run(page, EXAM);
    await waitForState(page, EXAM, 'fresh', 120_000);
    expect(Number(await cell(page, EXAM).locator('.facts [data-metric="accuracy"]').getAttribute('data-value'))).toBeGreaterThan(0.95);
  });

  test('the console stayed clean', () => {
    expect(opened.troubles).toEqual([]);
  });
});
