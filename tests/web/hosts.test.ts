// The same files on different hosts: without isolation headers, under a sub-path, offline, and on a second visit.
import { describe, expect, test } from 'vitest';
import { cell, dist, editorReady, kernelReady, openPage, run, servePage, setCode, untilSaved, waitForState } from './browser.ts';
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
