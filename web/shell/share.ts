// Sharing by link, and saving as a file: what travels, how long the link is, where it will work.
import { encodeLink, LONG_LENGTH, MOST_LENGTH, SAFE_LENGTH } from '../../notebook/document/link.ts';
import { FORMATS } from '../../notebook/document/formats.ts';
import { h } from '../dom.ts';
import { saveAs } from '../files.ts';
import { notebook } from '../store.ts';
import { openSheet } from './help.ts';
import { icon } from './icons.ts';
import { formatCount } from './words.ts';

export async function openShare(): Promise<void> {
  const hash = await encodeLink(notebook.value);
  const url = `${location.href.replace(/#.*$/, '')}${hash}`;
  const { kind, words } = judge(url.length);
  const field = h('input', { type: 'text', value: url, readOnly: true, 'aria-label': 'Link', spellcheck: false });
  const said = h('span', { role: 'status' });
  const copy = h('button', { class: 'button main', type: 'button', data: { action: 'copy-link' }, disabled: kind === 'never', on: { click: async () => {
    field.select();
    const isCopied = await navigator.clipboard.writeText(url).then(() => true, () => document.execCommand('copy'));
    said.textContent = isCopied ? 'Copied' : 'The browser did not allow it: copy the marked text';
  } } }, 'Copy the link');
  openSheet('Share', [
    h('p', { class: 'words' }, 'The link holds the whole notebook: text, code and title, without outputs. Nothing is stored on a server. Whoever opens it gets a copy of their own, and nothing runs until they run it.'),
    h('div', { class: 'fields' },
      h('div', { class: 'link-row' }, field, copy),
      h('p', { class: 'length', data: { kind } }, icon(kind === 'good' ? 'check' : 'warn'), h('span', null, `${formatCount(url.length)} characters. ${words}`), said),
    ),
    h('div', { class: 'choices between' }, h('span', { class: 'quiet' }, 'Or as a file, with outputs'), h('span', { class: 'formats' }, FORMATS.filter(({ hasOutputs }) => hasOutputs).map((format) => h('button', { class: 'button', type: 'button', on: { click: () => void saveAs(format) } }, format.name)))),
  ]);
  field.select();
}

function judge(length: number): { kind: 'good' | 'long' | 'never'; words: string } {
  if (length > MOST_LENGTH) return { kind: 'never', words: 'Browsers do not open links this long: share the file.' };
  if (length > LONG_LENGTH) return { kind: 'long', words: 'Chat programs and mail will cut it: better share the file.' };
  return length > SAFE_LENGTH ? { kind: 'good', words: 'It works in mail and most chat programs.' } : { kind: 'good', words: 'It works everywhere.' };
}

export function openSave(): void {
  const dialog = openSheet('Save as a file', [
    h('ul', { class: 'format-list' }, FORMATS.map((format) => h('li', null, h('button', { type: 'button', data: { format: format.extension }, on: { click: () => { dialog.close(); void saveAs(format); } } },
      h('b', null, format.name), h('code', null, format.extension), h('span', { class: 'quiet' }, format.hasOutputs ? 'with outputs' : 'text and code'))))),
    h('p', { class: 'words quiet' }, 'The notebook is kept in this browser in any case, within a second of every change.'),
  ]);
}
