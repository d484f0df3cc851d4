// Small forms: tags of cells, title and seed of the notebook.
import { h } from '../dom.ts';
import { focusCell } from '../cells/column.ts';
import { cellOf, notebook, selectedId, selectedIds, setAttribute, setMetadata, setTitle } from '../store.ts';
import { openSheet } from './help.ts';
import { say } from './note.ts';

export function tagsOf(attributes: Readonly<Record<string, string>>): string[] {
  return (attributes.tags ?? '').split(',').map((tag) => tag.trim()).filter(Boolean);
}

function form(title: string, fields: readonly HTMLElement[], act: string, save: () => void): void {
  const body = h('form', { class: 'fields', method: 'dialog', on: { submit: () => save() } }, fields,
    h('div', { class: 'choices' }, h('button', { class: 'button', type: 'button', on: { click: () => dialog.close() } }, 'Cancel'), h('button', { class: 'button main', type: 'submit' }, act)));
  const dialog = openSheet(title, [body]);
  dialog.addEventListener('close', () => {
    if (selectedId.peek()) focusCell(selectedId.peek()!);
  });
  body.querySelector<HTMLInputElement>('input')?.select();
}

const field = (label: string, input: HTMLElement, hint: string) => h('label', { class: 'field' }, h('span', null, label), input, hint ? h('small', null, hint) : null);

export function openTags(): void {
  const ids = selectedIds.value;
  if (!ids.length) return say('Select a cell first');
  const input = h('input', { type: 'text', value: tagsOf(cellOf(ids[0]!)!.attributes).join(', '), spellcheck: false });
  form('Tags', [field('Tags of the cell', input, 'Words with commas between them, for example: setup, slow')], 'Set tags', () => {
    const tags = [...new Set(input.value.split(',').map((tag) => tag.trim()).filter(Boolean))].join(',');
    setAttribute(ids, 'tags', tags || null, true);
  });
}

export function openSettings(): void {
  const { title, metadata } = notebook.value;
  const name = h('input', { type: 'text', value: title });
  const seed = h('input', { type: 'number', min: '0', step: '1', value: typeof metadata.seed === 'number' ? String(metadata.seed) : '', placeholder: '0' });
  form('Title and seed', [
    field('Title', name, ''),
    field('Seed', seed, 'Random numbers start from it at each start of the kernel: the same seed gives the same numbers.'),
  ], 'Set', () => {
    setTitle(name.value.trim() || 'Untitled');
    const { seed: before, ...others } = notebook.value.metadata;
    const after = seed.value === '' ? undefined : Math.max(0, Math.floor(Number(seed.value)));
    if (after === before) return;
    setMetadata(after === undefined ? others : { ...notebook.value.metadata, seed: after });
    say('The seed counts from the next restart of the kernel on');
  });
}
