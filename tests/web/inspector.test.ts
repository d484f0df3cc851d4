// The inspector in a real browser: its tables say what the engine says, its canvas draws in both themes, an operation and the
// line that it came from find each other, and a kernel that hangs does not take it along.
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { faults } from './axe.ts';
import { cell, kernelReady, outputOf, PATIENT, run, runAndWait, setCode, waitForState, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const MODEL = `manualSeed(3);
const set = data.fromArrays(randn(256, 1, 12, 12), randint(0, 4, [256]));
const model = nn.sequential(nn.conv2d(1, 6, 3), nn.relu(), nn.flatten(), nn.linear(600, 4));
const optimizer = optim.adam(model.parameters(), { lr: 0.002 });`;
const TRAINING = `for await (const [x, y] of set.batches(32, { epochs: 60 })) {
  const loss = nn.crossEntropy(model(x), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  log({ loss });
}`;
const FACTS = `const w = model.parameters()[0];
console.log(JSON.stringify([w.mean().item(), w.min().item(), w.max().item(), ...w.values()]));`;

const site = useSite();
let opened: Opened;
let page: Page;
let inspector: Locator;

beforeAll(async () => {
  opened = await site.scratch([MODEL, TRAINING, FACTS], { viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  ({ page } = opened);
  inspector = page.locator('[data-inspector]');
  await kernelReady(page);
}, 240_000);

const tab = (name: string) => inspector.locator(`[data-panel="${name}"][role="tab"]`);
const table = () => inspector.locator('[data-action="inspector-table"]');

async function showAs(what: 'table' | 'canvas'): Promise<void> {
  if ((await table().getAttribute('aria-pressed')) !== String(what === 'table')) await table().click();
}

/** The number behind a cell of the table. */
const valueIn = async (row: Locator, column: string): Promise<number> => Number(await row.locator(`[data-column="${column}"]`).getAttribute('data-value'));

/** The ledger adds up to what lives in tensors, and the profile has the convolution. */
async function seeMemoryAndProfile(): Promise<void> {
    await tab('Memory').click();
    const live = Number(await inspector.locator('[data-fact="In tensors"]').getAttribute('data-value'));
    const held = await inspector.locator('.twin-table').first().locator('[data-column="Bytes"]').evaluateAll((list) => list.map((each) => Number((each as HTMLElement).dataset.value)));
    expect(held.reduce((a, b) => a + b, 0)).toBe(live);
    await tab('Profile').click();
    expect(await valueIn(inspector.locator('.twin tbody tr', { hasText: /^conv2dforward/ }), 'FLOPs')).toBeGreaterThan(0);
}

/** Colours on the canvas, and the one of its ground. */
async function picture(): Promise<{ colours: number; ground: string }> {
  const frames = Number((await inspector.locator('canvas').getAttribute('data-frames')) ?? 0);
  await page.waitForFunction((before) => Number(document.querySelector<HTMLElement>('.inspector-canvas')?.dataset.frames ?? 0) >= before, frames);
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.inspector-canvas')!;
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const context = copy.getContext('2d')!;
    context.drawImage(canvas, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    const counts = new Map<number, number>();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    const [ground = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    return { colours: counts.size, ground: `#${[0, 8, 16].map((shift) => ((ground >> shift) & 255).toString(16).padStart(2, '0')).join('')}` };
  });
}

/** How far what is drawn stays from the edges of the canvas, in parts of its width and height: left, right, top, bottom. */
const margins = () => page.evaluate(() => {
  const canvas = document.querySelector<HTMLCanvasElement>('.inspector-canvas')!;
  const { width, height } = canvas;
  const copy = Object.assign(document.createElement('canvas'), { width, height });
  const context = copy.getContext('2d')!;
  context.drawImage(canvas, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  let [left, right, top, bottom] = [width, 0, height, 0];
  pixels.forEach((pixel, i) => {
    if (pixel === pixels[0]) return;
    left = Math.min(left, i % width);
    right = Math.max(right, i % width);
    top = Math.min(top, Math.floor(i / width));
    bottom = Math.max(bottom, Math.floor(i / width));
  });
  return [left / width, 1 - (right + 1) / width, top / height, 1 - (bottom + 1) / height] as const;
});

describe('the inspector', () => {
  test('opens empty, fetches its module only then, and fills while a model trains', { timeout: 240_000 }, async () => {
    const fetched: string[] = [];
    page.on('request', (request) => { if (request.url().includes('/inspector/')) fetched.push(request.url()); });
    await runAndWait(page, 1);
    expect(fetched).toEqual([]);
    await page.locator('[data-action="inspector"]').click();
    await page.waitForSelector('[data-inspector][data-canvas="ready"]', { timeout: 60_000 });
    expect(fetched.some((address) => address.endsWith('inspector.wasm'))).toBe(true);
    await runAndWait(page, 2, 180_000);
    await tab('Graph').click();
    await showAs('table');
    await inspector.locator('.twin tbody tr').nth(5).waitFor({ timeout: 60_000 });
  });

  test('the graph lists the operations of a step with their lines, and a click marks the line', { timeout: 120_000 }, async () => {
    const names = await inspector.locator('.twin tbody th').allTextContents();
    const plain = names.map((name) => name.replace(/^\d+ /, ''));
    expect(plain).toContain('conv2d');
    expect(plain).toContain('conv2dFilterGradient');
    expect(plain.at(-1)).toBe('adam');
    const step = inspector.locator('.twin tbody tr').last();
    expect(await step.locator('[data-column="From"]').textContent()).toBe('cell 2, line 5');
    await step.locator('button').click();
    await cell(page, 2).locator('.inspected-line[data-line="5"]').waitFor();
    const convolution = inspector.locator('.twin tbody tr', { hasText: /^\d+ conv2dforward/ }).first();
    // 32 pictures of 6 x 10 x 10 results, 9 multiply-adds each.
    expect(await valueIn(convolution, 'FLOPs')).toBe(2 * 32 * 6 * 100 * 9);
    await convolution.locator('button').click();
    await cell(page, 2).locator('.inspected-line[data-line="2"]').waitFor();
  });

  test('the table of tensors has the numbers of the engine', { timeout: 120_000 }, async () => {
    await runAndWait(page, 3);
    const [mean, min, max, ...values] = JSON.parse((await outputOf(page, 3))!.trim()) as number[];
    await tab('Tensors').click();
    const row = inspector.locator('.twin tbody tr', { has: page.locator('button', { hasText: /^model\.0\.weight$/ }) });
    await expect.poll(() => valueIn(row, 'Mean'), PATIENT).toBeCloseTo(mean!, 6);
    expect(await valueIn(row, 'Min')).toBe(min);
    expect(await valueIn(row, 'Max')).toBe(max);
    expect(await valueIn(row, 'Bytes')).toBe(6 * 9 * 4);
    expect(await row.locator('[data-column="Held by"]').textContent()).toBe('cell 1');
    await row.locator('button').click();
    const list = inspector.locator('.twin-values [data-values]');
    await list.waitFor();
    const shown = (await list.textContent())!.split(': ')[1]!.split(' ').map(Number);
    expect(shown.length).toBe(54);
    shown.forEach((value, i) => { expect(value).toBeCloseTo(values[i]!, 3); });
    const bins = await inspector.locator('[data-bin]').evaluateAll((list) => list.map((each) => Number((each as HTMLElement).dataset.bin)));
    expect(bins.reduce((a, b) => a + b, 0)).toBe(54);
  });

  test('the ledger of memory adds up, and the profile and the metrics are there', { timeout: 120_000 }, async () => {
    await seeMemoryAndProfile();
    await tab('Program').click();
    expect(await inspector.locator('.twin').textContent()).toMatch(/No step has been captured/);
    await tab('Metrics').click();
    const loss = inspector.locator('.twin tbody tr', { hasText: /^loss/ });
    await expect.poll(() => valueIn(loss, 'Count'), PATIENT).toBe(480);
    await inspector.locator('[data-action="inspector-table"]').focus();
  });

  test('screen readers find no serious fault in it', { timeout: 60_000 }, async () => {
    expect(await faults(page, '[data-inspector]')).toEqual([]);
  });

  test('the captured step of fit() is listed, with its fusions and its places in one arena', { timeout: 120_000 }, async () => {
    await showAs('table');
    await tab('Program').click();
    await setCode(page, 3, 'await fit(model, set, { epochs: 8, batchSize: 32 });');
    await runAndWait(page, 3);
    const rows = inspector.locator('.twin tbody tr');
    await rows.nth(5).waitFor({ timeout: 30_000 });
    const first = rows.first();
    expect(await first.locator('th').textContent()).toMatch(/^1 conv2d/);
    expect(await valueIn(first, 'FLOPs')).toBe(2 * 32 * 6 * 100 * 9);
    expect(await first.locator('[data-column="Fused with"]').textContent()).toContain('relu');
    expect(await rows.locator('th').allTextContents()).toContainEqual(expect.stringMatching(/^\d+ optimizer step$/));
    const arena = Number(await inspector.locator('[data-fact="Arena"]').getAttribute('data-value'));
    const places = await rows.locator('[data-column="Place in the arena"]').evaluateAll((list) => list.map((each) => Number((each as HTMLElement).dataset.value)));
    for (const place of places) expect(place).toBeLessThan(arena);
    expect(Number(await inspector.locator('[data-fact="Runs"]').getAttribute('data-value'))).toBeGreaterThan(40);
  });

  test.each(['Graph', 'Tensors', 'Memory', 'Profile', 'Program', 'Metrics'])('the canvas draws %s in light and dark colours', { timeout: 120_000 }, async (name) => {
    await showAs('canvas');
    await tab(name).click();
    for (const [theme, paper] of [['light', '#fcfcfa'], ['dark', '#16171a']] as const) {
      if ((await page.locator('html').getAttribute('data-theme')) !== theme) await page.locator(`[aria-label="${theme === 'dark' ? 'Dark' : 'Light'} colours"]`).click();
      await expect.poll(async () => (await picture()).ground, PATIENT).toBe(paper);
      expect((await picture()).colours, 'text alone has dozens of shades').toBeGreaterThan(40);
    }
    await page.locator('[aria-label="Light colours"]').click();
  });

  test('Fit holds while the inspector grows and shrinks: all of the graph where there is room, else its beginning at a size that can be read', { timeout: 180_000 }, async () => {
    await showAs('canvas');
    await tab('Graph').click();
    await inspector.locator('[data-action="fit"]').click();
    const drawn = () => inspector.locator('canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const isCentred = async () => {
      const [left, right] = await margins();
      return left > 0.005 && right > 0.005 && Math.abs(left - right) < 0.02;
    };
    const width = async () => (await inspector.locator('canvas').boundingBox())!.width;
    const docked = await width();
    let inDock = '';
    await expect.poll(async () => { const before = inDock; inDock = await drawn(); return inDock === before; }, PATIENT).toBe(true);
    await inspector.locator('[data-action="inspector-whole"]').click();
    await expect.poll(width, PATIENT).toBeGreaterThan(docked * 1.5);
    await expect.poll(isCentred, PATIENT).toBe(true);
    await inspector.locator('[data-action="inspector-whole"]').click();
    await expect.poll(width, PATIENT).toBe(docked);
    await expect.poll(async () => (await drawn()) === inDock, PATIENT).toBe(true);
    // Smaller, and no longer fitted.
    await inspector.locator('[data-action="zoom-out"]').click();
    await expect.poll(async () => (await drawn()) === inDock, PATIENT).toBe(false);
    await inspector.locator('[data-action="fit"]').click();
    await expect.poll(async () => (await drawn()) === inDock, PATIENT).toBe(true);
  });

  test('the line from the examples to the loss stands next to the gradients, and what it does not need farther out', { timeout: 180_000 }, async () => {
    await setCode(page, 3, `for await (const [x, y] of set.batches(32, { epochs: 60 })) {
  const spread = x.abs().mean();
  const loss = nn.crossEntropy(model(x), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  log({ other: loss });
}`);
    await runAndWait(page, 3, 180_000);
    await showAs('table');
    await tab('Graph').click();
    await inspector.locator('.twin tbody tr', { hasText: /^\d+ absforward/ }).waitFor(PATIENT);
    await showAs('canvas');
    await inspector.locator('[data-action="fit"]').click();
    const box = (await inspector.locator('canvas').boundingBox())!;
    const frames = () => inspector.locator('canvas').getAttribute('data-frames').then(Number);
    // Down the column beside the middle: the first card that answers is the first layer.
    const marked = cell(page, 3).locator('.inspected-line');
    for (let y = 40; y < box.height && (await marked.count()) === 0; y += 30) {
      const before = await frames();
      await page.mouse.click(box.x + box.width / 2 - 100, box.y + y);
      await expect.poll(frames, PATIENT).toBeGreaterThan(before + 2);
    }
    expect(await marked.getAttribute('data-line')).toBe('3');
  });

  test('while the kernel hangs the last state stays, and all panels can be looked at', { timeout: 180_000 }, async () => {
    // A run that trained shows one of its steps, from the first operation to the optimizer, whatever it did afterwards.
    const head = (name: RegExp) => inspector.locator('.twin tbody tr', { has: page.locator('th', { hasText: name }) }).first();
    await showAs('table');
    await tab('Graph').click();
    await runAndWait(page, 2, 180_000);
    await head(/adam/).waitFor();
    // The kernel has told how it stands after the run.
    await tab('Metrics').click();
    const logged = () => valueIn(inspector.locator('.twin tbody tr', { hasText: /^loss/ }), 'Count');
    await expect.poll(logged, PATIENT).toBe(480 + 8 * 8 + 480);
    await setCode(page, 3, 'while (true) { const spin = 1; }');
    await run(page, 3);
    await waitForState(page, 3, 'running');
    await tab('Tensors').click();
    await inspector.locator('.twin tbody tr', { hasText: 'model.0.weight' }).first().waitFor();
    await tab('Graph').click();
    await head(/adam/).waitFor();
    const names = (await inspector.locator('.twin tbody th').allTextContents()).map((name) => name.replace(/^\d+ /, ''));
    for (const name of ['conv2d', 'relu', 'linear', 'conv2dFilterGradient']) expect(names).toContain(name);
    expect(names.filter((name) => name === 'adam')).toHaveLength(1);
    expect(names.at(-1)).toBe('adam');
    expect(await valueIn(inspector.locator('.twin tbody tr', { hasText: /^\d+ conv2dforward/ }).first(), 'FLOPs')).toBe(2 * 32 * 6 * 100 * 9);
    await seeMemoryAndProfile();
    await tab('Program').click();
    expect(await head(/^1 conv2d/).locator('[data-column="Fused with"]').textContent()).toContain('relu');
    await tab('Metrics').click();
    expect(await logged()).toBe(480 + 8 * 8 + 480);
    // Its picture is drawn from the same state.
    await showAs('canvas');
    await tab('Graph').click();
    expect((await picture()).colours).toBeGreaterThan(40);
    await page.locator('[data-action="stop"]').click();
  });

  test('closed, it leaves nothing behind, and the console stayed clean', async () => {
    await page.locator('[data-action="close-inspector"]').click();
    expect(await inspector.count()).toBe(0);
    expect(await page.locator('.inspected-line').count()).toBe(0);
    expect(opened.troubles).toEqual([]);
  });
});

test('without its module the inspector says so and shows its tables', { timeout: 240_000 }, async () => {
  const other = await site.scratch(['const w = ones(3, 4);'], { prepare: async (page) => { await page.route('**/inspector/**', (route) => route.abort()); } });
  const dock = other.page.locator('[data-inspector]');
  await kernelReady(other.page);
  await runAndWait(other.page, 1);
  await other.page.locator('[data-action="inspector"]').click();
  await dock.locator('.inspector-words', { hasText: 'The inspector did not load' }).waitFor({ timeout: 60_000 });
  await dock.locator('[data-panel="Tensors"][role="tab"]').click();
  const row = dock.locator('.twin tbody tr', { has: other.page.locator('button', { hasText: /^w$/ }) });
  await row.waitFor({ timeout: 60_000 });
  expect(await valueIn(row, 'Bytes')).toBe(48);
  await other.close();
});
