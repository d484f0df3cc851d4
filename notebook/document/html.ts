// A notebook as one HTML file that needs nothing else: text, code and outputs to read, and the notebook itself inside, so
// that opening the file in Gradbook gives it back. Its policy lets no script run, whatever the cells hold.
import katex from 'katex';
import { Marked, type TokenizerAndRendererExtension } from 'marked';
import { anchored } from './anchors.ts';
import { parseIpynb, printIpynb, type Results, savedResult } from './ipynb.ts';
import type { Json } from './json.ts';
import type { Cell, Notebook } from './notebook.ts';

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'";
const INSIDE = /<script type="application\/x-ipynb\+json" id="notebook">\n([\s\S]*?)\n<\/script>/;

/** Reads a file that printHtml wrote. Throws SyntaxError when there is no notebook inside. */
export function parseHtml(text: string): Notebook {
  const inside = INSIDE.exec(text)?.[1];
  if (inside === undefined) throw new SyntaxError('this web page has no notebook inside; only pages that Gradbook has saved can be opened');
  return parseIpynb(inside.replace(/\\(?:u003c|.)/g, (escaped) => (escaped === '\\u003c' ? '<' : escaped)));
}

/** Writes a file. Cells show `results`, or else what their file held. */
export function printHtml(notebook: Notebook, results: Results = new Map()): string {
  let number = 0;
  const cells = notebook.cells.map((cell) => {
    if (cell.kind === 'code') number += 1;
    return cell.kind === 'code' ? codeCell(cell, number, results) : textCell(cell);
  });
  // Only inside of JSON texts can a `<` stand, where this is the same character.
  const inside = printIpynb(notebook, results).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="generator" content="Gradbook">
<title>${escape(notebook.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${anchored(cells.join('\n'), ['notebook', ...notebook.cells.map((_, i) => `cell-${i + 1}`)])}
</main>
<footer>Made with Gradbook. Open this file there to run it.</footer>
<script type="application/x-ipynb+json" id="notebook">
${inside}
</script>
</body>
</html>
`;
}

function textCell({ source, attributes }: Cell): string {
  if (attributes.type === 'raw') return `<section class="text"><pre>${escape(source)}</pre></section>`;
  return `<section class="text">${marked.parse(source, { async: false })}</section>`;
}

function codeCell(cell: Cell, number: number, results: Results): string {
  const { source, attributes } = cell;
  const { outputs } = results.get(cell.id) ?? savedResult(cell) ?? { outputs: [] };
  const { collapse } = attributes;
  const code = `<pre class="code"><code>${colour(source)}</code></pre>`;
  const shownCode = collapse === 'code' || collapse === 'both' ? `<details><summary>Code</summary>${code}</details>` : code;
  const written = outputs.map(outputHtml).join('');
  const shownOutput = written === '' ? '' : collapse === 'output' || collapse === 'both' ? `<details><summary>Output</summary>${written}</details>` : written;
  return `<section class="cell" id="cell-${number}"><div class="number">${number}</div><div>${shownCode}${shownOutput === '' ? '' : `<div class="outputs">${shownOutput}</div>`}</div></section>`;
}

// -- outputs -----------------------------------------------------------------------------------------------------------

type Record_ = { readonly [key: string]: Json };
const isRecord = (value: Json | undefined): value is Record_ => typeof value === 'object' && value !== null && !Array.isArray(value);

/** nbformat writes a long text as a list of lines. */
function textOf(value: Json | undefined): string {
  if (Array.isArray(value)) return value.map((line) => (typeof line === 'string' ? line : '')).join('');
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

function outputHtml(output: Json): string {
  if (!isRecord(output)) return '';
  switch (output.output_type) {
    case 'stream':
      return `<pre class="stream ${output.name === 'stderr' ? 'warn' : ''}">${escape(plain(textOf(output.text)))}</pre>`;
    case 'error': {
      const trace = textOf(Array.isArray(output.traceback) ? output.traceback.map((line) => `${textOf(line)}\n`) : undefined);
      return `<pre class="error">${escape(plain(trace.trimEnd() || `${textOf(output.ename)}: ${textOf(output.evalue)}`))}</pre>`;
    }
    default:
      return isRecord(output.data) ? dataHtml(output.data) : '';
  }
}

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The richest form that a file without scripts can show. */
function dataHtml(data: Record_): string {
  for (const type of PICTURES) {
    if (data[type] === undefined) continue;
    const bytes = textOf(data[type]).replace(/\s/g, '');
    if (/^[A-Za-z0-9+/=]*$/.test(bytes)) return `<img alt="${escape(textOf(data['text/plain']).slice(0, 300))}" src="data:${type};base64,${bytes}">`;
  }
  // As a picture, a drawing cannot run the scripts that it may hold.
  if (data['image/svg+xml'] !== undefined) return `<img alt="" src="data:image/svg+xml,${encodeURIComponent(textOf(data['image/svg+xml']))}">`;
  if (data['text/html'] !== undefined) return `<iframe sandbox srcdoc="${escape(textOf(data['text/html']))}" title="Output"></iframe>`;
  if (data['text/markdown'] !== undefined) return `<div class="text">${marked.parse(textOf(data['text/markdown']), { async: false })}</div>`;
  if (data['text/latex'] !== undefined) return maths(textOf(data['text/latex']).replace(/^\s*\$+|\$+\s*$/g, ''), true);
  return `<pre>${escape(plain(textOf(data['text/plain'] ?? Object.values(data)[0])))}</pre>`;
}

/** Without the colours of terminals; `\r` overwrites its line. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  const bare = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
  return bare.replace(/[^\n]*\r(?!\n|$)/g, '').replaceAll('\r', '');
}

// -- text --------------------------------------------------------------------------------------------------------------

const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Browsers draw MathML themselves, so no fonts or styles have to travel. */
function maths(tex: string, displayMode: boolean): string {
  try {
    return katex.renderToString(tex, { output: 'mathml', displayMode, throwOnError: false });
  } catch {
    return `<code>${escape(tex)}</code>`;
  }
}

const displayMaths: TokenizerAndRendererExtension = {
  name: 'displayMaths',
  level: 'block',
  start: (source) => source.indexOf('$$'),
  tokenizer(source) {
    const found = /^\$\$([\s\S]+?)\$\$[ \t]*(?:\n|$)/.exec(source);
    return found ? { type: 'displayMaths', raw: found[0], text: (found[1] as string).trim() } : undefined;
  },
  renderer: (token) => maths(String(token.text), true),
};
const inlineMaths: TokenizerAndRendererExtension = {
  name: 'inlineMaths',
  level: 'inline',
  start: (source) => source.indexOf('$'),
  tokenizer(source) {
    const found = /^\$((?:\\.|[^$\\\n])+?)\$(?!\d)/.exec(source);
    const text = found?.[1] as string | undefined;
    return found && text !== undefined && !/^\s|\s$/.test(text) ? { type: 'inlineMaths', raw: found[0], text } : undefined;
  },
  renderer: (token) => maths(String(token.text), false),
};

const marked = new Marked({
  gfm: true,
  extensions: [displayMaths, inlineMaths],
  renderer: {
    // No element of a cell may end the page's own, or bring forms and frames.
    html: ({ text }) => escape(text),
    code: ({ text, lang }) => `<pre class="code"><code>${/^(ts|typescript|js|javascript)$/.test(lang ?? '') ? colour(text) : escape(text)}</code></pre>`,
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      return /^(https?:|mailto:|#|[\w./-]+$)/i.test(href) && !/^javascript:/i.test(href) ? `<a href="${escape(href)}" rel="noopener noreferrer">${inner}</a>` : inner;
    },
    image: ({ href, text }) => (href.startsWith('data:image/') ? `<img alt="${escape(text)}" src="${escape(href)}">` : escape(text || href)),
  },
});

const WORDS =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(["'])(?:\\.|(?!\1)[^\\\n])*(?:\1|$)|`(?:\\[\s\S]|[^\\`])*(?:`|$)|\b\d[\w.]*|\b(?:abstract|any|as|async|await|boolean|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|get|if|implements|import|in|infer|instanceof|interface|keyof|let|new|null|number|of|readonly|return|satisfies|set|static|string|super|switch|this|throw|true|try|type|typeof|undefined|unknown|var|void|while|with|yield)\b/gm;

/** Code with words in colour: comments, texts, numbers, keywords. */
function colour(source: string): string {
  let html = '';
  let at = 0;
  for (const { 0: word, index } of source.matchAll(WORDS)) {
    const kind = /^\/[/*]/.test(word) ? 'c' : /^["'`]/.test(word) ? 's' : /^\d/.test(word) ? 'n' : 'k';
    html += `${escape(source.slice(at, index))}<span class="${kind}">${escape(word)}</span>`;
    at = index + word.length;
  }
  return html + escape(source.slice(at));
}

const STYLE = `
:root{color-scheme:light dark;--paper:#fcfcfa;--ground:#f4f4f0;--ink:#1d1f23;--soft:#5a5e66;--line:#e2e1db;--error:#a8321c;--warn:#7d5700;--k:#0b6e6e;--s:#8a4b08;--n:#7a3e9d}
@media screen and (prefers-color-scheme:dark){:root{--paper:#16171a;--ground:#1e2024;--ink:#e6e6e3;--soft:#a3a7af;--line:#33363c;--error:#ff9d88;--warn:#e3c06a;--k:#6cc5bf;--s:#e0a86e;--n:#c9a2e8}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 "Source Sans 3",system-ui,sans-serif}
main{max-width:860px;margin:0 auto;padding:40px 20px}
footer{max-width:860px;margin:0 auto;padding:0 20px 40px;color:var(--soft);font-size:14px}
.text{max-width:680px}
.cell{display:grid;grid-template-columns:32px minmax(0,1fr);margin:16px 0}
.number{color:var(--soft);font-size:13px;padding-top:10px}
pre{margin:0;overflow:auto;font:13.5px/21px "JetBrains Mono",ui-monospace,Menlo,Consolas,monospace;white-space:pre}
@media print{main{max-width:none;padding:0}pre{overflow:visible;white-space:pre-wrap;overflow-wrap:anywhere}h1,h2,h3{break-after:avoid}img,svg{break-inside:avoid}}
.code{background:var(--ground);border-radius:6px;padding:10px 14px}
.outputs{padding:10px 14px;display:grid;gap:10px}
.outputs img{max-width:100%;image-rendering:pixelated;justify-self:start}
iframe{width:100%;height:320px;border:1px solid var(--line);border-radius:6px;background:#fff}
table{border-collapse:collapse}td,th{border:1px solid var(--line);padding:3px 9px;text-align:left}
.error{color:var(--error)}.warn{color:var(--warn)}
.c{color:var(--soft)}.s{color:var(--s)}.n{color:var(--n)}.k{color:var(--k)}
`;
