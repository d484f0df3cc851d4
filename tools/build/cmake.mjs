// Configures and builds one CMake preset with the tools that setup found.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findEnvironment } from '../environment.mjs';
import { setup } from '../setup.mjs';
import { withLock } from './lock.mjs';
import { contentKey, root, run, say, seconds, SetupError } from '../setup/common.mjs';
import { xnnpackFolder } from '../setup/xnnpack.mjs';

/** Every preset: the XNNPACK flavour it links, and the programs that it makes. */
export const presets = {
  native: { xnnpack: 'native' },
  'native-asan': { xnnpack: 'native' },
  'wasm-relaxed-threads': { xnnpack: 'relaxed', flavour: 'relaxed-threads' },
  'wasm-relaxed': { xnnpack: 'relaxed', flavour: 'relaxed' },
  'wasm-simd-threads': { xnnpack: 'simd', flavour: 'simd-threads' },
  'wasm-simd': { xnnpack: 'simd', flavour: 'simd' },
  ui: {},
};
export const wasmPresets = Object.keys(presets).filter((name) => presets[name].flavour);

const isWasm = (preset) => preset === 'ui' || Boolean(presets[preset].flavour);

/** Building XNNPACK takes minutes, and only tests and kernel timings link it. */
const wantsXnnpack = (targets) => targets.length === 0 || targets.some((name) => name !== 'engine' && name !== 'describe');

/** Brings what the targets (none: all) of the preset need: nothing happens when all is there. */
export async function prepare(preset, targets = []) {
  const steps = ['native', preset === 'ui' ? 'imgui' : 'googletest'];
  if (isWasm(preset)) steps.push('emscripten');
  if (preset !== 'ui' && wantsXnnpack(targets)) steps.push(`xnnpack-${presets[preset].xnnpack}`);
  await setup(steps);
}

async function configure(preset) {
  const build = join(root, 'build', preset);
  const found = findEnvironment();
  const options = [`-DGRADBOOK_STRICT=${process.env.CI ? 'ON' : 'OFF'}`];
  if (preset === 'ui') {
    options.push(`-DGRADBOOK_IMGUI=${found.imgui}`);
  } else {
    const xnnpack = xnnpackFolder(presets[preset].xnnpack);
    options.push(`-DGRADBOOK_XNNPACK=${existsSync(xnnpack) ? xnnpack : ''}`, `-DGRADBOOK_GOOGLETEST=${found.googletest ?? ''}`);
  }
  if (isWasm(preset)) {
    options.push(`-DCMAKE_TOOLCHAIN_FILE=${found.emscripten.toolchainFile}`);
    // CMake's toolchain file runs node for try_run and would otherwise search for another one.
    options.push(`-DCMAKE_CROSSCOMPILING_EMULATOR=${nodeForWasm()}`);
  }
  if (isWasm(preset)) {
    // Emscripten's glue is a classic script; this project's own package.json would make Node read it as a module.
    mkdirSync(build, { recursive: true });
    writeFileSync(join(build, 'package.json'), '{ "type": "commonjs" }\n');
  }
  const stamp = join(build, 'configured-with');
  const key = contentKey([...options, preset], [join(root, 'CMakePresets.json')]);
  if (existsSync(join(build, 'build.ninja')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  await run('cmake', ['--preset', preset, ...options], { quiet: true });
  writeFileSync(stamp, key);
}

/** A Node that runs relaxed SIMD without a flag: the dependency's, else this one. */
export function nodeForWasm() {
  const own = join(root, 'node_modules/.bin/node');
  return existsSync(own) ? own : process.execPath;
}

/** Builds targets of a preset (all by default), showing the failing lines only. */
export async function buildPreset(preset, targets = []) {
  await prepare(preset, targets);
  await withLock(join(root, 'build', preset), () => buildLocked(preset, targets));
}

async function buildLocked(preset, targets) {
  const start = Date.now();
  await configure(preset);
  let errors = [];
  let steps = 0;
  let shown = Date.now();
  const wanted = targets.flatMap((name) => ['--target', name]);
  // -k 0: all errors at once instead of the first.
  const args = ['--build', join(root, 'build', preset), '--parallel', String(availableParallelism()), ...wanted, '--', '-k', '0'];
  const code = await run('cmake', args, {
    allowFailure: true,
    // Paths relative to the checkout: every clone on this machine shares ccache's objects.
    env: { ...process.env, CCACHE_BASEDIR: root, CCACHE_NOHASHDIR: '1' },
    onLine: (line) => {
      const at = /^\[(\d+)\/(\d+)\]/.exec(line);
      if (at) steps = Number(at[1]);
      else if (!/^(cache|system_libs|ninja: (Entering|no work))/.test(line)) errors.push(line);
      if (at && Date.now() - shown > 10000) {
        shown = Date.now();
        say(`  ${preset}: ${at[1]} of ${at[2]}`);
      }
    },
  });
  if (code !== 0) {
    process.stderr.write(errors.slice(-120).join('\n') + '\n');
    throw new SetupError(`Building ${preset} failed.`);
  }
  say(`${preset.padEnd(22)}${steps ? `built, ${steps} steps` : 'up to date'}, ${seconds(start)}`);
}
