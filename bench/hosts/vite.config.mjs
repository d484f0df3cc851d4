// Builds the page of `npm run bench -- NAME --browser` into build/bench-page: the API and the peers in a worker, wasm files beside it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
const outDir = join(root, 'build/bench-page');
const modules = join(root, 'node_modules');

/** Puts what is fetched at run time beside the page; engine and data are linked, so that they are always those of the last build. */
const files = {
  name: 'bench-files',
  closeBundle() {
    for (const name of ['engine', 'data']) {
      rmSync(join(outDir, name), { recursive: true, force: true });
      symlinkSync(join(root, 'build', name), join(outDir, name));
    }
    const tfjs = join(modules, '@tensorflow/tfjs-backend-wasm/dist');
    mkdirSync(join(outDir, 'tfjs'), { recursive: true });
    for (const file of readdirSync(tfjs)) if (file.endsWith('.wasm')) cpSync(join(tfjs, file), join(outDir, 'tfjs', file));
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  configFile: false,
  logLevel: 'warn',
  define: { __JAX_VERSION__: JSON.stringify(JSON.parse(readFileSync(join(modules, '@jax-js/jax/package.json'), 'utf8')).version) },
  plugins: [files],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    outDir,
    emptyOutDir: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 20_000,
    rolldownOptions: { input: fileURLToPath(new URL('browser.html', import.meta.url)), checks: { pluginTimings: false } },
  },
});
