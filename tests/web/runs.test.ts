// Kept runs: what trained is listed with its settings, compared, exported, and there again after a reload; a sweep keeps one run each.
import type { Download, Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { cell, kernelReady, PATIENT, run, runAndWait, setCode, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const training = (lr: number) => `
manualSeed(1);
const width = 4;
const set = data.moons({ examples: 60, seed: 1 });
const model = nn.sequential(nn.linear(2, width), nn.tanh(), nn.linear(width, 2));
const history = await fit(model, set, { epochs: 5, batchSize: 20, lr: ${lr}, seed: 1 });
console.log(JSON.stringify(history.loss));`;
const FORKED = `
const set = data.moons({ examples: 200, noise: 0.2, seed: 1 });
manualSeed(1);
const model = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.linear(8, 2));
const optimizer = optim.adam(model, { lr: 0.02 });
views.timeline(model, optimizer, { every: 10 });`;
const LOOP = (start: number) => `let at = ${start};
for await (const [x, y] of set.batches(20, { epochs: 6, shuffle: true, seed: 3, start: ${start} })) {
  const loss = nn.crossEntropy(model(x), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  log({ loss }, { step: ++at });
}`;
const SWEEP = `
const results = await sweep({ rate: [0.1, 0.01], hidden: [2, 8] }, async ({ rate, hidden }) => {
  const net = nn.sequential(nn.linear(2, hidden), nn.tanh(), nn.linear(hidden, 2));
  const { loss, accuracy } = await fit(net, set, { epochs: 2, batchSize: 20, lr: rate, seed: 1 });
  return { loss, accuracy };
});
console.log(JSON.stringify(results));`;

const site = useSite();
let opened: Opened;
let page: Page;

beforeAll(async () => {
  opened = await site.scratch([training(0.05), SWEEP]);
  page = opened.page;
  await kernelReady(page);
  await runAndWait(page, 1);
}, 300_000);

const rows = () => page.locator('.runs-table tbody tr');
const cells = (row: number) => rows().nth(row).locator('td, th').allTextContents();
const openPanel = async () => {
  if (!(await page.locator('.runs').count())) await page.locator('[data-action="runs"]').click();
};
async function saved(item: string): Promise<string> {
  await page.locator('.runs .chart-menu .button').click();
  const [download] = await Promise.all([page.waitForEvent('download') as Promise<Download>, page.locator('.menu-list:popover-open button', { hasText: item }).click()]);
  return readFile(await download.path(), 'utf8');
}

/** Lines and cells as RFC 4180 has them. */
function parseCsv(text: string): string[][] {
  return text.trimEnd().split('\n').map((line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!));
}

describe('training runs', () => {
  test('a training is kept with what it was set to, and its last value is the logged one', async () => {
    await openPanel();
    await expect.poll(() => rows().count()).toBe(1);
    const [kept] = JSON.parse(await saved('Everything as JSON')) as [{ settings: Record<string, unknown>; final: Record<string, number>; curves: { loss: { values: number[] } }; state: string; source: string }];
    expect(kept.settings).toMatchObject({ width: 4, optimizer: 'adam', lr: 0.05, batchSize: 20, examples: 60 });
    expect(kept.state).toBe('done');
    expect(kept.source).toContain('nn.linear(2, width)');
    expect(kept.curves.loss.values).toHaveLength(15);
    expect(kept.final.loss).toBe(kept.curves.loss.values.at(-1));
    const printed = JSON.parse((await cell(page, 1).locator('.console').textContent())!) as number[];
    const lastEpoch = kept.curves.loss.values.slice(-3).reduce((sum, value) => sum + value, 0) / 3;
    expect(lastEpoch).toBeCloseTo(printed.at(-1)!, 5);
  });

  test('the same again gives the same curve; another rate shows as a difference in settings and code', { timeout: 60_000 }, async () => {
    await page.keyboard.press('Escape');
    await setCode(page, 1, training(0.001));
    await runAndWait(page, 1);
    await openPanel();
    await expect.poll(() => rows().count()).toBe(2);
    for (const row of [0, 1]) await rows().nth(row).locator('input[type="checkbox"]').check();
    await page.locator('[data-compare]').click();
    const diff = page.locator('.diff');
    await expect.poll(() => diff.locator('tr[data-setting="lr"] td').allTextContents()).toEqual(['0.05', '0.001', '']);
    expect(await diff.locator('[data-line="gone"]').allTextContents()).toEqual([expect.stringContaining('lr: 0.05')]);
    expect(await diff.locator('[data-line="new"]').allTextContents()).toEqual([expect.stringContaining('lr: 0.001')]);
    await diff.locator('.button').click();
  });

  test('runs can be renamed, noted, sorted, filtered and pinned', async () => {
    await rows().nth(0).locator('input[aria-label^="Name"]').fill('slow one');
    await page.keyboard.press('Enter');
    await rows().nth(0).locator('input[aria-label^="Note"]').fill('rate too small');
    await page.keyboard.press('Enter');
    const order = async () => rows().locator('input[aria-label^="Name"]').evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));
    await expect.poll(order).toEqual(['slow one', 'Run 1']);
    await page.locator('[data-sort="m:loss"]').click();
    await expect.poll(order).toEqual(['Run 1', 'slow one']);
    await page.locator('[data-sort="m:loss"]').click();
    await expect.poll(order).toEqual(['slow one', 'Run 1']);
    const search = page.locator('.runs input[type="search"]');
    await search.fill('too small');
    await expect.poll(order).toEqual(['slow one']);
    await search.fill('lr=0.05');
    await expect.poll(order).toEqual(['Run 1']);
    await search.fill('');
    await expect.poll(() => rows().count()).toBe(2);
    await rows().nth(1).locator('[data-pin]').click();
    await expect.poll(() => rows().nth(1).locator('[data-pin]').textContent()).toBe('baseline');
    expect(await cells(0)).not.toEqual(await cells(1));
  });

  test('the table as CSV is what the runs are: one row each, every setting and last value, texts quoted', { timeout: 60_000 }, async () => {
    await rows().nth(0).locator('input[aria-label^="Note"]').fill('too small, "I think"');
    await page.keyboard.press('Enter');
    const kept = JSON.parse(await saved('Everything as JSON')) as { name: string; note: string; state: string; elapsedMs: number; startedAt: string; settings: Record<string, unknown>; final: Record<string, number> }[];
    const text = await saved('Table as CSV');
    expect(text).toContain(',"too small, ""I think"""');
    const [head, ...lines] = parseCsv(text);
    expect(new Set(head).size).toBe(head!.length);
    expect(lines.map((line) => Object.fromEntries(line.map((value, i) => [head![i]!, value])))).toEqual(kept.map(({ name, note, state, startedAt, settings, final }) => expect.objectContaining({
      name, note, state, started: startedAt,
      ...Object.fromEntries([...Object.entries(settings), ...Object.entries(final)].map(([key, value]) => [key, String(value)])),
    })));
    expect(lines).toHaveLength(await rows().count());
  });

  test('a sweep keeps a run for each combination and shows a grid of results', { timeout: 120_000 }, async () => {
    await page.keyboard.press('Escape');
    await runAndWait(page, 2);
    const results = JSON.parse((await cell(page, 2).locator('.console').textContent())!) as { rate: number; hidden: number; loss: number; accuracy: number }[];
    expect(results.map(({ rate, hidden }) => [rate, hidden])).toEqual([[0.1, 2], [0.1, 8], [0.01, 2], [0.01, 8]]);
    const grid = cell(page, 2).locator('.sweep-grid tbody td');
    await expect.poll(() => grid.allTextContents(), PATIENT).toEqual(results.map(({ accuracy }) => `${(100 * accuracy).toFixed(1)} %`));
    await openPanel();
    await expect.poll(() => rows().count()).toBe(6);
    const kept = JSON.parse(await saved('Everything as JSON')) as { settings: Record<string, number>; curves: { loss: { values: number[] } } }[];
    const swept = kept.slice(0, 4).reverse();
    expect(swept.map(({ settings }) => [settings.rate, settings.hidden, settings.lr])).toEqual([[0.1, 2, 0.1], [0.1, 8, 0.1], [0.01, 2, 0.01], [0.01, 8, 0.01]]);
    swept.forEach(({ curves }, i) => {
      expect(curves.loss.values).toHaveLength(6);
      expect(curves.loss.values.slice(-3).reduce((sum, value) => sum + value, 0) / 3).toBeCloseTo(results[i]!.loss, 5);
    });
    await expect.poll(() => page.locator('.runs-parallel svg path[stroke-width="1.6"]').count()).toBe(6);
  });

  test('after a reload the runs are there again, with their curves', { timeout: 120_000 }, async () => {
    const before = JSON.parse(await saved('Everything as JSON')) as unknown[];
    await page.reload();
    await page.waitForSelector('html[data-ready]', { timeout: 90_000 });
    await openPanel();
    await expect.poll(() => rows().count()).toBe(6);
    expect(JSON.parse(await saved('Everything as JSON'))).toEqual(before);
    expect(await page.locator('.runs [data-axis] option').evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))).toEqual(['step', 'epoch', 'samples', 'seconds', 'flops']);
  });

  test('a run whose page is closed while it trains is kept as far as it came', { timeout: 120_000 }, async () => {
    await page.keyboard.press('Escape');
    await setCode(page, 1, 'for (let i = 1; i <= 400; i++) { log({ loss: 1 / i }); await new Promise((next) => setTimeout(next, 50)); }');
    await run(page, 1);
    await expect.poll(() => cell(page, 1).locator('.live').getAttribute('data-points').then(Number), PATIENT).toBeGreaterThan(120);
    await page.reload();
    await page.waitForSelector('html[data-ready]', { timeout: 90_000 });
    await openPanel();
    await expect.poll(() => rows().count()).toBe(7);
    const [kept] = JSON.parse(await saved('Everything as JSON')) as [{ state: string; curves: { loss: { values: number[] } } }];
    expect(kept.state).toBe('stopped');
    expect(kept.curves.loss.values.length).toBeGreaterThan(40);
    expect(kept.curves.loss.values.slice(0, 3)).toEqual([1, 1 / 2, 1 / 3]);
    await rows().nth(0).locator('input[type="checkbox"]').check();
    await page.locator('[data-remove]').click();
    await page.locator('dialog button', { hasText: 'Delete' }).click();
    await expect.poll(() => rows().count()).toBe(6);
  });

  test('a run whose page is killed is kept to its last row, in pieces that hold what was new, and so is the chart under its cell', { timeout: 240_000 }, async () => {
    const killed = await site.scratch(['for (let i = 1; i <= 160; i++) { log({ loss: 1 / i }); await new Promise((next) => setTimeout(next, 40)); }\nawait new Promise(() => {});']);
    try {
      await kernelReady(killed.page);
      await run(killed.page, 1);
      // Rows of the run as it was written first, and of the pieces that were added.
      const kept = () => killed.page.evaluate(async () => {
        const all = async (database: string, store: string) => {
          const opening = indexedDB.open(database);
          const opened = await new Promise<IDBDatabase>((resolve, reject) => { opening.onsuccess = () => resolve(opening.result); opening.onerror = () => reject(opening.error); });
          if (!opened.objectStoreNames.contains(store)) { opened.close(); return []; }
          const asking = opened.transaction(store).objectStore(store).getAll();
          const found = await new Promise<{ rows?: { steps: Float64Array }[] }[]>((resolve) => { asking.onsuccess = () => resolve(asking.result); });
          opened.close();
          return found.map(({ rows = [] }) => rows.reduce((sum, { steps }) => sum + steps.length, 0)).filter((count) => count > 0);
        };
        return { whole: await all('gradbook-runs', 'runs'), pieces: await all('gradbook-run-tails', 'tails') };
      });
      const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
      await expect.poll(async () => { const { whole, pieces } = await kept(); return whole.length ? sum([...whole, ...pieces]) : 0; }, PATIENT).toBe(160);
      expect((await kept()).pieces.length).toBeGreaterThan(0);
      const session = await killed.page.context().newCDPSession(killed.page);
      const crashed = killed.page.waitForEvent('crash');
      void session.send('Page.crash').catch(() => undefined);
      await crashed;
      const again = await killed.page.context().newPage();
      await again.goto(`${site.url}#scratch`);
      await again.waitForSelector('html[data-ready]', { timeout: 90_000 });
      await expect.poll(() => cell(again, 1).locator('.live').getAttribute('data-points').then(Number), PATIENT).toBe(160);
      await again.locator('[data-action="runs"]').click();
      await expect.poll(() => again.locator('.runs-table tbody tr .run-state').allTextContents(), PATIENT).toEqual(['stopped']);
      await expect.poll(() => again.locator('.runs figure.chart[data-series]').first().getAttribute('data-series').then((text) => (JSON.parse(text!) as { points: number }[])[0]?.points), PATIENT).toBe(160);
    } finally {
      await killed.close();
    }
  });

  test('two runs are compared by the confusion matrices of what they trained, also after a reload', { timeout: 240_000 }, async () => {
    // The view is opened by a cell of its own, after each training; the first model's view must not be taken for the second run's.
    const learned = (lr: number) => `manualSeed(1);
const set = data.moons({ examples: 60, seed: 1 });
const model = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.linear(8, 2));
await fit(model, set, { epochs: 4, batchSize: 20, lr: ${lr}, seed: 1 });`;
    const LOOK = `views.confusion(model, set);
const found = Array.from({ length: 4 }, () => 0);
const [x, y] = set.pick(Array.from({ length: set.length }, (_, i) => i));
const said = model(x).argmax(1).toArray();
y.toArray().forEach((truth, i) => found[truth * 2 + said[i]]++);
console.log(JSON.stringify(found));`;
    const counts: number[][] = [];
    for (const lr of [0.3, 0.0001]) {
      await page.keyboard.press('Escape');
      await setCode(page, 1, learned(lr));
      await setCode(page, 2, LOOK);
      await runAndWait(page, 1);
      await runAndWait(page, 2);
      counts.push(JSON.parse((await cell(page, 2).locator('.console').textContent())!) as number[]);
    }
    const [first, second] = counts as [number[], number[]];
    expect(first).not.toEqual(second);
    const check = async () => {
      await openPanel();
      await expect.poll(() => rows().count(), PATIENT).toBe(8);
      for (const row of [0, 1]) await rows().nth(row).locator('input[type="checkbox"]').check();
      await page.locator('[data-compare]').click();
      const matrix = page.locator('.diff [data-matrix="model on set"]');
      const texts = () => matrix.locator('.matrix-cell').allTextContents();
      const share = (all: readonly number[], i: number) => all[i]! / (all[i - (i % 2)]! + all[i - (i % 2) + 1]!);
      await expect.poll(texts, PATIENT).toEqual(first.map((_, i) => share(second, i) - share(first, i)).map((change) => (Math.abs(change) < 5e-4 ? '' : `${change > 0 ? '+' : '\u2212'}${Math.abs(change * 100).toFixed(1)}`)));
      await matrix.locator('select').selectOption('before');
      await expect.poll(async () => (await texts()).map(Number)).toEqual(first);
      await matrix.locator('select').selectOption('after');
      await expect.poll(async () => (await texts()).map(Number)).toEqual(second);
    };
    await check();
    // Written with the run: there after a reload.
    await page.reload();
    await page.waitForSelector('html[data-ready]', { timeout: 90_000 });
    await check();
    for (const row of [0, 1]) await rows().nth(row).locator('input[type="checkbox"]').check();
    await page.locator('[data-remove]').click();
    await page.locator('dialog button', { hasText: 'Delete' }).click();
    await expect.poll(() => rows().count()).toBe(6);
  });

  test('deleted runs are gone for good', async () => {
    for (const row of [0, 1]) await rows().nth(row).locator('input[type="checkbox"]').check();
    await page.locator('[data-remove]').click();
    await page.locator('dialog button', { hasText: 'Delete' }).click();
    await expect.poll(() => rows().count()).toBe(4);
    expect(opened.troubles).toEqual([]);
  });

  test('a training goes on from a step that the scrubber went back to, at another rate, and its curve lies over the first', { timeout: 120_000 }, async () => {
    const made = await site.scratch([FORKED, LOOP(0), `optimizer.lr = 0.3;\n${LOOP(30)}`]);
    const shown = made.page;
    await kernelReady(shown);
    for (const number of [1, 2]) await runAndWait(shown, number);
    const slider = cell(shown, 1).locator('[data-view="timeline"] input');
    await expect.poll(() => slider.getAttribute('data-step'), PATIENT).toBe('60');
    // Checkpoints of steps 10, 20, 30, ...
    await slider.focus();
    await shown.keyboard.press('Home');
    for (const step of ['10', '20', '30']) {
      if (step !== '10') await shown.keyboard.press('ArrowRight');
      await expect.poll(() => slider.getAttribute('data-step'), PATIENT).toBe(step);
    }
    await runAndWait(shown, 3);
    await shown.locator('[data-action="runs"]').click();
    await shown.locator('.runs .chart-menu .button').click();
    const [download] = await Promise.all([shown.waitForEvent('download'), shown.locator('.menu-list:popover-open button', { hasText: 'Everything as JSON' }).click()]);
    const [fork, first] = (JSON.parse(await readFile(await download.path(), 'utf8')) as { curves: { loss: { steps: number[]; values: number[] } }; settings: { lr: number } }[]).map(({ curves, settings }) => ({ ...curves.loss, lr: settings.lr })) as [{ steps: number[]; values: number[]; lr: number }, { steps: number[]; values: number[]; lr: number }];
    expect([first.steps.length, first.lr, fork.steps[0], fork.steps.at(-1), fork.lr]).toEqual([60, 0.02, 31, 60, 0.3]);
    // The same weights and the same batch: the step after the fork is the same to the bit, the next ones are not.
    expect(fork.values[0]).toBe(first.values[30]);
    expect(fork.values[2]).not.toBe(first.values[32]);
    await expect.poll(async () => (JSON.parse((await shown.locator('.runs figure.chart').first().getAttribute('data-series')) ?? '[]') as { name: string; points: number }[]).map(({ name, points }) => [name, points]).sort(), PATIENT).toEqual([['Run 1', 60], ['Run 2', 30]]);
    expect(made.troubles).toEqual([]);
    await made.close();
  });
});
