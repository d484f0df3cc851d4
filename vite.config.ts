// Builds the page into dist/: page, editor worker, kernel and frame as plain script texts, engine and data beside them.
// The parts with a story of their own live in web/build/.
import { defineConfig } from 'vite';
import { compressed } from './web/build/compressed.ts';
import { folders } from './web/build/folders.ts';
import { monacoTrimmed } from './web/build/monaco.ts';
import { offline } from './web/build/offline.ts';
import { fontsFirst, woff2Only } from './web/build/fonts.ts';
import { scriptTexts } from './web/build/texts.ts';
import { typings } from './web/build/typings.ts';

// Threads need an isolated page (SharedArrayBuffer).
const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
const here = (path: string) => new URL(path, import.meta.url).pathname;

export default defineConfig({
  root: here('.'),
  base: './',
  publicDir: here('web/public'),
  resolve: {
    // One TypeScript in the page: everything that imports it gets Monaco's copy.
    alias: [{ find: /^typescript$/, replacement: here('web/editor/typescript.ts') }],
  },
  plugins: [
    monacoTrimmed(),
    woff2Only(),
    fontsFirst(['source-sans-3-latin-400-normal', 'source-sans-3-latin-600-normal', 'jetbrains-mono-latin-400-normal']),
    scriptTexts({
      'virtual:kernel-text': here('notebook/kernel/worker.ts'),
      'virtual:frame-text': here('notebook/frame/frame.ts'),
    }),
    typings(here('build/typings.json')),
    folders([
      { from: here('build/engine'), to: 'engine', pattern: /\.(js|wasm)$/, isOfBuild: true },
      { from: here('build/inspector'), to: 'inspector', pattern: /\.(js|wasm)$/ },
      { from: here('build/data'), to: 'data', pattern: /\.bin(\.gz)?$/ },
    ]),
    offline(here('web/worker/service.ts')),
    compressed(),
  ],
  worker: { format: 'es', plugins: () => [monacoTrimmed()] },
  server: { headers, host: '127.0.0.1' },
  preview: { headers, host: '127.0.0.1' },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 8000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
