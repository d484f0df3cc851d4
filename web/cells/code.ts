// A code cell: static coloured text that can be read and run at once, an editor when the cursor is in it, outputs below.
import { effect, untracked } from '@preact/signals-core';
import { h, setAttribute } from '../dom.ts';
import { colour } from '../editor/colour.ts';
import { caretOffset, enterEditor, leaveEditor, type CodePlace } from '../editor/enter.ts';
import { failedLineOf, problemsOf } from '../editor/problems.ts';
import type { Caret, EditorSeat } from '../editor/seat.ts';
import { drawSquiggles } from '../editor/squiggles.ts';
import { shapesOf } from '../editor/values.ts';
import { isReadOnly, mode, selectedId, setSource } from '../store.ts';

const LINE = 21;
const PAD = 10;

export interface CodeView extends CodePlace {
  readonly element: HTMLElement;
  show(source: string): void;
  edit(caret: Caret): void;
  caret(): number | null;
  close(): void;
}

export function makeCode(cellId: string, cell: HTMLElement, onRun: () => void): CodeView {
  const text = h('div', { class: 'static-code', 'data-empty': 'Type code, then press Shift-Enter' });
  const failedMark = h('div', { class: 'error-line', hidden: true });
  const numbers = h('div', { class: 'line-numbers', 'aria-hidden': 'true' });
  const element = h('div', { class: 'code-box' }, h('div', { class: 'state-bar' }), numbers, failedMark, text, h('div', { class: 'progress-line' }));
  let source = '';
  let box: HTMLElement | null = null;
  const decorate = () => {
    const failed = failedLineOf(cellId).value;
    const problems = problemsOf(cellId).value.filter(({ severity }) => severity !== 'hint');
    const hasEditor = box !== null && !box.classList.contains('plain-code');
    failedMark.hidden = !failed || hasEditor;
    if (failed) failedMark.style.top = `${PAD + (failed.line - 1) * LINE}px`;
    if (hasEditor) drawSquiggles(text, []);
    else drawSquiggles(text, problems.map(({ start, length, severity }) => ({ start, length, isError: severity === 'error' })));
  };
  const drawShapes = () => {
    const { source: ofSource, hints } = shapesOf(cellId).value;
    for (const old of text.querySelectorAll('.shape-hint')) old.remove();
    if (ofSource !== source || hints.length === 0) return;
    const lines = source.split('\n');
    text.append(...hints.map(({ line, text: words }) => h('span', {
      class: 'shape-hint', 'aria-hidden': 'true', data: { text: words },
      style: { top: `${PAD + (line - 1) * LINE}px`, left: `calc(var(--code-pad-left) + ${lines[line - 1]!.length + 2}ch)` },
    })));
  };
  const stop = effect(decorate);
  const stopShapes = effect(drawShapes);
  // Long lines scroll sideways: then, and only then, the text is a stop for the Tab key.
  const reach = () => {
    const isWide = text.scrollWidth > text.clientWidth;
    setAttribute(text, 'tabindex', isWide ? '0' : null);
    setAttribute(text, 'role', isWide ? 'group' : null);
    setAttribute(text, 'aria-label', isWide ? 'Code, scrolls sideways' : null);
  };
  const sizes = new ResizeObserver(reach);
  sizes.observe(text);
  const paint = () => {
    const count = source.split('\n').length;
    if (numbers.childNodes.length !== count) numbers.replaceChildren(...Array.from({ length: count }, (_, i) => h('div', null, String(i + 1))));
    text.innerHTML = source.endsWith('\n') ? `${colour(source)}\u200b` : colour(source);
    decorate();
    untracked(drawShapes);
    if (text.isConnected) reach();
  };
  const seat: EditorSeat = {
    cellId,
    attach(next) {
      box = next;
      // A plain text area lies over the coloured text; Monaco takes its place.
      text.style.display = next.classList.contains('plain-code') ? '' : 'none';
      if (next.classList.contains('plain-code')) text.after(next);
      else element.insertBefore(next, text);
      decorate();
    },
    detach() {
      box = null;
      text.style.display = '';
      paint();
    },
    entered() {
      cell.classList.add('editing');
      selectedId.value = cellId;
      mode.value = 'edit';
    },
    left() {
      cell.classList.remove('editing');
      if (selectedId.value === cellId) mode.value = 'command';
    },
    run: onRun,
  };
  const view: CodeView = {
    element,
    seat,
    get source() {
      return source;
    },
    change(next) {
      failedLineOf(cellId).value = null;
      setSource(cellId, next);
    },
    show(next) {
      if (next === source && text.childNodes.length) return;
      source = next;
      paint();
    },
    edit: (caret) => enterEditor(view, caret),
    caret: () => caretOffset(cellId),
    close() {
      leaveEditor(cellId);
      sizes.disconnect();
      stop();
      stopShapes();
    },
  };
  text.addEventListener('mousedown', (event) => {
    // Where it cannot be changed, text can still be marked and copied.
    if (event.button !== 0 || isReadOnly.peek()) return;
    event.preventDefault();
    view.edit({ clientX: event.clientX, clientY: event.clientY });
  });
  return view;
}
