// Complaints that other notebooks are known for, each as a test: lost text, frozen pages, floods, jumps, ghosts of names.
import { describe, expect, test } from 'vitest';
import { printPercent } from '../../notebook/document/percent.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { PATIENT, cell, codeOf, editorReady, kernelReady, outputOf, paste, run, runAndWait, seriesOf, setCode, shiftsOf, untilSaved, waitForState, watchShifts } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

describe('nothing is lost', () => {
  test('a tab that dies in an endless loop has kept the text, and opens again without running it', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(['const kept = 1;', 'while (true) {}']);
    await kernelReady(page);
    await runAndWait(page, 1);
    await run(page, 2);
    await waitForState(page, 2, 'running');
    await setCode(page, 1, 'const typedWhileItRan = 2;');
    await untilSaved(page);
    await page.goto('chrome://crash').catch(() => undefined);
    const next = await page.context().newPage();
    await next.goto(`${site.url}#scratch`);
    await next.waitForSelector('html[data-ready]', PATIENT);
    await expect.poll(() => codeOf(next, 1), PATIENT).toContain('typedWhileItRan');
    await expect.poll(() => codeOf(next, 2), PATIENT).toContain('while (true)');
    await kernelReady(next);
    expect(await next.locator('.cell[data-state="running"], .cell[data-state="queued"]').count()).toBe(0);
    await runAndWait(next, 1);
    await close();
  });

  test('a deleted cell takes its names along, and undo brings back cell, chart and, once run, names', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['const width = 3;\nplot.line([0, 1, 2], [1, 4, 9]);', 'typeof width']);
    await kernelReady(page);
    await runAndWait(page, 1);
    await runAndWait(page, 2);
    expect(await outputOf(page, 2)).toContain('number');
    const series = await seriesOf(page, 1);
    await page.locator('.cell.code').first().focus();
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(1);
    await runAndWait(page, 1);
    expect(await outputOf(page, 1)).toContain('undefined');
    await page.locator('.cell.code').first().focus();
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(2);
    await expect.poll(() => seriesOf(page, 1)).toEqual(series);
    await runAndWait(page, 1);
    await runAndWait(page, 2);
    expect(await outputOf(page, 2)).toContain('number');
    expect(troubles).toEqual([]);
    await close();
  });
});

describe('nothing freezes or jumps', () => {
  test('an endless flood of lines is cut in the page, and Stop ends it', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['for (let i = 0; ; i++) console.log(i);']);
    await kernelReady(page);
    await run(page, 1);
    await expect.poll(() => cell(page, 1).locator('.console .cut:not([hidden])').count(), PATIENT).toBe(1);
    // Typing works meanwhile.
    await page.locator('.column-end .button', { hasText: 'Code' }).click();
    await setCode(page, 2, '"typed"');
    await page.keyboard.press('Escape');
    expect(await cell(page, 1).locator('.console > div').count()).toBeLessThan(1100);
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, 1, 'stopped');
    expect(await cell(page, 1).locator('.console > div').first().textContent()).toBe('0');
    await runAndWait(page, 2);
    expect(troubles).toEqual([]);
    await close();
  });

  test('ten thousand logged steps draw into the same chart, and nothing moves', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['for (let step = 1; step <= 10000; step++) {\n  log({ loss: 1 / step });\n  if (step % 50 === 0) await new Promise((done) => setTimeout(done));\n}', '"below"']);
    await kernelReady(page);
    await page.keyboard.press('Escape');
    await run(page, 1);
    const canvas = cell(page, 1).locator('figure.chart canvas').first();
    await expect.poll(async () => (await seriesOf(page, 1))[0]?.points ?? 0, PATIENT).toBeGreaterThan(10);
    await canvas.evaluate((element) => element.setAttribute('data-same', ''));
    await watchShifts(page, 1);
    await waitForState(page, 1, 'fresh');
    expect((await seriesOf(page, 1))[0]).toMatchObject({ points: 10_000, lastStep: 10_000 });
    expect(await canvas.getAttribute('data-same')).toBe('');
    const shifts = await shiftsOf(page);
    expect(shifts.sum, `layout shifts of ${shifts.sources.join(', ')}`).toBe(0);
    expect(troubles).toEqual([]);
    await close();
  });

  test('a training begun by a function of another cell, and what it writes at its end, moves nothing', { timeout: 240_000 }, async () => {
    const LOOP = 'async function teach(steps: number) {\n  for (let step = 1; step <= steps; step++) {\n    log({ loss: 1 / step });\n    await new Promise((done) => setTimeout(done, 20));\n  }\n}';
    const LATE = 'await new Promise((done) => setTimeout(done, 700));';
    const results = ['({ rows: [1, 2, 3], names: ["a", "b"] })', 'ones([3, 3])', "plot.line([0, 1], [1, 2], { title: 'Line' });\nplot.bar(['a'], [1], { height: 120 });\nconsole.log('said');\n'result'", "display.html('<p>own frame</p>', { height: 90 });\nui.slider('rate', { min: 0, max: 1 });"];
    const { page, troubles, close } = await site.scratch([LOOP, LATE, 'await teach(40);\nconsole.log("done");', ...results.map((text) => `${LATE}\n${text}`), '"below";'], { viewport: { width: 1440, height: 1600 } });
    await kernelReady(page);
    await page.keyboard.press('Escape');
    // Nothing of Chart.js is loaded before there is a chart.
    const chartScripts = () => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => /assets\/(canvas|chart)-/.test(name)).length);
    expect(await chartScripts()).toBe(0);
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator('[data-action="run-all"]').click();
    // The room of all cells is kept before the second one ends; from then on nothing moves.
    await expect.poll(() => cell(page, 7).locator('.outputs').evaluate((outputs) => Number.parseFloat(outputs.style.minHeight) || 0), PATIENT).toBeGreaterThan(100);
    await watchShifts(page);
    await waitForState(page, 8, 'fresh');
    await page.waitForFunction(() => document.querySelector<HTMLButtonElement>('[data-action="stop"]')?.disabled);
    // What came late and has more than one line shows the first, and the rest when somebody opens it.
    for (const number of [4, 5]) expect(await cell(page, number).locator('.outputs details').first().evaluate((details) => (details as HTMLDetailsElement).open)).toBe(false);
    await cell(page, 5).locator('.tensor summary').click();
    expect(await cell(page, 5).locator('.tensor pre').isVisible()).toBe(true);
    expect(await chartScripts()).toBeGreaterThan(0);
    expect((await seriesOf(page, 3))[0]).toMatchObject({ points: 40 });
    const ink = () => cell(page, 3).locator('figure.chart canvas').first().evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      return canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
    });
    await expect.poll(ink, PATIENT).toBe(true);
    const shifts = await shiftsOf(page);
    expect(shifts.sum, `layout shifts of ${shifts.sources.join(', ')}`).toBe(0);
    expect(troubles).toEqual([]);
    await close();
  });

  test('two hundred cells can be read, searched by the browser and scrolled without a jump', { timeout: 240_000 }, async () => {
    const cells = Array.from({ length: 200 }, (_, i) => (i % 4 === 0 ? { kind: 'markdown' as const, source: `## Part ${i}\n\nSome words about part ${i}.` } : { source: `const value${i} = ${i};\n// needle${i}\nvalue${i} * 2;` }));
    const { page, troubles, close } = await site.open({ hash: '#scratch' });
    await editorReady(page);
    const choosing = page.waitForEvent('filechooser');
    await page.keyboard.press('ControlOrMeta+Shift+P');
    await page.waitForSelector('dialog.palette[open]');
    await page.keyboard.type('open a file');
    await page.keyboard.press('Enter');
    const chooser = await choosing;
    await chooser.setFiles({ name: 'many.ts', mimeType: 'application/octet-stream', buffer: Buffer.from(printPercent(toNotebook({ title: 'Many', cells }))) });
    await expect.poll(() => page.locator('.cell').count(), PATIENT).toBe(200);
    // The browser's own search, from wherever the selection is.
    const finds = () => page.evaluate(() => (globalThis as unknown as { find(text: string, isExact: boolean, isBackwards: boolean, wraps: boolean): boolean }).find('needle190', false, false, true));
    await expect.poll(finds, PATIENT).toBe(true);
    // Cells out of sight are made meanwhile: what one looks at stays where it is.
    const place = (number: number) => cell(page, number).evaluate((element) => Math.round(element.getBoundingClientRect().top));
    await cell(page, 100).evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const before = await place(100);
    await page.waitForFunction(() => document.querySelector('[data-stub]') === null, undefined, PATIENT);
    expect(Math.abs((await place(100)) - before)).toBeLessThanOrEqual(1);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (const share of [0.3, 0.9, 0.1, 1]) {
      const [wanted, is] = await page.evaluate(async (share) => {
        const top = Math.round((document.documentElement.scrollHeight - innerHeight) * share);
        scrollTo({ top, behavior: 'instant' });
        for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
        return [top, scrollY];
      }, share);
      expect(Math.abs(wanted! - is!)).toBeLessThanOrEqual(1);
    }
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
    expect(troubles).toEqual([]);
    await close();
  });
});

test('a cell with const runs as often as one likes, and may declare something else', { timeout: 240_000 }, async () => {
  const { page, troubles, close } = await site.scratch(['const value = 3;\nclass Box { size = value }\nconst { size } = new Box();', 'value.toFixed(1)']);
  await kernelReady(page);
  for (let i = 0; i < 10; i++) await runAndWait(page, 1);
  await runAndWait(page, 2);
  expect(await outputOf(page, 2)).toContain('3.0');
  await setCode(page, 1, "const value = 'three';");
  await expect.poll(() => cell(page, 2).locator('.squiggly-error').count(), PATIENT).toBe(1);
  await runAndWait(page, 1);
  await run(page, 2);
  await waitForState(page, 2, 'error');
  expect(await outputOf(page, 2)).toContain('toFixed is not a function');
  expect(troubles).toEqual([]);
  await close();
});

test('a cell that asked for it follows a slider by itself; no other does', { timeout: 240_000 }, async () => {
  const { page, troubles, close } = await site.scratch(["const amount = ui.slider('amount', { min: 0, max: 10, step: 1, value: 3 });", 'amount.value * 2', 'amount.value * 3']);
  await kernelReady(page);
  for (const number of [1, 2, 3]) await runAndWait(page, number);
  await cell(page, 2).locator('.gutter').click();
  await page.locator('.cell.code').nth(1).focus();
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.waitForSelector('dialog.palette[open]');
  await page.keyboard.type('run by itself');
  await page.keyboard.press('Enter');
  await cell(page, 1).locator('input[type="range"]').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => outputOf(page, 2), PATIENT).toContain('8');
  await waitForState(page, 3, 'stale');
  expect(await outputOf(page, 3)).toContain('9');
  expect(troubles).toEqual([]);
  await close();
});

test('without a mouse: add, write, run, read the loss, stop, reorder', { timeout: 240_000 }, async () => {
  const { page, troubles, close } = await site.open({ hash: '#scratch' });
  await editorReady(page);
  await kernelReady(page);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.waitForSelector('dialog.palette[open]');
  await page.keyboard.type('add code below');
  await press('Enter');
  await expect.poll(() => page.locator('.cell.code').count()).toBe(2);
  await press('Enter');
  await page.waitForSelector('.cell.code[data-number="2"].editing');
  await paste(page, 'for (let step = 1; ; step++) {\n  log({ loss: 1 / step });\n  await new Promise((done) => setTimeout(done, 20));\n}');
  await expect.poll(() => codeOf(page, 2)).toContain('setTimeout(done, 20)');
  await press('ControlOrMeta+Enter');
  await waitForState(page, 2, 'running');
  await expect.poll(() => seriesOf(page, 2).then((all) => all.map(({ name }) => name)), PATIENT).toEqual(['loss']);
  await press('Escape', 'i', 'i');
  await waitForState(page, 2, 'stopped');
  // The loss can be heard: the chart has words.
  expect(await cell(page, 2).locator('figure.chart canvas').first().getAttribute('aria-label')).toMatch(/loss went from 1\.000 to/);
  await expect.poll(() => page.locator('[data-announce]').textContent(), PATIENT).toMatch(/Cell 2: Stopped at step \d+/);
  await press('Alt+ArrowUp');
  await expect.poll(() => codeOf(page, 1)).toContain('log({ loss');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Code cell 1, Stopped/);
  expect(troubles).toEqual([]);
  await close();
});
