// What cells showed is there again after a reload, as restored; and a run of everything is compared with what was saved.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { printIpynb } from '../../notebook/document/ipynb.ts';
import type { Json } from '../../notebook/document/json.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { PATIENT, cell, command, editorReady, kernelReady, runAndWait, seriesOf, setCode, stateWords, untilSaved, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const note = (page: Page) => page.locator('.undo-note').allTextContents().then(String);
const shown = (page: Page, number: number) => cell(page, number).locator('.outputs').innerText();

/** How many cells of the scratch pad are kept with this many outputs or more, and have ended. */
const keptCells = (page: Page) => page.evaluate(() => new Promise<string[]>((resolve, reject) => {
  const opening = indexedDB.open('gradbook-outputs');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    if (!opening.result.objectStoreNames.contains('outputs')) return resolve([]);
    const request = opening.result.transaction('outputs').objectStore('outputs').getAll();
    request.onsuccess = () => {
      opening.result.close();
      resolve((request.result as { phase: string; items: unknown[] }[]).map(({ phase, items }) => `${phase} ${items.length}`));
    };
  };
}));

const CELLS = [
  '[1, 2, { deep: [3] }]',
  'display(arange(6).reshape(2, 3));\ndisplay.table([{ n: 10, t: "b" }, { n: 9, t: "a" }]);\ndisplay.html("<b>bold</b>");',
  'for (let i = 0; i < 3000; i++) console.log(i);\nconsole.warn("careful");',
  'for (let step = 1; step <= 50; step++) log({ loss: 2 / step, accuracy: 1 - 1 / step });\nplot.bar(["a", "b"], [1, 3]);',
  'const rate = ui.slider("rate", { min: 0, max: 1, value: 0.5 });',
  'throw new RangeError("too far");',
];

test('after a reload every output is there again, marked as restored, and nothing has run', { timeout: 300_000 }, async () => {
  const { page, troubles, close } = await site.scratch(CELLS);
  await kernelReady(page);
  await page.locator('[data-action="run-all"]').click();
  await waitForState(page, 6, 'error');
  const numbers = [1, 2, 3, 4, 5, 6];
  const before = await Promise.all(numbers.map((number) => shown(page, number)));
  const series = await seriesOf(page, 4);
  await expect.poll(() => keptCells(page).then((kept) => kept.sort()), PATIENT).toEqual(['error 1', 'fresh 1', 'fresh 1', 'fresh 1', 'fresh 2', 'fresh 3']);
  await page.reload();
  await page.waitForSelector('html[data-ready]');
  for (const number of numbers) await waitForState(page, number, 'restored');
  await expect.poll(() => cell(page, 6).locator('.error-out').count(), PATIENT).toBe(1);
  const after = await Promise.all(numbers.map((number) => shown(page, number)));
  // Who had the lines that are not shown is gone, and its button with it.
  expect(after.map((text) => text.replace(/\s+/g, ' '))).toEqual(before.map((text) => text.replace(/ ?Save all lines/, '').replace(/\s+/g, ' ')));
  expect(await seriesOf(page, 4)).toEqual(series);
  expect(await cell(page, 2).frameLocator('iframe.html-out').locator('b').textContent()).toBe('bold');
  expect(await stateWords(page, 1)).toBe('Restored: shown as it was before. Run it to use its names');
  expect(await stateWords(page, 6)).toContain('it had failed');
  expect(await cell(page, 5).locator('.control').evaluate((element) => (element as HTMLElement).inert)).toBe(true);
  await page.screenshot({ path: 'build/screenshots/restored.png', fullPage: true });
  await kernelReady(page);
  await runAndWait(page, 5);
  expect(await cell(page, 5).locator('.control').evaluate((element) => (element as HTMLElement).inert)).toBe(false);
  await editorReady(page);
  await setCode(page, 6, '"instead"');
  await page.keyboard.press('Escape');
  expect(await stateWords(page, 6)).toBe('Edited since it ran');
  await command(page, 'restart and run all');
  await expect.poll(() => note(page), { timeout: 120_000 }).toBe('Reproducible: 5 cells show the same as the saved outputs.');
  await command(page, 'restart and run all');
  await expect.poll(() => note(page), { timeout: 120_000 }).toBe('Reproducible: 6 cells show the same as before the restart.');
  expect(troubles).toEqual([]);
  await close();
});

test('outputs that were cleared, and those of a cell that is gone, stay away', { timeout: 240_000 }, async () => {
  const { page, close } = await site.scratch(["'one'", "'two'", "'three'"]);
  await kernelReady(page);
  await page.locator('[data-action="run-all"]').click();
  await waitForState(page, 3, 'fresh');
  await expect.poll(() => keptCells(page), PATIENT).toEqual(['fresh 1', 'fresh 1', 'fresh 1']);
  await cell(page, 3).locator('.gutter').click();
  await page.keyboard.press('Escape');
  await command(page, 'clear the output');
  await expect.poll(() => keptCells(page).then(({ length }) => length), PATIENT).toBe(2);
  await page.locator('.cell.code').nth(1).focus();
  await page.keyboard.press('d');
  await page.keyboard.press('d');
  await untilSaved(page);
  await page.reload();
  await page.waitForSelector('html[data-ready]');
  await waitForState(page, 1, 'restored');
  await expect.poll(() => keptCells(page), PATIENT).toEqual(['fresh 1']);
  expect(await cell(page, 2).getAttribute('data-state')).toBe('none');
  await close();
});

test('restart and run all says which outputs are not those of the file', { timeout: 240_000 }, async () => {
  const notebook = toNotebook({ title: 'Saved', cells: [{ id: 'a', source: '1 + 1' }, { id: 'b', source: '"new"' }, { id: 'c', source: 'console.log("x"); console.log("y")' }] });
  const value = (text: string): Json => ({ output_type: 'execute_result', execution_count: 1, data: { 'text/plain': [text] }, metadata: {} });
  const line = (text: string): Json => ({ output_type: 'stream', name: 'stdout', text: [text] });
  const outputs: readonly (readonly [string, readonly Json[]])[] = [['a', [value('2')]], ['b', [value("'old'")]], ['c', [line('x\n'), line('y\n')]]];
  const file = printIpynb(notebook, new Map(outputs.map(([id, all]) => [id, { executionCount: 1, outputs: all }])));
  const { page, close } = await site.open({ hash: '#scratch' });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), command(page, 'open a file')]);
  await chooser.setFiles({ name: 'saved.ipynb', mimeType: 'application/octet-stream', buffer: Buffer.from(file) });
  await expect.poll(() => page.locator('.saved-out').count(), PATIENT).toBe(3);
  await kernelReady(page);
  await command(page, 'restart and run all');
  await expect.poll(() => note(page), { timeout: 120_000 }).toBe('Not the same as the saved outputs: cell 2. 2 cells show the same.');
  await close();
});
