// A private apt: fetches packages and sources of another Debian suite into our
// cache without touching the host's package lists, database or files.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, isRoot, megabytes, run, say, seconds, SetupError, which } from './common.mjs';

const fallbackMirror = 'http://deb.debian.org/debian';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The Debian mirror that this host already uses, so that proxies and local mirrors keep working. */
export function hostMirror(folder = '/etc/apt') {
  const parts = join(folder, 'sources.list.d');
  const files = [join(folder, 'sources.list')];
  if (existsSync(parts)) for (const name of readdirSync(parts).sort()) files.push(join(parts, name));
  for (const file of files) {
    if (!existsSync(file) || !/\.(list|sources)$/.test(file)) continue;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const match = /^(?:URIs:|deb(?:\s+\[[^\]]*\])?)\s+((?:https?|mirror\+?\w*|file):\S+?\/debian)\/?(?:\s|$)/.exec(line);
      if (match) return match[1];
    }
  }
  return fallbackMirror;
}

/** Throws one clear message on a system that this way cannot serve. */
export function needApt(what, otherwise) {
  const missing = ['apt-get', 'dpkg', 'dpkg-deb'].filter((name) => !which(name));
  if (missing.length) {
    throw new SetupError(`${what} can be fetched only on Debian and Ubuntu (no ${missing.join(', ')} here).\n  ${otherwise}`);
  }
  if (!existsSync(keyring)) {
    throw new SetupError(`${what} comes from Debian's archive, whose keys are missing. Run: apt-get install debian-archive-keyring`);
  }
}

/** Package lists of one suite under our cache; `get` runs apt-get against them. */
export async function privateApt(suite) {
  const folder = join(cacheDir, 'apt', suite);
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, part), { recursive: true });
  const list = join(folder, 'sources.list');
  const mirror = hostMirror();
  const lines = ['deb', 'deb-src'].map((kind) => `${kind} [signed-by=${keyring}] ${mirror} ${suite} main\n`);
  writeFileSync(list, lines.join(''));
  writeFileSync(join(folder, 'status'), '');
  const options = {
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::Etc::Preferences': '/dev/null',
    'Dir::Etc::PreferencesParts': '/dev/null',
    'Dir::State': folder,
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': folder,
    'Dir::Cache::archives': join(folder, 'archives'),
    'APT::Install-Recommends': 'false',
    'APT::Keep-Downloaded-Packages': 'true',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    'Debug::NoLocking': 'true',
    ...(isRoot && { 'APT::Sandbox::User': 'root' }),
  };
  const common = Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const get = (args, more = {}) => run('apt-get', [...common, ...args], { quiet: true, ...more });
  return { folder, archives: join(folder, 'archives'), get, refresh: () => refresh(folder, suite, get) };
}

async function refresh(folder, suite, get) {
  const stamp = join(folder, 'refreshed');
  const age = existsSync(stamp) ? Date.now() - statSync(stamp).mtimeMs : Infinity;
  if (age < 3600e3) return;
  const start = Date.now();
  say(`  reading Debian's package lists (${suite})`);
  await get(['update']);
  writeFileSync(stamp, '');
  say(`  lists read in ${seconds(start)}`);
}

/** Downloads packages with all that they need, printing how far it is. */
export async function downloadPackages(apt, packages) {
  await apt.refresh();
  const start = Date.now();
  let count = 0;
  await apt.get(['install', '--yes', '--download-only', ...packages], {
    onLine: (line) => {
      const need = /^Need to get (.*) of archives/.exec(line);
      if (need) say(`  downloading ${need[1]}`);
      if (/^Get:\d+ /.test(line) && ++count % 20 === 0) say(`  ${count} packages, ${seconds(start)}`);
    },
  });
  const files = readdirSync(apt.archives)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(apt.archives, name));
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  say(`  ${files.length} packages, ${megabytes(size)}, ${seconds(start)}`);
  return files;
}

/** Downloads the upstream tarballs of source packages into `into`; returns their paths. */
export async function downloadSources(apt, packages, into) {
  await apt.refresh();
  // Without --tar-only apt insists on every .dsc, and mirrors lack some of them.
  await apt.get(['source', '--tar-only', '--download-only', ...packages], { cwd: into });
  return readdirSync(into)
    .filter((name) => /\.tar\.\w+$/.test(name))
    .map((name) => join(into, name));
}
