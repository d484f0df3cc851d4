// Where a request of measure.mjs runs: a fresh Node process, a fresh page of headless Chromium, or native PyTorch. Each
// request gets a process or page of its own, so that no library warms up another.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../../tools/build/serve.mjs';
import { findChromium } from '../../tools/setup/chromium.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '../..');
const LIMIT_MS = 60_000;
const WINDOW_SETTLES_MS = 3000;

const failed = (request, error) => ({ results: request.jobs.map(() => ({ error })) });

/** Runs a program with `input` on its standard input and takes the last line that it prints as JSON. */
function lastLine(program, args, input) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let wrong = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
    child.stderr.setEncoding('utf8').on('data', (text) => { wrong = (wrong + text).slice(-2000); });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', (error) => resolve({ error: error.message }));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const line = out.trim().split('\n').at(-1);
      if (line?.startsWith('{')) return resolve(JSON.parse(line));
      resolve({ error: signal ? `ran past ${LIMIT_MS / 1000} seconds` : (wrong.trim().split('\n').at(-1) ?? `ended with code ${code}`) });
    });
  });
}

export function nodeRunner() {
  return {
    where: 'node',
    version: `Node ${process.version}`,
    async run(request) {
      const result = await lastLine(process.execPath, ['--no-warnings', path.join(here, 'node.mjs'), JSON.stringify(request)], '');
      return result.results ? result : failed(request, result.error);
    },
    close: async () => {},
  };
}

export async function browserRunner() {
  const { chromium } = await import('playwright-core');
  const found = findChromium();
  if (!found) throw new Error('no Chromium found: node tools/setup.mjs chromium, or name it in CHROMIUM');
  const { server, port } = await serve(path.join(root, 'build/bench-page'), 8470);
  const browser = await chromium.launch({
    executablePath: found,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  // One window for all: the browser's own interface takes half of a processor for seconds after a window was opened.
  const page = await (await browser.newContext()).newPage();
  await new Promise((resolve) => setTimeout(resolve, WINDOW_SETTLES_MS));
  return {
    where: 'chromium',
    version: `Chromium ${browser.version()}`,
    async run(request) {
      let timer;
      try {
        await page.goto('about:blank'); // ends the workers of the request before
        await page.goto(`http://localhost:${port}/browser.html`);
        await page.waitForFunction(() => typeof globalThis.bench === 'function');
        const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`ran past ${LIMIT_MS / 1000} seconds`)), LIMIT_MS); });
        return await Promise.race([page.evaluate((sent) => globalThis.bench(sent), request), late]);
      } catch (error) {
        return failed(request, String(error.message).split('\n')[0]);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Native PyTorch, where Debian's python3-torch is installed. Gives undefined where it is not. */
export async function torchRunner() {
  const run = (request) => lastLine('/usr/bin/python3', [path.join(here, '../libraries/torch_peer.py')], JSON.stringify(request));
  const trial = await run({ threads: 1, jobs: [] });
  if (!trial.version) return undefined;
  return {
    version: trial.version,
    async run(request) {
      const result = await run(request);
      return result.results ? result : failed(request, result.error);
    },
  };
}
