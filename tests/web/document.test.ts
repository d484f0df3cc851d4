// Changing the notebook: several cells at once, undo with outputs, hiding and folding, find and replace, commands by name and by key.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faults } from './axe.ts';
import { PATIENT, cell, command, kernelReady, outputOf, runAndWait, untilSaved, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const codes = (page: Page) => page.locator('.cell.code .static-code').allTextContents().then((texts) => texts.map((text) => text.replace(/[\u00a0\u200b]/g, ' ').trim()));

describe('cells', () => {
  test('several are selected by keys, deleted, and undone with their outputs', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(["'one'", "'two'", "'three'"]);
    await kernelReady(page);
    await page.keyboard.press('ControlOrMeta+Shift+Enter');
    await waitForState(page, 3, 'fresh');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => page.locator('.cell[data-selected="many"]').count()).toBe(2);
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await expect.poll(() => codes(page)).toEqual(["'one'"]);
    expect(await page.locator('.undo-note').textContent()).toContain('2 cells deleted');
    await page.keyboard.press('z');
    await expect.poll(() => codes(page)).toEqual(["'one'", "'two'", "'three'"]);
    await expect.poll(() => outputOf(page, 3)).toContain('three');
    // A key that is held down cuts one cell, not all of them.
    for (let i = 0; i < 4; i++) await page.keyboard.down('x');
    await page.keyboard.up('x');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(2);
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(3);
    // Clearing outputs is a step of the same stack.
    await command(page, 'clear all outputs');
    await expect.poll(() => page.locator('.outputs').allTextContents()).toEqual(['', '', '']);
    await page.keyboard.press('z');
    await expect.poll(() => outputOf(page, 2)).toContain('two');
    expect(troubles).toEqual([]);
    await close();
  });

  test('a cell is split at the cursor, merged, copied and pasted; text undo and undo of cells stay apart', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['const a = 1;\nconst b = 2;']);
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ControlOrMeta+Shift+Minus');
    await expect.poll(() => codes(page)).toEqual(['const a = 1;', 'const b = 2;']);
    await page.waitForSelector('.cell[data-number="2"].editing');
    await page.keyboard.type('typed');
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(() => codes(page)).toEqual(['const a = 1;', 'const b = 2;']);
    // The editor has no more to undo; the split stays.
    await page.keyboard.press('ControlOrMeta+Z');
    expect((await codes(page)).length).toBe(2);
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.keyboard.press('v');
    await expect.poll(() => codes(page)).toEqual(['const a = 1;', 'const b = 2;', 'const b = 2;']);
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('Shift+M');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(2);
    await page.keyboard.press('z');
    await page.keyboard.press('z');
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(1);
    await expect.poll(async () => (await codes(page))[0]!.replace(/; ?\s*const b/, ';const b')).toBe('const a = 1;const b = 2;');
    expect(troubles).toEqual([]);
    await close();
  });

  test('a cell is dragged by its handle to another place', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(["'one'", "'two'", "'three'"]);
    await cell(page, 1).hover();
    const handle = (await cell(page, 1).locator('.drag-handle').boundingBox())!;
    const last = (await cell(page, 3).boundingBox())!;
    await page.mouse.move(handle.x + 8, handle.y + 8);
    await page.mouse.down();
    await page.mouse.move(handle.x + 8, last.y + 10, { steps: 6 });
    await page.waitForSelector('.drop-line');
    await page.mouse.move(handle.x + 8, last.y + last.height - 4, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => codes(page)).toEqual(["'two'", "'three'", "'one'"]);
    expect(await page.locator('.drop-line').count()).toBe(0);
    expect(troubles).toEqual([]);
    await close();
  });

  test('code and output are hidden by keys and kept hidden; tags stand above the cell', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(["'shown'"]);
    await kernelReady(page);
    await runAndWait(page, 1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('o');
    await expect.poll(() => cell(page, 1).locator('.outputs').isVisible()).toBe(false);
    await page.keyboard.press('Shift+O');
    await expect.poll(() => cell(page, 1).locator('.code-box').isVisible()).toBe(false);
    await command(page, 'edit tags');
    await page.waitForSelector('dialog.sheet[open]');
    await page.keyboard.type('setup, slow');
    await page.keyboard.press('Enter');
    await expect.poll(() => cell(page, 1).locator('.tags li').allTextContents()).toEqual(['setup', 'slow']);
    await untilSaved(page);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await expect.poll(() => cell(page, 1).locator('.code-box').isVisible()).toBe(false);
    await expect.poll(() => cell(page, 1).locator('.tags li').count()).toBe(2);
    await cell(page, 1).locator('.hidden-bar').first().click();
    await expect.poll(() => cell(page, 1).locator('.code-box').isVisible()).toBe(true);
    expect(troubles).toEqual([]);
    await close();
  });
});

describe('the notebook', () => {
  test('a heading folds its section; keys walk past what is folded; a search opens it', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.open({ hash: '#lesson=linear-regression' });
    const all = await page.locator('.cell').count();
    await page.locator('.cell.markdown').first().click();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.locator('.cell:visible').count()).toBeLessThan(all);
    const visible = await page.locator('.cell:visible').count();
    expect(await page.locator('.hidden-bar:visible').textContent()).toContain('folded');
    await page.keyboard.press('j');
    expect(await page.locator('.cell[data-selected]').evaluate((element) => (element as HTMLElement).hidden)).toBe(false);
    await page.keyboard.press('f');
    await page.waitForSelector('.find-bar');
    await page.keyboard.type('optimizer');
    await expect.poll(() => page.locator('.find-bar .count').textContent(), PATIENT).toMatch(/^1 of \d+/);
    await expect.poll(() => page.locator('.cell:visible').count()).toBeGreaterThan(visible);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.cell[data-selected]:focus').count()).toBe(1);
    expect(troubles).toEqual([]);
    await close();
  });

  test('replacing all is one step of undo over all cells', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['const rate = 1;', 'rate + rate']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await page.waitForSelector('.find-bar');
    await page.keyboard.type('rate');
    await expect.poll(() => page.locator('.find-bar .count').textContent()).toBe('1 of 3');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.find-bar .count').textContent()).toBe('2 of 3');
    await page.locator('.find-bar input').nth(1).fill('speed');
    await page.locator('.find-bar button', { hasText: 'All' }).click();
    await expect.poll(() => codes(page)).toEqual(['const speed = 1;', 'speed + speed']);
    expect(await faults(page)).toEqual([]);
    await page.locator('.find-bar input').first().press('Escape');
    await page.keyboard.press('z');
    await expect.poll(() => codes(page)).toEqual(['const rate = 1;', 'rate + rate']);
    expect(troubles).toEqual([]);
    await close();
  });
});

describe('commands', () => {
  test('menus work by keyboard, give the focus back, and have no serious faults', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(["'one'", "'two'"]);
    await kernelReady(page);
    await page.keyboard.press('Escape');
    const more = cell(page, 2).locator('.cell-tools [aria-haspopup="menu"]');
    await more.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.menu');
    expect(await faults(page)).toEqual([]);
    await page.keyboard.type('dup');
    await expect.poll(() => page.evaluate(() => document.activeElement!.textContent)).toContain('Duplicate');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.menu').count()).toBe(0);
    await expect.poll(() => more.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.locator('[aria-label="More ways to run"]').click();
    await page.locator('.menu [role="menuitem"]', { hasText: 'Run all above' }).click();
    await waitForState(page, 1, 'fresh');
    expect(await cell(page, 2).getAttribute('data-state')).toBe('none');
    await command(page, 'run what is stale');
    await waitForState(page, 2, 'fresh');
    expect(troubles).toEqual([]);
    await close();
  });

  test('keys can be changed, and letters alone can be switched off', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(["'one'"]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog.keys-sheet[open]');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Duplicate/ }).click();
    await page.keyboard.press('q');
    await expect.poll(() => page.getByRole('button', { name: /^Duplicate/ }).textContent()).toBe('Q');
    await page.keyboard.press('Escape');
    await page.locator('.cell.code').first().focus();
    await page.keyboard.press('q');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(2);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await page.locator('.cell.code').first().focus();
    await page.keyboard.press('q');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(3);
    await page.keyboard.press('?');
    await page.locator('.check input').uncheck();
    await page.keyboard.press('Escape');
    await page.locator('.cell.code').first().focus();
    await page.keyboard.press('q');
    await page.keyboard.press('Alt+ArrowDown');
    expect(await page.locator('.cell.code').count()).toBe(3);
    expect(troubles).toEqual([]);
    await close();
  });
});
