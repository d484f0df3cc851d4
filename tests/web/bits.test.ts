// The same training in Node and in Chromium: every bit agrees. The engine runs in an empty page, without the notebook around it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { startNodeEngine } from '../../engine/api/node.ts';
import { trainEverything } from '../api/same.ts';
import { root } from './browser.ts';
import { useSite } from './site.ts';

const site = useSite();

/** tests/api/same.ts and the engine's API as one script that leaves both on `bits`. */
async function script(): Promise<string> {
  const entry = '\0bits';
  const made = (await build({
    configFile: false,
    logLevel: 'error',
    root,
    plugins: [
      {
        name: 'bits',
        resolveId: (id) => (id === 'bits' ? entry : null),
        load: (id) =>
          id === entry
            ? `export { startEngine } from '${join(root, 'engine/api/engine.ts')}'; export { trainEverything } from '${join(root, 'tests/api/same.ts')}';`
            : null,
      },
    ],
    build: { write: false, minify: false, target: 'esnext', rollupOptions: { input: 'bits', preserveEntrySignatures: 'strict', output: { format: 'iife', name: 'bits' } } },
  })) as Rolldown.RolldownOutput;
  return made.output[0].code;
}

test('training gives the same bits in Chromium as in Node', { timeout: 300_000 }, async () => {
  const { flavour } = await startNodeEngine();
  const expected = trainEverything();
  const page = await site.browser.newPage();
  await page.addScriptTag({ content: readFileSync(join(root, `build/engine/${flavour}.js`), 'utf8') });
  await page.addScriptTag({ content: await script() });
  const wasm = readFileSync(join(root, `build/engine/${flavour}.wasm`)).toString('base64');
  const got = await page.evaluate(
    async ([base64, name]) => {
      const { bits, createEngine } = globalThis as unknown as {
        bits: { startEngine(options: object): Promise<unknown>; trainEverything(): unknown };
        createEngine: unknown;
      };
      const wasmBinary = Uint8Array.from(atob(base64 as string), (letter) => letter.charCodeAt(0));
      await bits.startEngine({ createEngine, module: { wasmBinary }, flavour: name, threads: 1 });
      return bits.trainEverything();
    },
    [wasm, flavour],
  );
  expect(got).toEqual(expected);
});
