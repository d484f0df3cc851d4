// A network written with completion only: what is offered is right, in order, and runs. Names of cells below are not offered.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PATIENT, cell, kernelReady, outputOf, setCode, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const chosen = (page: Page) => page.locator('.suggest-widget.visible .monaco-list-row.focused .label-name').allTextContents().then(String);
const offered = (page: Page) => page.locator('.suggest-widget.visible .monaco-list-row .label-name').allTextContents();

/** Types the beginning of a name, waits until the list has the whole one in front, and takes it. */
async function complete(page: Page, typed: string, name: string): Promise<void> {
  await page.keyboard.type(typed, { delay: 30 });
  await expect.poll(() => chosen(page), PATIENT).toBe(name);
  await page.keyboard.press('Tab');
  await page.waitForSelector('.suggest-widget.visible', { state: 'detached' }).catch(() => undefined);
}

test('layers, optimizer and their options are completed, also when they are imported from gradbook', { timeout: 300_000 }, async () => {
  const { page, troubles, close } = await site.scratch(['', 'const below = 1;']);
  await kernelReady(page);
  await setCode(page, 1, "import { nn, optim } from 'gradbook';\n");
  const type = (text: string) => page.keyboard.type(text, { delay: 15 });
  await type('const model = ');
  await complete(page, 'nn.seq', 'sequential');
  await type('(');
  await complete(page, 'nn.lin', 'linear');
  await type('(2, 8), ');
  await complete(page, 'nn.rel', 'relu');
  await type('(), ');
  await complete(page, 'nn.lin', 'linear');
  await type('(8, 1)');
  await page.keyboard.press('End');
  await type(';\nconst optimizer = ');
  await complete(page, 'optim.adam', 'adam');
  await type('(');
  await complete(page, 'mod', 'model');
  await complete(page, '.parame', 'parameters');
  await type('(), { ');
  await complete(page, 'lr', 'lr');
  await type(': 0.01');
  await page.keyboard.press('End');
  await type(';\n');
  await type('bel');
  await expect.poll(() => offered(page), PATIENT).not.toEqual([]);
  // A cell further down has not run yet.
  expect(await offered(page)).not.toContain('below');
  await page.keyboard.press('Escape');
  for (let i = 0; i < 3; i++) await page.keyboard.press('Backspace');
  await type('[optimizer.lr, model.parameters().length]');
  await expect.poll(() => cell(page, 1).locator('.squiggly-error').count(), PATIENT).toBe(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+Enter');
  await waitForState(page, 1, 'fresh');
  expect(await outputOf(page, 1)).toContain('[0.01, 4]');
  await page.screenshot({ path: 'build/screenshots/network.png' });
  expect(troubles).toEqual([]);
  await close();
});
