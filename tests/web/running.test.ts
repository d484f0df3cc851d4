// Holding a run from the page: pause, single steps, sliders that move under a running loop, marks that say why a result is
// out of date, an endless loop that is stopped, a kernel that is dropped and leaves its weights.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PATIENT, cell, kernelReady, outputOf, run, runAndWait, setCode, stateWords, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const SET = 'const set = data.fromArrays(randn([256, 4]), randn([256, 1]));\nconst model = nn.linear(4, 1);\nconst optimizer = optim.sgd(model.parameters(), { lr: 0.01 });';
const TRAIN = 'for await (const [x, y] of set.batches(8, { epochs: Infinity })) {\n  const loss = nn.mse(model(x), y);\n  optimizer.zeroGrad();\n  loss.backward();\n  optimizer.step();\n  log({ loss });\n}';
const pausedWords = (page: Page) => page.locator('[data-paused]').textContent();
const steps = async (page: Page) => Number(/step (\d+)/.exec((await pausedWords(page)) ?? '')?.[1] ?? Number.NaN);
const paused = (page: Page) => page.waitForFunction(() => /Paused at step \d+/.test(document.querySelector('[data-paused]')?.textContent ?? ''), undefined, { timeout: 120_000 });

describe('a run that is held', () => {
  test('stands still, does single steps, takes a new learning rate from a slider, and goes on', { timeout: 480_000 }, async () => {
    const { page, troubles, close } = await site.scratch([
      "const lr = ui.slider('learning rate', { min: 0, max: 1, step: 0.01, value: 0.5 });",
      SET,
      TRAIN.replace('optimizer.zeroGrad();', 'optimizer.lr = lr.value / 1000;\n  optimizer.zeroGrad();'),
      'optimizer.lr',
    ]);
    await kernelReady(page);
    await runAndWait(page, 1);
    await runAndWait(page, 2);
    await run(page, 3);
    await page.waitForSelector('.cell.code[data-number="3"] [data-last-step]');
    await page.locator('[data-action="pause"]').click();
    await paused(page);
    const at = await steps(page);
    for (let i = 1; i <= 2; i++) {
      await page.locator('[data-action="step"]').click();
      await page.waitForFunction((wanted) => document.querySelector('[data-paused]')?.textContent === `Paused at step ${wanted}`, at + i);
    }
    const slider = cell(page, 1).locator('input[type="range"]');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    expect(await cell(page, 1).locator('output').textContent()).toBe('0.51');
    await page.locator('[data-action="pause"]').click();
    await page.waitForFunction(() => document.querySelector('[data-paused]')?.textContent === '');
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, 3, 'stopped');
    await runAndWait(page, 4);
    expect(Number(await outputOf(page, 4))).toBeCloseTo(0.00051, 8);
    expect(troubles).toEqual([]);
    await close();
  });

  test('a loop that awaits only things of its own can be held and stepped, too', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['for (let i = 1; ; i++) {\n  log({ loss: 1 / i });\n  await new Promise((done) => setTimeout(done, 20));\n}', '"below"']);
    await kernelReady(page);
    await page.keyboard.press('Escape');
    // Where the bar has no room for it, what holds a run hangs under the bar, and nothing in it moves.
    await page.setViewportSize({ width: 1024, height: 768 });
    const places = () => page.locator('.bar > *, .bar [data-action="stop"]').evaluateAll((parts) => parts.map((part) => [part.className, Math.round(part.getBoundingClientRect().right), Math.round(part.getBoundingClientRect().top)].join(' ')).filter((place) => !/^(saved|space) /.test(place)));
    const rest = await places();
    await run(page, 1);
    const logged = async () => Number(await cell(page, 1).locator('.live').getAttribute('data-points'));
    await expect.poll(logged, PATIENT).toBeGreaterThan(5);
    await page.locator('[data-action="pause"]').click();
    await page.locator('[data-action="step"]:enabled').waitFor(PATIENT);
    expect(await places()).toEqual(rest);
    const held = await logged();
    for (let i = 1; i <= 2; i++) {
      await page.locator('[data-action="step"]').click();
      await expect.poll(logged, PATIENT).toBe(held + i);
    }
    await page.locator('[data-action="pause"]').click();
    await expect.poll(logged, PATIENT).toBeGreaterThan(held + 5);
    // Stop by the key of terminals, with nothing marked.
    await cell(page, 1).focus();
    await page.keyboard.press('Control+C');
    await waitForState(page, 1, 'stopped');
    expect(await page.locator('.run-strip').isVisible()).toBe(false);
    expect(await places()).toEqual(rest);
    await page.setViewportSize({ width: 1280, height: 900 });
    // Line numbers come and go with L, and stand at the lines of static code and editor.
    await page.keyboard.press('l');
    const numbers = cell(page, 1).locator('.line-numbers');
    expect(await numbers.evaluate((element) => [element.children.length, (element.children[2] as HTMLElement).checkVisibility()])).toEqual([4, true]);
    const left = () => cell(page, 1).evaluate((element) => {
      const word = [...element.querySelectorAll('.static-code span, .view-line span span')].find((span) => (span as HTMLElement).checkVisibility() && span.textContent?.includes('for'))!;
      return Math.round(word.getBoundingClientRect().left);
    });
    const before = await left();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.cell[data-number="1"] .view-line');
    expect(Math.abs((await left()) - before)).toBeLessThanOrEqual(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('l');
    expect(await numbers.isVisible()).toBe(false);
    expect(troubles).toEqual([]);
    await close();
  });

  test('an endless loop is stopped while the page goes on drawing, and weights are as they were', { timeout: 480_000 }, async () => {
    const { page, close } = await site.scratch([SET, 'const before = model.parameters()[0].sum().item();', 'while (true) {}', 'model.parameters()[0].sum().item() === before']);
    await kernelReady(page);
    await runAndWait(page, 1);
    await runAndWait(page, 2);
    await run(page, 3);
    await waitForState(page, 3, 'running');
    // However long they take on a busy machine: thirty frames come while the loop has the kernel.
    await page.evaluate(() => new Promise<void>((resolve) => {
      let count = 0;
      const tick = () => (++count === 30 ? resolve() : requestAnimationFrame(tick));
      requestAnimationFrame(tick);
    }));
    expect(await cell(page, 3).getAttribute('data-state')).toBe('running');
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, 3, 'stopped');
    await runAndWait(page, 4);
    expect(await outputOf(page, 4)).toBe('true');
    await close();
  });
});

describe('results that do not hold', () => {
  test('say which cell changed what', { timeout: 480_000 }, async () => {
    const { page, close } = await site.scratch(['const lr = 0.1;', 'const twice = lr * 2;\ntwice', '[twice]']);
    await kernelReady(page);
    for (const number of [1, 2, 3]) await runAndWait(page, number);
    await setCode(page, 1, 'const lr = 0.01;');
    await waitForState(page, 1, 'stale');
    expect(await stateWords(page, 1)).toBe('Edited since it ran');
    await runAndWait(page, 1);
    await waitForState(page, 2, 'stale');
    expect(await stateWords(page, 2)).toBe('Out of date: uses lr, which cell 1 changed from 0.1 to 0.01');
    expect(await stateWords(page, 3)).toBe('Out of date: uses twice from cell 2, which is not up to date');
    await runAndWait(page, 2);
    await waitForState(page, 3, 'stale');
    expect(await stateWords(page, 3)).toBe('Out of date: uses twice, which cell 2 changed from 0.2 to 0.02');
    await runAndWait(page, 3);
    await close();
  });
});

describe('a kernel that does not answer', () => {
  test('is dropped, and its last weights go into the model that is declared again', { timeout: 480_000 }, async () => {
    const { page, close } = await site.scratch([
      SET,
      'for (let i = 0; i < 50; i++) {\n  const loss = nn.mse(model(ones([2, 4])), ones([2, 1]));\n  optimizer.zeroGrad();\n  loss.backward();\n  optimizer.step();\n  log({ loss });\n}',
      'const sum = model.parameters()[0].sum().item().toFixed(6);\nsum',
      // No loop of ours is in it, so only dropping the kernel ends it.
      '1',
      "/^(x+x+)+y$/.test('x'.repeat(80))",
    ]);
    await kernelReady(page);
    for (const number of [1, 2, 3]) await runAndWait(page, number);
    const sum = await outputOf(page, 3);
    await run(page, 5);
    await waitForState(page, 5, 'running');
    await page.locator('[data-action="stop"]').click();
    await page.locator('[data-action="force-stop"]').click({ timeout: 30_000 });
    await kernelReady(page);
    expect(await outputOf(page, 5)).toContain('The weights of model (step 50');
    await runAndWait(page, 1);
    expect(await outputOf(page, 1)).toContain('The weights of model were put back: they are those of step 50.');
    await runAndWait(page, 3);
    expect(await outputOf(page, 3)).toBe(sum);
    await close();
  });
});

describe('what cells show', () => {
  test('pictures of canvases, HTML in its own frame, bars, heatmaps, files, and a flood of lines', { timeout: 480_000 }, async () => {
    const { page, troubles, close } = await site.scratch([
      "const canvas = new OffscreenCanvas(8, 4);\nconst pen = canvas.getContext('2d')!;\npen.fillStyle = 'red';\npen.fillRect(0, 0, 8, 4);\ndisplay(canvas);\ndisplay.html('<p id=\"p\">hi</p><script>document.getElementById(\"p\").textContent = String(window.origin)</script>');",
      "plot.bar(['a', 'b', 'c'], [1, 3, 2], { title: 'Bars' });\nplot.heatmap([[0, 1], [2, 3]], { title: 'Heat', rowNames: ['x', 'y'], columnNames: ['u', 'v'] });\ndisplay.download('a.json', { a: 1 });",
      'for (let i = 0; i < 100000; i++) console.log(i);',
    ]);
    await kernelReady(page);
    for (const number of [1, 2, 3]) await runAndWait(page, number);
    const picture = cell(page, 1).locator('.picture img');
    expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => [image.naturalWidth, image.naturalHeight]))).toEqual([8, 4]);
    expect(await cell(page, 1).frameLocator('iframe.html-out').locator('#p').textContent()).toBe('null');
    expect(JSON.parse((await cell(page, 2).locator('figure.chart[data-series]').getAttribute('data-series'))!)).toMatchObject([{ points: 3, max: 3 }]);
    expect(JSON.parse((await cell(page, 2).locator('figure.heat').getAttribute('data-heat'))!)).toEqual({ rows: 2, columns: 2, low: 0, high: 3 });
    const [download] = await Promise.all([page.waitForEvent('download'), cell(page, 2).locator('.download button').click()]);
    expect(download.suggestedFilename()).toBe('a.json');
    const lines = await cell(page, 3).locator('.console > div').allTextContents();
    expect([lines[0], lines.at(-1), lines.length < 1100]).toEqual(['0', '99999', true]);
    expect(await cell(page, 3).locator('.console .cut').textContent()).toContain('lines are not shown');
    const [log] = await Promise.all([page.waitForEvent('download'), cell(page, 3).locator('.console .cut button').click()]);
    expect([log.suggestedFilename(), readFileSync((await log.path())!, 'utf8').split('\n').length]).toEqual(['console.txt', 100_001]);
    await setCode(page, 1, "display.table([{ n: 10, t: 'b' }, { n: 9, t: 'a' }, { n: null, t: 'c' }]);");
    await runAndWait(page, 1);
    const column = () => cell(page, 1).locator('.table-out td:first-child').allTextContents();
    const header = cell(page, 1).locator('.table-out th button').first();
    const orders = [await column()];
    for (let i = 0; i < 3; i++) {
      await header.click();
      orders.push(await column());
    }
    expect(orders).toEqual([['10', '9', ''], ['9', '10', ''], ['10', '9', ''], ['10', '9', '']]);
    // A kernel that a cell could close would never answer again, and nobody would know.
    await setCode(page, 2, "(globalThis as any).close?.();\ndisplay.table([]);");
    await runAndWait(page, 2);
    await cell(page, 2).locator('.note-out', { hasText: 'A table without rows.' }).waitFor(PATIENT);
    await runAndWait(page, 1);
    await page.screenshot({ path: 'build/screenshots/outputs-new.png', fullPage: true });
    expect(troubles).toEqual([]);
    await close();
  });
});
