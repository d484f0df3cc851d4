// Finds Emscripten (PATH, EMSDK, our cache), and on Debian and Ubuntu unpacks
// Debian testing's packages into our cache when there is none.
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { downloadPackages, needApt, privateApt } from './apt.mjs';
import { cacheDir, capture, installPackages, makeFolder, run, say, seconds, SetupError, which } from './common.mjs';

const oldestMajor = 4;
const folder = join(cacheDir, 'emscripten');
const emsdkCommand =
  'Run: git clone https://github.com/emscripten-core/emsdk && emsdk/emsdk install latest && emsdk/emsdk activate latest && . emsdk/emsdk_env.sh';

function describe(emcc, origin) {
  const version = /emcc .*?(\d+\.\d+\.\d+)/.exec(capture(emcc, ['--version'])?.split('\n')[0] ?? '')?.[1];
  if (!version || Number(version.split('.')[0]) < oldestMajor) return undefined;
  const configured = capture(emcc, ['--cflags'], { env: { ...process.env, EMCC_FORCE_STDLIBS: '' } });
  if (configured === undefined) return undefined;
  return { emcc, version, origin, toolchainFile: join(dirname(emcc), 'cmake/Modules/Platform/Emscripten.cmake') };
}

/** The Emscripten to use: {emcc, version, origin, toolchainFile}, or undefined. */
export function findEmscripten() {
  // emcc starts Python for each file. A version manager's python3 is a shell script that doubles the time of a small one.
  process.env.EMSDK_PYTHON ??= capture('python3', ['-c', 'import sys; print(sys.executable)']) ?? '';
  const candidates = [];
  if (process.env.EMSDK) candidates.push([join(process.env.EMSDK, 'upstream/emscripten/emcc'), 'EMSDK']);
  const onPath = which('emcc');
  if (onPath) {
    // A distribution's emcc on PATH is a link into the folder that also holds its CMake files.
    const real = capture('readlink', ['-f', onPath]) ?? onPath;
    candidates.push([real, 'PATH']);
  }
  candidates.push([join(folder, 'usr/share/emscripten/emcc'), 'own cache']);
  for (const [emcc, origin] of candidates) {
    const found = existsSync(emcc) && describe(emcc, origin);
    if (found && existsSync(found.toolchainFile)) return found;
  }
  return undefined;
}

export async function setupEmscripten() {
  const found = findEmscripten();
  if (found) return `emcc ${found.version} (${found.origin})`;
  needApt('Emscripten', emsdkCommand);
  for (const program of ['patchelf', 'python3']) if (!which(program)) await installPackages([program], program);
  const apt = await privateApt('forky');
  const packages = await downloadPackages(apt, ['emscripten']);
  await unpack(packages);
  rmSync(apt.archives, { recursive: true, force: true });
  const own = findEmscripten();
  if (!own) throw new SetupError(`The unpacked Emscripten does not start. Try: ${join(folder, 'usr/share/emscripten/emcc')} --version`);
  return `emcc ${own.version} unpacked`;
}

async function unpack(packages) {
  const start = Date.now();
  say(`  unpacking ${packages.length} packages`);
  await makeFolder(folder, async (partial) => {
    // Debian testing has merged /usr: with the links in place every file lands below usr/.
    for (const [name, target] of [
      ['bin', 'usr/bin'],
      ['lib', 'usr/lib'],
      ['lib64', 'usr/lib64'],
      ['sbin', 'usr/bin'],
    ]) {
      mkdirSync(join(partial, target), { recursive: true });
      await run('ln', ['-s', target, join(partial, name)], { quiet: true });
    }
    for (const file of packages) await run('dpkg-deb', ['--extract', file, partial], { quiet: true });
    await repoint(partial);
    configure(partial);
  });
  say(`  unpacked in ${seconds(start)}`);
}

const isElf = (path) => {
  const head = Buffer.alloc(4);
  const file = openSync(path, 'r');
  readSync(file, head, 0, 4, 0);
  closeSync(file);
  return head.toString('latin1') === '\x7fELF';
};

const plainFiles = (path) =>
  readdirSync(path)
    .map((name) => join(path, name))
    .filter((file) => lstatSync(file).isFile());

/** Makes the unpacked programs use the unpacked loader and libraries instead of the host's. */
async function repoint(partial) {
  const triple = readdirSync(join(partial, 'usr/lib')).find((name) => /^\w+-linux-gnu$/.test(name));
  const llvm = llvmFolder(partial);
  const loader = [...readdirSync(join(partial, 'usr/lib64')), ...readdirSync(join(partial, 'usr/lib'))].find((name) =>
    /^ld-linux/.test(name),
  );
  const loaderPath = [`usr/lib64/${loader}`, `usr/lib/${loader}`].find((path) => existsSync(join(partial, path)));
  const search = [`usr/lib/${triple}`, `usr/lib/${llvm}/lib`].map((path) => join(folder, path)).join(':');
  const programs = [...plainFiles(join(partial, 'usr/bin')), ...plainFiles(join(partial, `usr/lib/${llvm}/bin`))];
  for (const file of programs.filter(isElf)) {
    if (capture('patchelf', ['--print-interpreter', file]) === undefined) continue;
    await run('patchelf', ['--force-rpath', '--set-interpreter', join(folder, loaderPath), '--set-rpath', search, file], { quiet: true });
  }
  const libraries = [...plainFiles(join(partial, `usr/lib/${triple}`)), ...plainFiles(join(partial, `usr/lib/${llvm}/lib`))];
  for (const file of libraries.filter((path) => /\.so(\.|$)/.test(path) && isElf(path))) {
    // A library's own RUNPATH hides the program's RPATH, so it has to name our folders itself.
    if (!capture('patchelf', ['--print-rpath', file])) continue;
    await run('patchelf', ['--force-rpath', '--set-rpath', search, file], { quiet: true });
  }
}

const llvmFolder = (base) =>
  readdirSync(join(base, 'usr/lib'))
    .filter((name) => /^llvm-\d+$/.test(name))
    .sort()
    .at(-1);

function configure(partial) {
  const emscripten = join(folder, 'usr/share/emscripten');
  const text = [
    `EMSCRIPTEN_ROOT = '${emscripten}'`,
    `LLVM_ROOT = '${join(folder, 'usr/lib', llvmFolder(partial), 'bin')}'`,
    `BINARYEN_ROOT = '${join(folder, 'usr')}'`,
    `NODE_JS = '${process.execPath}'`,
    `CACHE = '${join(cacheDir, 'emscripten-cache')}'`,
  ].join('\n');
  // Beside emcc this file is found without any environment variable.
  const file = join(partial, 'usr/share/emscripten/.emscripten');
  rmSync(file, { force: true });
  writeFileSync(file, text + '\n');
}

/** What identifies the compiler in cache keys. */
export const compilerId = (found) => `${found.version} ${readFileSync(found.emcc, 'utf8').length}`;
