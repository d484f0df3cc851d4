// Notebooks as files and links: opened as copies of one's own, saved without loss, and nothing runs by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { parseIpynb } from '../../notebook/document/ipynb.ts';
import { decodeLink, encodeLink } from '../../notebook/document/link.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { PATIENT, cell, command, editorReady, kernelReady, outputOf, root, run, runAndWait, setCode, untilSaved, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const CORPUS = join(root, 'tests/notebook/ipynb');

const site = useSite();

const open = async (page: Page, name: string, text: string | Buffer) => {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), command(page, 'open a file')]);
  await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
};
const save = async (page: Page, extension: string) => {
  await command(page, 'save as a file');
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-format="${extension}"]`).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
};

test('a file of Jupyter opens with its outputs, is kept in the browser, and saves back without a changed byte', { timeout: 240_000 }, async () => {
  const { page, troubles, close } = await site.open({ hash: '#scratch' });
  for (const name of ['29-colab-two-spaces.ipynb', '32-tabs.ipynb', '52-large-output.ipynb']) {
    const text = readFileSync(join(CORPUS, name), 'utf8');
    await open(page, name, text);
    await expect.poll(() => page.evaluate(() => location.hash), PATIENT).toMatch(/^#own=/);
    await expect.poll(() => page.locator('.cell').count(), PATIENT).toBe(parseIpynb(text).cells.length);
    expect((await save(page, '.ipynb')).text).toBe(text);
    await page.goto(`${site.url}#scratch`);
    await expect.poll(() => page.locator('.cell').count(), PATIENT).toBe(1);
  }
  await expect.poll(() => page.locator('.rail .own').count(), PATIENT).toBe(3);
  await page.locator('.rail .own a').last().click();
  await expect.poll(() => page.locator('.cell').count(), PATIENT).toBeGreaterThan(1);
  expect(troubles).toEqual([]);
  await close();
});

test('what a cell shows travels in the file: text, error, console, and a picture of the chart', { timeout: 240_000 }, async () => {
  const { page, close } = await site.scratch(["console.log('said'); [1, 2]", 'plot.line([0, 1, 2], [1, 4, 9]);', 'throw new RangeError("too far");']);
  await kernelReady(page);
  for (const number of [1, 2, 3]) await run(page, number);
  await waitForState(page, 3, 'error');
  const { name, text } = await save(page, '.ipynb');
  expect(name).toBe('scratch-pad.ipynb');
  const { cells } = JSON.parse(text) as { cells: { outputs: { output_type: string; text?: string[]; data?: Record<string, string | string[]>; ename?: string; evalue?: string }[] }[] };
  expect(cells[0]!.outputs[0]).toMatchObject({ output_type: 'stream', name: 'stdout', text: ['said\n'] });
  expect(cells[0]!.outputs[1]!.data!['text/plain']).toEqual(['[1, 2]']);
  expect(String(cells[1]!.outputs[0]!.data!['image/png'])).toMatch(/^iVBOR/);
  expect(cells[2]!.outputs[0]).toMatchObject({ output_type: 'error', ename: 'RangeError', evalue: 'too far' });
  // A page that opens anywhere, with the picture inside.
  expect((await save(page, '.html')).text).toContain('data:image/png;base64,iVBOR');
  expect((await save(page, '.md')).text).toContain('```ts');
  await open(page, 'again.ipynb', text);
  await expect.poll(() => page.locator('.saved-out').count(), PATIENT).toBe(3);
  expect(await cell(page, 2).locator('.saved-out img').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(100);
  await close();
});

test('a file that is no notebook is refused in words and changes nothing', { timeout: 240_000 }, async () => {
  const { page, troubles, close } = await site.scratch(["'mine'"]);
  await open(page, 'broken.ipynb', '{"cells": 1}');
  await expect.poll(() => page.locator('.undo-note').textContent(), PATIENT).toContain('broken.ipynb was not opened');
  expect(await cell(page, 1).locator('.code-box').textContent()).toContain("'mine'");
  expect(troubles).toEqual([]);
  await close();
});

test('a shared link opens as a copy of one’s own, runs nothing, and opens the same copy again', { timeout: 240_000 }, async () => {
  const { page, troubles, close } = await site.open({ hash: '#lesson=linear-regression' });
  await page.locator('[data-action="share"]').click();
  const link = await page.locator('dialog.sheet input').inputValue();
  expect((await decodeLink(new URL(link).hash)).cells.length).toBe(await page.locator('.cell').count());
  await page.keyboard.press('Escape');
  await page.goto(link);
  await page.waitForSelector('[data-banner="arrival"]');
  expect(await page.locator('[data-banner="arrival"]').textContent()).toContain('Nothing has run');
  expect(await page.evaluate(() => location.hash)).toMatch(/^#own=link-/);
  await kernelReady(page);
  expect(await page.locator('.cell.code:not([data-state="none"])').count()).toBe(0);
  await editorReady(page);
  await setCode(page, 1, 'const changed = 1;');
  await untilSaved(page);
  await page.goto(`${site.url}#scratch`);
  await page.goto(link);
  await expect.poll(() => page.locator('[data-banner="arrival"]').textContent(), PATIENT).toContain('your copy, with your changes');
  await expect.poll(() => cell(page, 1).locator('.code-box').textContent(), PATIENT).toContain('const changed');
  await page.locator('[data-banner="arrival"] .button').click();
  await expect.poll(() => cell(page, 1).locator('.code-box').textContent(), PATIENT).not.toContain('const changed');
  await page.goto(`${link.slice(0, -40)}`);
  await expect.poll(() => page.locator('[data-banner="arrival"]').textContent(), PATIENT).toContain('was cut off');
  expect(troubles).toEqual([]);
  await close();
});

test('scripts in the text of a link do nothing', { timeout: 240_000 }, async () => {
  const hash = await encodeLink(toNotebook({ title: 'Trap', cells: [{ kind: 'markdown', source: '<img src=x onerror="document.title=\'caught\'"><script>document.title="caught"</script><a href="javascript:document.title=\'caught\'">x</a>' }, 'document.title = "caught"'] }));
  const { page, close } = await site.open({ hash });
  await kernelReady(page);
  expect(await page.title()).toBe('Trap · Gradbook');
  expect(await page.locator('.prose a[href^="javascript"]').count()).toBe(0);
  await close();
});

test('links within a text lead to its headings and leave the kernel alone, and unknown addresses say so', { timeout: 240_000 }, async () => {
  const text = `[To the end](#The-end-of-it) [To nowhere](#nowhere)\n\n${'A paragraph.\n\n'.repeat(60)}`;
  const hash = await encodeLink(toNotebook({ title: 'Anchors', cells: ['const kept = 7;', { kind: 'markdown', source: text }, { kind: 'markdown', source: `## The *end* of it\n\n${'More.\n\n'.repeat(60)}` }, 'kept'] }));
  const { page, troubles, close } = await site.open({ hash });
  await kernelReady(page);
  await runAndWait(page, 1);
  const address = await page.evaluate(() => location.hash);
  await page.getByRole('link', { name: 'To the end' }).click();
  await expect.poll(() => page.getByRole('heading', { name: 'The end of it' }).evaluate((heading) => Math.abs(heading.getBoundingClientRect().top - 68) < 30), PATIENT).toBe(true);
  await page.getByRole('link', { name: 'To nowhere' }).click();
  await expect.poll(() => page.locator('.undo-note').textContent(), PATIENT).toContain('No heading here is called “nowhere”');
  await page.evaluate(() => { location.hash = '#lesson=misspelled'; });
  const said = page.locator('[data-banner="arrival"]');
  await expect.poll(() => said.textContent(), PATIENT).toContain('no notebook here under the address #lesson=misspelled');
  expect(await page.evaluate(() => location.hash)).toBe(address);
  await runAndWait(page, 2);
  expect(await outputOf(page, 2)).toBe('7');
  await close();
  const other = await site.open({ hash: '#lesson=misspelled' });
  await expect.poll(() => other.page.locator('[data-banner="arrival"]').textContent(), PATIENT).toContain('no notebook here under the address #lesson=misspelled');
  await other.close();
  expect(troubles).toEqual([]);
});

test('what was said of one notebook is gone when another one opens', { timeout: 240_000 }, async () => {
  const { page, troubles, close } = await site.open({ hash: '#scratch' });
  await open(page, 'numbers.csv', '1,2');
  await expect.poll(() => page.locator('.undo-note').textContent(), PATIENT).toContain('numbers.csv: no known kind of file');
  await open(page, 'text.md', 'Hello.');
  await expect.poll(() => page.locator('.bar .title').inputValue(), PATIENT).toBe('text');
  expect(await page.locator('.undo-note').count()).toBe(0);
  expect(troubles).toEqual([]);
  await close();
});
