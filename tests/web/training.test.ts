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
    const lag = () => page.evaluate(() => new Promise<number>((resolve) => {
      let worst = 0;
      let last = performance.now();
      const end = last + 2000;
      const frame = (now: number) => {
        worst = Math.max(worst, now - last);
        last = now;
        if (now > end) resolve(worst);
        else requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }));
    // In some two seconds of the training: in others another program may have had the processor.
    let isTraining = true;
    await expect.poll(async () => {
      const worst = await lag();
      isTraining = (await cell(page, TRAINING).getAttribute('data-state')) === 'running';
      return isTraining ? worst : 0;
    }, { ...PATIENT, message: 'longest time between two frames while training, ms' }).toBeLessThan(400);
    expect(isTraining, 'the training went on meanwhile').toBe(true);
    await waitForState(page, TRAINING, 'fresh', 480_000);
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
