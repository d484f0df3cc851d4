// What it costs to watch: trains on the real MNIST without views, with every view open, and with the inspector open, and tells the pace
// of the training, the frame times of the page, how far the page's layout moved, and its memory. `npm run bench -- views [--seconds 120]`
import { cell, dist, kernelReady, launch, openScratch, run, servePage, setCode, shiftsOf, waitForState, watchShifts } from '../../tests/web/browser.ts';

const at = process.argv.indexOf('--seconds');
const seconds = at > 0 ? Number(process.argv[at + 1]) : 120;
if (!(seconds >= 8)) throw new Error('--seconds needs a number from 8 on');

const SETUP = `
const { train, test } = await data.mnist({ train: 10_000, test: 1000, normalize: true });
manualSeed(1);
const model = nn.sequential(nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.linear(8 * 14 * 14, 10));
const optimizer = optim.adam(model, { lr: 1e-3 });
async function pace(seconds) {
  const begin = performance.now();
  let steps = 0;
  while (performance.now() < begin + 1000 * seconds) {
    for await (const [x, y] of train.batches(64, { shuffle: true, seed: steps })) {
      const loss = nn.crossEntropy(model(x), y);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      log({ loss });
      steps++;
      if (performance.now() >= begin + 1000 * seconds) break;
    }
  }
  return steps / ((performance.now() - begin) / 1000);
}`;
const VIEWS = `
views.confusion(model, test);
views.mistakes(model, test);
views.calibration(model, test);
views.histograms(model, train);
views.filters(model);
views.featureMaps(model, test.at(0)[0]);
views.saliency(model, test.at(0)[0]);
views.embedding(model, test);
views.timeline(model, optimizer);
views.digitPad(model);
await views.health(model, train, { test, optimizer });
await views.landscape(model, test, { size: 9, examples: 64 });
const swept = await sweep({ lr: [0.01, 0.001] }, async ({ lr }) => ({ lr }));`;
const without = (part) => `console.log(await pace(${part}));`;

const browser = await launch();
const server = await servePage(dist);
const { page, troubles, close } = await openScratch(browser, server, [SETUP, without(seconds / 5), VIEWS, without((2 * seconds) / 5), without(seconds / 5), without(seconds / 5)], { viewport: { width: 1440, height: 900 } });
await kernelReady(page);

async function finish(number) {
  await run(page, number);
  await waitForState(page, number, ['fresh', 'error'], 1000 * seconds + 120_000);
  return Number(await cell(page, number).locator('.console').textContent().catch(() => 'NaN'));
}
/** Megabytes of scripts in the page, after a collection. */
async function heap() {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}
const beginFrames = () => page.evaluate(() => {
  const times = [];
  globalThis.frames_ = times;
  let last = performance.now();
  const next = (now) => { times.push(now - last); last = now; globalThis.frameRequest = requestAnimationFrame(next); };
  globalThis.frameRequest = requestAnimationFrame(next);
});
const endFrames = () => page.evaluate(() => { cancelAnimationFrame(globalThis.frameRequest); return globalThis.frames_.slice(2).sort((a, b) => a - b); });
const share = (times, part) => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(1);
const say = (name, words) => console.log(`${name.padEnd(30)}${words}`);

await run(page, 1);
await waitForState(page, 1, 'fresh', 120_000);
await beginFrames();
const before = await finish(2);
const quietFrames = await endFrames();
await run(page, 3);
await waitForState(page, 3, 'fresh', 120_000);
await page.locator('[data-view="confusion"]').scrollIntoViewIfNeeded();
await watchShifts(page);
const heapBefore = await heap();
const chipBefore = await page.locator('[data-chip]').textContent();
await beginFrames();
const watched = await finish(4);
const frames = await endFrames();
const shifts = await shiftsOf(page);
const heapAfter = await heap();
const chipAfter = await page.locator('[data-chip]').textContent();
// A cell that runs again has none of its former views: with another text it has none at all.
await setCode(page, 3, '1');
await run(page, 3);
await waitForState(page, 3, 'fresh');
const after = await finish(5);
await page.locator('[data-action="inspector"]').click();
await page.waitForSelector('[data-inspector][data-canvas="ready"]', { timeout: 60_000 });
await beginFrames();
const inspected = await finish(6);
const inspectorFrames = await endFrames();
await close();
await browser.close();
await server.close();

say('training, steps a second', `${before.toFixed(0)} and ${after.toFixed(0)} without views (before and after), ${watched.toFixed(0)} with all views: ${((watched / ((before + after) / 2) - 1) * 100).toFixed(1)} %`);
say('with the inspector', `${inspected.toFixed(0)}: ${((inspected / after - 1) * 100).toFixed(1)} % beside the run before it; frames p95 ${share(inspectorFrames, 0.95)} ms, worst ${share(inspectorFrames, 1)}`);
say('frames with views, ms', `median ${share(frames, 0.5)}, p95 ${share(frames, 0.95)}, worst ${share(frames, 1)} (${frames.length} frames)`);
say('frames without views, ms', `median ${share(quietFrames, 0.5)}, p95 ${share(quietFrames, 0.95)}, worst ${share(quietFrames, 1)}`);
say('layout shift', `${shifts.sum.toFixed(4)} ${[...new Set(shifts.sources)].join(' ')}`);
say('scripts of the page, MB', `${heapBefore.toFixed(1)} before, ${heapAfter.toFixed(1)} after`);
say('kernel', `${chipBefore} before, ${chipAfter} after`);
if (troubles.length) say('errors in the console', troubles.join('\n'));
