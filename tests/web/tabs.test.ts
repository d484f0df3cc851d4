// One notebook in two tabs: the second one reads along, may take over or make a copy, and no typed letter is lost.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cell, codeOf, editorReady, kernelReady, outputOf, PATIENT, runAndWait, setCode, untilSaved } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

/** The same notebook in another tab of the same browser. */
async function second(page: Page, before?: () => void): Promise<Page> {
  const next = await page.context().newPage();
  if (before) await next.addInitScript(before);
  await next.setViewportSize({ width: 1280, height: 900 });
  await next.goto(page.url());
  await next.waitForSelector('html[data-ready]', PATIENT);
  return next;
}

const banner = (page: Page) => page.locator('[data-banner="elsewhere"]');
const take = (page: Page) => banner(page).locator('[data-action="take-over"]').click();

test('the second tab reads along, takes over, and gives back', { timeout: 240_000 }, async () => {
  const { page: one, troubles, close } = await site.scratch(["const first = 'one';"]);
  await untilSaved(one);
  const two = await second(one);
  await banner(two).waitFor(PATIENT);
  expect(await two.locator('.bar .saved').textContent()).toBe('Open in another tab');
  // It can be run, and not be changed: by no click, no key, no command.
  await kernelReady(two);
  await runAndWait(two, 1);
  await cell(two, 1).locator('.code-box').click();
  await two.keyboard.type('lost');
  expect(await codeOf(two, 1)).toContain("const first = 'one';");
  await cell(two, 1).focus();
  for (const key of ['Enter', 'b', 'd', 'd', 'm']) await two.keyboard.press(key);
  expect(await two.locator('.cell').count()).toBe(1);
  expect(await two.locator('.undo-note').textContent()).toContain('open in another tab');
  // What is typed in the first tab shows up, and outputs stay.
  await setCode(one, 1, "const first = 'uno';");
  await expect.poll(() => codeOf(two, 1), PATIENT).toContain('uno');
  // Taken over in the middle of typing: the first tab saves before it lets go.
  await setCode(one, 1, "const first = 'eins';");
  await take(two);
  await banner(two).waitFor({ state: 'detached', ...PATIENT });
  await expect.poll(() => codeOf(two, 1), PATIENT).toContain('eins');
  await expect.poll(() => banner(one).textContent(), PATIENT).toContain('has taken this notebook over');
  await expect.poll(() => one.locator('.cell.editing').count()).toBe(0);
  await editorReady(two);
  await setCode(two, 1, "const first = 'two';\nfirst");
  await expect.poll(() => codeOf(one, 1), PATIENT).toContain('two');
  await runAndWait(two, 1);
  expect(await outputOf(two, 1)).toContain('two');
  // The tab is closed: the notebook is the first one's again, with everything.
  await untilSaved(two);
  await two.close();
  await banner(one).waitFor({ state: 'detached', ...PATIENT });
  await setCode(one, 1, `${await codeOf(one, 1)} + '!'`.trim());
  await untilSaved(one);
  expect(troubles).toEqual([]);
  await close();
});

test('a copy made in the second tab is a notebook of its own', { timeout: 240_000 }, async () => {
  const { page: one, close } = await site.open({ hash: '#lesson=linear-regression' });
  const two = await second(one);
  await banner(two).waitFor(PATIENT);
  await banner(two).locator('[data-action="copy-here"]').click();
  await banner(two).waitFor({ state: 'detached', ...PATIENT });
  await expect.poll(() => two.evaluate(() => location.hash), PATIENT).toMatch(/^#own=/);
  await editorReady(two);
  await setCode(two, 1, 'const mine = 1;');
  await untilSaved(two);
  expect(await codeOf(one, 1)).not.toContain('mine');
  await close();
});

test('a reload is no second tab', { timeout: 240_000 }, async () => {
  const { page, close } = await site.scratch(["'kept'"]);
  await untilSaved(page);
  for (let i = 0; i < 3; i++) {
    await page.reload();
    await page.waitForSelector('html[data-ready]', PATIENT);
    await expect.poll(() => page.locator('.bar .saved').textContent(), PATIENT).toBe('Saved');
    expect(await banner(page).count()).toBe(0);
  }
  await editorReady(page);
  await setCode(page, 1, "'kept and changed'");
  await untilSaved(page);
  expect(await page.locator('.bar .saved').getAttribute('title')).toContain('Saved in this browser');
  // Storage that is full in the middle of a session says so, and saving goes on when there is room again.
  await page.evaluate(() => {
    const { put } = IDBObjectStore.prototype;
    const error = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, 'error')!;
    Object.defineProperty(IDBTransaction.prototype, 'error', { ...error, get: () => new DOMException('no room', 'QuotaExceededError') });
    IDBObjectStore.prototype.put = function (...given) {
      const request = put.apply(this, given);
      this.transaction.abort();
      return request;
    };
    Object.assign(globalThis, { makeRoom: () => {
      IDBObjectStore.prototype.put = put;
      Object.defineProperty(IDBTransaction.prototype, 'error', error);
    } });
  });
  await setCode(page, 1, "'typed while storage was full'");
  await expect.poll(() => page.locator('.bar .saved').textContent(), PATIENT).toBe('Not saved: storage is full');
  await page.evaluate(() => (globalThis as unknown as { makeRoom(): void }).makeRoom());
  await setCode(page, 1, "'typed when there was room again'");
  await untilSaved(page);
  await close();
});

test('a tab that takes seconds to save keeps the notebook until it has', { timeout: 240_000 }, async () => {
  const { page: one, close } = await site.scratch(["'before'"]);
  await untilSaved(one);
  const two = await second(one);
  await banner(two).waitFor(PATIENT);
  // Another transaction stands before everything that is saved.
  await one.evaluate(() => new Promise<void>((began) => {
    const opening = indexedDB.open('gradbook');
    opening.onsuccess = () => {
      const store = opening.result.transaction('notebooks', 'readwrite').objectStore('notebooks');
      const state = globalThis as unknown as { isBusy: boolean };
      state.isBusy = true;
      const again = () => {
        if (state.isBusy) store.get('none').onsuccess = again;
        else opening.result.close();
      };
      again();
      began();
    };
  }));
  await setCode(one, 1, "'typed last'");
  await take(two);
  await two.waitForTimeout(3000);
  await one.evaluate(() => { (globalThis as unknown as { isBusy: boolean }).isBusy = false; });
  await banner(two).waitFor({ state: 'detached', ...PATIENT });
  await expect.poll(() => codeOf(two, 1), PATIENT).toContain('typed last');
  expect(await one.evaluate(() => location.hash)).toBe('#scratch');
  await close();
});

/** A tab that the browser has put to sleep: it hears nothing, and its clock of saving stands still. */
const asleep = () => {
  const { setTimeout: real } = window;
  Object.assign(window, { BroadcastChannel: undefined, setTimeout: (act: () => void, ms: number) => (ms === 600 ? 0 : real(act, ms)) });
};

test('a tab that does not answer loses the notebook, and what it had not saved becomes a copy', { timeout: 240_000 }, async () => {
  const { page: one, close } = await site.open({ hash: '#lesson=linear-regression', before: asleep });
  await editorReady(one);
  await setCode(one, 1, 'const unsaved = 1;');
  const two = await second(one);
  await take(two);
  await banner(two).waitFor({ state: 'detached', ...PATIENT });
  await expect.poll(() => one.locator('[data-banner="arrival"]').textContent(), PATIENT).toContain('was not lost');
  expect(await codeOf(one, 1)).toContain('const unsaved = 1;');
  expect(await one.evaluate(() => location.hash)).toMatch(/^#own=/);
  expect(await codeOf(two, 1)).not.toContain('unsaved');
  await close();
});

test('where the browser has no locks, the tab that saves second keeps its text as a copy', { timeout: 240_000 }, async () => {
  const lockless = () => { Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined }); };
  const { page: one, close } = await site.scratch(["'both'"], { before: lockless });
  await untilSaved(one);
  const two = await second(one, lockless);
  await editorReady(two);
  await setCode(two, 1, "'two'");
  await untilSaved(two);
  await setCode(one, 1, "'one'");
  await expect.poll(() => one.locator('[data-banner="arrival"]').textContent(), PATIENT).toContain('was not lost');
  expect(await codeOf(one, 1)).toContain("'one'");
  expect(await codeOf(two, 1)).toContain("'two'");
  await close();
});
