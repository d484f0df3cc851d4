// One walk through the notebook, with pictures (build/screenshots/walk-*.png): a network is written with completion only, a
// name is changed in three cells, an endless loop is stopped, a training is paused, stepped, slowed by a slider and resumed,
// a hundred thousand lines are printed, a deleted cell comes back with its chart, and files of Jupyter stay as they were.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseIpynb } from '../../notebook/document/ipynb.ts';
import { cell, codeOf, command, kernelReady, outputOf, paste, PATIENT, root, run, runAndWait, seriesOf, waitForState, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const CORPUS = join(root, 'tests/notebook/ipynb');
const pictures = join(root, 'build/screenshots');
mkdirSync(pictures, { recursive: true });

const site = useSite();
let opened: Opened;
let page: Page;

beforeAll(async () => {
  opened = await site.scratch([''], { viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  page = opened.page;
  await kernelReady(page);
}, 240_000);
afterAll(() => opened?.close());

const picture = (name: string) => page.screenshot({ path: join(pictures, `walk-${name}.png`) });
const type = (text: string) => page.keyboard.type(text, { delay: 15 });
const chosen = () => page.locator('.suggest-widget.visible .monaco-list-row.focused .label-name').allTextContents().then(String);

/** Types the beginning of a name, waits until the list has the whole one in front, and takes it. */
async function complete(typed: string, name: string, shot?: string): Promise<void> {
  await type(typed);
  await expect.poll(chosen, PATIENT).toBe(name);
  if (shot) await picture(shot);
  await page.keyboard.press('Tab');
  await page.waitForSelector('.suggest-widget.visible', { state: 'detached' }).catch(() => undefined);
}

/** Adds a code cell at the end with this text. */
async function add(text: string): Promise<number> {
  const before = await page.locator('.cell.code').count();
  await page.locator('.column-end .button', { hasText: 'Code' }).click();
  await page.waitForSelector(`.cell.code[data-number="${before + 1}"].editing`);
  await paste(page, text);
  await expect.poll(() => codeOf(page, before + 1)).toContain(text.split('\n')[0]);
  await page.keyboard.press('Escape');
  return before + 1;
}

const paused = async () => Number(/Paused at step (\d+)/.exec((await page.locator('[data-paused]').textContent()) ?? '')?.[1] ?? Number.NaN);

describe('one notebook', () => {
  test('a network is written with completion only, and trains', { timeout: 300_000 }, async () => {
    await cell(page, 1).locator('.code-box').click({ position: { x: 60, y: 20 } });
    await type('const model = ');
    await complete('nn.seq', 'sequential');
    await type('(');
    await complete('nn.lin', 'linear', 'completion');
    await type('(2, 16), ');
    await complete('nn.tan', 'tanh');
    await type('(), ');
    await complete('nn.lin', 'linear');
    await type('(16, 2)');
    await page.keyboard.press('End');
    await type(';\nconst optimizer = ');
    await complete('optim.adam', 'adam');
    await type('(');
    await complete('mod', 'model');
    await complete('.parame', 'parameters');
    await type('()');
    await page.keyboard.press('End');
    await type(';\nconst moons = ');
    await complete('data.moo', 'moons');
    await type('()');
    await page.keyboard.press('End');
    await type(';');
    await page.keyboard.press('Escape');
    await runAndWait(page, 1);
    expect(await codeOf(page, 1)).toContain('const optimizer = optim.adam(model.parameters());');
  });

  test('a name that three cells use is changed in all of them', { timeout: 240_000 }, async () => {
    await add("const rate = ui.slider('learning rate', { min: 0.001, max: 0.1, step: 0.001, value: 0.02 });");
    await add('for await (const [x, y] of moons.batches(20, { epochs: Infinity })) {\n  optimizer.lr = rate.value;\n  const loss = nn.crossEntropy(model(x), y);\n  optimizer.zeroGrad();\n  loss.backward();\n  optimizer.step();\n  log({ loss });\n}');
    await add('accuracy(model(moons.features), moons.labels).item()');
    await cell(page, 4).locator('.code-box').click({ position: { x: 300, y: 12 } });
    await page.waitForSelector('.cell[data-number="4"] .monaco-editor .view-line');
    await cell(page, 4).locator('.view-line span span', { hasText: 'model' }).first().click();
    await page.keyboard.press('F2');
    await page.waitForSelector('.rename-box input:focus', PATIENT);
    await page.keyboard.press('ControlOrMeta+A');
    await type('network');
    await picture('rename');
    await page.keyboard.press('Enter');
    for (const number of [1, 3, 4]) await expect.poll(() => codeOf(page, number), PATIENT).toMatch(/\bnetwork\b/);
    for (const number of [1, 3, 4]) await expect.poll(() => codeOf(page, number), PATIENT).not.toMatch(/\bmodel\b/);
    await page.keyboard.press('Escape');
    await runAndWait(page, 1);
    await runAndWait(page, 2);
  });

  test('a training stands still, goes step by step, learns slower by a slider, and goes on', { timeout: 240_000 }, async () => {
    await run(page, 3);
    await page.waitForSelector('.cell.code[data-number="3"] [data-last-step]');
    await page.locator('[data-action="pause"]').click();
    await expect.poll(paused, PATIENT).toBeGreaterThan(0);
    const at = await paused();
    for (const by of [1, 2]) {
      await page.locator('[data-action="step"]').click();
      await expect.poll(paused, PATIENT).toBe(at + by);
    }
    await cell(page, 2).locator('input[type="range"]').focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    expect(await cell(page, 2).locator('output').textContent()).toBe('0.023');
    await picture('paused');
    await page.locator('[data-action="pause"]').click();
    await expect.poll(async () => (await seriesOf(page, 3)).find(({ name }) => name === 'loss')!.lastStep, PATIENT).toBeGreaterThan(at + 50);
    await picture('resumed');
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, 3, 'stopped');
    await runAndWait(page, 4);
    expect(Number(await outputOf(page, 4))).toBeGreaterThan(0.8);
  });

  test('an endless loop is stopped while the page draws every frame, and the weights are as they were', { timeout: 240_000 }, async () => {
    const loop = await add('while (true) {}');
    const frames = () => page.evaluate(() => new Promise<number>((resolve) => {
      let count = 0;
      const from = performance.now();
      const tick = () => (++count, performance.now() - from > 1000 ? resolve(count) : requestAnimationFrame(tick));
      requestAnimationFrame(tick);
    }));
    const before = await outputOf(page, 4);
    const atRest = await frames();
    await run(page, loop);
    await waitForState(page, loop, 'running');
    // Half of what the page draws at rest, in some second: other programs may have the processor in the first ones.
    await expect.poll(frames, { ...PATIENT, message: 'frames in a second while the loop runs' }).toBeGreaterThan(atRest / 2);
    expect(await cell(page, loop).getAttribute('data-state')).toBe('running');
    await picture('endless');
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, loop, 'stopped');
    await runAndWait(page, 4);
    expect(await outputOf(page, 4)).toBe(before);
  });

  test('a hundred thousand lines show their first and last ones', { timeout: 240_000 }, async () => {
    const flood = await add('for (let i = 0; i < 100000; i++) console.log(i);');
    await runAndWait(page, flood);
    const lines = await cell(page, flood).locator('.console > div').allTextContents();
    expect([lines[0], lines.at(-1), lines.length < 1100]).toEqual(['0', '99999', true]);
    // Beside the mark of the cut there is no other gap.
    const numbers = lines.filter((line) => /^\d+$/.test(line)).map(Number);
    expect(numbers.filter((number, i) => i > 0 && number !== numbers[i - 1]! + 1)).toHaveLength(1);
    await cell(page, flood).locator('.console .cut').scrollIntoViewIfNeeded();
    await picture('lines');
  });

  test('a deleted cell comes back with its chart', { timeout: 240_000 }, async () => {
    const series = await seriesOf(page, 3);
    const count = await page.locator('.cell.code').count();
    await page.locator('.cell.code').nth(2).focus();
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(count - 1);
    await picture('deleted');
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(count);
    expect(await seriesOf(page, 3)).toEqual(series);
    await picture('undone');
  });

  test('the console of the browser stayed clean', () => {
    expect(opened.troubles).toEqual([]);
  });
});

test('every file of Jupyter that opens is saved again without a changed byte', { timeout: 600_000 }, async () => {
  const files = readdirSync(CORPUS).filter((name) => name.endsWith('.ipynb')).sort();
  expect(files.length).toBeGreaterThanOrEqual(40);
  const changed: string[] = [];
  for (const name of files) {
    const bytes = readFileSync(join(CORPUS, name));
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), command(page, 'open a file')]);
    const address = page.url();
    await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer: bytes });
    await page.waitForFunction((before) => location.href !== before, address, PATIENT);
    await expect.poll(() => page.locator('.cell').count(), PATIENT).toBe(parseIpynb(bytes.toString('utf8')).cells.length);
    await command(page, 'save as a file');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-format=".ipynb"]').click()]);
    if (!readFileSync(await download.path()).equals(bytes)) changed.push(name);
    if (!name.startsWith('14')) continue;
    // The file states no title, so its name is shown, and not written into it.
    expect(await page.locator('.bar .title').inputValue()).toBe('14-plotly-and-vega');
    await picture('jupyter');
  }
  expect(changed).toEqual([]);
});
