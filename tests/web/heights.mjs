// Runs every lesson in Chromium and writes lessons/heights.json: how tall the outputs of each cell are on a wide screen, so
// that the very first run moves nothing. `node tests/web/heights.mjs` after `npm run build` (Node 24); lessons may be named.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dist, kernelReady, launch, openPage, root, servePage } from './browser.ts';

const file = join(root, 'lessons/heights.json');
const wanted = process.argv.slice(2);
const lessons = readdirSync(join(root, 'lessons')).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3)).filter((name) => !wanted.length || wanted.includes(name));
/** @type {Record<string, number>} */
const heights = wanted.length && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

const browser = await launch();
const server = await servePage(dist);
try {
  for (const lesson of lessons) {
    const { page, close } = await openPage(browser, server, { hash: `#lesson=${lesson}` });
    await kernelReady(page);
    await page.locator('[data-action="run-all"]').click();
    await page.waitForFunction(() => document.querySelector('.cell[data-state="running"], .cell[data-state="queued"]') !== null);
    await page.waitForFunction(() => document.querySelector('.cell[data-state="running"], .cell[data-state="queued"]') === null, undefined, { timeout: 900_000 });
    // Heights are written a second after the last run.
    await page.waitForTimeout(1500);
    const measured = await page.evaluate(() => /** @type {[string, number][]} */ (JSON.parse(localStorage.getItem('gradbook heights') ?? '[]')));
    for (const [key, height] of measured) heights[key] = height;
    console.log(`${lesson}: ${measured.length} cells, ${await page.locator('.cell[data-state="error"]').count()} with errors`);
    await close();
  }
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(Object.entries(heights).sort()), null, 2)}\n`);
} finally {
  await browser.close();
  await server.close();
}
