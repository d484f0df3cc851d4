// The browser for the browser tests: an existing Chromium or Chrome, or Debian's package.
import { existsSync } from 'node:fs';
import { installPackages, which } from './common.mjs';

/** The browser's path, or undefined. */
export function findChromium() {
  if (process.env.CHROMIUM && existsSync(process.env.CHROMIUM)) return process.env.CHROMIUM;
  return ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser'].map(which).find(Boolean);
}

export async function setupChromium() {
  const found = findChromium();
  if (found) return found;
  await installPackages(['chromium'], 'A Chromium browser (for the browser tests)');
  return findChromium();
}
