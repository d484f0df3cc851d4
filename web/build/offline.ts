// Builds the service worker as dist/service.js and tells it what this build consists of. A new build gets a new stamp,
// so a browser that comes back fetches the new files and drops the old ones.
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';
import { bundle } from './texts.ts';

export function offline(entry: string): Plugin {
  return {
    name: 'gradbook:offline',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, output) {
        const hash = createHash('sha256');
        const files: string[] = [];
        for (const [name, part] of Object.entries(output).sort(([a], [b]) => (a < b ? -1 : 1))) {
          hash.update(name).update(part.type === 'chunk' ? part.code : part.source);
          // Data keeps its own place in the browser's storage.
          if (!name.startsWith('data/') && !name.endsWith('.map')) files.push(name);
        }
        const { text } = await bundle(entry, true);
        const build = { stamp: hash.digest('hex').slice(0, 12), files };
        this.emitFile({ type: 'asset', fileName: 'service.js', source: `self.gradbookBuild=${JSON.stringify(build)};\n${text}` });
      },
    },
  };
}
