// Moves cells by their handle with mouse, pen or finger; a line shows where they will stand. Keys do the same (Alt-↑, Alt-↓).
import { h } from '../dom.ts';
import { indexOf, moveTo, selectedIds, selectOnly } from '../store.ts';
import { icon } from '../shell/icons.ts';

const EDGE = 72;

export function dragHandle(id: string): HTMLElement {
  const handle = h('button', { class: 'icon-button drag-handle', type: 'button', tabIndex: -1, title: 'Drag to move (Alt-↑, Alt-↓)', 'aria-label': 'Drag to move; Alt and an arrow key do the same' }, icon('grip'));
  handle.addEventListener('pointerdown', (event) => {
    if (event.button === 0) begin(event, handle, id);
  });
  return handle;
}

function begin(down: PointerEvent, handle: HTMLElement, id: string): void {
  down.preventDefault();
  if (!selectedIds.value.includes(id)) selectOnly(id);
  const ids = selectedIds.value;
  const list = document.querySelector('.cells')!;
  const cells = [...list.querySelectorAll<HTMLElement>(':scope > .cell:not([hidden])')];
  const line = h('div', { class: 'drop-line', 'aria-hidden': 'true' });
  let target: number | null = null;
  let pointer = down.clientY;
  let frame = 0;
  handle.setPointerCapture(down.pointerId);
  const show = () => {
    const next = cells.find((cell) => {
      const { top, height } = cell.getBoundingClientRect();
      return pointer < top + height / 2;
    });
    target = next ? indexOf(next.dataset.id!) : indexOf(cells.at(-1)!.dataset.id!) + 1;
    const top = next ? next.offsetTop : cells.at(-1)!.offsetTop + cells.at(-1)!.offsetHeight;
    line.style.top = `${top - 1}px`;
    if (!line.isConnected) list.append(line);
  };
  const scroll = () => {
    const by = pointer < EDGE + 52 ? pointer - EDGE - 52 : pointer > innerHeight - EDGE ? pointer - innerHeight + EDGE : 0;
    if (by && line.isConnected) {
      scrollBy(0, by / 5);
      show();
    }
    frame = requestAnimationFrame(scroll);
  };
  const move = (event: PointerEvent) => {
    pointer = event.clientY;
    // A press that hardly moves is no drag.
    if (!line.isConnected && Math.abs(pointer - down.clientY) < 5) return;
    for (const cell of cells) cell.toggleAttribute('data-dragged', ids.includes(cell.dataset.id!));
    show();
  };
  const end = (event: PointerEvent | KeyboardEvent) => {
    if (event instanceof KeyboardEvent && event.key !== 'Escape') return;
    cancelAnimationFrame(frame);
    handle.removeEventListener('pointermove', move);
    handle.removeEventListener('pointerup', end);
    handle.removeEventListener('pointercancel', end);
    document.removeEventListener('keydown', end, true);
    for (const cell of cells) cell.removeAttribute('data-dragged');
    const isDrop = line.isConnected && event.type === 'pointerup';
    line.remove();
    if (isDrop && target !== null) moveTo(ids, target);
  };
  handle.addEventListener('pointermove', move);
  handle.addEventListener('pointerup', end);
  handle.addEventListener('pointercancel', end);
  document.addEventListener('keydown', end, true);
  frame = requestAnimationFrame(scroll);
}
