// One cell of the page: gutter, body, tools. Built once, then changed in place.
import { effect } from '@preact/signals-core';
import type { Cell } from '../../notebook/document/notebook.ts';
import { h, setAttribute } from '../dom.ts';
import type { Caret } from '../editor/seat.ts';
import type { OutputArea } from '../outputs/area.ts';
import { runOf } from '../runs.ts';
import { runCell, outputsOf, stopCell } from '../session.ts';
import { icon, type IconName } from '../shell/icons.ts';
import { indexOf, insertCell, moveCell, removeCell, selectedId } from '../store.ts';
import { makeCode } from './code.ts';
import { makeGutter, shownState, stateWords } from './gutter.ts';
import { makeMarkdown } from './markdown.ts';

export interface CellView {
  readonly id: string;
  readonly kind: Cell['kind'];
  readonly element: HTMLElement;
  /** `number`: among the code cells, from 1; 0 for text. */
  show(cell: Cell, number: number): void;
  edit(caret: Caret): void;
  /** Text cells show themselves; code cells have nothing to end. */
  finish(): void;
  close(): void;
}

export function makeCell({ id, kind }: Cell): CellView {
  const body = h('div', { class: 'body' });
  const element = h('section', { class: `cell ${kind}`, tabIndex: -1, data: { id, kind, state: 'none' } }, body);
  const stops: (() => void)[] = [];
  stops.push(effect(() => {
    const isSelected = selectedId.value === id;
    setAttribute(element, 'data-selected', isSelected ? '' : null);
    element.tabIndex = isSelected ? 0 : -1;
  }));
  element.addEventListener('focusin', () => {
    selectedId.value = id;
  });
  element.addEventListener('mousedown', (event) => {
    selectedId.value = id;
    if (!(event.target as Element).closest('button, a, textarea, input, summary, .editor-slot, .static-code, [tabindex="0"]:not(.cell)')) element.focus({ preventScroll: true });
  });
  if (kind === 'markdown') {
    const view = makeMarkdown(id, element);
    body.append(tools(id), view.element);
    element.prepend(h('div', { class: 'gutter' }));
    return {
      id, kind, element,
      show(cell) {
        view.show(cell.source);
        setAttribute(element, 'aria-label', `Text: ${cell.source.replace(/[#*_`$]/g, '').trim().slice(0, 60) || 'empty'}`);
      },
      edit: () => view.edit(),
      finish: () => view.finish(),
      close() {
        view.close();
        for (const stop of stops) stop();
        element.remove();
      },
    };
  }
  const view = makeCode(id, element, () => runCell(id));
  const gutter = makeGutter(id, () => runCell(id), () => stopCell(id));
  const outputs: OutputArea = outputsOf(id);
  body.append(tools(id), view.element, outputs.element);
  element.prepend(gutter.element);
  let source = '';
  let number = 0;
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
    show(cell, shownNumber) {
      source = cell.source;
      number = shownNumber;
      view.show(source);
      gutter.show(source);
      element.dataset.number = String(number);
      label();
    },
    edit: (caret) => view.edit(caret),
    finish: () => undefined,
    close() {
      view.close();
      gutter.close();
      for (const stop of stops) stop();
      outputs.element.remove();
      element.remove();
    },
  };
}

function tools(id: string): HTMLElement {
  const button = (name: IconName, label: string, act: () => void) => h('button', { class: 'icon-button', type: 'button', title: label, 'aria-label': label, on: { click: act } }, icon(name));
  return h('div', { class: 'cell-tools', role: 'toolbar', 'aria-label': 'Cell' },
    button('code', 'Add code below (B)', () => insertCell(indexOf(id) + 1, 'code')),
    button('text', 'Add text below', () => insertCell(indexOf(id) + 1, 'markdown')),
    button('up', 'Move up (Alt-↑)', () => moveCell(id, -1)),
    button('down', 'Move down (Alt-↓)', () => moveCell(id, 1)),
    button('bin', 'Delete (D D)', () => removeCell(id)));
}
