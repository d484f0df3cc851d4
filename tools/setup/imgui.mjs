// Dear ImGui's sources, for the inspector: fetched only when asked for.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { downloadSources, needApt, privateApt } from './apt.mjs';
import { cacheDir, makeFolder, run, SetupError } from './common.mjs';

const folder = join(cacheDir, 'imgui');

/** The folder with imgui.cpp, or undefined. */
export function findImgui() {
  if (!existsSync(folder)) return undefined;
  if (existsSync(join(folder, 'imgui.cpp'))) return folder;
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .find((path) => existsSync(join(path, 'imgui.cpp')));
}

export async function setupImgui() {
  if (findImgui()) return 'sources in the cache';
  needApt('Dear ImGui', 'Its sources can be placed by hand in ' + folder);
  const apt = await privateApt('forky');
  await makeFolder(folder, async (partial) => {
    const [file] = await downloadSources(apt, ['imgui'], partial);
    if (!file) throw new SetupError("Debian's archive did not deliver imgui. Run this step again.");
    await run('tar', ['-xf', file, '-C', partial], { quiet: true });
  });
  return 'sources unpacked';
}
