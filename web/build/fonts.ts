// The fonts of the page: which of them are shipped, and which are asked for before any script has run.
import type { Plugin } from 'vite';

/** KaTeX names each font in three formats; every browser that can run the page reads woff2, so only that is shipped. */
export function woff2Only(): Plugin {
  return {
    name: 'gradbook:woff2-only',
    enforce: 'pre',
    transform(code, id) {
      if (!/katex(\.min)?\.css/.test(id)) return;
      return { code: code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\(["'][^"']*["']\)/g, ''), map: null };
    },
  };
}

/** The first picture waits for these fonts, so they are fetched beside the first script and not after it. `names`: how their files begin. */
export function fontsFirst(names: readonly string[]): Plugin {
  return {
    name: 'gradbook:fonts-first',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const files = Object.keys(bundle ?? {}).filter((file) => names.some((name) => file.startsWith(`assets/${name}-`) && file.endsWith('.woff2')));
        return files.map((file) => ({ tag: 'link', injectTo: 'head-prepend' as const, attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `./${file}`, crossorigin: '' } }));
      },
    },
  };
}
