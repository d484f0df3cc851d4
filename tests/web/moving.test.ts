// While a cell runs, nothing below it moves, whatever it shows and however late: layout shifts as the browser counts them.
import { expect, test } from 'vitest';
import { cell, kernelReady, outputOf, PATIENT, run, shiftsOf, waitForState, watchShifts } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

const LATE = 'await new Promise((done) => setTimeout(done, 900));';
/** So that what came is drawn while the cell still runs. */
const DRAWN = 'await new Promise((done) => setTimeout(done, 250));';
const REST = 'await new Promise((done) => setTimeout(done, 30));';
const ROWS = 'Array.from({ length: 30 }, (_, i) => ({ name: `row ${i}`, size: i }))';
const SHARED = `function showTable() {\n  display.table(${ROWS});\n}\nclass Shower {\n  show() {\n    showTable();\n  }\n}`;

const cases: Readonly<Record<string, readonly [text: string, shows: RegExp]>> = {
  'a table': [`display.table(${ROWS});`, /row 29/],
  'a picture': ["display.picture('<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"320\"><rect width=\"300\" height=\"320\"/></svg>', { caption: 'a square' });", /a square/],
  'images of a tensor': ["display(rand([64, 1, 28, 28]), { as: 'image', limit: 64 });", /Tensor \[64/],
  'tall prose': ["display.markdown(Array.from({ length: 20 }, (_, i) => `Paragraph ${i}.`).join('\\n\\n'));", /Paragraph 19/],
  'a live view': ['views.filters(nn.conv2d(1, 24, 5));', /./],
  'values in a loop': [`for (let i = 0; i < 12; i++) {\n  display(i * 11);\n  ${REST}\n}`, /121/],
  'charts in a loop': [`for (let i = 1; i <= 3; i++) {\n  plot.line([0, 1], [0, i], { title: \`Chart \${i}\` });\n  ${REST}\n}`, /Chart 3/],
  'lines in a loop': [`for (let i = 0; i < 40; i++) {\n  console.log('line', i);\n  ${REST}\n}`, /line 39/],
  'lines of a callback': ["[1, 2, 3, 4, 5, 6, 7, 8, 9].forEach((i) => console.log('called', i));", /called 9/],
  'a branch': ["if (Date.now() > 0) display.html('<p>yes</p>', { height: 180 });", /^/],
  'a function of another cell': ['showTable();', /row 29/],
  'a method of another cell': ['new Shower().show();', /row 29/],
  'a chart of four panels': [`for (let step = 1; step <= 20; step++) {\n  log({ loss: 1 / step, accuracy: 1 - 1 / step, lr: 0.1, norm: step });\n  ${REST}\n}`, /Norms/],
  'a progress bar and what comes after it': [`const bar = progress('work', 20);\nfor (let i = 1; i <= 20; i++) {\n  bar.update(i);\n  ${REST}\n}\nbar.done();\ndisplay(ones([4, 4]));\nconsole.log('after');\n({ a: [1, 2, 3] })`, /after/],
  'an error': ["throw new Error('late and\\nlong\\nand longer\\nand longest');", /longest/],
};
const names = Object.keys(cases);

test('what comes late moves nothing below while its cell runs, and is there in full for who has waited', { timeout: 600_000 }, async () => {
  const { page, troubles, close } = await site.scratch([SHARED, ...names.map((name) => `${LATE}\n${cases[name]![0]}\n${DRAWN}`), '"below";'], { viewport: { width: 1440, height: 900 } });
  await kernelReady(page);
  await page.keyboard.press('Escape');
  await run(page, 1);
  await waitForState(page, 1, 'fresh');
  const moved: string[] = [];
  for (const [i, name] of names.entries()) {
    const number = i + 2;
    const [, shows] = cases[name]!;
    await cell(page, number).evaluate((element) => scrollTo({ top: element.getBoundingClientRect().top + scrollY - 200, behavior: 'instant' }));
    await watchShifts(page, number);
    await run(page, number);
    await waitForState(page, number, ['fresh', 'error']);
    const { sum, sources } = await shiftsOf(page);
    if (sum > 0) moved.push(`${name} (${sum.toFixed(4)}: ${sources.join(', ')})`);
    expect(await outputOf(page, number), name).toMatch(shows);
    // Nothing was pressed meanwhile.
    await expect.poll(() => cell(page, number).locator('.show-all, [data-bounded]').count(), PATIENT).toBe(0);
    const { scrollHeight, clientHeight } = await cell(page, number).locator('.outputs').evaluate(({ scrollHeight, clientHeight }) => ({ scrollHeight, clientHeight }));
    expect(scrollHeight, name).toBeLessThanOrEqual(clientHeight);
  }
  expect(moved).toEqual([]);
  expect(troubles).toEqual([]);
  await close();
});

test('who has turned to something else sees no jump at the end either, and opens what did not fit', { timeout: 480_000 }, async () => {
  const { page, troubles, close } = await site.scratch([`const after = (ms: number) => new Promise((done) => setTimeout(done, ms));\nconst go = ui.toggle('go');\nclass Shower {\n  show() {\n    display.table(${ROWS});\n  }\n}`, 'while (!go.value) await after(20);\nnew Shower().show();\nawait after(300);', '"below";'], { viewport: { width: 1440, height: 900 } });
  await kernelReady(page);
  await run(page, 1);
  await waitForState(page, 1, 'fresh');
  const place = () => cell(page, 3).evaluate((element) => Math.round(element.getBoundingClientRect().top));
  await run(page, 2);
  await waitForState(page, 2, 'running');
  await cell(page, 3).locator('.code-box').click({ position: { x: 60, y: 20 } });
  const before = await place();
  await cell(page, 1).locator('input[type="checkbox"]').check();
  await cell(page, 2).locator('[data-bounded] table').waitFor({ state: 'attached' });
  await waitForState(page, 2, 'fresh');
  // Two pictures later everything that could move has moved.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await place()).toBe(before);
  const open = cell(page, 2).getByRole('button', { name: 'Show the output' });
  await open.click();
  expect(await open.count()).toBe(0);
  expect(await place()).toBeGreaterThan(before + 200);
  // The next run of this text has the room from its first moment on.
  await watchShifts(page, 2);
  await run(page, 2);
  await waitForState(page, 2, 'running');
  await waitForState(page, 2, 'fresh');
  expect((await shiftsOf(page)).sum).toBe(0);
  expect(await cell(page, 2).locator('.show-all').count()).toBe(0);
  expect(troubles).toEqual([]);
  await close();
});

test('the error of the run before stands below what the next run shows, and goes with the first of it', { timeout: 240_000 }, async () => {
  const loop = `for (let step = 1; step <= 400; step++) {\n  log({ loss: 1 / step });\n  ${REST}\n}`;
  const { page, troubles, close } = await site.scratch(['let tries = 0;', `tries++;\nif (tries === 1) throw new Error('a first try');\n${LATE}\n${loop}`, '"below";'], { viewport: { width: 1440, height: 900 } });
  await kernelReady(page);
  await run(page, 1);
  await waitForState(page, 1, 'fresh');
  await run(page, 2);
  await waitForState(page, 2, 'error');
  const error = cell(page, 2).locator('.error-out');
  await error.waitFor();
  await watchShifts(page, 2);
  await run(page, 2);
  const chart = cell(page, 2).locator('.outputs canvas').first();
  await chart.waitFor({ state: 'attached' });
  const bottoms = () => cell(page, 2).evaluate((element) => [element.querySelector('.outputs canvas')!, element.querySelector('.outputs')!].map((each) => each.getBoundingClientRect().bottom) as [number, number]);
  // At one moment: the error may go between two questions.
  const reaches = await cell(page, 2).evaluate((element) => element.querySelector('.outputs canvas')!.getBoundingClientRect().bottom - (element.querySelector('.error-out')?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY));
  expect(reaches).toBeLessThanOrEqual(0);
  await expect.poll(() => error.count(), PATIENT).toBe(0);
  const [lowest, end] = await bottoms();
  expect(lowest).toBeLessThanOrEqual(end);
  await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
  await waitForState(page, 2, ['stopped', 'cancelled', 'error', 'fresh']);
  expect((await shiftsOf(page)).sum).toBe(0);
  expect(troubles).toEqual([]);
  await close();
});

test('on a phone neither what holds a run nor what opens its output covers the state or the code', { timeout: 480_000 }, async () => {
  const { page, troubles, close } = await site.open({ hash: '#scratch', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const write = async (number: number, text: string) => {
    // A cell that was just made is open already.
    if (number === 1) await cell(page, number).locator('.static-code').tap();
    await page.waitForSelector(`.cell.code[data-number="${number}"] textarea:focus`);
    await page.keyboard.insertText(text);
  };
  await write(1, `const after = (ms: number) => new Promise((done) => setTimeout(done, ms));\nclass Shower {\n  show() {\n    display.table(${ROWS});\n  }\n}\nconst shower = new Shower();`);
  await page.locator('.column-end .button', { hasText: 'Code' }).tap();
  await write(2, `await after(900);\nconst show = shower['show'].bind(shower);\nshow();\nawait after(60_000);${' '.repeat(30)}// ${'the end of the last line '.repeat(3)}`);
  await page.locator('.column-end .button', { hasText: 'Code' }).tap();
  await write(3, `"below";${'\n'.repeat(30)}`);
  await kernelReady(page);
  await run(page, 1);
  await waitForState(page, 1, 'fresh');
  await run(page, 2);
  await waitForState(page, 2, 'running');
  const open = cell(page, 2).getByRole('button', { name: 'Show the output' });
  await open.waitFor(PATIENT);
  await page.locator('.run-strip [data-action="pause"]').waitFor(PATIENT);
  // The cell that runs stands right under the bar.
  await cell(page, 2).evaluate((element) => scrollTo({ top: element.getBoundingClientRect().top + scrollY - document.querySelector('.bar')!.getBoundingClientRect().bottom, behavior: 'instant' }));
  const covered = () => page.evaluate(() => {
    const cell = document.querySelector('.cell.code[data-number="2"]')!;
    const box = (element: Element) => element.getBoundingClientRect();
    const meet = (a: DOMRect, b: DOMRect) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const [strip, button] = [document.querySelector('.run-strip')!, cell.querySelector('.show-all')!];
    const parts = ['.run', '.state', '.code-box'].map((part) => cell.querySelector(part)!);
    return [strip, button].flatMap((cover) => parts.filter((part) => meet(box(cover), box(part))).map((part) => `${cover.className} covers ${part.className}`));
  });
  expect(await covered()).toEqual([]);
  await open.tap();
  expect(await open.count()).toBe(0);
  await cell(page, 2).locator('table').waitFor(PATIENT);
  expect(troubles).toEqual([]);
  await close();
});
