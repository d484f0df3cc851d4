// How the live views, the chart and the inspector look on a real training of MNIST and of Fashion-MNIST: three widths, light and dark.
// Each has a picture in build/screenshots/ for people to look at; nothing may stick out of the page or be hard to read.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faults } from './axe.ts';
import { cell, dist, kernelReady, PATIENT, root, runAndWait } from './browser.ts';
import { useSite } from './site.ts';

const SIZES = [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }] as const;
const SCHEMES = ['light', 'dark'] as const;
const PANELS = ['Graph', 'Tensors', 'Memory', 'Profile', 'Program', 'Metrics'] as const;
const pictures = join(root, 'build/screenshots');
mkdirSync(pictures, { recursive: true });

const training = (set: string) => `
const { train, test } = await data.${set}({ train: 3000, test: 500, normalize: true });
manualSeed(1);
const model = nn.sequential(nn.conv2d(1, 8, 5, { padding: 2 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.linear(8 * 14 * 14, 10));
const optimizer = optim.adam(model, { lr: 2e-3 });
views.histograms(model, train);
views.confusion(model, test);
views.timeline(model, optimizer);
let step = 0;
for await (const [x, y] of train.batches(50, { epochs: 3, shuffle: true, seed: 1 })) {
  const logits = model(x);
  const loss = nn.crossEntropy(logits, y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  log({ loss, accuracy: accuracy(logits, y) });
  if (++step % 20 === 0) {
    const val = noGrad(() => model(test.features));
    log({ valLoss: nn.crossEntropy(val, test.labels), valAccuracy: accuracy(val, test.labels) });
  }
}`;
const LOOKS = `
views.mistakes(model, test);
views.calibration(model, test);
views.filters(model);
views.featureMaps(model, test.at(0)[0]);
views.saliency(model, test.at(0)[0]);
views.embedding(model, test);
views.digitPad(model, test);
await views.health(model, train, { test, optimizer });
await views.landscape(model, test, { size: 15, examples: 128 });
await views.rateFinder(model, train);`;
const PLANE = `
const moons = data.moons({ examples: 100, seed: 1 });
const net = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.linear(8, 2));
views.surface(net, moons);
await fit(net, moons, { epochs: 40, batchSize: 20, lr: 0.05, seed: 1 });
await sweep({ lr: [0.1, 0.01], width: [4, 16] }, async ({ lr, width }) => {
  const small = nn.sequential(nn.linear(2, width), nn.tanh(), nn.linear(width, 2));
  return await fit(small, moons, { epochs: 5, batchSize: 20, lr, seed: 1 });
});`;

const site = useSite();

// Fashion-MNIST is on the page where it was fetched (`node datasets/build.mjs --fashion`).
const SETS = existsSync(join(dist, 'data/fashion-mnist-train-10k.bin.gz')) ? ['mnist', 'fashionMnist'] : ['mnist'];

describe.each(SETS)('on %s', (set) => {
  test('every view, the chart and the inspector', { timeout: 400_000 }, async () => {
    const { page, troubles, close } = await site.scratch([training(set), LOOKS, PLANE], { viewport: SIZES[0] });
    await kernelReady(page);
    await runAndWait(page, 1, 200_000);
    await runAndWait(page, 2, 100_000);
    await runAndWait(page, 3, 100_000);
    // Bars that stay in sight would lie over what is looked at.
    const bars = await page.addStyleTag({ content: '.bar, .foot-bar { visibility: hidden }' });
    for (const viewport of SIZES) {
      for (const colorScheme of SCHEMES) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme), PATIENT).toBe(colorScheme);
        const name = (what: string) => join(pictures, `view-${set}-${what}-${viewport.width}-${colorScheme}.png`);
        // What is drawn anew in other colours takes its turn.
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
        for (const [number, what] of [[1, 'training'], [2, 'looks'], [3, 'plane']] as const) {
          await cell(page, number).locator('.outputs').screenshot({ path: name(what) });
          expect(await faults(page, `.cell.code[data-number="${number}"] .outputs`), `${what}, ${viewport.width}, ${colorScheme}`).toEqual([]);
        }
        const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
        expect(scroll, 'width of the page').toBeLessThanOrEqual(width);
      }
    }
    await bars.evaluate((style) => (style as HTMLElement).remove());
    await page.setViewportSize(SIZES[0]);
    await page.locator('[data-action="inspector"]').click();
    const inspector = page.locator('[data-inspector][data-canvas="ready"]');
    await inspector.waitFor({ timeout: 60_000 });
    await runAndWait(page, 3, 100_000);
    for (const viewport of SIZES) {
      for (const colorScheme of SCHEMES) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        for (const panel of PANELS) {
          await inspector.locator(`[role="tab"][data-panel="${panel}"]`).click();
          await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)));
          await inspector.screenshot({ path: join(pictures, `view-${set}-inspector-${panel.toLowerCase()}-${viewport.width}-${colorScheme}.png`) });
        }
      }
    }
    expect(troubles).toEqual([]);
    await close();
  });
});
