// Sets up what building needs, step by step: `node tools/setup.mjs [step...]`.
import { pathToFileURL } from 'node:url';
import { setupChromium } from './setup/chromium.mjs';
import { say, seconds, SetupError } from './setup/common.mjs';
import { setupEmscripten } from './setup/emscripten.mjs';
import { setupGoogletest } from './setup/googletest.mjs';
import { setupImgui } from './setup/imgui.mjs';
import { setupNative } from './setup/native.mjs';
import { setupNpm } from './setup/npm.mjs';
import { setupOnnx } from './setup/onnx.mjs';
import { setupXnnpack, setupXnnpackSources } from './setup/xnnpack.mjs';

const built = (flavour) => async () => (await setupXnnpack(flavour), 'built');

/** Every step: name, what it brings, whether it runs without being named. */
const steps = [
  ['native', 'a C++ compiler, CMake, Ninja, patchelf, ccache', true, setupNative],
  ['npm', 'the JavaScript packages (node_modules)', true, setupNpm],
  ['emscripten', 'the C++ to WebAssembly compiler', true, setupEmscripten],
  ['googletest', "GoogleTest's sources", true, setupGoogletest],
  ['xnnpack', "XNNPACK's sources", false, setupXnnpackSources],
  ['xnnpack-native', 'XNNPACK, built for this machine', false, built('native')],
  ['xnnpack-relaxed', 'XNNPACK, built for wasm with relaxed SIMD', false, built('relaxed')],
  ['xnnpack-simd', 'XNNPACK, built for wasm with plain SIMD', false, built('simd')],
  ['chromium', 'a browser for the browser tests', true, setupChromium],
  ['onnx', "the ONNX project's test models (when tests need them)", false, setupOnnx],
  ['imgui', "Dear ImGui's sources (when the inspector is built)", false, setupImgui],
];

/** Runs the named steps, in the table's order; without names all the usual ones. */
export async function setup(names) {
  const unknown = names.filter((name) => !steps.some(([known]) => known === name));
  if (unknown.length) throw new SetupError(`There is no step ${unknown.join(', ')}. Steps: ${steps.map(([name]) => name).join(' ')}`);
  for (const [name, , usual, work] of steps) {
    if (names.length ? !names.includes(name) : !usual) continue;
    const start = Date.now();
    const outcome = await work();
    const time = Date.now() - start > 500 ? `, ${seconds(start)}` : '';
    say(`${name.padEnd(16)}${outcome}${time}`);
  }
}

/** Runs a command's main function: a SetupError prints its message alone. */
export async function command(main) {
  try {
    process.exitCode = (await main(process.argv.slice(2))) ?? process.exitCode;
  } catch (error) {
    process.stderr.write(`\n${error instanceof SetupError ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await command(async (args) => {
    if (args.includes('--help') || args.includes('-h')) {
      say('node tools/setup.mjs [step...]\nSets up what building needs. Every step is skipped when it is done already; those marked\nwith * run only when named, or when a build needs them.\n');
      for (const [name, text, usual] of steps) say(`  ${name.padEnd(17)}${usual ? ' ' : '*'} ${text}`);
      return;
    }
    await setup(args);
  });
}
