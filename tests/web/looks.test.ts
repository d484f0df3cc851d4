// How the page looks and whether everybody can use it: three widths, light and dark, no accessibility faults, nothing sticks out.
// The pictures go to build/screenshots/ for people to look at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printHtml } from '../../notebook/document/html.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { faults } from './axe.ts';
import { cell, kernelReady, root, runAndWait, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const SIZES = [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }] as const;
const SCHEMES = ['light', 'dark'] as const;
const pictures = join(root, 'build/screenshots');

const site = useSite();
mkdirSync(pictures, { recursive: true });

describe.each(SIZES)('at $width x $height', (viewport) => {
  test.each(SCHEMES)('in %s colours the lesson reads well before and after it ran', { timeout: 240_000 }, async (colorScheme) => {
    const isPhone = viewport.width < 700;
    const { page, troubles, close } = await site.open({ hash: '#lesson=linear-regression', viewport, colorScheme, hasTouch: isPhone, isMobile: isPhone });
    await kernelReady(page);
    const name = (what: string) => join(pictures, `${what}-${viewport.width}-${colorScheme}.png`);
    await page.screenshot({ path: name('fresh') });
    expect(await faults(page)).toEqual([]);
    if (isPhone) await page.locator('.foot-bar button', { hasText: 'Run all' }).tap();
    else await page.locator('[data-action="run-all"]').click();
    const last = await page.locator('.cell.code').count();
    await waitForState(page, last, ['fresh', 'error', 'cancelled'], 120_000);
    await page.locator('.live-panels').first().scrollIntoViewIfNeeded();
    await page.screenshot({ path: name('trained') });
    expect(await faults(page)).toEqual([]);
    const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
    expect(scroll, 'width of the page').toBeLessThanOrEqual(width);
    expect(troubles).toEqual([]);
    await close();
  });
});

test('a notebook saved as a web page is light and whole on paper, too', { timeout: 120_000 }, async () => {
  const profile = await site.browser.newContext({ colorScheme: 'dark', viewport: { width: 688, height: 1000 } });
  const page = await profile.newPage();
  await page.setContent(printHtml(toNotebook({ title: 'Paper', cells: [`const words = '${'a long line of code '.repeat(20)}';`] })));
  const seen = () => page.evaluate(() => ({ ground: getComputedStyle(document.body).backgroundColor, cut: [...document.querySelectorAll('pre')].filter((each) => each.scrollWidth > each.clientWidth + 1).length }));
  expect(await seen()).toEqual({ ground: 'rgb(22, 23, 26)', cut: 1 });
  await page.emulateMedia({ media: 'print' });
  expect(await seen()).toEqual({ ground: 'rgb(252, 252, 250)', cut: 0 });
  await profile.close();
});

test('on paper stands the notebook alone, in light colours, with nothing cut off', { timeout: 240_000 }, async () => {
  const wide = `console.log('${'a long line of code '.repeat(20)}');`;
  const { page, troubles, close } = await site.scratch([wide, "for (let i = 0; i < 100; i++) console.log('line', i);"], { colorScheme: 'dark' });
  await kernelReady(page);
  await runAndWait(page, 1);
  await runAndWait(page, 2);
  // An editor stands in a cell when somebody prints.
  await cell(page, 2).locator('.code-box').click({ position: { x: 60, y: 20 } });
  await page.waitForSelector('.cell[data-number="2"] .view-line');
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 688, height: 1000 });
  await page.screenshot({ path: join(pictures, 'paper.png'), fullPage: true });
  const seen = await page.evaluate(() => ({
    pressable: [...document.querySelectorAll('button, input, select, textarea')].filter((each) => each.checkVisibility()).map((each) => each.className),
    ground: getComputedStyle(document.body).backgroundColor,
    code: [...document.querySelectorAll('.cell.code .static-code')].map((each) => each.checkVisibility() && each.textContent!.length > 20),
    cut: [...document.querySelectorAll('.cell *')].filter((each) => each.checkVisibility() && getComputedStyle(each).overflow !== 'visible' && (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)).map((each) => each.className),
    sticksOut: document.documentElement.scrollWidth - innerWidth,
  }));
  expect(seen).toEqual({ pressable: [], ground: 'rgb(252, 252, 250)', code: [true, true], cut: [], sticksOut: 0 });
  expect(troubles).toEqual([]);
  await close();
});
