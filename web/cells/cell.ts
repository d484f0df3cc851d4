// One cell of the page: gutter, body, tools, marks of what is hidden. Built once, then changed in place.
import { effect } from '@preact/signals-core';
import type { Cell } from '../../notebook/document/notebook.ts';
import { h, setAttribute } from '../dom.ts';
import { leaveEditor } from '../editor/enter.ts';
import type { Caret } from '../editor/seat.ts';
import type { OutputArea } from '../outputs/area.ts';
import { runOf } from '../runs.ts';
import { runCell, outputsOf, stopCell } from '../session.ts';
import { extendSelection, selectedId, selectedIds, selectOnly, setAttribute as setCellAttribute } from '../store.ts';
import { makeCode } from './code.ts';
import { folds, headingLevel, setFold } from './fold.ts';
import { makeGutter, shownState, stateWords } from './gutter.ts';
import { makeMarkdown } from './markdown.ts';
import { foldButton, hiddenBar, makeTools, tagList } from './tools.ts';

export interface CellView {
  readonly id: string;
  readonly kind: Cell['kind'];
  readonly element: HTMLElement;
  /** `number`: among the code cells, from 1; 0 for text. */
  show(cell: Cell, number: number): void;
  edit(caret: Caret): void;
  /** Where the cursor is, or was last, in the text; null when it never was. */
  caret(): number | null;
  /** Text cells show themselves; code cells have nothing to end. */
  finish(): void;
  /** The editor goes; the static text stays. */
  leave(): void;
  close(): void;
}

export function makeCell(cell: Cell): CellView {
  return cell.kind === 'markdown' ? makeTextCell(cell) : makeCodeCell(cell);
}

/** What both kinds share: the frame, selection, folding. */
function makeFrame({ id, kind }: Cell) {
  const body = h('div', { class: 'body' });
  const tags = tagList();
  const element = h('section', { class: `cell ${kind}`, tabIndex: -1, data: { id, kind, state: 'none' } }, body);
  const stops = [
    effect(() => {
      const isSelected = selectedId.value === id;
      const ids = selectedIds.value;
      setAttribute(element, 'data-selected', ids.includes(id) ? (ids.length > 1 ? 'many' : '') : null);
      element.tabIndex = isSelected ? 0 : -1;
    }),
    effect(() => {
      element.hidden = folds.value.hidden.has(id);
    }),
  ];
  element.addEventListener('focusin', () => {
    // A button of one of several selected cells leaves them selected.
    if (!selectedIds.value.includes(id)) selectedId.value = id;
  });
  element.addEventListener('mousedown', (event) => {
    const target = event.target as Element;
    if (target.closest('.cell-tools')) return;
    if (event.shiftKey && !target.closest('.editing, button, a')) {
      event.preventDefault();
      extendSelection(id);
      return element.focus({ preventScroll: true });
    }
    selectOnly(id);
    if (!target.closest('button, a, textarea, input, summary, select, .editor-slot, .static-code, [tabindex="0"]:not(.cell)')) element.focus({ preventScroll: true });
  }, { capture: true });
  return { body, tags, element, stops };
}

function makeTextCell(cell: Cell): CellView {
  const { id, kind } = cell;
  const { body, tags, element, stops } = makeFrame(cell);
  const view = makeMarkdown(id, element);
  const fold = foldButton(() => setFold(id, element.dataset.fold === undefined));
  const folded = h('button', { class: 'hidden-bar', type: 'button', hidden: true, on: { click: () => setFold(id, false) } });
  body.append(makeTools(id, element), tags.element, view.element, folded);
  element.prepend(h('div', { class: 'gutter' }, fold));
  stops.push(effect(() => {
    const count = folds.value.counts.get(id);
    folded.hidden = !count;
    folded.textContent = count ? `${count} ${count === 1 ? 'cell' : 'cells'} folded` : '';
  }));
  return {
    id, kind, element,
    show(next) {
      view.show(next.source);
      tags.show(next.attributes);
      const isFolded = next.attributes.fold !== undefined;
      setAttribute(element, 'data-fold', isFolded ? '' : null);
      fold.hidden = headingLevel(next) === 0;
      fold.setAttribute('aria-expanded', String(!isFolded));
      fold.setAttribute('aria-label', isFolded ? 'Unfold the section' : 'Fold the section');
      setAttribute(element, 'aria-label', `Text: ${next.source.replace(/[#*_`$]/g, '').trim().slice(0, 60) || 'empty'}${isFolded ? ', folded' : ''}`);
    },
    edit: () => view.edit(),
    caret: () => view.caret(),
    finish: () => view.finish(),
    leave: () => view.finish(),
    close() {
      view.close();
      for (const stop of stops) stop();
      element.remove();
    },
  };
}

function makeCodeCell(cell: Cell): CellView {
  const { id, kind } = cell;
  const { body, tags, element, stops } = makeFrame(cell);
  const view = makeCode(id, element, () => runCell(id));
  const gutter = makeGutter(id, () => runCell(id), () => stopCell(id));
  const outputs: OutputArea = outputsOf(id);
  const unhide = (part: 'code' | 'output') => setCellAttribute([id], 'collapse', collapse === 'both' ? (part === 'code' ? 'output' : 'code') : null);
  const codeBar = hiddenBar('Code hidden', () => unhide('code'));
  const outputBar = hiddenBar('Output hidden', () => unhide('output'));
  body.append(makeTools(id, element), tags.element, codeBar, view.element, outputBar, outputs.element);
  element.prepend(gutter.element);
  let source = '';
  let number = 0;
  let collapse: string | undefined;
  const label = () => {
    const run = runOf(id).value;
    const state = shownState(run, source);
    element.dataset.state = state;
    const lines = source.split('\n').length;
    setAttribute(element, 'aria-label', `Code cell ${number}, ${stateWords(run, state)}, ${lines} ${lines === 1 ? 'line' : 'lines'}`);
  };
  stops.push(effect(label));
  return {
    id, kind, element,
    show(next, shownNumber) {
      source = next.source;
      number = shownNumber;
      collapse = next.attributes.collapse;
      setAttribute(element, 'data-collapse', collapse ?? null);
      codeBar.hidden = collapse !== 'code' && collapse !== 'both';
      codeBar.lastChild!.textContent = source.split('\n').find((line) => line.trim())?.slice(0, 60) ?? '';
      outputBar.hidden = collapse !== 'output' && collapse !== 'both';
      view.show(source);
      gutter.show(source);
      tags.show(next.attributes);
      element.dataset.number = String(number);
      label();
    },
    edit: (caret) => view.edit(caret),
    caret: () => view.caret(),
    finish: () => undefined,
    leave: () => leaveEditor(id),
    close() {
      view.close();
      gutter.close();
      for (const stop of stops) stop();
      outputs.element.remove();
      element.remove();
    },
  };
}
