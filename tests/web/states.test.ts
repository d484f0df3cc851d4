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
