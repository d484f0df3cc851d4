// Draw a digit, on a network trained on the real MNIST: the answer of the pad is the answer of the engine.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { cell, kernelReady, runAndWait, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const SETUP = `
const { train, test } = await data.mnist({ train: 1000, test: 100, normalize: true });
const model = nn.sequential(nn.flatten(), nn.linear(784, 32), nn.relu(), nn.linear(32, 10));
await fit(model, train, { epochs: 4, batchSize: 20, lr: 0.003, seed: 1 });
views.digitPad(model);`;
const CHECK = `
const chances = noGrad(() => model(train.pick([0])[0]).softmax(1)).toArray()[0];
console.log(JSON.stringify(chances));`;
const OTHER = `
class Odd extends nn.Module { inner = nn.linear(784, 10); forward(x: Tensor) { if (x.rank !== 3) throw new Error('wants [n, 28, 28]'); return this.inner(x.reshape([-1, 784])); } }
views.digitPad(new Odd());`;

const site = useSite();
let opened: Opened;
let page: Page;

beforeAll(async () => {
  opened = await site.scratch([SETUP, CHECK, OTHER]);
  page = opened.page;
  await kernelReady(page);
  await runAndWait(page, 1, 180_000);
}, 300_000);

const view = (number = 1) => cell(page, number).locator('[data-view="digitPad"]');
const chances = async (number = 1) => (await view(number).locator('.bar-row').evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.chance!))).map((text) => (text === '' ? null : Number(text)));

async function draw(number: number, points: readonly [number, number][]): Promise<void> {
  const pad = view(number).locator('.pad');
  await pad.scrollIntoViewIfNeeded();
  const box = (await pad.boundingBox())!;
  const at = ([x, y]: readonly [number, number]) => [box.x + x * box.width, box.y + y * box.height] as const;
  await page.mouse.move(...at(points[0]!));
  await page.mouse.down();
  for (const point of points.slice(1)) await page.mouse.move(...at(point), { steps: 6 });
  await page.mouse.up();
}

describe('the digit pad', () => {
  test('says nothing while nothing is drawn', async () => {
    expect(await chances()).toEqual(Array(10).fill(null));
    expect(await view().locator('.verdict').textContent()).toBe('Nothing drawn, so no digit.');
  });

  test('a picture from the data gets the very chances that the engine gives it', { timeout: 60_000 }, async () => {
    await view().locator('[data-pick]').selectOption('0');
    await expect.poll(async () => (await chances())[0]).not.toBeNull();
    await runAndWait(page, 2);
    const expected = JSON.parse((await cell(page, 2).locator('.console').textContent())!) as number[];
    await expect.poll(async () => (await chances()).every((chance) => chance !== null)).toBe(true);
    const shown = await chances();
    expected.forEach((chance, i) => expect(shown[i]!).toBeCloseTo(chance, 5));
    expect(shown.reduce((sum, chance) => sum! + chance!, 0)).toBeCloseTo(1, 5);
  });

  test('the arrows nudge the picture and the answer follows', async () => {
    const before = await chances();
    await view().locator('.pad').focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
    await expect.poll(async () => JSON.stringify(await chances())).not.toBe(JSON.stringify(before));
    await page.keyboard.press('Delete');
    await expect.poll(async () => (await chances())[0]).toBeNull();
  });

  test('an upright stroke anywhere on the sheet is a one', async () => {
    await draw(1, [[0.2, 0.15], [0.2, 0.7]]);
    await expect.poll(async () => (await chances())[1]).toBeGreaterThan(0.5);
    const ink = Number(await view().locator('.sheet').getAttribute('data-ink'));
    expect(ink).toBeGreaterThan(5000);
    await view().locator('[data-clear]').click();
    await expect.poll(async () => (await chances())[0]).toBeNull();
    expect(await view().locator('.verdict').textContent()).toBe('Nothing drawn, so no digit.');
  });

  test('a finger draws, and the page does not scroll', async () => {
    const scroll = await page.evaluate(() => scrollY);
    await view().locator('.pad').evaluate((pad) => {
      const box = pad.getBoundingClientRect();
      const fire = (type: string, y: number) => pad.dispatchEvent(new PointerEvent(type, { pointerId: 7, pointerType: 'touch', button: type === 'pointermove' ? -1 : 0, clientX: box.left + 140, clientY: box.top + y, bubbles: true, cancelable: true }));
      // A pointer made by hand cannot be captured.
      (pad as HTMLElement).setPointerCapture = () => {};
      fire('pointerdown', 60);
      for (let y = 70; y < 220; y += 10) fire('pointermove', y);
      fire('pointerup', 220);
    });
    await expect.poll(async () => (await chances())[1]).not.toBeNull();
    expect(await view().locator('.pad').evaluate((pad) => getComputedStyle(pad).touchAction)).toBe('none');
    expect(await page.evaluate(() => scrollY)).toBe(scroll);
  });

  test('a model that takes 28 x 28 in another shape works too', async () => {
    await runAndWait(page, 3);
    await draw(3, [[0.4, 0.2], [0.6, 0.8]]);
    await expect.poll(async () => (await chances(3)).reduce((sum, chance) => sum! + (chance ?? Number.NaN), 0)).toBeCloseTo(1, 4);
  });

  test('the console stayed clean', () => {
    expect(opened.troubles).toEqual([]);
  });
});
