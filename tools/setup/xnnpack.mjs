// XNNPACK, pthreadpool and FXdiv: fetches their sources once, checked by hash, and
// builds them once per flavour and compiler into the cache (cmake/xnnpack).
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { downloadSources, needApt, privateApt } from './apt.mjs';
import {
  cacheDir,
  capture,
  contentKey,
  filesBelow,
  makeFolder,
  megabytes,
  root,
  run,
  say,
  seconds,
  sha256,
  SetupError,
  which,
} from './common.mjs';
import { findEmscripten } from './emscripten.mjs';

const archives = {
  xnnpack: ['0.0~git20241108', '90bde2caef0f880f627bab0dc805a86c4b8070cd98e3243db3046ab3f3be1a99'],
  pthreadpool: ['0.0~git20240616', '4cc3cbd933b28131d2a34edc54f76af9fb41bc490af5eae1a5bd3cd07ea90708'],
  fxdiv: ['0.0~git20200417', '7953482badaf4cb34026c3487c257b8e4ab2df061c019bd6fabbbc12ad52c44b'],
};
const sourcesDir = join(cacheDir, 'sources', contentKey(Object.values(archives).flat()));
const description = join(root, 'cmake/xnnpack');

/** Flavours of the built libraries; a wasm one serves modules with and without threads. */
export const xnnpackFlavours = ['native', 'relaxed', 'simd'];

export async function setupXnnpackSources() {
  if (existsSync(sourcesDir)) return 'sources in the cache';
  needApt('The sources of XNNPACK', 'Build on a Debian or Ubuntu system, for example in a debian:stable container.');
  const apt = await privateApt('trixie');
  await makeFolder(sourcesDir, async (partial) => {
    const downloads = join(partial, 'downloads');
    mkdirSync(downloads);
    const files = await downloadSources(apt, Object.keys(archives), downloads);
    for (const [name, [version, hash]] of Object.entries(archives)) {
      const file = files.find((path) => basename(path).startsWith(`${name}_${version}`));
      if (!file)
        throw new SetupError(
          `Debian's archive did not deliver ${name} ${version}. Run this step again, or set another mirror in the apt sources.`,
        );
      if (sha256(file) !== hash) throw new SetupError(`${basename(file)} is not the file that was expected (its SHA-256 differs).`);
      const folder = join(partial, name);
      mkdirSync(folder);
      await run('tar', ['-xf', file, '-C', folder], { quiet: true });
      // Some of these archives hold one top folder and some lie flat.
      const inside = readdirSync(folder);
      if (inside.length === 1) {
        await run('mv', [join(folder, inside[0]), join(partial, 'inner')], { quiet: true });
        rmSync(folder, { recursive: true });
        await run('mv', [join(partial, 'inner'), folder], { quiet: true });
      }
      say(`  ${name} ${version}, ${megabytes(statSync(file).size)}`);
    }
    rmSync(downloads, { recursive: true });
  });
  return 'sources unpacked';
}

function compilerOf(flavour) {
  if (flavour === 'native') {
    const compiler = process.env.CC || which('cc') || which('gcc') || which('clang');
    if (!compiler) throw new SetupError('No C compiler found. Run: node tools/setup.mjs native');
    return { id: capture(compiler, ['--version'])?.split('\n')[0] + process.arch, options: [] };
  }
  const emscripten = findEmscripten();
  if (!emscripten) throw new SetupError('Emscripten is not set up. Run: node tools/setup.mjs emscripten');
  const llvm = capture(emscripten.emcc.replace(/emcc$/, 'em-config'), ['LLVM_ROOT']);
  const flags = capture(emscripten.emcc, ['--cflags']);
  const options = [
    '-DWASM=ON',
    `-DRELAXED_SIMD=${flavour === 'relaxed' ? 'ON' : 'OFF'}`,
    '-DCMAKE_SYSTEM_NAME=Generic',
    '-DCMAKE_SYSTEM_PROCESSOR=wasm32',
    '-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY',
    `-DCMAKE_C_COMPILER=${llvm}/clang`,
    `-DCMAKE_CXX_COMPILER=${llvm}/clang++`,
    `-DCMAKE_AR=${llvm}/llvm-ar`,
    `-DCMAKE_RANLIB=${llvm}/llvm-ranlib`,
    `-DCMAKE_C_FLAGS=${flags}`,
    `-DCMAKE_CXX_FLAGS=${flags}`,
  ];
  return { id: `${emscripten.version} ${flags.replaceAll(cacheDir, '')}`, options, emscripten };
}

/** The folder of one built flavour (lib/, include/), whether or not it is there yet. */
export function xnnpackFolder(flavour, compiler = compilerOf(flavour)) {
  const key = contentKey([sourcesDir.slice(-16), flavour, compiler.id], filesBelow(description));
  return join(cacheDir, 'xnnpack', `${flavour}-${key}`);
}

export async function setupXnnpack(flavour) {
  const compiler = compilerOf(flavour);
  const folder = xnnpackFolder(flavour, compiler);
  if (existsSync(folder)) return folder;
  await setupXnnpackSources();
  if (compiler.emscripten) await warmSysroot(compiler.emscripten);
  const start = Date.now();
  say(`  building XNNPACK (${flavour}): one to three minutes, once`);
  await makeFolder(folder, async (partial) => {
    const build = join(partial, 'build');
    const sources = Object.keys(archives).map((name) => `-D${name.toUpperCase()}_SOURCE=${join(sourcesDir, name)}`);
    await run(
      'cmake',
      [
        '-S',
        description,
        '-B',
        build,
        '-G',
        'Ninja',
        '-DCMAKE_BUILD_TYPE=Release',
        `-DCMAKE_INSTALL_PREFIX=${partial}`,
        ...sources,
        ...compiler.options,
      ],
      { quiet: true },
    );
    let shown = Date.now();
    await run('cmake', ['--build', build, '--parallel', String(availableParallelism())], {
      onLine: (line) => {
        const at = /^\[(\d+)\/(\d+)\]/.exec(line);
        if (!at || Date.now() - shown < 10000) return;
        shown = Date.now();
        say(`  ${at[1]} of ${at[2]} files, ${seconds(start)}`);
      },
    });
    await run('cmake', ['--install', build], { quiet: true });
    rmSync(build, { recursive: true });
  });
  const size = filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0);
  say(`  XNNPACK (${flavour}) built, ${megabytes(size)}, ${seconds(start)}`);
  return folder;
}

/** Emscripten installs its system headers on first use; clang, called directly, needs them to be there. */
async function warmSysroot(emscripten) {
  await run(emscripten.emcc.replace(/emcc$/, 'embuilder'), ['build', 'sysroot'], { quiet: true });
}
