// What goes wrong is said in the right place, in words, and everything else goes on working.
import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PATIENT, cell, codeOf, editorReady, kernelReady, outputOf, run, runAndWait, seriesOf, setCode, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const failure = (page: Parameters<typeof cell>[0], number: number) => cell(page, number).locator('.error-out');

describe('errors in cells', () => {
  test('a runtime error names its line, marks it in the editor, and later cells wait', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch([
      "function risky(n: number) {\n  if (n > 2)\n    throw new Error('too many: ' + n);\n  return n;\n}",
      'const a = risky(1);\n\nconst b = risky(3);',
      "console.log('never');",
    ]);
    await kernelReady(page);
    await page.locator('[data-action="run-all"]').click();
    await waitForState(page, 2, 'error');
    await waitForState(page, 3, 'cancelled');
    const text = await failure(page, 2).textContent();
    expect(text).toContain('too many: 3');
    expect(text).toContain('cell 1, line 3');
    expect(text).toContain('line 3');
    await expect.poll(() => cell(page, 2).locator('.error-line-decoration, .error-line:not([hidden])').count()).toBeGreaterThan(0);
    // The link leads to the line.
    await failure(page, 2).locator('.place', { hasText: 'cell 1' }).click();
    await page.waitForSelector('.cell.code[data-number="1"].editing');
    await setCode(page, 2, 'const b = risky(2);\nb');
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 2, 'fresh');
    await expect.poll(() => failure(page, 2).count()).toBe(0);
    expect(troubles).toEqual([]);
    await close();
  });

  test('syntax errors, unknown names and shapes that do not fit are each explained', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(['const x = ;', 'const y = 1;\nnotThere + y', 'const m = ones(2, 3);\n\nm.matmul(m)']);
    await kernelReady(page);
    await run(page, 1);
    await waitForState(page, 1, 'error');
    expect(await failure(page, 1).textContent()).toMatch(/Syntax error.*Expression expected.*line 1/s);
    await run(page, 2);
    await waitForState(page, 2, 'error');
    expect(await failure(page, 2).textContent()).toMatch(/notThere is not defined.*line 2.*check the spelling/s);
    // A cell that has not run declares it.
    await setCode(page, 1, 'const notThere = 2;');
    // The page reads the new text a moment later.
    await expect.poll(async () => {
      await run(page, 2);
      await waitForState(page, 2, 'error');
      return failure(page, 2).last().textContent();
    }, PATIENT).toMatch(/notThere is not defined.*line 2.*Cell 1 declares notThere: run it first\./s);
    await run(page, 3);
    await waitForState(page, 3, 'error');
    expect(await failure(page, 3).textContent()).toMatch(/matmul.*\[2, 3\].*\[2, 3\].*line 3/s);
    await close();
  });

  test('a type error is underlined and does not block the run', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(["const count: number = 'three';\ncount"]);
    await kernelReady(page);
    await page.waitForSelector('.squiggly-error', { timeout: 60_000 });
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 1, 'fresh');
    expect(await outputOf(page, 1)).toContain('three');
    await close();
  });

  test('a loss that is not a number is marked with its step and a sentence', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(['for (let step = 0; step < 30; step++) {\n  log({ loss: step < 12 ? 2 - step * 0.1 : NaN });\n}']);
    await kernelReady(page);
    await runAndWait(page, 1);
    const [loss] = await seriesOf(page, 1);
    expect(loss!.brokenAt).not.toBeNull();
    expect(await cell(page, 1).locator('.chart-trouble').textContent()).toMatch(/loss is not a number \(NaN\) from step 1[23] on/);
    await close();
  });

  test('a failed download says so in the cell, and trying again works', { timeout: 240_000 }, async () => {
    let isBroken = true;
    const { page, close } = await site.scratch(['const { test: exam } = await data.mnist({ train: 0, test: 100 });\nexam.length'], {
      prepare: async (page) => { await page.route('**/data/**', (route) => (isBroken ? route.abort() : route.continue())); },
    });
    await kernelReady(page);
    await run(page, 1);
    await waitForState(page, 1, 'error');
    const text = await failure(page, 1).textContent();
    expect(text).toMatch(/download/i);
    isBroken = false;
    await failure(page, 1).locator('.button', { hasText: 'Try again' }).click();
    await waitForState(page, 1, 'fresh');
    expect(await outputOf(page, 1)).toContain('100');
    await close();
  });

  test('an endless loop is stopped, and values of other cells survive', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(['const kept = 42;', 'while (true) {}', 'kept']);
    await kernelReady(page);
    await runAndWait(page, 1);
    await run(page, 2);
    await waitForState(page, 2, 'running');
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, 2, 'stopped');
    await runAndWait(page, 3);
    expect(await outputOf(page, 3)).toContain('42');
    await close();
  });
});

describe('browsers that lack something', () => {
  test('without WebAssembly SIMD the page can be read and says what helps', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.open({ before: () => { WebAssembly.validate = () => false; } });
    expect(await page.locator('.banner[data-banner="cannot"]').textContent()).toContain('WebAssembly SIMD');
    expect(await page.locator('[data-action="run-all"]').isDisabled()).toBe(true);
    expect(await page.locator('.cell.markdown .prose h1').first().textContent()).toBe('MNIST, live');
    expect(troubles).toEqual([]);
    await close();
  });

  test('with storage denied everything works, and the bar says that nothing is saved', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.open({
      hash: '#scratch',
      before: () => {
        const denied = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };
        Object.defineProperty(globalThis, 'indexedDB', { get: () => ({ open: denied }) });
        Object.defineProperty(globalThis, 'localStorage', { get: denied });
        Object.defineProperty(globalThis, 'sessionStorage', { get: denied });
        Object.defineProperty(globalThis, 'caches', { get: denied });
      },
    });
    await editorReady(page);
    await kernelReady(page);
    expect(await page.locator('.bar .saved').textContent()).toContain('Not saved');
    await setCode(page, 1, 'const { test: exam } = await data.mnist({ train: 0, test: 50 });\nexam.length');
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 1, 'fresh');
    expect(await outputOf(page, 1)).toContain('50');
    // What was typed stays while the page is open, also where another notebook is opened in between.
    await page.evaluate(() => { location.hash = '#lesson=linear-regression'; });
    await expect.poll(() => page.locator('.bar .title').inputValue(), PATIENT).toBe('A line through points');
    await page.evaluate(() => { location.hash = '#scratch'; });
    await expect.poll(() => page.locator('.bar .title').inputValue(), PATIENT).toBe('Scratch pad');
    await expect.poll(() => codeOf(page, 1), PATIENT).toContain('exam.length');
    expect(await page.locator('.bar .saved').textContent()).toContain('Not saved');
    expect(troubles).toEqual([]);
    // Nobody closes the page on it without being asked.
    const asked = page.waitForEvent('dialog', PATIENT);
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    // Chromium may have closed it with the page by now.
    await dialog.accept().catch(() => undefined);
    await close();
  });

  test.each([
    ['is longer or shorter than that of this page', (route: Route, text: string) => route.fulfill({ body: `${text}\n`, contentType: 'text/javascript' })],
    ['is gone from the server', (route: Route) => route.fulfill({ status: 404, body: '' })],
    ['does not fit the engine', (route: Route, text: string) => route.fulfill({ body: text.replace(/wasmImports=\{\w/, 'wasmImports={$'), contentType: 'text/javascript' })],
  ])('glue of another build that %s is an error that says what helps', { timeout: 240_000 }, async (_, answer) => {
    const { page, close } = await site.open({
      hash: '#scratch',
      prepare: async (page) => { await page.route(/engine\/[\w-]+\.js/, async (route) => answer(route, await (await route.fetch()).text())); },
    });
    const banner = page.locator('.banner[data-banner="dead"]');
    await banner.waitFor({ timeout: 60_000 });
    expect(await banner.textContent()).toMatch(/build.*[Rr]eload/);
    await editorReady(page);
    await setCode(page, 1, '1 + 1');
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 1, ['stopped', 'error']);
    await close();
  });

  test('a kernel that is gone is announced, and Restart brings a new one', { timeout: 240_000 }, async () => {
    // A browser that runs out of memory ends workers, and tells nobody.
    const { page, close } = await site.scratch(['1 + 1', '1 + 1'], {
      before: () => {
        const workers: Worker[] = [];
        const Real = globalThis.Worker;
        globalThis.Worker = class extends Real {
          constructor(...given: ConstructorParameters<typeof Worker>) {
            super(...given);
            workers.push(this);
          }
        };
        Object.assign(globalThis, { endWorkers: () => { for (const worker of workers) worker.terminate(); } });
      },
    });
    await kernelReady(page);
    await runAndWait(page, 1);
    const frame = page.frames().find((each) => each !== page.mainFrame())!;
    await frame.evaluate(() => (globalThis as unknown as { endWorkers(): void }).endWorkers());
    await page.waitForSelector('.banner[data-banner="dead"]', { timeout: 120_000 });
    await page.locator('.banner .button').click();
    await kernelReady(page);
    await runAndWait(page, 2);
    await close();
  });
});
