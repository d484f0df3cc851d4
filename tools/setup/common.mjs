// Ground floor of the command-line tools: where things lie, how commands run,
// how progress is printed and how a folder appears whole or not at all.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gradbook');
export const isRoot = process.getuid?.() === 0;

/** An error whose message is meant for the person at the terminal: no stack is printed. */
export class SetupError extends Error {}

let sayTo = process.stdout;
export const say = (text) => void sayTo.write(text + '\n');

/** Runs `work` with everything that is said going to the standard error. */
export async function quietly(work) {
  sayTo = process.stderr;
  try {
    return await work();
  } finally {
    sayTo = process.stdout;
  }
}
export const seconds = (since) => ((Date.now() - since) / 1000).toFixed(1) + ' s';
export const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0) + ' MB';

/** The full path of a program on PATH, or undefined. */
export function which(name) {
  if (name.includes('/')) return existsSync(name) ? name : undefined;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (folder && existsSync(path) && statSync(path).isFile()) return path;
  }
  return undefined;
}

/** Runs a program and returns its trimmed standard output, or undefined when it fails. */
export function capture(program, args, options = {}) {
  const result = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/**
 * Runs a program to its end. With `quiet` its output is kept back and shown only
 * on failure; with `onLine` each line is handed over instead of printed.
 */
export function run(program, args, { cwd = root, env, quiet = false, onLine, allowFailure = false } = {}) {
  return new Promise((done, fail) => {
    const piped = quiet || onLine;
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: piped ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    });
    let kept = '';
    let rest = '';
    const take = (chunk) => {
      kept = (kept + chunk).slice(-20000);
      if (!onLine) return;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      lines.forEach(onLine);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.on('error', (error) => fail(new SetupError(`cannot run ${program}: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (onLine && rest) onLine(rest);
      if (code === 0 || allowFailure) return done(code ?? 1);
      if (piped) process.stderr.write(kept);
      fail(new SetupError(`${program} ${args.slice(0, 4).join(' ')} ... ended with ${signal ?? 'code ' + code}`));
    });
  });
}

/** Fills a temporary neighbour of `folder` and renames it when whole, so that an interrupted step leaves nothing half done. */
export async function makeFolder(folder, fill) {
  const partial = `${folder}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  try {
    await fill(partial);
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

export const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** All plain files below a folder, as paths. Links are not followed. */
export function filesBelow(folder, skip = () => false) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (skip(path)) return [];
      return entry.isDirectory() ? filesBelow(path, skip) : entry.isFile() ? [path] : [];
    });
}

/** One short hash over texts and the contents of files: the key of a cached result. */
export function contentKey(texts, files = []) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(String(text)).update('\0');
  for (const file of files) hash.update(file.replace(root, '')).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Installs Debian packages when root, and otherwise names the one command that does. */
export async function installPackages(packages, what) {
  const command = `apt-get install --yes --no-install-recommends ${packages.join(' ')}`;
  if (!which('apt-get')) {
    throw new SetupError(`${what} is missing. Install it with this system's package manager: ${packages.join(' ')}.`);
  }
  if (!isRoot) throw new SetupError(`${what} is missing. Run: sudo ${command}`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { quiet: true, env, allowFailure: true });
  say(`  installing ${packages.join(' ')}`);
  await run('apt-get', command.split(' ').slice(1), { quiet: true, env });
}
