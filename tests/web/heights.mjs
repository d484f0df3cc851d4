// Runs lessons in Chromium and writes lessons/heights.json: how tall the outputs of each cell are on a wide screen, so that
// the very first run moves nothing, and the code that this was measured of. `node_modules/.bin/node tests/web/heights.mjs`
// after `npm run build`; lessons may be named.
import { existsSync, writeFileSync } from 'node:fs';
import { dist, kernelReady, launch, openPage, servePage } from './browser.ts';
import { codeOfLesson, heightsFile, lessonNames, readHeights } from './lessoncode.ts';

const wanted = process.argv.slice(2);
const names = lessonNames();
/** @type {Record<string, import('./lessoncode.ts').LessonHeights>} */
const all = existsSync(heightsFile) ? readHeights() : {};

const browser = await launch();
const server = await servePage(dist);
try {
  for (const lesson of names.filter((name) => !wanted.length || wanted.includes(name))) {
    const { page, close } = await openPage(browser, server, { hash: `#lesson=${lesson}` });
    await kernelReady(page);
    await page.locator('[data-action="run-all"]').click();
    await page.waitForFunction(() => document.querySelector('.cell[data-state="running"], .cell[data-state="queued"]') !== null);
    await page.waitForFunction(() => document.querySelector('.cell[data-state="running"], .cell[data-state="queued"]') === null, undefined, { timeout: 900_000 });
    // Heights are written a second after the last run.
    await page.waitForTimeout(1500);
    const measured = await page.evaluate(() => /** @type {[string, number][]} */ (JSON.parse(localStorage.getItem('gradbook heights') ?? '[]')));
    all[lesson] = { code: codeOfLesson(lesson), cells: Object.fromEntries(measured.sort()) };
    console.log(`${lesson}: ${measured.length} of ${await page.locator('.cell.code').count()} code cells show something, ${await page.locator('.cell[data-state="error"]').count()} with errors`);
    await close();
  }
  const kept = names.flatMap((name) => (all[name] ? [[name, all[name]]] : []));
  writeFileSync(heightsFile, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
} finally {
  await browser.close();
  await server.close();
}
