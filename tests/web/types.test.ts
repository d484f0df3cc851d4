// Types that flow across cells, and values that flow back into the editor after a run.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PATIENT, cell, codeOf, kernelReady, outputOf, run, runAndWait, setCode, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const hover = (page: Page) => page.locator('.monaco-hover:not(.hidden)').allTextContents().then((texts) => texts.join(' ').replace(/\u00a0/g, ' '));

/** Puts the cursor on a word of a cell, inside an editor. */
async function goTo(page: Page, number: number, word: string): Promise<void> {
  await cell(page, number).locator('.code-box').click({ position: { x: 300, y: 12 } });
  await page.waitForSelector(`.cell[data-number="${number}"] .monaco-editor .view-line`);
  await cell(page, number).locator('.view-line span span', { hasText: word }).first().click();
}

describe('types across cells', () => {
  test('hover and signature help show what another cell declared, and the documentation of the engine', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['/** Makes it small. */\nfunction shrink(size: number, by = 2): number { return size / by; }', 'const small = shrink(10, 5);\nnn.linear(2, 3);']);
    await goTo(page, 2, 'shrink');
    await page.keyboard.press('ControlOrMeta+K');
    await page.keyboard.press('ControlOrMeta+I');
    await expect.poll(() => hover(page), PATIENT).toContain('function shrink(size: number, by?: number): number');
    await expect.poll(() => hover(page), PATIENT).toContain('Makes it small.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('\nnn.conv2d(');
    await expect.poll(() => page.locator('.parameter-hints-widget.visible').allTextContents().then(String), PATIENT).toContain('inChannels');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('shrink(');
    await expect.poll(() => page.locator('.parameter-hints-widget.visible').allTextContents().then(String), PATIENT).toContain('by?: number');
    expect(troubles).toEqual([]);
    await close();
  });

  test('a name used in three cells is found and renamed in all of them, and only there', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['let width = 3;', 'const area = width * 2;', '{ const width = 1; width; }\nwidth + area']);
    await goTo(page, 3, 'area');
    await page.keyboard.press('F12');
    await page.waitForSelector('.cell[data-number="2"].editing', PATIENT);
    await goTo(page, 2, 'width');
    await page.keyboard.press('F2');
    await page.waitForSelector('.rename-box input:focus', PATIENT);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('breadth');
    await page.keyboard.press('Enter');
    await expect.poll(() => codeOf(page, 1), PATIENT).toContain('let breadth = 3;');
    await expect.poll(() => codeOf(page, 2), PATIENT).toContain('breadth * 2');
    await expect.poll(() => codeOf(page, 3), PATIENT).toContain('breadth + area');
    expect(await codeOf(page, 3)).toContain('{ const width = 1; width; }');
    expect(troubles).toEqual([]);
    await close();
  });

  test('a type error offers a quick fix and does not stop the run', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(['const points = [1, 2];', 'const n: string = points.lenght ?? 4;\npoints.length']);
    await kernelReady(page);
    await expect.poll(() => cell(page, 2).locator('.squiggly-error').count(), PATIENT).toBeGreaterThan(0);
    await run(page, 2);
    await waitForState(page, 2, 'error');
    await run(page, 1);
    await runAndWait(page, 2);
    expect(await outputOf(page, 2)).toContain('2');
    await goTo(page, 2, 'lenght');
    await page.keyboard.press('ControlOrMeta+.');
    await expect.poll(() => page.locator('.action-widget').allTextContents().then(String), PATIENT).toContain("Change spelling to 'length'");
    await page.keyboard.press('Enter');
    await expect.poll(() => codeOf(page, 2), PATIENT).toContain('points.length ?? 4');
    await close();
  });
});

describe('values in the editor', () => {
  test('after a run the shape stands at the end of the line, and a hover tells range and spread', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['const weights = linspace(-1, 1, 12).reshape(3, 4);', 'weights.sum()']);
    await kernelReady(page);
    await runAndWait(page, 1);
    await expect.poll(() => cell(page, 1).locator('.shape-hint').getAttribute('data-text'), PATIENT).toBe('[3, 4]');
    await goTo(page, 2, 'weights');
    await page.keyboard.press('ControlOrMeta+K');
    await page.keyboard.press('ControlOrMeta+I');
    await expect.poll(() => hover(page), PATIENT).toMatch(/Now \[3, 4\] float32, cpu.*[−-]1\.000 to 1\.000, mean/s);
    await expect.poll(() => hover(page), PATIENT).toContain('█');
    await page.keyboard.press('Escape');
    await setCode(page, 1, 'const weights = 1;');
    await cell(page, 2).locator('.code-box').click({ position: { x: 300, y: 12 } });
    await expect.poll(() => cell(page, 1).locator('.shape-hint').count(), PATIENT).toBe(0);
    expect(troubles).toEqual([]);
    await close();
  });

  test('formatting tidies a cell, keeps its last expression a result, and one undo takes it back', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['const a={b:1 ,c:"x"}\na . b']);
    await goTo(page, 1, 'const');
    await page.keyboard.press('Shift+Alt+F');
    await expect.poll(() => codeOf(page, 1), PATIENT).toContain("const a = { b: 1, c: 'x' };");
    expect(await codeOf(page, 1)).toMatch(/a\.b$/);
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(() => codeOf(page, 1), PATIENT).toContain('a . b');
    expect(troubles).toEqual([]);
    await close();
  });
});
