// Markdown pages of the reference as plain HTML: no script, formulas as MathML.
import katex from 'katex';
import { Marked } from 'marked';

const style = `:root{color-scheme:light dark;--text:light-dark(#1c1c1a,#e8e6df);--back:light-dark(#fcfcfa,#161614);--quiet:light-dark(#6a6a64,#98968d);--line:light-dark(#e2e1da,#34332e);--code:light-dark(#f3f2ec,#201f1c)}
body{margin:0 auto;max-width:50rem;padding:1.5rem 1.25rem 6rem;background:var(--back);color:var(--text);font:16px/1.55 'Source Sans 3',system-ui,sans-serif}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;border-bottom:1px solid var(--line);padding-bottom:.75rem}
a{color:inherit}nav a[aria-current]{font-weight:600;text-decoration:none}
h2{margin-top:3rem;border-bottom:1px solid var(--line)}h3,h4{margin:2.25rem 0 .25rem}
pre{background:var(--code);padding:.6rem .8rem;border-radius:4px;overflow-x:auto}code{font:.88em/1.5 'JetBrains Mono',ui-monospace,monospace}
li{margin:.2rem 0}math{font-size:1.1em}.formula{overflow-x:auto;overflow-y:hidden}code{overflow-wrap:anywhere}`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const anchor = (text) => text.toLowerCase().replace(/<[^>]*>|`/g, '').replace(/[^\w. -]/g, '').replaceAll('.', '').replaceAll(' ', '-');

/** `pages` are [file, title] of all, for the line of links. */
export function htmlPage(markdown, name, pages) {
  const marked = new Marked({
    extensions: [
      {
        name: 'formula',
        level: 'block',
        start: (text) => text.indexOf('$$'),
        tokenizer(text) {
          const found = /^\$\$([^$]+)\$\$(?:\n|$)/.exec(text);
          return found ? { type: 'formula', raw: found[0], text: found[1] } : undefined;
        },
        renderer: (token) => `<p class="formula">${katex.renderToString(token.text, { output: 'mathml', displayMode: true, throwOnError: false })}</p>`,
      },
    ],
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor(text)}">${text}</h${depth}>\n`;
      },
    },
  });
  const title = pages.find(([file]) => file === name)?.[1] ?? name;
  const links = pages.map(([file, words]) => `<a href="${file}.html"${file === name ? ' aria-current="page"' : ''}>${escaped(words)}</a>`);
  const body = marked.parse(markdown).replaceAll(/href="(\w+)\.md(#[^"]*)?"/g, 'href="$1.html$2"');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)} - Gradbook</title><style>${style}</style></head>
<body><nav><a href="../">Gradbook</a>${links.join('')}</nav>
${body}</body></html>
`;
}
