// Puts built files that no module imports (engine, data) beside the page: copied by a build, served as they are in development.
// Files that must be of the same build as the page bear a part of their own hash in their names, so that no cache and no
// service worker of an older build can hand out what it has under the same name.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Plugin } from 'vite';

export interface Folder {
  readonly from: string;
  /** Folder in dist/. */
  readonly to: string;
  readonly pattern: RegExp;
  /** The files must be of the same build as the page, which finds them through `virtual:built-files`. */
  readonly isOfBuild?: boolean;
}

const NAME = 'virtual:built-files';

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

const namesIn = ({ from, pattern }: Folder) => (existsSync(from) ? readdirSync(from).filter((name) => pattern.test(name)) : []);

function stamped(name: string, bytes: Buffer): string {
  const ending = extname(name);
  return `${name.slice(0, -ending.length)}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}${ending}`;
}

/** `virtual:built-files` exports `builtFiles: Record<path, { path, size }>`: where each file lies, and its size when that is known. */
export function folders(list: readonly Folder[]): Plugin {
  let isBuild = false;
  return {
    name: 'gradbook:folders',
    configResolved(config) {
      isBuild = config.command === 'build';
    },
    resolveId(id) {
      return id === NAME ? `\0${NAME}` : undefined;
    },
    load(id) {
      if (id !== `\0${NAME}`) return;
      const files: Record<string, { path: string; size: number | null }> = {};
      for (const folder of list) {
        if (!folder.isOfBuild) continue;
        for (const name of namesIn(folder)) {
          const bytes = readFileSync(join(folder.from, name));
          files[`${folder.to}/${name}`] = isBuild ? { path: `${folder.to}/${stamped(name, bytes)}`, size: bytes.length } : { path: `${folder.to}/${name}`, size: null };
        }
      }
      return `export const builtFiles = ${JSON.stringify(files)};`;
    },
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
      for (const folder of list) {
        const { from, to, isOfBuild } = folder;
        const names = namesIn(folder);
        if (!names.length) this.warn(`${from} has no files for ${to}/: build it first (npm run build does)`);
        for (const name of names) {
          const source = readFileSync(join(from, name));
          this.emitFile({ type: 'asset', fileName: `${to}/${isOfBuild ? stamped(name, source) : name}`, source });
        }
      }
    },
  };
}
