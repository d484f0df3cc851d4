// `npm run notebook -- FILE`: builds what running a notebook without a browser needs, then runs it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreset, nodeForWasm } from './build/cmake.mjs';
import { buildData, buildTypes, collectEngine } from './build/site.mjs';
import { inputsKey, isFresh, markFresh } from './build/stamp.mjs';
import { command, setup } from './setup.mjs';
import { root, run, SetupError } from './setup/common.mjs';

const presets = ['wasm-relaxed-threads', 'wasm-relaxed'];
const inputs = ['engine', 'datasets', 'cmake', 'CMakeLists.txt', 'CMakePresets.json', 'package-lock.json'];

/** The engine under Node: nothing is printed or built while its sources are unchanged. */
async function buildForNode() {
  const outputs = ['node_modules', ...presets.map((name) => `build/${name}/engine.wasm`), 'build/engine/relaxed.wasm'];
  if (isFresh('notebook', inputsKey(inputs), outputs)) return;
  await setup(['npm']);
  await buildTypes();
  for (const preset of presets) await buildPreset(preset, ['engine']);
  collectEngine();
  await buildData();
  markFresh('notebook', inputsKey(inputs));
}

await command(async (args) => {
  const entry = 'notebook/node/main.ts';
  if (!existsSync(join(root, entry))) throw new SetupError(`${entry} is missing.`);
  // Help and conversions need no engine.
  const needsNone = args.length === 0 || args[0] === 'convert' || args.includes('--help') || args.includes('-h');
  if (needsNone) await setup(['npm']);
  else await buildForNode();
  return run(nodeForWasm(), ['--no-warnings', join(root, entry), ...args], { cwd: process.env.INIT_CWD ?? process.cwd(), allowFailure: true });
});
