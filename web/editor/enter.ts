// Which editor a cell gets: Monaco when it has loaded, a plain text area before that and on touch devices.
import { refuses, setSource } from '../store.ts';
import { closePlain, hasPlain, plainCaret, plainFor } from './plainsite.ts';
import { isTouch } from './plain.ts';
import type { Caret, EditorSeat } from './seat.ts';

/** A code cell as editors see it. */
export interface CodePlace {
  readonly seat: EditorSeat;
  readonly source: string;
  change(source: string): void;
}

type Pool = typeof import('./pool.ts');
let pool: Pool | null = null;
let loading: Promise<void> | null = null;
let opener: (cellId: string, caret: Caret) => void = () => undefined;

/** How to show a place in another cell; set once at start. */
export function onOpenPlace(open: (cellId: string, caret: Caret) => void): void {
  opener = open;
}

/** Loads Monaco, once. Without it (no connection) cells keep the plain text area. */
export function loadMonaco(): Promise<void> {
  if (isTouch) return Promise.resolve();
  loading ??= import('./pool.ts').then((module) => {
    module.startPool((cellId, caret) => opener(cellId, caret));
    pool = module;
    document.documentElement.dataset.editor = 'monaco';
  }, (error: unknown) => {
    loading = null;
    console.warn(`The code editor did not load, cells use a plain text field: ${error instanceof Error ? error.message : error}`);
  });
  return loading;
}

export function enterEditor(place: CodePlace, caret: Caret): void {
  if (refuses()) return;
  if (pool && !hasPlain(place.seat.cellId)) {
    pool.openEditor(place.seat, caret);
    return;
  }
  const plain = plainFor(place, caret);
  if (!plain || isTouch) return;
  void loadMonaco().then(() => {
    if (!pool || !hasPlain(place.seat.cellId)) return;
    const hadFocus = document.activeElement === plain.area;
    const offset = plain.area.selectionStart;
    closePlain(place.seat.cellId);
    if (hadFocus) pool.openEditor(place.seat, { offset });
  });
}

export function leaveEditor(cellId: string): void {
  closePlain(cellId);
  pool?.closeEditor(cellId);
}

/** Where the cursor is in the cell's text, or null when no editor is in it. */
export function caretOffset(cellId: string): number | null {
  return plainCaret(cellId) ?? pool?.caretOf(cellId) ?? null;
}

/** New text as one step of the editor's own undo, where the cell has an editor that can. */
export function replaceText(cellId: string, text: string): void {
  if (refuses()) return;
  if (pool && !hasPlain(cellId)) pool.replaceText(cellId, text);
  else {
    closePlain(cellId);
    setSource(cellId, text);
  }
}
