// Gives the editor the typings of the engine's API: build/typings.json, made by `node tools/typings.mjs`.
import { existsSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const NAME = 'virtual:typings';

/** `virtual:typings` exports `typings: Record<path, text>`. */
export function typings(file: string): Plugin {
  return {
    name: 'gradbook:typings',
    resolveId(id) {
      return id === NAME ? `\0${NAME}` : undefined;
    },
    load(id) {
      if (id !== `\0${NAME}`) return;
      this.addWatchFile(file);
      if (!existsSync(file)) this.error(`${file} is missing: run \`node tools/typings.mjs\` first (npm run build does)`);
      return `export const typings = ${readFileSync(file, 'utf8')};`;
    },
  };
}
