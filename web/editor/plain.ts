// A text area over coloured text: the editor on touch devices, and until Monaco has loaded.
import { h } from '../dom.ts';
import { icon } from '../shell/icons.ts';
import type { Caret, EditorSeat } from './seat.ts';

export const isTouch = matchMedia('(pointer: coarse)').matches;

const KEYS: readonly { label: string; text: string; back?: number }[] = [
  { label: '⇥', text: '  ' }, { label: '{ }', text: '{}', back: 1 }, { label: '( )', text: '()', back: 1 }, { label: '[ ]', text: '[]', back: 1 },
  { label: '=>', text: '=> ' }, { label: '.', text: '.' }, { label: '=', text: ' = ' }, { label: ';', text: ';' }, { label: '\'', text: "''", back: 1 }, { label: '`', text: '``', back: 1 },
];

let row: HTMLElement | null = null;
let active: { readonly area: HTMLTextAreaElement; readonly seat: EditorSeat } | null = null;

export interface PlainEditor {
  readonly area: HTMLTextAreaElement;
  close(): void;
}

/** Lays a text area over `text` (the cell's coloured text), which goes on showing the colours. */
export function openPlain(seat: EditorSeat, source: string, onInput: (text: string) => void, caret: Caret): PlainEditor {
  const area = h('textarea', {
    value: source, spellcheck: false, autocapitalize: 'off', autocomplete: 'off', 'aria-label': 'Code of the cell. Escape leaves the editor.', 'data-plain': '', wrap: 'off',
  });
  area.setAttribute('autocorrect', 'off');
  const box = h('div', { class: 'plain-code', style: { position: 'absolute', inset: '0' } }, area);
  area.addEventListener('input', () => onInput(area.value));
  area.addEventListener('keydown', (event) => indent(event, area));
  area.addEventListener('focus', () => {
    active = { area, seat };
    seat.entered();
    if (isTouch) showKeys(true);
  });
  area.addEventListener('blur', () => {
    seat.left();
    if (active?.area === area) active = null;
    if (isTouch) showKeys(false);
  });
  seat.attach(box);
  area.focus({ preventScroll: true });
  const offset = caret === 'start' ? 0 : typeof caret === 'object' && 'offset' in caret ? caret.offset : typeof caret === 'object' && 'line' in caret ? offsetOf(source, caret.line, caret.column) : source.length;
  area.setSelectionRange(offset, offset);
  return {
    area,
    close() {
      box.remove();
      seat.detach();
    },
  };
}

function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n');
  return lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
}

function insert(area: HTMLTextAreaElement, text: string, back = 0): void {
  // Keeps the browser's own undo, which setting `value` would lose.
  if (!document.execCommand('insertText', false, text)) area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  const at = area.selectionStart - back;
  area.setSelectionRange(at, at);
  area.dispatchEvent(new Event('input'));
}

function indent(event: KeyboardEvent, area: HTMLTextAreaElement): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
  if (event.key === 'Tab') {
    event.preventDefault();
    insert(area, '  ');
  } else if (event.key === 'Enter') {
    const before = area.value.slice(0, area.selectionStart);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    const depth = /^\s*/.exec(line)![0] + (/[{([]\s*$/.test(line) ? '  ' : '');
    if (!depth) return;
    event.preventDefault();
    insert(area, `\n${depth}`);
  }
}

/** Runs the cell and puts the keyboard away, so that its result can be seen. */
function runActive(): void {
  const ran = active;
  ran?.area.blur();
  ran?.seat.run();
}

function showKeys(isShown: boolean): void {
  row ??= h('div', { class: 'key-row', role: 'toolbar', 'aria-label': 'Characters for code' },
    KEYS.map(({ label, text, back }) => h('button', { type: 'button', tabIndex: -1, 'aria-label': text.trim() || 'Indent', on: { pointerdown: (event: Event) => { event.preventDefault(); if (active) insert(active.area, text, back); } } }, label)),
    h('button', { class: 'run-key', type: 'button', tabIndex: -1, 'aria-label': 'Run the cell', on: { pointerdown: (event: Event) => { event.preventDefault(); runActive(); } } }, icon('run')));
  if (isShown) document.body.append(row);
  else row.remove();
}
