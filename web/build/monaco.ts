// Keeps Monaco to the features that the editor chose. Two places in it would bring everything back:
// internal/common/workers.js imports every editor contribution late, and each language creates its own worker. It also takes
// more than 175 models for a leak, writes so to the console and keeps stacks to prove it; here each cell has a model.
import type { Plugin } from 'vite';

export function monacoTrimmed(): Plugin {
  return {
    name: 'gradbook:monaco-trimmed',
    enforce: 'pre',
    transform(code, id) {
      if (!/monaco-editor\/esm\/vs\//.test(id)) return;
      let out = code;
      if (id.endsWith('/internal/common/workers.js')) out = out.replace(/^import '[^']*';$/gm, '');
      out = out
        .replace(/leakWarningThreshold: \d+,/g, '')
        .replace(/createWorker: \(\) => new Worker\(new URL\([^)]*\)[^)]*\),?/g, '')
        .replace(/new Worker\(new URL\(['"][^'"]*['"], import\.meta\.url\),?[^)]*\)/g, 'undefined');
      return out === code ? undefined : { code: out, map: null };
    },
  };
}
