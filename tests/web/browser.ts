// A real Chromium on the built page: opens it, acts as a person would, and reads what the page shows.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { type PageServer, servePage } from './server.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const dist = join(root, process.env.DIST ?? 'dist');

const CANDIDATES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

export async function launch(): Promise<Browser> {
  if (!existsSync(join(dist, 'index.html'))) throw new Error(`${dist} has no page: run npm run build first`);
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('no Chromium found: install it, or name it in CHROMIUM');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** For what takes long on a busy machine. */
export const PATIENT = { timeout: 60_000 };

export interface Opened {
  readonly page: Page;
  /** Errors that the page wrote to the console or threw, but for those that a test expects. */
  readonly troubles: string[];
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  readonly hash?: string;
  /** Runs in the page before anything else. */
  readonly before?: () => void;
  /** Called before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Opens the page in a fresh profile. Service workers are blocked unless asked for: a test starts from nothing. */
export async function openPage(browser: Browser, server: PageServer, { hash = '', before, prepare, ...context }: OpenOptions = {}): Promise<Opened> {
  const profile = await browser.newContext({ viewport: { width: 1280, height: 900 }, serviceWorkers: 'block', ...context });
  // What is waited for takes as long as the machine takes.
  profile.setDefaultTimeout(PATIENT.timeout);
  const page = await profile.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(String(error.stack ?? error)));
  if (before) await page.addInitScript(before);
  await prepare?.(page);
  await page.goto(server.url + hash);
  await page.waitForSelector('html[data-ready]', { timeout: 90_000 });
  return { page, troubles, close: () => profile.close() };
}

/** The code cell with this number, from 1. */
export const cell = (page: Page, number: number): Locator => page.locator(`.cell.code[data-number="${number}"]`);

export async function waitForState(page: Page, number: number, states: string | readonly string[], timeout = 120_000): Promise<string> {
  const wanted = typeof states === 'string' ? [states] : states;
  const selector = wanted.map((state) => `.cell.code[data-number="${number}"][data-state="${state}"]`).join(',');
  await page.waitForSelector(selector, { timeout, state: 'attached' }).catch(async (error: Error) => {
    // Which state it stayed in tells a click that went astray from a run that never ends.
    const found = await page.locator('.cell.code').evaluateAll((cells) => cells.map((each) => `${(each as HTMLElement).dataset.number} is ${(each as HTMLElement).dataset.state} (${each.querySelector('.gutter .state .words')?.textContent})`));
    const kernel = await page.locator('[data-chip]').getAttribute('data-state');
    throw new Error(`cell ${number} did not become ${wanted.join(' or ')}: ${found.join('; ')}; the kernel is ${kernel}`, { cause: error });
  });
  return (await cell(page, number).getAttribute('data-state'))!;
}

export const kernelReady = (page: Page): Promise<unknown> => page.waitForSelector('[data-chip][data-state="ready"]', { timeout: 120_000 });
export const editorReady = (page: Page): Promise<unknown> => page.waitForSelector('html[data-editor="monaco"]', { timeout: 120_000 });

/** Replaces the text of a code cell, by clicking into it and typing. */
export async function setCode(page: Page, number: number, text: string): Promise<void> {
  // Before, a press is kept for the editor that is to come, and a paste is not.
  await editorReady(page);
  const box = cell(page, number).locator('.code-box');
  await box.scrollIntoViewIfNeeded();
  await box.click({ position: { x: 60, y: 20 } });
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Backspace');
  if (!text) return;
  await paste(page, text);
  // The editor takes a paste a moment later. It writes spaces as no-break spaces, so only the rest is compared.
  const [first] = text.split('\n');
  await page.waitForFunction(([id, wanted]) => document.querySelector(`.cell.code[data-number="${id}"] .code-box`)?.textContent?.replace(/\s/g, '').includes(wanted!), [String(number), first!.replace(/\s/g, '')]);
}

/** Pastes into what has the focus: typed text would be indented and closed by the editor as it goes. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    document.activeElement!.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** Opens the scratch pad with these code cells. */
export async function openScratch(browser: Browser, server: PageServer, cells: readonly string[], options: OpenOptions = {}): Promise<Opened> {
  const opened = await openPage(browser, server, { ...options, hash: '#scratch' });
  const { page } = opened;
  await editorReady(page);
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) await page.locator('.column-end .button', { hasText: 'Code' }).click();
    await setCode(page, i + 1, cells[i]!);
  }
  return opened;
}

export async function run(page: Page, number: number): Promise<void> {
  await cell(page, number).locator('.gutter .run').click();
}

/** Runs a cell and waits until it has ended well. */
export async function runAndWait(page: Page, number: number, timeout?: number): Promise<void> {
  await run(page, number);
  await waitForState(page, number, 'fresh', timeout);
}

/** The text of a code cell. Editors write spaces as no-break spaces. */
export const codeOf = async (page: Page, number: number): Promise<string> => (await cell(page, number).locator('.code-box').textContent())!.replace(/\u00a0/g, ' ');

/** All that a cell shows, as text. */
export const outputOf = (page: Page, number: number): Promise<string> => cell(page, number).locator('.outputs').textContent().then(String);

/** What the gutter of a cell says of its state. */
export const stateWords = (page: Page, number: number): Promise<string | null> => cell(page, number).locator('.gutter .state .words').textContent();

/** Picks a command in the palette. */
export async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.waitForSelector('dialog.palette[open]');
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
}

/** Waits until the bar says that everything is saved. */
export const untilSaved = (page: Page): Promise<unknown> => page.waitForFunction(() => document.querySelector('.bar .saved')?.textContent === 'Saved', undefined, PATIENT);

export interface SeriesFact {
  readonly name: string;
  readonly points: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly lastStep: number;
  readonly brokenAt: number | null;
}

/** What the charts of a cell say of their series. */
export async function seriesOf(page: Page, number: number): Promise<SeriesFact[]> {
  const texts = await cell(page, number).locator('figure.chart[data-series]').evaluateAll((charts) => charts.map((chart) => (chart as HTMLElement).dataset.series!));
  return texts.flatMap((text) => JSON.parse(text) as SeriesFact[]);
}

/**
 * Begins to add up layout shifts; `shiftsOf` gives the sum, as browsers count them (not within 500 ms of an input). With a
 * number, only those count that come while that code cell runs.
 */
export async function watchShifts(page: Page, number?: number): Promise<void> {
  await page.evaluate((wanted) => {
    const record = { sum: 0, sources: [] as string[] };
    (globalThis as unknown as { shifts: typeof record }).shifts = record;
    let until = Number.POSITIVE_INFINITY;
    const watched = wanted === undefined ? null : document.querySelector<HTMLElement>(`.cell.code[data-number="${wanted}"]`);
    if (watched) new MutationObserver(() => { if (watched.dataset.state !== 'running') until = Math.min(until, performance.now()); }).observe(watched, { attributes: true, attributeFilter: ['data-state'] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; startTime: number; hadRecentInput: boolean; sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[] }[]) {
        if (entry.hadRecentInput || entry.startTime >= until) continue;
        record.sum += entry.value;
        for (const { node, previousRect: from, currentRect: to } of entry.sources) {
          const element = node instanceof Element ? node : node?.parentElement;
          const view = element?.closest<HTMLElement>('[data-view]')?.dataset.view;
          record.sources.push(`${node instanceof Element ? '' : `${node?.nodeName} in `}${element?.tagName}.${element?.className}${view ? ` of the view ${view}` : ''} by ${Math.round(to.x - from.x)}, ${Math.round(to.y - from.y)}`);
        }
      }
    }).observe({ type: 'layout-shift', buffered: false });
  }, number);
}

export const shiftsOf = (page: Page): Promise<{ sum: number; sources: string[] }> => page.evaluate(() => (globalThis as unknown as { shifts: { sum: number; sources: string[] } }).shifts);

export { type PageServer, servePage };
