// Stop and Pause where threads share no memory (a host without isolation headers, no service worker): loops of every kind are
// held, and end, and leave the names of other cells alone; what only dropping the kernel ends gives back the weights of the last checkpoint.
import { expect, test } from 'vitest';
import { cell, kernelReady, outputOf, PATIENT, run, runAndWait, seriesOf, waitForState } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite({ isIsolated: false });

const SET = 'const set = data.fromArrays(randn([256, 4]), randn([256, 1]));\nconst model = nn.linear(4, 1);\nconst optimizer = optim.sgd(model.parameters(), { lr: 0.01 });\nfunction learn(x, y) {\n  const loss = nn.mse(model(x), y);\n  optimizer.zeroGrad();\n  loss.backward();\n  optimizer.step();\n  log({ loss });\n}';
const SUM = 'model.parameters()[0].sum().item().toFixed(6)';

const loops = {
  'a training loop over batches': 'for await (const [x, y] of set.batches(8, { epochs: Infinity })) learn(x, y);',
  'a training loop that never gives way': 'const [x, y] = set.pick([0, 1, 2, 3]);\nwhile (true) learn(x, y);',
  'an empty endless loop': 'while (true) {}',
  'an endless loop that catches everything': 'while (true) {\n  try {\n    while (true) {}\n  } catch {}\n}',
  'a loop that awaits only things of its own': 'for (let i = 1; ; i++) {\n  log({ round: i });\n  await new Promise((done) => setTimeout(done, 20));\n}',
  'an endless chain of promises': 'while (true) await Promise.resolve();',
};

test('loops of every kind end at Stop, and names keep their values', { timeout: 480_000 }, async () => {
  const { page, close } = await site.scratch([SET, ...Object.values(loops), SUM, SUM]);
  await kernelReady(page);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  await runAndWait(page, 1);
  for (const [i, name] of Object.keys(loops).entries()) {
    await run(page, i + 2);
    await waitForState(page, i + 2, 'running');
    if (name.includes('of its own') || name.includes('never gives way')) {
      // Held and stepped, too: it stands still between two rounds, or where it logs.
      const logged = async () => Number(await cell(page, i + 2).locator('.live').getAttribute('data-points'));
      await expect.poll(logged, PATIENT).toBeGreaterThan(5);
      await page.locator('[data-action="pause"]').click();
      await page.locator('[data-action="step"]:enabled').waitFor(PATIENT);
      const held = await logged();
      for (let by = 1; by <= 2; by++) {
        await page.locator('[data-action="step"]').click();
        await expect.poll(logged, PATIENT).toBe(held + by);
        await page.locator('[data-action="step"]:enabled').waitFor(PATIENT);
      }
      await page.locator('[data-action="pause"]').click();
      await expect.poll(logged, PATIENT).toBeGreaterThan(held + 10);
      // Stop ends it while it stands still.
      await page.locator('[data-action="pause"]').click();
      await page.locator('[data-action="step"]:enabled').waitFor(PATIENT);
    } else if (name === 'an empty endless loop') {
      await page.locator('[data-action="pause"]').click();
      await page.locator('[data-action="step"]:enabled').waitFor(PATIENT);
    } else if (name.includes('training')) await expect.poll(async () => (await seriesOf(page, i + 2))[0]?.points ?? 0, PATIENT).toBeGreaterThan(20);
    else await page.waitForTimeout(400);
    await page.locator('[data-action="stop"]').click();
    await waitForState(page, i + 2, 'stopped');
    // The kernel was not dropped: the model is still there, and the next run is not stopped by an old Stop.
    await runAndWait(page, 8);
    await runAndWait(page, 9);
    expect(await outputOf(page, 8), name).toMatch(/-?\d\.\d{6}/);
    expect(await outputOf(page, 9), name).toBe(await outputOf(page, 8));
  }
  await close();
});

test('force stop gives back the weights of the last checkpoint', { timeout: 480_000 }, async () => {
  const { page, close } = await site.scratch([SET, 'for (let i = 0; i < 40; i++) learn(ones([2, 4]), ones([2, 1]));', SUM, "/^(x+x+)+y$/.test('x'.repeat(80))"]);
  await kernelReady(page);
  for (const number of [1, 2, 3]) await runAndWait(page, number);
  const sum = await outputOf(page, 3);
  await run(page, 4);
  await waitForState(page, 4, 'running');
  await page.locator('[data-action="stop"]').click();
  await page.locator('[data-action="force-stop"]').click({ timeout: 30_000 });
  await kernelReady(page);
  expect(await outputOf(page, 4)).toContain('The weights of model (step 40');
  await runAndWait(page, 1);
  expect(await outputOf(page, 1)).toContain('The weights of model were put back: they are those of step 40.');
  await runAndWait(page, 3);
  expect(await outputOf(page, 3)).toBe(sum);
  await close();
});
