// Short notes at the foot of the page that go by themselves: what just happened, and a way to take it back.
import { effect, signal } from '@preact/signals-core';
import { focusCell } from '../cells/column.ts';
import { h } from '../dom.ts';
import { lastDeleted, opening, selectedId, undo } from '../store.ts';

const SHOWN_MS = 8000;

interface Note {
  readonly words: string;
  readonly action?: { readonly words: string; run(): void };
}

const shown = signal<Note | null>(null);

/** Shows a note in place of the one before. */
export function say(words: string, action?: Note['action']): void {
  shown.value = { words, ...(action && { action }) };
}

export function startNotes(): void {
  // Always there, so that screen readers hear what is put into it.
  const place = h('div', { role: 'status', 'aria-live': 'polite' });
  document.body.append(place);
  let timer = 0;
  effect(() => {
    const words = lastDeleted.value;
    if (words) say(words, { words: 'Undo', run: () => { undo(); if (selectedId.value) focusCell(selectedId.value); } });
    else if (shown.peek()?.action?.words === 'Undo') shown.value = null;
  });
  // What was said of one notebook says nothing of the next.
  effect(() => {
    void opening.value;
    shown.value = null;
  });
  effect(() => {
    const note = shown.value;
    clearTimeout(timer);
    place.replaceChildren(...(note ? [h('div', { class: 'undo-note' }, h('span', null, note.words), note.action ? h('button', { class: 'button', type: 'button', on: { click: () => { shown.value = null; note.action!.run(); } } }, note.action.words) : null)] : []));
    if (note) timer = window.setTimeout(() => { shown.value = null; }, SHOWN_MS);
  });
}
