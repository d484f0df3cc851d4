// The health panel in a real page, on the real MNIST: each of the faults that the debugging lesson plants is named in a sentence, the loop
// without zeroGrad is noticed while it trains, and what is right is left in peace.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cell, kernelReady, PATIENT, runAndWait, type Opened } from './browser.ts';
import { useSite } from './site.ts';

const SETUP = `
const { train, test } = await data.mnist({ train: 600, test: 200, normalize: true });
const mlp = (...more) => nn.sequential(nn.flatten(), nn.linear(784, 24), nn.relu(), nn.linear(24, 10), ...more);
const withClasses = (x, y) => data.fromArrays(x, y, { classes: train.classes });
async function teach(model, optimizer) {
  for await (const [x, y] of train.batches(50, { shuffle: true, seed: 1 })) {
    const loss = nn.crossEntropy(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
  }
}
class Centred extends nn.Module {
  inner = mlp();
  forward(x) {
    const scores = this.inner(x);
    return scores.sub(scores.mean(0));
  }
}`;
const LOOP = `
const good = mlp();
const optimizer = optim.sgd(good, { lr: 0.01 });
await views.health(good, train, { test, optimizer });
for await (const [x, y] of train.batches(50)) {
  const loss = nn.crossEntropy(good(x), y);
  loss.backward();
  optimizer.step();
  log({ loss });
}`;
const RATE = `await views.rateFinder(good, train, { optimizer: 'sgd', steps: 60 });`;

interface Fault {
  readonly fault: string;
  readonly code: string;
  readonly key: string;
  readonly verdict: RegExp;
}

/** The broken notebooks of the debugging lesson, as learners would write them; the loop without zeroGrad is LOOP. */
const FAULTS: readonly Fault[] = [
  { fault: 'softmax twice', code: 'const model = mlp(nn.softmax(1)); await views.health(model, train, { test });', key: 'scores', verdict: /chances already.*Remove softmax from the model\.$/ },
  { fault: 'labels shuffled against the images', code: "const order = rand(600).argsort(0).to('int32'); const model = mlp(); await views.health(model, withClasses(train.features, train.labels.indexSelect(order, 0)), { test });", key: 'labels', verdict: /no more often than chance.*Were they shuffled apart\?$/ },
  { fault: 'the test data among the training data', code: 'const model = mlp(); await views.health(model, train, { test: train.take(100) });', key: 'overlap', verdict: /100 % of the test examples are in the training data/ },
  { fault: 'a learning rate a hundred times too large', code: 'const model = mlp(); const optimizer = optim.adam(model, { lr: 0.1 }); await views.health(model, train, { test, optimizer });', key: 'rate', verdict: /The learning rate is too large: try 0\.001\.$/ },
  { fault: 'inputs from 0 to 255', code: 'const low = train.features.min(); const raw = train.features.sub(low).div(train.features.max().sub(low)).mul(255); const model = mlp(); await views.health(model, withClasses(raw, train.labels));', key: 'range', verdict: /Inputs range from 0 to 255: far too large\. Divide them by 255/ },
  { fault: 'a mean over the wrong axis', code: 'const model = new Centred(); await views.health(model, train, { test });', key: 'independent', verdict: /runs over axis 0\. Axis 0 is the batch; use axis 1\.$/ },
  { fault: 'relu on the scores', code: 'const model = mlp(nn.relu()); await views.health(model, train, { test });', key: 'scores', verdict: /seems to end in ReLU.*Remove it\.$/ },
  { fault: 'weights that start at zero', code: 'const model = mlp(); for (const weight of model.parameters()) weight.copy_(zerosLike(weight)); await views.health(model, train, { test });', key: 'init', verdict: /All weights of 1\.weight are 0: its units are twins.*Start from random weights\.$/ },
  { fault: 'a test in training mode', code: 'const model = mlp(nn.dropout(0.5)); const optimizer = optim.adam(model, { lr: 0.001 }); await teach(model, optimizer); console.log(accuracy(model(test.features), test.labels).item()); await views.health(model, train, { test, optimizer });', key: 'mode', verdict: /training mode when it was used last.*Call model\.eval\(\) before you measure/ },
];
/** What is right must be silent: the same models and data without their faults. */
const HEALTHY: readonly { readonly what: string; readonly code: string }[] = [
  { what: 'a new model', code: 'const model = mlp(); const optimizer = optim.adam(model, { lr: 0.001 }); await views.health(model, train, { test, optimizer });' },
  { what: 'a model with dropout, trained, and measured after eval()', code: 'const model = nn.sequential(nn.conv2d(1, 4, 3), nn.batchNorm2d(4), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.dropout(0.3), nn.linear(4 * 13 * 13, 10)); const optimizer = optim.adam(model, { lr: 0.001 }); await teach(model, optimizer); model.eval(); console.log(accuracy(model(test.features), test.labels).item()); await views.health(model, train, { test, optimizer });' },
];
/** Each in a scope of its own. */
const planted = (code: string) => `manualSeed(4);\n{ ${code} }`;
const FIRST = 4;

const site = useSite();
let opened: Opened;
let page: Page;

beforeAll(async () => {
  opened = await site.scratch([SETUP, LOOP, RATE, ...[...FAULTS, ...HEALTHY].map(({ code }) => planted(code))]);
  page = opened.page;
  await kernelReady(page);
}, 300_000);

const state = (number: number, key: string) => cell(page, number).locator(`[data-check="${key}"]`).getAttribute('data-state');

const verdict = (number: number) => cell(page, number).locator('.health .verdict').textContent();

test('the data and models of the lesson are made', { timeout: 240_000 }, async () => {
  await runAndWait(page, 1, 200_000);
});

test.each(FAULTS.map((each, i) => ({ ...each, number: FIRST + i })))('planted: $fault', { timeout: 240_000 }, async ({ key, verdict: words, number }) => {
  await runAndWait(page, number, 200_000);
  expect(await verdict(number)).toMatch(/^Likely wrong: /);
  expect(await verdict(number)).toMatch(words);
  expect(await state(number, key)).toBe('bad');
});

test.each(HEALTHY.map((each, i) => ({ ...each, number: FIRST + FAULTS.length + i })))('healthy: $what', { timeout: 240_000 }, async ({ number }) => {
  await runAndWait(page, number, 200_000);
  const states = await cell(page, number).locator('[data-check]').evaluateAll((checks) => checks.map((check) => [(check as HTMLElement).dataset.check, (check as HTMLElement).dataset.state]));
  expect(states.filter(([, found]) => found === 'bad' || found === 'warn')).toEqual([]);
  expect(await verdict(number)).toBe('Nothing looks wrong.');
});

test('a loop that forgets zeroGrad is noticed while it trains', { timeout: 240_000 }, async () => {
  await runAndWait(page, 2, 200_000);
  await expect.poll(() => state(2, 'zeroGrad'), PATIENT).toBe('bad');
  expect(await cell(page, 2).locator('.health .verdict').textContent()).toMatch(/zeroGrad/);
  expect([await state(2, 'rate'), await state(2, 'batch')]).toEqual(['good', 'good']);
});

test('the rate finder draws its curve and names a rate', { timeout: 240_000 }, async () => {
  await runAndWait(page, 3, 200_000);
  const steepest = Number(await cell(page, 3).locator('[data-steepest]').getAttribute('data-steepest'));
  expect(steepest).toBeGreaterThan(1e-4);
  expect(opened.troubles).toEqual([]);
});
