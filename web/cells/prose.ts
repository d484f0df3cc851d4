// Markdown with maths as safe HTML. KaTeX is loaded when the first formula appears.
import DOMPurify from 'dompurify';
import { Marked, type TokenizerAndRendererExtension } from 'marked';
import { setAttribute } from '../dom.ts';
import { colour } from '../editor/colour.ts';

type Katex = typeof import('katex')['default'];
let katex: Katex | null = null;
let loading: Promise<Katex> | null = null;

const loadKatex = () => (loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => (katex = module.default)));

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** `$$…$$` on its own lines or inside a line, and `$…$` that does not look like money. */
const displayMaths: TokenizerAndRendererExtension = {
  name: 'displayMaths',
  level: 'block',
  start: (source) => source.indexOf('$$'),
  tokenizer(source) {
    const found = /^\$\$([\s\S]+?)\$\$[ \t]*(?:\n|$)/.exec(source);
    return found ? { type: 'displayMaths', raw: found[0], text: found[1]!.trim() } : undefined;
  },
  renderer: (token) => `<div class="maths" data-display="1" data-tex="${escape(token.text)}"></div>`,
};
const inlineMaths: TokenizerAndRendererExtension = {
  name: 'inlineMaths',
  level: 'inline',
  start: (source) => source.indexOf('$'),
  tokenizer(source) {
    const found = /^\$\$([^$]+?)\$\$/.exec(source) ?? /^\$((?:\\.|[^$\\\n])+?)\$(?!\d)/.exec(source);
    if (!found || /^\s|\s$/.test(found[1]!)) return undefined;
    return { type: 'inlineMaths', raw: found[0], text: found[1]! };
  },
  renderer: (token) => `<span class="maths" data-tex="${escape(token.text)}"></span>`,
};

const marked = new Marked({
  gfm: true,
  extensions: [displayMaths, inlineMaths],
  renderer: {
    code({ text, lang }) {
      return `<pre><code>${/^(ts|typescript|js|javascript)$/.test(lang ?? '') ? colour(text) : escape(text)}</code></pre>`;
    },
  },
});

/** Replaces what `target` holds. Formulas follow when KaTeX has loaded; their place shows the source until then. */
export async function renderMarkdown(target: HTMLElement, source: string): Promise<void> {
  const html = marked.parse(source, { async: false });
  const clean = DOMPurify.sanitize(html, { RETURN_DOM_FRAGMENT: true, ADD_ATTR: ['target'], FORBID_TAGS: ['style', 'form', 'input', 'textarea', 'select', 'iframe'], FORBID_ATTR: ['style', 'id', 'name'] });
  for (const link of clean.querySelectorAll('a[href]')) {
    if (link.getAttribute('href')!.startsWith('#')) continue;
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
  }
  const formulas = clean.querySelectorAll<HTMLElement>('.maths[data-tex]');
  if (formulas.length && !katex) {
    for (const formula of formulas) formula.textContent = formula.dataset.tex!;
    target.replaceChildren(clean);
    await loadKatex();
    if (![...formulas].some((formula) => target.contains(formula))) return;
  } else if (!formulas.length) {
    target.replaceChildren(clean);
    return;
  }
  for (const formula of formulas) drawFormula(formula);
  if (!formulas[0]!.isConnected || !target.contains(formulas[0]!)) target.replaceChildren(clean);
  for (const wide of target.querySelectorAll<HTMLElement>('.katex-display')) widths.observe(wide);
}

/** A formula wider than the column scrolls sideways and can then be reached by the Tab key. */
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) setAttribute(target, 'tabindex', target.scrollWidth > target.clientWidth ? '0' : null);
});

/** Begins to fetch what draws formulas: most notebooks have some, and it is large. */
export function prepareMaths(): void {
  void loadKatex().catch(() => undefined);
}

/** Waits for KaTeX ahead of the first picture when the text has formulas, so that nothing moves later. */
export async function mathsFor(sources: readonly string[]): Promise<void> {
  if (sources.some((source) => /\$[^$]+\$/.test(source))) await loadKatex().catch(() => undefined);
}

function drawFormula(formula: HTMLElement): void {
  const tex = formula.dataset.tex!;
  try {
    katex!.render(tex, formula, { displayMode: formula.dataset.display === '1', throwOnError: true, trust: false, maxSize: 20, maxExpand: 200 });
  } catch (error) {
    formula.className = 'maths-error';
    formula.textContent = tex;
    formula.title = error instanceof Error ? error.message : String(error);
  }
}
