// How quick the notebook is with few and many cells. The numbers are printed, and judged by people; what is checked is the
// way they come about: every cell is readable text at once, and only the cell with the cursor has an editor.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeLink } from '../../notebook/document/link.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { dist, editorReady, kernelReady, launch, openPage, servePage, waitForState, type PageServer } from './browser.ts';

let browser: Browser;
let server: PageServer;
const said: string[] = [];
const say = (words: string) => said.push(words);

beforeAll(async () => {
  browser = await launch();
  server = await servePage(dist);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  console.log(said.join('\n'));
});

/** A notebook shaped like a real one: a third is text, code of five to ten lines, each cell using names of those above. */
async function linkOf(count: number): Promise<string> {
  const cells = Array.from({ length: count }, (_, i) => i % 3 === 0
    ? { kind: 'markdown' as const, source: `## Part ${i}\n\nHere the weights of step *${i}* are made, with $w_{${i}} = ${i}$ rows.` }
    : { kind: 'code' as const, source: `/** Adds up what part ${i} holds. */\nfunction total${i}(values: readonly number[]): number {\n  return values.reduce((sum, value) => sum + value, ${i});\n}\nconst values${i} = [1, 2, 3].map((value) => value * ${i});\nconst text${i} = \`part \${total${i}(values${i})}\`;\n${i > 2 ? `const before${i} = total${i - (i % 3 === 1 ? 2 : 1)}(values${i});\n` : ''}text${i}` });
  return encodeLink(toNotebook({ title: `${count} cells`, cells }));
}

const since = (page: Page) => page.evaluate(() => performance.now());

test.each([10, 60, 200])('%i cells are text at once and run before the editor is there', { timeout: 300_000 }, async (count) => {
  const { page, troubles, close } = await openPage(browser, server, { hash: await linkOf(count) });
  const readable = await since(page);
  expect(await page.locator('.cell').count()).toBe(count);
  expect(await page.locator('.cell.code .static-code').last().textContent()).toContain('const text');
  expect(await page.locator('.cell.code').evaluateAll((cells) => cells.filter((cell) => cell.getAttribute('data-state') !== 'none').length), 'a link runs nothing').toBe(0);
  await kernelReady(page);
  const runnable = await since(page);
  await editorReady(page);
  const editor = await since(page);
  say(`${count} cells: readable ${Math.round(readable)} ms, runnable ${Math.round(runnable)} ms, editor ${Math.round(editor)} ms after navigation`);
  expect(await page.locator('.monaco-editor .view-line').count()).toBe(0);
  expect(troubles).toEqual([]);
  await close();
});

test('completion with 60 cells, and keys while a training runs', { timeout: 300_000 }, async () => {
  const { page, troubles, close } = await openPage(browser, server, { hash: await linkOf(60) });
  await editorReady(page);
  await kernelReady(page);
  const last = page.locator('.cell.code').last();
  await last.scrollIntoViewIfNeeded();
  await last.locator('.static-code').click();
  await page.waitForSelector('.monaco-editor .view-line');
  const times: number[] = [];
  for (const word of ['total4', 'values2', 'text1']) {
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('Enter');
    const from = await since(page);
    await page.keyboard.type(word);
    await page.waitForSelector('.suggest-widget.visible .monaco-list-row', { timeout: 60_000 });
    times.push((await since(page)) - from);
    expect(await page.locator('.suggest-widget.visible .monaco-list-row .label-name').first().textContent()).toContain(word);
    await page.keyboard.press('Escape');
  }
  say(`completion with 60 cells, from the first letter typed to the list: ${times.map(Math.round).join(', ')} ms`);
  expect(await page.locator('.editor-slot').count()).toBeLessThanOrEqual(2);
  const idle = await keyTimes(page);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('const w = zeros(64, 64).requiresGrad_(); for (let i = 0; i < 4000; i++) { const loss = w.matmul(w).sub(1).square().mean(); loss.backward(); w.zeroGrad?.(); log({ loss }); }');
  await page.keyboard.press('ControlOrMeta+Enter');
  const number = Number(await last.getAttribute('data-number'));
  await waitForState(page, number, ['running', 'fresh', 'error']);
  await page.locator('.cell.code').first().locator('.static-code').click();
  const busy = await keyTimes(page);
  say(`a key until the next frame shows it, median and worst: idle ${idle.join(' and ')} ms, while training ${busy.join(' and ')} ms`);
  expect(troubles).toEqual([]);
  await close();
});

/** Types twenty letters and measures each until the frame after it. */
async function keyTimes(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    const times: number[] = [];
    (globalThis as unknown as { keys: number[] }).keys = times;
    document.addEventListener('keydown', (event) => requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - event.timeStamp))), { capture: true });
  });
  for (let i = 0; i < 20; i++) await page.keyboard.press('x', { delay: 10 });
  const times = (await page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys)).sort((a, b) => a - b);
  return [times[Math.floor(times.length / 2)]!, times.at(-1)!].map((time) => time.toFixed(1));
}
