// GoogleTest's sources: the host's Debian package when it is installed, and
// otherwise the package unpacked privately into the cache.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { needApt } from './apt.mjs';
import { cacheDir, makeFolder, run, SetupError } from './common.mjs';
import { readdirSync } from 'node:fs';

const own = join(cacheDir, 'googletest');
const inside = 'usr/src/googletest';

/** The folder with GoogleTest's CMakeLists.txt, or undefined. */
export const findGoogletest = () =>
  ['/' + inside, join(own, inside)].find((folder) => existsSync(join(folder, 'googletest/src/gtest-all.cc')));

export async function setupGoogletest() {
  const found = findGoogletest();
  if (found) return found.startsWith(own) ? 'in the cache' : 'host package';
  needApt('GoogleTest', 'Install its sources so that /usr/src/googletest exists.');
  await makeFolder(own, async (partial) => {
    await run('apt-get', ['download', 'googletest'], { quiet: true, cwd: partial });
    const file = readdirSync(partial).find((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['--extract', file, '.'], { quiet: true, cwd: partial });
  });
  if (!findGoogletest()) throw new SetupError('The package googletest holds no sources. Run: apt-get install googletest');
  return 'unpacked';
}
