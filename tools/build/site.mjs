// The parts of the page that are not C++: generated types, data files, the engine's
// flavours where the page takes them from, and Vite's build into dist/.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture, megabytes, root, run, say, seconds, SetupError } from '../setup/common.mjs';
import { setup } from '../setup.mjs';
import { buildPreset, nodeForWasm, presets, wasmPresets } from './cmake.mjs';
import { engineFault } from './engine.mjs';
import { inputsKey, isFresh, markFresh } from './stamp.mjs';

/** Writes a file only when its text differs, so that what depends on it stays up to date. */
function writeIfChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false;
  writeFileSync(path + '.new', text);
  renameSync(path + '.new', path);
  return true;
}

/**
 * engine/api/ops.generated.d.ts, and what people read about each operation, engine/api/words.generated.json, which the engine of
 * the page does not carry: both written by the program `describe` of the flavour that everything needs.
 */
export async function buildTypes() {
  await setup(['npm']);
  await buildPreset('wasm-relaxed', ['describe']);
  const text = capture(nodeForWasm(), [join(root, 'build/wasm-relaxed/describe.js'), '--typings']);
  if (!text) throw new SetupError('build/wasm-relaxed/describe.js --typings printed nothing.');
  const words = JSON.parse(capture(nodeForWasm(), [join(root, 'build/wasm-relaxed/describe.js'), '--words']));
  const written = [
    ['engine/api/ops.generated.d.ts', text + '\n'],
    ['engine/api/words.generated.json', `${JSON.stringify(words, null, 2)}\n`],
  ].filter(([file, content]) => writeIfChanged(join(root, file), content));
  say(`${'types'.padEnd(22)}${written.length ? `${written.map(([file]) => file).join(', ')} written` : 'up to date'}`);
}

async function stamped(name, inputs, outputs, work) {
  const start = Date.now();
  const key = inputsKey(inputs);
  if (isFresh(name, key, outputs)) return say(`${name.padEnd(22)}up to date`);
  await work();
  // The key from before: what changed during the work is built next time.
  markFresh(name, key);
  say(`${name.padEnd(22)}built, ${seconds(start)}`);
}

export async function buildData() {
  if (!existsSync(join(root, 'datasets/build.mjs'))) return;
  await setup(['npm']);
  await stamped('data', ['datasets', 'package-lock.json'], ['build/data'], () =>
    run(nodeForWasm(), ['datasets/build.mjs'], { quiet: true }),
  );
}

async function buildTypings() {
  if (!existsSync(join(root, 'tools/typings.mjs'))) return;
  await stamped('typings', ['engine/api', 'notebook', 'datasets', 'tools/typings.mjs', 'package-lock.json'], ['build/typings.json'], () =>
    run(nodeForWasm(), ['tools/typings.mjs'], { quiet: true }),
  );
}

/** Puts each built flavour to build/engine/<flavour>.{js,wasm}, where the page's build looks. */
export function collectEngine() {
  const folder = join(root, 'build/engine');
  mkdirSync(folder, { recursive: true });
  // The glue is a classic script; this project's own package.json would make Node's pool workers read it as a module.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  for (const preset of wasmPresets) {
    for (const ending of ['js', 'wasm']) {
      const from = join(root, 'build', preset, `engine.${ending}`);
      const to = join(folder, `${presets[preset].flavour}.${ending}`);
      if (!existsSync(from)) continue;
      if (existsSync(to) && statSync(to).mtimeMs >= statSync(from).mtimeMs && statSync(to).size === statSync(from).size) continue;
      const fault = ending === 'wasm' && engineFault(readFileSync(from));
      if (fault) {
        // Gone, so that the next build links it anew.
        rmSync(from);
        throw new SetupError(`build/${preset}/engine.wasm is no engine: ${fault}. It is deleted; build again (node tools/build.mjs ${preset}).`);
      }
      copyFileSync(from, to + '.new');
      renameSync(to + '.new', to);
      if (ending === 'wasm') say(`  ${presets[preset].flavour}.wasm, ${megabytes(statSync(to).size)}`);
    }
  }
}

/** Puts the inspector's module to build/inspector/, where the page's build looks. */
export function collectInspector() {
  const folder = join(root, 'build/inspector');
  mkdirSync(folder, { recursive: true });
  for (const ending of ['js', 'wasm']) {
    const from = join(root, 'build/ui', `inspector.${ending}`);
    const to = join(folder, `inspector.${ending}`);
    if (!existsSync(from)) continue;
    if (existsSync(to) && statSync(to).mtimeMs >= statSync(from).mtimeMs && statSync(to).size === statSync(from).size) continue;
    copyFileSync(from, to + '.new');
    renameSync(to + '.new', to);
    if (ending === 'wasm') say(`  inspector.wasm, ${megabytes(statSync(to).size)}`);
  }
}

const pageInputs = [
  'web',
  'notebook',
  'engine/api',
  'datasets',
  'lessons',
  'build/engine',
  'build/data',
  'build/inspector',
  'build/typings.json',
  'index.html',
  'vite.config.ts',
  'package-lock.json',
];

export async function buildPage() {
  await setup(['npm']);
  collectEngine();
  collectInspector();
  await buildTypings();
  await stamped('page', [...pageInputs, 'tools/reference'], ['dist/index.html', 'dist/reference/index.html'], async () => {
    await run(nodeForWasm(), ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], {});
    await run(nodeForWasm(), ['--no-warnings', 'tools/reference.mjs'], { quiet: true });
  });
}

/** The page of `npm run bench -- NAME --browser`, build/bench-page. */
export async function buildBenchPage() {
  await setup(['npm']);
  await stamped('bench-page', ['bench', 'engine/api', 'datasets', 'package-lock.json'], ['build/bench-page/browser.html'], () =>
    run(nodeForWasm(), ['node_modules/vite/bin/vite.js', 'build', '--config', 'bench/hosts/vite.config.mjs'], {}),
  );
}
