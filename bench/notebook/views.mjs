// What it costs to watch: trains on the real MNIST for a long time with every view open, and tells the frame times of the page, how far
// its layout moved, and its memory; then trains in short turns with and without views, and with the inspector open and closed, since a
// machine's pace changes by more than what is measured. `npm run bench -- views [--seconds 120]`
import { cell, dist, kernelReady, launch, openScratch, run, servePage, setCode, shiftsOf, waitForState, watchShifts } from '../../tests/web/browser.ts';

const at = process.argv.indexOf('--seconds');
const seconds = at > 0 ? Number(process.argv[at + 1]) : 120;
if (!(seconds >= 8)) throw new Error('--seconds needs a number from 8 on');
const TURNS = 4;
const turn = Math.max(5, Math.min(8, seconds / 12));

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
const LIVE = `
views.confusion(model, test);
views.mistakes(model, test);
views.calibration(model, test);
views.histograms(model, train);
views.filters(model);
views.featureMaps(model, test.at(0)[0]);
views.saliency(model, test.at(0)[0]);
views.embedding(model, test);
views.timeline(model, optimizer);
views.digitPad(model);`;
// Two inputs need a model of their own; its surface is looked at anew all the same.
const VIEWS = `
const moons = data.moons({ examples: 100, seed: 1 });
const plane = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.linear(8, 2));
views.surface(plane, moons);
${LIVE}
await views.health(model, train, { test, optimizer });
await views.landscape(model, test, { size: 9, examples: 64 });
await views.rateFinder(model, train, { steps: 20 });
const swept = await sweep({ lr: [0.01, 0.001] }, async ({ lr }) => ({ lr }));`;
const train = (length) => `console.log(await pace(${length}));`;

const browser = await launch();
const server = await servePage(dist);
const { page, troubles, close } = await openScratch(browser, server, [SETUP, train(turn), VIEWS, train(seconds), train(turn)], { viewport: { width: 1440, height: 900 } });
await kernelReady(page);

/** Runs a cell that trains; steps a second. */
async function finish(number) {
  await run(page, number);
  await waitForState(page, number, ['fresh', 'error'], 1000 * seconds + 120_000);
  return Number(await cell(page, number).locator('.console').textContent().catch(() => 'NaN'));
}
async function set(number, code) {
  await setCode(page, number, code);
  await run(page, number);
  await waitForState(page, number, 'fresh', 120_000);
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
const chip = () => page.locator('[data-chip]').textContent();
/** What is asked is the cost of the open inspector, not of opening it. */
const settle = () => page.waitForTimeout(2500);
const median = (values) => { const sorted = [...values].sort((a, b) => a - b); return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2; };
/** Both paces, and how much the first is slower or faster than the second. */
const compared = (pairs) => {
  const [one, other] = [0, 1].map((side) => pairs.map((pair) => pair[side]));
  return `median ${median(one).toFixed(0)}, without ${median(other).toFixed(0)} steps a second: ${((median(one) / median(other) - 1) * 100).toFixed(1)} % (${pairs.map((pair) => pair.map((each) => each.toFixed(0)).join('/')).join(', ')})`;
};

await run(page, 1);
await waitForState(page, 1, 'fresh', 120_000);
await beginFrames();
await finish(2);
const quietFrames = await endFrames();

await run(page, 3);
await waitForState(page, 3, 'fresh', 120_000);
const views = await cell(page, 3).locator('[data-view]').evaluateAll((all) => all.map((view) => view.dataset.view));
await watchShifts(page);
await run(page, 4);
await waitForState(page, 4, 'running');
await page.locator('[data-view="confusion"]').scrollIntoViewIfNeeded();
const heapBefore = await heap();
const chipBefore = await chip();
await beginFrames();
await waitForState(page, 4, ['fresh', 'error'], 1000 * seconds + 120_000);
const frames = await endFrames();
const shifts = await shiftsOf(page);
const heapAfter = await heap();
const chipAfter = await chip();
const watched = Number(await cell(page, 4).locator('.console').textContent());

const pairs = [];
for (let i = 0; i < TURNS; i++) {
  await set(3, LIVE);
  const open = await finish(5);
  // A cell that runs again has none of its former views: with another text it has none at all.
  await set(3, '1');
  pairs.push([open, await finish(5)]);
}
const inspected = [];
const inspectorFrames = [];
for (let i = 0; i < TURNS; i++) {
  await page.locator('[data-action="inspector"]').click();
  await page.waitForSelector('[data-inspector][data-canvas="ready"]', { timeout: 60_000 });
  await settle();
  await beginFrames();
  const open = await finish(5);
  inspectorFrames.push(...(await endFrames()));
  await page.locator('[data-action="close-inspector"]').click();
  // Counting frames takes a part of the processor, too: both turns pay it.
  await settle();
  await beginFrames();
  inspected.push([open, await finish(5)]);
  await endFrames();
}
inspectorFrames.sort((a, b) => a - b);
await close();
await browser.close();
await server.close();

say('training with all views', `${seconds} s, ${watched.toFixed(0)} steps a second; ${views.length} views: ${[...new Set(views)].join(' ')}`);
say('frames with all views, ms', `median ${share(frames, 0.5)}, p95 ${share(frames, 0.95)}, p99 ${share(frames, 0.99)}, worst ${share(frames, 1)} (${frames.length} frames)`);
say('frames without views, ms', `median ${share(quietFrames, 0.5)}, p95 ${share(quietFrames, 0.95)}, worst ${share(quietFrames, 1)}`);
say('layout shift', `${shifts.sum.toFixed(4)} ${[...new Set(shifts.sources)].join(' ')}`);
say('scripts of the page, MB', `${heapBefore.toFixed(1)} at the start, ${heapAfter.toFixed(1)} at the end`);
say('kernel', `${chipBefore} at the start, ${chipAfter} at the end`);
say(`${TURNS} x ${turn} s with views`, compared(pairs));
say(`${TURNS} x ${turn} s inspector`, `${compared(inspected)}; frames p95 ${share(inspectorFrames, 0.95)} ms, worst ${share(inspectorFrames, 1)}`);
if (troubles.length) say('errors in the console', troubles.join('\n'));
