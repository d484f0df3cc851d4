// The ONNX project's test models: the host's Debian package when it is installed,
// and otherwise the package unpacked privately into the cache.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { needApt } from './apt.mjs';
import { cacheDir, makeFolder, run, SetupError } from './common.mjs';

const own = join(cacheDir, 'onnx-testdata');
const inside = 'usr/share/libonnx-testdata/data';

/** The folder with the suites node, simple, pytorch-operator ..., or undefined. */
export const findOnnx = () => ['/' + inside, join(own, inside)].find((folder) => existsSync(join(folder, 'node')));

export async function setupOnnx() {
  const found = findOnnx();
  if (found) return found.startsWith(own) ? 'in the cache' : 'host package';
  needApt('The ONNX test data', `Unpack the Debian package libonnx-testdata into ${own}.`);
  await makeFolder(own, async (partial) => {
    await run('apt-get', ['download', 'libonnx-testdata'], { quiet: true, cwd: partial });
    const file = readdirSync(partial).find((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['--extract', file, '.'], { quiet: true, cwd: partial });
  });
  if (!findOnnx()) throw new SetupError('The package libonnx-testdata holds no test data. Run: apt-get install libonnx-testdata');
  return 'unpacked';
}
