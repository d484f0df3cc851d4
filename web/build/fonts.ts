// KaTeX names each font in three formats; every browser that can run the page reads woff2, so only that is shipped.
import type { Plugin } from 'vite';

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
