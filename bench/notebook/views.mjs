// What it costs to watch: trains on the real MNIST for a long time with every view open, and tells the frame times of the page, how far
// its layout moved, and its memory. Then one training goes on while what watches it comes and goes in short turns, since a machine's
// pace drifts by more than what is measured: first the views, then the inspector.
// `npm run bench -- views [--seconds 120] [--pairs 44] [--only long|views|inspector] [--all]`
import { cell, dist, kernelReady, launch, openScratch, run, servePage, setCode, shiftsOf, waitForState, watchShifts } from '../../tests/web/browser.ts';
import { medianWithin, pairsOf } from './pairs.mjs';
import { busyTime, threadRates, threadTimes } from './threads.mjs';

const option = (name, usual) => {
  const at = process.argv.indexOf(`--${name}`);
  return at > 0 ? process.argv[at + 1] : usual;
};
const seconds = Number(option('seconds', 120));
const PAIRS = { views: 44, inspector: 40 };
const pairsFor = (name) => Number(option('pairs', PAIRS[name]));
const only = option('only', '');
if (!(seconds >= 8)) throw new Error('--seconds needs a number from 8 on');
if (!(pairsFor('views') >= 2)) throw new Error('--pairs needs a number from 2 on');
const does = (part) => !only || only === part;

/** A turn begins when what came or went has settled. Opening the inspector compiles its module, which is not what is asked. */
const TURN_MS = { views: 2000, inspector: 2500 };
/** Pairs count in which other programs took less than this, in milliseconds a second. */
const OTHERS_MS = 60;
const SETTLE_MS = { views: 700, inspector: 1500 };

const SETUP = `
const { train, test } = await data.mnist({ train: 10_000, test: 1000, normalize: true });
manualSeed(1);
const model = nn.sequential(nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.linear(8 * 14 * 14, 10));
const optimizer = optim.adam(model, { lr: 1e-3 });
const { pace, stepsIn } = (() => {
  // When each step ended.
  const stamps = new Float64Array(2 ** 22);
  let steps = 0;
  const now = () => performance.timeOrigin + performance.now();
  return {
    async pace(seconds) {
      const begin = now();
      const first = steps;
      while (now() < begin + 1000 * seconds) {
        for await (const [x, y] of train.batches(64, { shuffle: true, seed: steps })) {
          const loss = nn.crossEntropy(model(x), y);
          optimizer.zeroGrad();
          loss.backward();
          optimizer.step();
          log({ loss });
          stamps[steps++ % stamps.length] = now();
          if (now() >= begin + 1000 * seconds) break;
        }
      }
      return (steps - first) / ((now() - begin) / 1000);
    },
    /** Steps a second between two times. */
    stepsIn([from, to]) {
      let i = 0;
      while (i < steps && stamps[i] < from) i++;
      let j = i;
      while (j + 1 < steps && stamps[j + 1] < to) j++;
      return ((j - i) / (stamps[j] - stamps[i])) * 1000;
    },
  };
})();`;
// Two inputs need a model of their own; its surface is looked at anew all the same.
const VIEWS = `
const moons = data.moons({ examples: 100, seed: 1 });
const plane = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.linear(8, 2));
views.surface(plane, moons);
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
await views.rateFinder(model, train, { steps: 20 });
const swept = await sweep({ lr: [0.01, 0.001] }, async ({ lr }) => ({ lr }));`;

const browser = await launch();
const server = await servePage(dist);
const { page, troubles, close } = await openScratch(browser, server, [SETUP, 'console.log(await pace(8));', VIEWS, `console.log(await pace(${only && only !== 'long' ? 1e6 : seconds}));`, '0'], { viewport: { width: 1440, height: 900 } });
await kernelReady(page);

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
const printed = (number) => cell(page, number).locator('.console').textContent();
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => performance.timeOrigin + performance.now();

/** Trains in cell 4 for as long as turns take that are measured with and without what `show` puts on the page or takes away. */
async function watched(name, show) {
  await setCode(page, 4, 'await pace(1e6);');
  await run(page, 4);
  await waitForState(page, 4, 'running');
  // The first seconds of a training are slower: functions are compiled.
  await wait(4000);
  const turns = await pairsOf(pairsFor(name), async (isShown, i) => {
    await show(isShown, i);
    await wait(SETTLE_MS[name]);
    const before = threadTimes();
    const busy = busyTime();
    const from = now();
    await wait(TURN_MS[name]);
    const to = now();
    const rates = threadRates(before, threadTimes(), (to - from) / 1000);
    // What else ran on this machine meanwhile, in milliseconds a second.
    const others = (1000 * (busyTime() - busy)) / (to - from) - [...rates.values()].reduce((sum, each) => sum + each, 0);
    return { span: [from, to], rates, others };
  });
  await show(false, 0);
  await page.locator('[data-action="stop"]').click();
  await waitForState(page, 4, ['stopped', 'fresh', 'error']);
  const sides = ['with', 'without'];
  await setCode(page, 5, `console.log(JSON.stringify(${JSON.stringify(turns.map((turn) => sides.map((side) => turn[side].span)))}.map((pair) => pair.map(stepsIn))));`);
  await run(page, 5);
  await waitForState(page, 5, ['fresh', 'error']);
  const paces = JSON.parse(await printed(5));
  const isCalm = turns.map((turn) => sides.every((side) => turn[side].others < OTHERS_MS));
  const slower = paces.filter((_, i) => isCalm[i]).map(([shown, hidden]) => 100 * (1 - shown / hidden));
  if (slower.length < 2) return say(`training with ${name}`, `not measured: other programs kept the processor busy (${turns.map((turn) => turn.with.others.toFixed(0)).join(' ')} ms a second)`);
  const { median, low, high } = medianWithin(slower);
  const middle = (side) => medianWithin(paces.map((pair) => pair[side])).median;
  say(`training with ${name}`, `${median.toFixed(1)} % slower, 19 times of 20 between ${low.toFixed(1)} and ${high.toFixed(1)} (${slower.length} of ${turns.length} pairs, in which nothing else ran, of ${TURN_MS[name] / 1000} s; medians ${middle(0).toFixed(0)} and ${middle(1).toFixed(0)} steps a second)`);
  if (process.argv.includes('--all')) turns.forEach((turn, i) => say(`  pair ${i}`, `${paces[i].map((each) => each.toFixed(0)).join(' and ')} steps a second, others ${sides.map((side) => turn[side].others.toFixed(0)).join(' and ')} ms a second`));
  // What the threads of the browser took, in milliseconds a second; those of the training make the pace.
  const keys = [...new Set(turns.flatMap((turn) => sides.flatMap((side) => [...turn[side].rates.keys()])))];
  const mean = (key, side) => turns.reduce((sum, turn) => sum + (turn[side].rates.get(key) ?? 0), 0) / turns.length;
  for (const key of keys.sort((a, b) => mean(b, 'with') - mean(a, 'with'))) {
    if (sides.some((side) => mean(key, side) >= 2)) say(`  ${key}`, `${mean(key, 'with').toFixed(0)} and ${mean(key, 'without').toFixed(0)} ms a second`);
  }
}

await run(page, 1);
await waitForState(page, 1, 'fresh', 120_000);
let quietFrames = null;
if (does('long')) {
  await beginFrames();
  await run(page, 2);
  await waitForState(page, 2, 'fresh', 120_000);
  quietFrames = await endFrames();
}
await run(page, 3);
await waitForState(page, 3, 'fresh', 120_000);
const names = await cell(page, 3).locator('[data-view]').evaluateAll((all) => all.map((view) => view.dataset.view));

if (does('long')) {
  await watchShifts(page);
  await run(page, 4);
  await waitForState(page, 4, 'running');
  await page.locator('[data-view="confusion"]').scrollIntoViewIfNeeded();
  const heapBefore = await heap();
  const chipBefore = await chip();
  await beginFrames();
  // The kernel's memory grows by steps of a fifth, so when it last grew says more than how much.
  const begun = now();
  const grown = [[0, chipBefore]];
  const ended = waitForState(page, 4, ['fresh', 'error'], 1000 * seconds + 120_000);
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([ended.then(() => true), wait(5000).then(() => false)]);
    const words = await chip();
    if (words !== grown.at(-1)[1]) grown.push([(now() - begun) / 1000, words]);
  }
  const frames = await endFrames();
  const shifts = await shiftsOf(page);
  say('training with all views', `${seconds} s, ${Number(await printed(4)).toFixed(0)} steps a second; ${names.length} views: ${[...new Set(names)].join(' ')}`);
  say('frames with all views, ms', `median ${share(frames, 0.5)}, p95 ${share(frames, 0.95)}, p99 ${share(frames, 0.99)}, worst ${share(frames, 1)} (${frames.length} frames)`);
  say('frames without views, ms', `median ${share(quietFrames, 0.5)}, p95 ${share(quietFrames, 0.95)}, worst ${share(quietFrames, 1)}`);
  say('layout shift', `${shifts.sum.toFixed(4)} ${[...new Set(shifts.sources)].join(' ')}`);
  say('scripts of the page, MB', `${heapBefore.toFixed(1)} at the start, ${(await heap()).toFixed(1)} at the end`);
  say('kernel', grown.map(([at, words]) => `${at ? `from ${at.toFixed(0)} s on ` : ''}${words}`).join('; '));
}

/** Views and chart, each turn with the next of them in the middle of the screen; or nothing but code. */
async function showViews(isShown, turn) {
  await page.evaluate(([shown, i]) => {
    for (const number of [3, 4]) document.querySelector(`.cell.code[data-number="${number}"] .outputs`).style.display = shown ? '' : 'none';
    const all = document.querySelectorAll('.cell.code[data-number="3"] [data-view], .cell.code[data-number="4"] .live');
    if (shown) all[i % all.length].scrollIntoView({ block: 'center' });
    else document.querySelector('.cell.code').scrollIntoView({ block: 'start' });
  }, [isShown, turn]);
}
if (does('views')) await watched('views', showViews);

/** The inspector as it opens, over a page that shows the chart of the training. */
async function showInspector(isShown) {
  const isOpen = (await page.locator('[data-inspector]').count()) > 0;
  if (isOpen === isShown) return;
  await page.locator(isShown ? '[data-action="inspector"]' : '[data-action="close-inspector"]').click();
  if (isShown) await page.waitForSelector('[data-inspector][data-canvas="ready"]', { timeout: 60_000 });
}
if (does('inspector')) {
  // The inspector alone is asked about: no view is open.
  await setCode(page, 3, '1');
  await run(page, 3);
  await waitForState(page, 3, 'fresh');
  await page.locator('.cell.code[data-number="4"]').scrollIntoViewIfNeeded();
  await watched('inspector', showInspector);
}

await close();
await browser.close();
await server.close();
if (troubles.length) say('errors in the console', troubles.join('\n'));
