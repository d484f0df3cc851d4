// Writes .br and .gz beside big text and wasm files, for servers that hand out such files.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const SMALLEST = 8 * 1024;

export function compressed(): Plugin {
  let folder = '';
  return {
    name: 'gradbook:compressed',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|css|html|wasm)$/.test(file));
        for (const file of files) {
          const path = join(folder, file);
          if (statSync(path).size < SMALLEST) continue;
          const bytes = readFileSync(path);
          // Quality 9 is within 6 % of the best and eight times faster.
          writeFileSync(`${path}.br`, await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
          writeFileSync(`${path}.gz`, await deflate(bytes, { level: 8 }));
        }
      },
    },
  };
}
