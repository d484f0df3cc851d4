// The same files on different hosts: without isolation headers, under a sub-path, offline, and on a second visit.
import { describe, expect, test } from 'vitest';
import { PATIENT, cell, dist, editorReady, kernelReady, openPage, openScratch, run, runAndWait, seriesOf, servePage, setCode, untilSaved, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const DATA = 'const { test: exam } = await data.mnist({ train: 0, test: 20 });\nexam.length';

describe('a host without isolation headers', () => {
  test('runs on one thread and says why, when nothing can help', { timeout: 240_000 }, async () => {
    const server = await servePage(dist, { isIsolated: false });
    const { page, troubles, close } = await openPage(site.browser, server, { hash: '#scratch' });
    await editorReady(page);
    await kernelReady(page);
    expect(await page.locator('[data-chip]').textContent()).toContain('1 thread');
    await page.locator('[data-chip]').click();
    expect(await page.locator('.chip-note').textContent()).toMatch(/isolate/);
    await setCode(page, 1, 'ones(2, 3).matmul(ones(3, 2)).sum().item()');
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 1, 'fresh');
    expect(await cell(page, 1).locator('.outputs').textContent()).toContain('12');
    expect(troubles).toEqual([]);
    await close();
    await server.close();
  });

  test('a slider says that a loop which never awaits cannot see it', { timeout: 240_000 }, async () => {
    const server = await servePage(dist, { isIsolated: false });
    const { page, troubles, close } = await openScratch(site.browser, server, ["const lr = ui.slider('learning rate', { min: 0, max: 1, step: 0.01, value: 0.5 });", 'while (true) {\n  log({ lr: lr.value });\n}', 'while (true) {\n  log({ lr: lr.value });\n  await new Promise((done) => setTimeout(done, 5));\n}']);
    await kernelReady(page);
    await runAndWait(page, 1);
    const said = cell(page, 1).locator('.control [role="status"]');
    const move = async () => {
      await cell(page, 1).locator('input[type="range"]').focus();
      await page.keyboard.press('ArrowRight');
    };
    // A loop that awaits sees it: its curve moves, and there is nothing to say.
    await run(page, 3);
    await page.waitForSelector('.cell.code[data-number="3"] [data-last-step]');
    await move();
    await expect.poll(async () => (await seriesOf(page, 3))[0]?.max, PATIENT).toBe(0.51);
    expect(await said.textContent()).toBe('');
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, 3, 'stopped');
    await run(page, 2);
    await page.waitForSelector('.cell.code[data-number="2"] [data-last-step]');
    await move();
    await expect.poll(() => said.textContent(), PATIENT).toMatch(/never awaits/);
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, 2, 'stopped');
    await expect.poll(() => said.textContent(), PATIENT).toBe('');
    expect(troubles).toEqual([]);
    await close();
    await server.close();
  });

  test('becomes isolated by the service worker after one reload, also under a sub-path', { timeout: 240_000 }, async () => {
    const server = await servePage(dist, { isIsolated: false, base: '/notes/gradbook/' });
    const { page, close } = await openPage(site.browser, server, { hash: '#scratch', serviceWorkers: 'allow' });
    await page.waitForFunction(() => crossOriginIsolated && document.documentElement.dataset.ready === '', null, { timeout: 120_000 });
    await kernelReady(page);
    expect(page.url()).toBe(`${server.url}#scratch`);
    await close();
    await server.close();
  });
});

describe('a second visit', () => {
  test('loads no data again, and works without a network', { timeout: 240_000 }, async () => {
    const server = await servePage(dist);
    const { page, close } = await openPage(site.browser, server, { hash: '#scratch', serviceWorkers: 'allow' });
    const asked: string[] = [];
    page.context().on('request', (request) => asked.push(new URL(request.url()).pathname));
    await editorReady(page);
    await kernelReady(page);
    await setCode(page, 1, DATA);
    await page.keyboard.press('ControlOrMeta+Enter');
    await waitForState(page, 1, 'fresh');
    expect(asked.some((path) => path.includes('/data/'))).toBe(true);
    await untilSaved(page);
    // The service worker has the whole page by then; the page asks for it when it is idle.
    await page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      active!.postMessage({ type: 'keepAll' });
    });
    await expect.poll(() => page.evaluate(async () => {
      const name = (await caches.keys()).find((each) => each.startsWith('gradbook-build'));
      return name ? (await (await caches.open(name)).keys()).some(({ url }) => /index\.html$/.test(url)) : false;
    }), { timeout: 120_000 }).toBe(true);
    await server.close();
    asked.length = 0;
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await kernelReady(page);
    await run(page, 1);
    await waitForState(page, 1, 'fresh');
    expect(await cell(page, 1).locator('.outputs').textContent()).toContain('20');
    expect(asked.filter((path) => path.includes('/data/'))).toEqual([]);
    await close();
  });
});
