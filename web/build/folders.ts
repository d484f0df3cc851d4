// Puts built files that no module imports (engine, data) beside the page: copied by a build, served as they are in development.
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Plugin } from 'vite';

export interface Folder {
  readonly from: string;
  /** Folder in dist/. */
  readonly to: string;
  readonly pattern: RegExp;
}

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

export function folders(list: readonly Folder[]): Plugin {
  return {
    name: 'gradbook:folders',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = decodeURIComponent((request.url ?? '').split('?')[0]!).replace(/^\//, '');
        const folder = list.find(({ to }) => path.startsWith(`${to}/`));
        const name = folder ? path.slice(folder.to.length + 1) : '';
        const file = folder ? join(folder.from, name) : '';
        if (!folder || name.includes('/') || !folder.pattern.test(name) || !existsSync(file)) return next();
        response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
        response.setHeader('Content-Length', statSync(file).size);
        createReadStream(file).pipe(response);
      });
    },
    generateBundle() {
      for (const { from, to, pattern } of list) {
        const names = existsSync(from) ? readdirSync(from).filter((name) => pattern.test(name)) : [];
        if (!names.length) this.warn(`${from} has no files for ${to}/: build it first (npm run build does)`);
        for (const name of names) this.emitFile({ type: 'asset', fileName: `${to}/${name}`, source: readFileSync(join(from, name)) });
      }
    },
  };
}
