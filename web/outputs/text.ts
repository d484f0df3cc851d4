// Plain text and Markdown as displays.
import { h } from '../dom.ts';
import { renderMarkdown } from '../cells/prose.ts';
import type { View } from './views.ts';

export function textView({ text }: { text: string }): View<'text'> {
  const element = h('pre', { class: 'text-out', style: { margin: '0' } }, text);
  return { element, update: (next) => { element.textContent = next.text; } };
}

export function markdownView({ text }: { text: string }): View<'markdown'> {
  const element = h('div', { class: 'prose' });
  const show = (source: string) => void renderMarkdown(element, source);
  show(text);
  return { element, update: (next) => show(next.text) };
}
