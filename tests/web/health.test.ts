// The health panel in a real page: a planted fault is named in a sentence, and the loop without zeroGrad is noticed while it trains.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cell, kernelReady, runAndWait, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const SETUP = `
const { train, test } = await data.mnist({ train: 500, test: 100, normalize: true });
const model = nn.sequential(nn.flatten(), nn.linear(784, 24), nn.relu(), nn.linear(24, 10), nn.softmax(1));
await views.health(model, train, { test });`;
const LOOP = `
const good = nn.sequential(nn.flatten(), nn.linear(784, 24), nn.relu(), nn.linear(24, 10));
const optimizer = optim.sgd(good, { lr: 0.01 });
await views.health(good, train, { test, optimizer });
for await (const [x, y] of train.batches(50)) {
  const loss = nn.crossEntropy(good(x), y);
  loss.backward();
  optimizer.step();
  log({ loss });
}`;
const RATE = `await views.rateFinder(good, train, { optimizer: 'sgd', steps: 60 });`;

const site = useSite();
let opened: Opened;
let page: Page;

beforeAll(async () => {
  opened = await site.scratch([SETUP, LOOP, RATE]);
  page = opened.page;
  await kernelReady(page);
}, 300_000);

const state = (number: number, key: string) => cell(page, number).locator(`[data-check="${key}"]`).getAttribute('data-state');

test('softmax in the model is named in one sentence', { timeout: 240_000 }, async () => {
  await runAndWait(page, 1, 200_000);
  expect(await cell(page, 1).locator('.health .verdict').textContent()).toMatch(/^Likely wrong: The outputs are chances already.*Remove softmax from the model\.$/);
  expect([await state(1, 'scores'), await state(1, 'labels'), await state(1, 'overlap')]).toEqual(['bad', 'good', 'good']);
});

test('a loop that forgets zeroGrad is noticed while it trains', { timeout: 240_000 }, async () => {
  await runAndWait(page, 2, 200_000);
  await expect.poll(() => state(2, 'zeroGrad'), { timeout: 20_000 }).toBe('bad');
  expect(await cell(page, 2).locator('.health .verdict').textContent()).toMatch(/zeroGrad/);
  expect([await state(2, 'rate'), await state(2, 'batch')]).toEqual(['good', 'good']);
});

test('the rate finder draws its curve and names a rate', { timeout: 240_000 }, async () => {
  await runAndWait(page, 3, 200_000);
  const steepest = Number(await cell(page, 3).locator('[data-steepest]').getAttribute('data-steepest'));
  expect(steepest).toBeGreaterThan(1e-4);
  expect(opened.troubles).toEqual([]);
});
