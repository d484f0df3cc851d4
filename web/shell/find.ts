// Find and replace across cells and outputs. The static text of cells is what is searched and marked; replacing all is one step of undo.
import { effect } from '@preact/signals-core';
import { closeEditors, focusCell, viewOf } from '../cells/column.ts';
import { unfoldAround } from '../cells/fold.ts';
import { h, setText } from '../dom.ts';
import { rangeAt } from '../editor/squiggles.ts';
import { cellOf, notebook, selectOnly, setAttribute, setSources, undo } from '../store.ts';
import { icon } from './icons.ts';
import { replacement } from './replace.ts';
import { say } from './note.ts';

interface Match {
  readonly cellId: string;
  readonly where: 'source' | 'output';
  readonly start: number;
  readonly length: number;
  /** Number among the matches of the same cell and place. */
  readonly nth: number;
}

const MOST = 5000;
const registry = 'highlights' in CSS ? CSS.highlights : null;
const marks = registry ? new Highlight() : null;
const current = registry ? new Highlight() : null;
if (registry) {
  registry.set('found', marks!);
  registry.set('found-current', current!);
  current!.priority = 1;
}

let bar: { element: HTMLElement; close(): void; input: HTMLInputElement } | null = null;

export function openFind(): void {
  bar ??= makeBar();
  bar.input.focus();
  bar.input.select();
}

function patternOf(text: string, isCase: boolean, isRegExp: boolean): RegExp | null {
  if (!text) return null;
  try {
    return new RegExp(isRegExp ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), isCase ? 'gm' : 'gim');
  } catch {
    return null;
  }
}

function* matchesIn(text: string, pattern: RegExp): Iterable<{ start: number; length: number }> {
  for (const found of text.matchAll(pattern)) if (found[0].length) yield { start: found.index, length: found[0].length };
}

const outputText = (id: string) => viewOf(id)?.element.querySelector('.outputs')?.textContent ?? '';

function search(pattern: RegExp): Match[] {
  const all: Match[] = [];
  for (const { id: cellId, source } of notebook.value.cells) {
    for (const where of ['source', 'output'] as const) {
      let nth = 0;
      for (const place of matchesIn(where === 'source' ? source : outputText(cellId), pattern)) {
        all.push({ cellId, where, ...place, nth: nth++ });
        if (all.length >= MOST) return all;
      }
    }
  }
  return all;
}

/** Where a match stands in the page; for text cells, which show their source only in print, the match of the same number. */
function rangeOf({ cellId, where, start, length, nth }: Match, pattern: RegExp): Range | null {
  const element = viewOf(cellId)?.element;
  const target = element?.querySelector<HTMLElement>(where === 'output' ? '.outputs' : '.static-code, .prose');
  if (!target) return null;
  if (!target.classList.contains('prose')) return rangeAt(target, start, length);
  const shown = [...matchesIn(target.textContent ?? '', pattern)][nth];
  return shown ? rangeAt(target, shown.start, shown.length) : null;
}

function makeBar(): NonNullable<typeof bar> {
  let matches: Match[] = [];
  let at = 0;
  const came = document.activeElement as HTMLElement | null;
  const input = h('input', { type: 'text', 'aria-label': 'Find', placeholder: 'Find in cells and outputs', spellcheck: false });
  const other = h('input', { type: 'text', 'aria-label': 'Replace with', placeholder: 'Replace with', spellcheck: false });
  const count = h('span', { class: 'count figures', role: 'status' });
  const toggle = (label: string, words: string) => {
    const button: HTMLButtonElement = h('button', { class: 'icon-button', type: 'button', 'aria-pressed': 'false', title: words, 'aria-label': words, on: { click: () => { button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true')); find(true); } } }, label);
    return button;
  };
  const isCase = toggle('Aa', 'Match upper and lower case');
  const isRegExp = toggle('.*', 'Regular expression');
  const isOn = (button: HTMLElement) => button.getAttribute('aria-pressed') === 'true';
  const pattern = () => patternOf(input.value, isOn(isCase), isOn(isRegExp));
  const button = (name: Parameters<typeof icon>[0], words: string, act: () => void) => h('button', { class: 'icon-button', type: 'button', title: words, 'aria-label': words, on: { click: act } }, icon(name));
  const element = h('div', { class: 'find-bar', role: 'search' },
    h('div', { class: 'row' }, input, count, isCase, isRegExp, button('up', 'The one before (Shift-Enter)', () => go(-1)), button('down', 'The next (Enter)', () => go(1)), button('cross', 'Close (Escape)', () => close())),
    h('div', { class: 'row' }, other, h('button', { class: 'button', type: 'button', on: { click: () => replaceOne() } }, 'Replace'), h('button', { class: 'button', type: 'button', on: { click: () => replaceAll() } }, 'All')));
  const draw = () => {
    marks?.clear();
    current?.clear();
    const wanted = pattern();
    setText(count, input.value === '' ? '' : !wanted ? 'not a pattern' : matches.length ? `${at + 1} of ${matches.length}${matches.length === MOST ? '+' : ''}` : 'nothing found');
    if (!wanted) return;
    matches.forEach((match, i) => {
      const range = rangeOf(match, wanted);
      if (range) (i === at ? current : marks)?.add(range);
    });
  };
  const find = (isNew: boolean) => {
    const wanted = pattern();
    matches = wanted ? search(wanted) : [];
    at = isNew ? 0 : Math.max(0, Math.min(at, matches.length - 1));
    draw();
    if (isNew) show();
  };
  const show = () => {
    const match = matches[at];
    const wanted = pattern();
    if (!match || !wanted) return;
    unfoldAround(match.cellId);
    if (cellOf(match.cellId)?.attributes.collapse) setAttribute([match.cellId], 'collapse', null);
    selectOnly(match.cellId);
    draw();
    const exact = rangeOf(match, wanted)?.getBoundingClientRect();
    const box = exact?.height ? exact : viewOf(match.cellId)?.element.getBoundingClientRect();
    if (box && (box.top < 120 || box.bottom > innerHeight - 100)) scrollBy({ top: box.top - innerHeight / 3 });
  };
  const go = (by: number) => {
    if (!matches.length) return;
    at = (at + by + matches.length) % matches.length;
    show();
  };
  const replaced = (text: string, match: Match, wanted: RegExp) => {
    // Those behind it in the same cell are replaced by now, and a pattern may look ahead: it reads the cell as it was.
    const by = isOn(isRegExp) ? replacement(cellOf(match.cellId)!.source, match, wanted, other.value) : other.value;
    return text.slice(0, match.start) + by + text.slice(match.start + match.length);
  };
  const replaceOne = () => {
    const wanted = pattern();
    if (matches[at]?.where === 'output') at = matches.findIndex(({ where }, i) => i > at && where === 'source');
    const match = matches[at];
    if (!wanted || !match) return;
    setSources(new Map([[match.cellId, replaced(cellOf(match.cellId)!.source, match, wanted)]]));
    find(false);
    show();
  };
  const replaceAll = () => {
    const wanted = pattern();
    const inSources = matches.filter(({ where }) => where === 'source');
    if (!wanted || !inSources.length) return;
    const texts = new Map<string, string>();
    // From the last on, so that places before stay true.
    for (const match of inSources.toReversed()) texts.set(match.cellId, replaced(texts.get(match.cellId) ?? cellOf(match.cellId)!.source, match, wanted));
    setSources(texts);
    find(false);
    say(`${inSources.length} replaced in ${texts.size} ${texts.size === 1 ? 'cell' : 'cells'}`, { words: 'Undo', run: () => { undo(); find(false); } });
  };
  const close = () => {
    stop();
    marks?.clear();
    current?.clear();
    element.remove();
    bar = null;
    const match = matches[at];
    if (match && input.value) focusCell(match.cellId);
    else if (came?.isConnected) came.focus({ preventScroll: true });
  };
  input.addEventListener('input', () => find(true));
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === input) go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Enter' && event.target === other) replaceOne();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  closeEditors();
  document.body.append(element);
  const stop = effect(() => {
    void notebook.value;
    queueMicrotask(() => { if (element.isConnected) find(false); });
  });
  return { element, close, input };
}
