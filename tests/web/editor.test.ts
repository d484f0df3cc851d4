// Reading, typing and moving about: before Monaco, in Monaco, by keyboard, on touch.
import { describe, expect, test } from 'vitest';
import { encodeLink } from '../../notebook/document/link.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { cell, codeOf, editorReady, kernelReady, outputOf, PATIENT, runAndWait, setCode, untilSaved, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const suggestions = (page: Parameters<typeof cell>[0]) => page.locator('.suggest-widget.visible .monaco-list-row .label-name').allTextContents();

describe('the editor', () => {
  test('cells can be read and run before Monaco has loaded', { timeout: 240_000 }, async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => { release = resolve; });
    const { page, troubles, close } = await site.open({
      hash: '#scratch',
      prepare: async (page) => { await page.route(/assets\/pool-.*\.js/, async (route) => { await held; await route.continue(); }); },
    });
    await cell(page, 1).locator('.static-code').click();
    await page.keyboard.insertText('const early = 20 + 1;\nearly * 2');
    expect(await cell(page, 1).locator('.tk-keyword').first().textContent()).toBe('const');
    await kernelReady(page);
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 1, 'fresh');
    expect(await outputOf(page, 1)).toContain('42');
    release();
    await editorReady(page);
    await cell(page, 1).locator('.static-code').click();
    await page.waitForSelector('.cell .monaco-editor');
    expect(troubles).toEqual([]);
    await close();
  });

  test('with many cells the editor does not wait until all of them stand in full', { timeout: 240_000 }, async () => {
    const cells = Array.from({ length: 200 }, (_, i) => ({ kind: 'code' as const, source: `const value${i} = ${i};` }));
    const { page, troubles, close } = await site.open({
      hash: await encodeLink(toNotebook({ title: 'Many', cells })),
      // Cells are made when the browser is idle, and it is not before the editor is there.
      before: () => {
        const real = globalThis.requestIdleCallback;
        const held: Parameters<typeof requestIdleCallback>[] = [];
        globalThis.requestIdleCallback = (...asked) => ('editor' in document.documentElement.dataset ? real(...asked) : held.push(asked));
        new MutationObserver((_, observer) => {
          const root = document.documentElement;
          if (!root.dataset.editor) return;
          observer.disconnect();
          root.dataset.left = String(document.querySelectorAll('[data-stub]').length);
          for (const asked of held) real(...asked);
        }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-editor'] });
      },
    });
    await editorReady(page);
    expect(Number(await page.locator('html').getAttribute('data-left')), 'cells that were not there in full yet').toBeGreaterThan(100);
    await page.waitForFunction(() => document.querySelector('[data-stub]') === null, undefined, PATIENT);
    await setCode(page, 180, '178 + 1');
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 180, 'fresh');
    expect(await outputOf(page, 180)).toContain('179');
    // At rest nothing is animated in any cell, seen or unseen: each would be drawn in every frame.
    await expect.poll(() => page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length)).toBe(0);
    expect(troubles).toEqual([]);
    await close();
  });

  test('completion offers the engine and names of earlier cells, with their types', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(['const learningRate = 0.1;\nconst weights = randn(3, 4);', '']);
    await setCode(page, 2, '');
    await page.keyboard.type('learn', { delay: 40 });
    await expect.poll(() => suggestions(page), { timeout: 60_000 }).toContain('learningRate');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('weights.mat', { delay: 40 });
    await expect.poll(() => suggestions(page), { timeout: 60_000 }).toContain('matmul');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('optim.', { delay: 40 });
    await expect.poll(() => suggestions(page), { timeout: 60_000 }).toContain('adam');
    expect(troubles).toEqual([]);
    await close();
  });

  test('a change of type in one cell is seen in the next', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(['const value = 3;', 'value.toFixed(1)']);
    await page.waitForTimeout(1500);
    expect(await cell(page, 2).locator('.squiggly-error').count()).toBe(0);
    await setCode(page, 1, "const value = 'three';");
    await expect.poll(() => cell(page, 2).locator('.squiggly-error').count(), { timeout: 60_000 }).toBe(1);
    await close();
  });

  test('focus moves nothing and the text looks the same with and without an editor', { timeout: 240_000 }, async () => {
    const { page, close } = await site.open({ hash: '#lesson=mnist-live' });
    await editorReady(page);
    const box = cell(page, 3).locator('.code-box');
    await box.scrollIntoViewIfNeeded();
    // Cells above come to their full height when they are made.
    await page.waitForFunction(() => document.querySelector('[data-stub]') === null, undefined, PATIENT);
    const before = await box.boundingBox();
    await box.locator('.static-code').click({ position: { x: 80, y: 20 } });
    await page.waitForSelector('.cell[data-number="3"] .monaco-editor');
    const after = await box.boundingBox();
    expect(after).toEqual(before);
    await close();
  });
});

describe('keys', () => {
  test('command mode: insert, move, delete, undo, and run with Shift-Enter', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.scratch(["'one'"]);
    await kernelReady(page);
    await page.keyboard.press('Shift+Enter');
    await waitForState(page, 1, 'fresh');
    // At the end Shift-Enter adds a cell and goes on in it.
    await page.waitForSelector('.cell.code[data-number="2"].editing');
    await page.keyboard.insertText("'two'");
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(3);
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(2);
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(3);
    await page.keyboard.press('z');
    await expect.poll(() => page.locator('.cell.code').count()).toBe(2);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => cell(page, 2).locator('.code-box').textContent()).toContain("'one'");
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await page.locator('.undo-note .button').click();
    await expect.poll(() => outputOf(page, 2)).toContain('one');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    expect(troubles).toEqual([]);
    await close();
  });

  test('a text cell is edited with Enter and shown again with Shift-Enter', { timeout: 240_000 }, async () => {
    const { page, close } = await site.scratch(['1']);
    await page.locator('.column-end .button', { hasText: 'Text' }).click();
    await page.keyboard.insertText('## Sums\n\nWe know that $1 + 1 = 2$. <img src=x onerror="document.title=1">');
    await page.keyboard.press('Shift+Enter');
    const prose = page.locator('.cell.markdown .prose').first();
    await expect.poll(() => prose.locator('h2').textContent()).toBe('Sums');
    await expect.poll(() => prose.locator('.katex').count()).toBe(1);
    expect(await prose.locator('img').getAttribute('onerror')).toBeNull();
    await close();
  });
});

describe('the document', () => {
  test('changes survive a reload; Reset brings the original back', { timeout: 240_000 }, async () => {
    const { page, close } = await site.open({ hash: '#lesson=linear-regression' });
    await editorReady(page);
    const original = await page.locator('.cell.code').first().locator('.code-box').textContent();
    await setCode(page, 1, 'const mine = 1;');
    await untilSaved(page);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await expect.poll(() => cell(page, 1).locator('.code-box').textContent(), PATIENT).toContain('const mine = 1;');
    await page.locator('[data-action="reset"]').click();
    await page.locator('dialog[open] .button.main').click();
    await expect.poll(() => cell(page, 1).locator('.code-box').textContent()).toBe(original);
    // A lesson that has changed since: one's own version stays, says so, and makes way only as a copy.
    await editorReady(page);
    await setCode(page, 1, 'const mine = 2;');
    await untilSaved(page);
    await page.evaluate(() => new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open('gradbook');
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction('notebooks', 'readwrite');
        const store = transaction.objectStore('notebooks');
        const found = store.get('linear-regression');
        found.onsuccess = () => store.put({ ...found.result, original: { ...found.result.original, cells: found.result.original.cells.slice(1) } });
        transaction.oncomplete = () => { opening.result.close(); resolve(); };
      };
    }));
    await page.reload();
    const banner = page.locator('[data-banner="arrival"]');
    await banner.waitFor(PATIENT);
    expect(await banner.textContent()).toContain('newer version');
    await expect.poll(() => codeOf(page, 1), PATIENT).toContain('const mine = 2;');
    await banner.getByRole('button', { name: 'Keep mine as a copy' }).click();
    await expect.poll(() => cell(page, 1).locator('.code-box').textContent(), PATIENT).toBe(original);
    await expect.poll(() => page.locator('.rail .own a').allTextContents(), PATIENT).toEqual([expect.stringMatching(/\(copy\)/)]);
    await page.locator('.rail .own a').click();
    await expect.poll(() => codeOf(page, 1), PATIENT).toContain('const mine = 2;');
    await close();
  });

  test('on a touch screen code is typed in a plain field with a row of keys', { timeout: 240_000 }, async () => {
    const { page, troubles, close } = await site.open({ hash: '#scratch', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await cell(page, 1).locator('.static-code').tap();
    await page.waitForSelector('.key-row');
    await page.keyboard.insertText('const phone = 7;\nphone');
    await kernelReady(page);
    await runAndWait(page, 1);
    expect(await outputOf(page, 1)).toContain('7');
    expect(await page.locator('.monaco-editor').count()).toBe(0);
    expect(troubles).toEqual([]);
    await close();
  });
});
