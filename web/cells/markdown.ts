// A Markdown cell: read until a double click or Enter, then its source in a text area that grows with it.
import { h } from '../dom.ts';
import { mode, refuses, selectedId, setSource } from '../store.ts';
import { renderMarkdown } from './prose.ts';

export interface MarkdownView {
  readonly element: HTMLElement;
  show(source: string): void;
  edit(): void;
  caret(): number | null;
  /** Ends editing and shows the text. */
  finish(): void;
  close(): void;
}

export function makeMarkdown(cellId: string, cell: HTMLElement): MarkdownView {
  const prose = h('div', { class: 'prose' });
  const element = h('div', null, prose);
  let source = '';
  let area: HTMLTextAreaElement | null = null;
  let drawn: string | null = null;
  const draw = () => {
    if (drawn === source) return;
    drawn = source;
    if (source.trim() === '') prose.dataset.empty = '';
    else delete prose.dataset.empty;
    void renderMarkdown(prose, source);
  };
  const finish = () => {
    if (!area) return;
    const old = area;
    area = null;
    old.remove();
    prose.hidden = false;
    prose.style.display = '';
    cell.classList.remove('editing');
    draw();
    if (selectedId.value === cellId) mode.value = 'command';
  };
  const edit = () => {
    if (area) {
      area.focus();
      return;
    }
    if (refuses()) return;
    area = h('textarea', { class: 'markdown-source', value: source, spellcheck: true, 'aria-label': 'Text of the cell in Markdown. Escape ends editing.' });
    const height = prose.offsetHeight;
    area.style.minHeight = `${Math.max(78, height)}px`;
    area.addEventListener('input', () => setSource(cellId, area!.value));
    area.addEventListener('focus', () => {
      cell.classList.add('editing');
      selectedId.value = cellId;
      mode.value = 'edit';
    });
    area.addEventListener('blur', () => setTimeout(() => {
      if (area && document.activeElement !== area && document.hasFocus()) finish();
    }));
    prose.style.display = 'none';
    element.append(area);
    area.focus({ preventScroll: true });
  };
  prose.addEventListener('dblclick', (event) => {
    if (!(event.target as Element).closest('a')) edit();
  });
  return {
    element,
    show(next) {
      source = next;
      if (!area) draw();
      else if (area.value !== next) area.value = next;
    },
    edit,
    caret: () => area?.selectionStart ?? null,
    finish,
    close: finish,
  };
}
