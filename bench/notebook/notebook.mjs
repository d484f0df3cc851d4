// How quick the page is with many cells: `npm run bench -- notebook`. Drives the built page (dist/) in headless Chromium from
// a local server. Prints milliseconds from the navigation until text can be read, cells can run, the editor is there (the best of
// --rounds: a busy machine only makes things slower), and from a key to the list of completions and to the next picture, at rest
// and while a model trains (medians).
import { parseArgs } from 'node:util';
import { encodeLink } from '../../notebook/document/link.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { cell, dist, editorReady, kernelReady, launch, openPage, openScratch, run, servePage, setCode, waitForState } from '../../tests/web/browser.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, cells: { type: 'string', default: '10,60,200' }, json: { type: 'boolean', default: false } } });
const rounds = Number(values.rounds);
const sizes = values.cells.split(',').map(Number);

const median = (/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const rounded = (/** @type {number} */ ms) => Math.round(ms * 10) / 10;

/** A quarter text, three quarters code; every cell uses names of cells above. */
function notebookOf(/** @type {number} */ count) {
  const cells = Array.from({ length: count }, (_, i) => {
    if (i % 4 === 0) return { kind: /** @type {const} */ ('markdown'), source: `## Part ${i}\n\nWhat follows uses what came before: $x_{${i}}$, **numbers** and \`code\`.` };
    const uses = i > 2 && (i - 1) % 4 !== 0 ? `value${i - 1} + ` : '';
    return { kind: /** @type {const} */ ('code'), source: `/** Part ${i}. */\nconst value${i} = ${uses}${i};\nfunction step${i}(size: number, by = value${i}): number {\n  return size * by;\n}\nstep${i}(3);` };
  });
  return toNotebook({ title: `${count} cells`, cells });
}

/** Runs in the page from its first moment on: notes when the marks appear. */
function watch() {
  /** @type {Record<string, number>} */
  const times = {};
  Object.assign(globalThis, { times });
  const marks = { readable: 'html[data-ready]', runnable: '[data-chip][data-state="ready"]', editor: 'html[data-editor="monaco"]' };
  const look = () => {
    for (const [name, selector] of Object.entries(marks)) if (!(name in times) && document.querySelector(selector)) {
      times[name] = 0;
      // The picture with it in is there after the next frame.
      requestAnimationFrame(() => setTimeout(() => { times[name] = performance.now(); }));
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-ready', 'data-state', 'data-editor'] });
}

async function opening(/** @type {import('playwright-core').Browser} */ browser, /** @type {import('../../tests/web/server.ts').PageServer} */ server, /** @type {number} */ count) {
  const { page, close } = await openPage(browser, server, { hash: await encodeLink(notebookOf(count)), before: watch });
  await editorReady(page);
  /** @type {Record<string, number[]>} */
  const found = { readable: [], runnable: [], editor: [] };
  for (let i = 0; i < rounds; i++) {
    await page.reload();
    await editorReady(page);
    await kernelReady(page);
    await page.waitForFunction(() => Object.values(/** @type {any} */ (globalThis).times).filter((time) => time > 0).length === 3);
    const times = await page.evaluate(() => /** @type {any} */ (globalThis).times);
    for (const name of Object.keys(found)) found[name]?.push(times[name]);
  }
  await close();
  return Object.fromEntries(Object.entries(found).map(([name, list]) => [name, rounded(Math.min(...list))]));
}

async function completing(/** @type {import('playwright-core').Browser} */ browser, /** @type {import('../../tests/web/server.ts').PageServer} */ server) {
  const { page, close } = await openPage(browser, server, { hash: await encodeLink(notebookOf(60)) });
  await editorReady(page);
  // A cell that is built meanwhile would slip away from under the pointer.
  await page.waitForFunction(() => document.querySelector('[data-stub]') === null);
  const last = await page.locator('.cell.code').count();
  await setCode(page, last, '');
  const list = [];
  for (let i = 0; i < rounds * 4; i++) {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('step', { delay: 60 });
    await page.waitForSelector('.suggest-widget.visible .monaco-list-row');
    await page.keyboard.press('Escape');
    await page.evaluate(() => {
      /** @type {any} */ (globalThis).took = new Promise((resolve) => {
        addEventListener('keydown', ({ timeStamp }) => {
          const seek = () => (document.querySelector('.suggest-widget.visible .monaco-list-row') ? resolve(performance.now() - timeStamp) : requestAnimationFrame(seek));
          seek();
        }, { once: true, capture: true });
      });
    });
    await page.keyboard.type('1');
    list.push(await page.evaluate(() => /** @type {any} */ (globalThis).took));
    await page.keyboard.press('Escape');
  }
  await close();
  return { 'key to completions, 60 cells': rounded(median(list)) };
}

const TRAINING = "const set = data.fromArrays(randn([2048, 64]), randint(0, 10, [2048]));\nconst model = nn.sequential(nn.linear(64, 256), nn.relu(), nn.linear(256, 10));\nconst optimizer = optim.adam(model.parameters());\nfor await (const [x, y] of set.batches(64, { epochs: Infinity })) {\n  const loss = nn.crossEntropy(model(x), y);\n  optimizer.zeroGrad();\n  loss.backward();\n  optimizer.step();\n  log({ loss });\n}";

async function typing(/** @type {import('playwright-core').Browser} */ browser, /** @type {import('../../tests/web/server.ts').PageServer} */ server) {
  const { page, close } = await openScratch(browser, server, [TRAINING, 'const typed = 1;']);
  await kernelReady(page);
  await page.evaluate(() => {
    const found = /** @type {number[]} */ ([]);
    Object.assign(globalThis, { found });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') found.push(duration);
    }).observe(/** @type {any} */ ({ type: 'event', durationThreshold: 16 }));
  });
  const measure = async () => {
    await cell(page, 2).locator('.code-box').click({ position: { x: 60, y: 20 } });
    await page.keyboard.press('ControlOrMeta+End');
    await page.evaluate(() => { /** @type {any} */ (globalThis).found.length = 0; });
    const text = ' // what one writes while a model learns in the cell above';
    await page.keyboard.type(text, { delay: 60 });
    await page.waitForTimeout(500);
    const found = await page.evaluate(() => /** @type {number[]} */ (/** @type {any} */ (globalThis).found));
    // Events below 16 ms are not reported.
    const all = [...found, ...Array.from({ length: Math.max(0, text.length - found.length) }, () => 16)];
    return { median: median(all), worst: Math.max(...all) };
  };
  const rest = await measure();
  await run(page, 1);
  await waitForState(page, 1, 'running');
  await page.waitForSelector('.cell.code[data-number="1"] [data-last-step]');
  const training = await measure();
  await page.locator('[data-action="stop"]').click();
  await waitForState(page, 1, 'stopped');
  await close();
  return { 'key to picture at rest': rest.median, 'worst at rest': rest.worst, 'key to picture while training': training.median, 'worst while training': training.worst };
}

const browser = await launch();
const server = await servePage(dist);
try {
  /** @type {Record<string, Record<string, number>>} */
  const opened = {};
  for (const count of sizes) opened[`${count} cells`] = await opening(browser, server, count);
  const keys = { ...(await completing(browser, server)), ...(await typing(browser, server)) };
  if (values.json) console.log(JSON.stringify({ bench: 'notebook', opened, keys }));
  else {
    console.log('Milliseconds from the navigation (best round)');
    console.table(opened);
    console.log('Milliseconds from a key (medians; the browser counts in steps of 8 ms)');
    console.table(keys);
  }
} finally {
  await browser.close();
  await server.close();
}
