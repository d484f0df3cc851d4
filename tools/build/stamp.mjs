// Content stamps: a step is skipped while nothing that it reads has changed.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { contentKey, filesBelow, root } from '../setup/common.mjs';

const folder = join(root, 'build/stamps');

const ignored = /(^|\/)(node_modules|build|dist|\.git)$/;

/** The key of a set of files and folders, given relative to the repository. */
export function inputsKey(paths, texts = []) {
  const files = paths.flatMap((path) => {
    const full = join(root, path);
    if (!existsSync(full)) return [];
    return statSync(full).isDirectory() ? filesBelow(full, (below) => ignored.test(relative(root, below))) : [full];
  });
  return contentKey(texts, files);
}

/** True when `name` was last done with this key and all of its outputs still exist. */
export function isFresh(name, key, outputs) {
  const stamp = join(folder, name);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === key && outputs.every((path) => existsSync(join(root, path)));
}

export function markFresh(name, key) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), key);
}
