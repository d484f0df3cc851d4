// The page in each of its main states, light and dark: nothing that assistive tools would stumble over (axe), and pictures for
// people in build/screenshots/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { faults } from './axe.ts';
import { cell, command, editorReady, kernelReady, root, run, setCode, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();
const pictures = join(root, 'build/screenshots');
mkdirSync(pictures, { recursive: true });

const open = (words: string, selector: string) => async (page: Page) => {
  await command(page, words);
  await page.waitForSelector(selector);
};
const click = (selector: string, shown: string) => async (page: Page) => {
  await page.locator(selector).first().click();
  await page.waitForSelector(shown);
};

/** One after the other on one page; Escape ends what is open. */
const STATES: readonly (readonly [name: string, enter: (page: Page) => Promise<void>, leave?: (page: Page) => Promise<void>])[] = [
  ['empty', async (page) => { await page.keyboard.press('Escape'); }],
  ['editing', async (page) => { await setCode(page, 1, 'const rate = 0.1;\nconst wrong: string = rate;\nfor (let i = 0; i < 3; i++) console.log(i);'); }],
  ['suggestions', async (page) => { await page.keyboard.press('ControlOrMeta+End'); await page.keyboard.type('\nnn.lin', { delay: 40 }); await page.waitForSelector('.suggest-widget.visible .monaco-list-row'); }],
  ['error', async (page) => { await setCode(page, 1, 'const rate = 0.1;\nnope(rate);'); await page.keyboard.press('Escape'); await run(page, 1); await waitForState(page, 1, 'error'); }],
  ['running', async (page) => { await setCode(page, 1, 'for (let i = 1; ; i++) {\n  log({ loss: 1 / i });\n  await new Promise((done) => setTimeout(done, 30));\n}'); await page.keyboard.press('Escape'); await run(page, 1); await waitForState(page, 1, 'running'); await page.waitForSelector('figure.chart[data-series]'); }],
  ['paused', async (page) => { await page.locator('[data-action="pause"]').click(); await page.waitForSelector('[data-action="step"]:enabled'); }],
  ['paused on a tablet', (page) => page.setViewportSize({ width: 1024, height: 768 })],
  ['paused on a phone', (page) => page.setViewportSize({ width: 390, height: 844 }), (page) => page.setViewportSize({ width: 1440, height: 900 })],
  ['stopped', async (page) => { await page.locator('[data-action="stop"]').click(); await waitForState(page, 1, 'stopped'); }],
  ['palette', async (page) => { await page.keyboard.press('ControlOrMeta+Shift+P'); await page.waitForSelector('dialog.palette[open]'); }, (page) => page.keyboard.press('Escape')],
  ['keys', open('show and change keys', 'dialog.keys-sheet[open]'), (page) => page.keyboard.press('Escape')],
  ['settings', open('title and seed', 'dialog.sheet[open]'), (page) => page.keyboard.press('Escape')],
  ['share', open('share by link', 'dialog.sheet[open]'), (page) => page.keyboard.press('Escape')],
  ['save', open('save as a file', 'dialog.sheet[open]'), (page) => page.keyboard.press('Escape')],
  ['find', async (page) => { await command(page, 'find and replace'); await page.waitForSelector('.find-bar'); await page.keyboard.type('loss'); }, (page) => page.keyboard.press('Escape')],
  ['menu', click('[aria-label="Notebook"][aria-haspopup="menu"]', '.menu'), (page) => page.keyboard.press('Escape')],
  ['kernel', click('[data-chip]', '.chip-note'), (page) => page.keyboard.press('Escape')],
  ['runs', click('[data-action="runs"]', '.runs'), async (page) => { await page.locator('[data-action="runs"]').click(); }],
];

test.each(['light', 'dark'] as const)('in %s colours no state of the page has a serious fault', { timeout: 300_000 }, async (colorScheme) => {
  const { page, troubles, close } = await site.open({ hash: '#scratch', colorScheme, viewport: { width: 1440, height: 900 } });
  await editorReady(page);
  await kernelReady(page);
  const found: Record<string, string[]> = {};
  for (const [name, enter, leave] of STATES) {
    await enter(page);
    found[name] = await faults(page);
    await page.screenshot({ path: join(pictures, `state-${name}-${colorScheme}.png`) });
    await leave?.(page);
  }
  expect(await cell(page, 1).count()).toBe(1);
  expect(found).toEqual(Object.fromEntries(STATES.map(([name]) => [name, []])));
  expect(troubles).toEqual([]);
  await close();
});

/** What of the bar covers something else of it, or reaches out of the window. */
const crowded = (page: Page) => page.evaluate(() => {
  const parts = [...document.querySelectorAll<HTMLElement>('.bar :is(.title, .saved, .brand, .figures, .queue, .button:not(.skip), .icon-button, .chip)')]
    .filter((part) => part.checkVisibility({ visibilityProperty: true }) && (part.textContent !== '' || part instanceof HTMLInputElement || part.querySelector('svg')));
  const boxOf = (part: HTMLElement) => {
    if (part.matches('input, button, a')) return part.getBoundingClientRect();
    const words = document.createRange();
    words.selectNodeContents(part);
    return words.getBoundingClientRect();
  };
  const boxes = parts.map((part) => ({ part, name: `${part.className} ${part.textContent}`, box: boxOf(part) }));
  const pairs = boxes.flatMap((one, i) => boxes.slice(i + 1).map((other) => [one, other] as const));
  return [
    ...pairs.filter(([{ part: one, box: a }, { part: other, box: b }]) => !one.contains(other) && !other.contains(one) && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1).map(([one, other]) => `${one.name} | ${other.name}`),
    ...boxes.filter(({ box }) => box.right > innerWidth + 1 || box.left < -1).map(({ name }) => `out: ${name}`),
    ...boxes.filter(({ name, box }) => name.startsWith('title') && box.width < 60).map(({ name }) => `no room: ${name}`),
  ];
});

test('the bar has room for all that it says of a long run, at every width', { timeout: 240_000 }, async () => {
  const LOOP = 'for (let i = 12345; ; i++) {\n  log({ loss: 1 / i }, { step: i });\n  await new Promise((done) => setTimeout(done, 30));\n}';
  // The page's clock is moved on by half a day.
  const before = () => {
    const real = performance.now.bind(performance);
    const moved = globalThis as unknown as { late: number };
    moved.late = 0;
    performance.now = () => real() + moved.late;
  };
  const { page, troubles, close } = await site.scratch([LOOP, '1', '2'], { viewport: { width: 1440, height: 900 }, before });
  await kernelReady(page);
  await page.keyboard.press('Escape');
  await page.locator('[data-action="run-all"]').click();
  await waitForState(page, 1, 'running');
  await page.evaluate(() => { (globalThis as unknown as { late: number }).late = 47_820_000; });
  await expect.poll(() => page.locator('[data-running]').textContent(), { timeout: 60_000 }).toMatch(/13 h 1\d min, step 1\d\s\d{3}/);
  const found: Record<string, string[]> = {};
  const widths = [390, 700, 701, 768, 900, 901, 1024, 1180, 1181, 1280, 1281, 1399, 1400, 1599, 1600];
  const look = async (name: string) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      found[`${name} ${width}`] = await crowded(page);
    }
  };
  await look('running');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator('[data-action="pause"]').click();
  await page.waitForSelector('[data-action="step"]:enabled');
  await look('paused');
  expect(Object.fromEntries(Object.entries(found).filter(([, each]) => each.length > 0))).toEqual({});
  expect(Object.keys(found).length).toBe(2 * widths.length);
  expect(troubles).toEqual([]);
  await close();
});
