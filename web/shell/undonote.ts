// A short note with Undo after a cell was deleted. It goes by itself; Z undoes at any time.
import { effect } from '@preact/signals-core';
import { focusCell } from '../cells/column.ts';
import { h } from '../dom.ts';
import { lastDeleted, selectedId, undo } from '../store.ts';

const SHOWN_MS = 8000;

export function startUndoNote(): void {
  let note: HTMLElement | null = null;
  let timer = 0;
  effect(() => {
    const words = lastDeleted.value;
    note?.remove();
    clearTimeout(timer);
    note = null;
    if (!words) return;
    note = h('div', { class: 'undo-note', role: 'status' }, words, h('button', { class: 'button', type: 'button', on: { click: () => {
      undo();
      if (selectedId.value) focusCell(selectedId.value);
    } } }, 'Undo'));
    document.body.append(note);
    timer = window.setTimeout(() => { lastDeleted.value = null; }, SHOWN_MS);
  });
}
