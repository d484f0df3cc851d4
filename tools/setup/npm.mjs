// The JavaScript dependencies: node_modules follows package-lock.json.
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentKey, root, run, say, seconds } from './common.mjs';

const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules/.gradbook-lock');

export const npmIsFresh = () => existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8');

export async function setupNpm() {
  if (npmIsFresh()) return 'node_modules is fresh';
  const start = Date.now();
  say('  installing the JavaScript packages, about 900 MB on disk');
  // The lock may trail package.json while dependencies change: then install, which also renews it.
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { allowFailure: true, quiet: true });
  if (code !== 0) await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { quiet: true });
  copyFileSync(lock, installed);
  return `packages installed in ${seconds(start)} (${contentKey([], [lock])})`;
}
