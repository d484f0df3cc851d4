// `npm run dev`: builds the engine and data once and serves the page with live reload.
// With --watch it also rebuilds one wasm flavour whenever a C++ file changes.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { buildPreset, nodeForWasm } from './build/cmake.mjs';
import { collectEngine } from './build/site.mjs';
import { command } from './setup.mjs';
import { root, run, say } from './setup/common.mjs';

const help = `npm run dev -- [--watch] [vite options]
Serves the page with live reload, on the relaxed-SIMD flavours of the engine.

  --watch   rebuild the engine's wasm when a file below engine/ changes`;

const flavours = ['wasm-relaxed-threads', 'wasm-relaxed'];

function rebuildOnChange() {
  let timer;
  let running = Promise.resolve();
  const rebuild = async () => {
    try {
      for (const name of flavours) await buildPreset(name, ['engine']);
      collectEngine();
    } catch (error) {
      say(error.message);
    }
  };
  watch(join(root, 'engine'), { recursive: true }, (_, name) => {
    if (!/\.(cpp|h)$/.test(name ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(() => (running = running.then(rebuild)), 300);
  });
}

await command(async (args) => {
  if (args.includes('--help') || args.includes('-h')) return say(help);
  await build(['types', ...flavours, 'ui', 'data']);
  if (args.includes('--watch')) rebuildOnChange();
  await run(nodeForWasm(), ['node_modules/vite/bin/vite.js', ...args.filter((arg) => arg !== '--watch')]);
});
