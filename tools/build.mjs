// Builds what is asked for: `node tools/build.mjs [target...]`, everything by default.
import { pathToFileURL } from 'node:url';
import { buildPreset, presets, wasmPresets } from './build/cmake.mjs';
import { buildData, buildPage, buildTypes, collectEngine, collectInspector } from './build/site.mjs';
import { command, setup } from './setup.mjs';
import { say, seconds, SetupError } from './setup/common.mjs';

const wasm = (names) => async () => {
  for (const name of names) await buildPreset(name, ['engine']);
  collectEngine();
};

async function ui() {
  await buildPreset('ui', ['inspector']);
  collectInspector();
}

/** Every target in the order in which they depend on each other: name, what it is, work. */
const targets = [
  ['native', 'the engine for this machine, with its tests', () => buildPreset('native')],
  ['native-asan', 'the same with sanitizers', () => buildPreset('native-asan')],
  ['types', 'engine/api/ops.generated.d.ts, from the op table', buildTypes],
  ['wasm', 'all four wasm flavours of the engine', wasm(wasmPresets)],
  ...wasmPresets.map((name) => [name, `one flavour, build/${name}/engine.{js,wasm}`, wasm([name])]),
  ['ui', 'the inspector, build/inspector/inspector.{js,wasm}', ui],
  ['data', 'the data sets as the page loads them, build/data', buildData],
  ['page', 'the page, dist/', buildPage],
];
const usual = ['types', 'wasm', 'ui', 'data', 'page'];

export async function build(names) {
  const wanted = names.length === 0 || names.includes('all') ? usual : names;
  const unknown = wanted.filter((name) => !targets.some(([known]) => known === name));
  if (unknown.length)
    throw new SetupError(`There is no target ${unknown.join(', ')}. Targets: all ${targets.map(([name]) => name).join(' ')}`);
  const start = Date.now();
  if (wanted.some((name) => ['data', 'page'].includes(name) || name.startsWith('wasm'))) await setup(['npm']);
  for (const [name, , work] of targets) if (wanted.includes(name)) await work();
  say(`done in ${seconds(start)}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await command(async (args) => {
    if (args.includes('--help') || args.includes('-h')) {
      say(`node tools/build.mjs [target...]\nBuilds incrementally; without targets: ${usual.join(' ')}. "all" means the same.\n`);
      for (const [name, text] of targets) say(`  ${name.padEnd(22)}${text}`);
      say(`\nPresets: ${Object.keys(presets).join(' ')}`);
      return;
    }
    await build(args);
  });
}
