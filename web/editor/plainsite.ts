// Remembers which cells have a plain text area open.
import type { CodePlace } from './enter.ts';
import { openPlain, type PlainEditor } from './plain.ts';
import type { Caret } from './seat.ts';

const open = new Map<string, PlainEditor>();

export function hasPlain(cellId: string): boolean {
  return open.has(cellId);
}

/** The text area of the cell, made when there is none; it has the focus afterwards. */
export function plainFor(place: CodePlace, caret: Caret): PlainEditor {
  const { cellId } = place.seat;
  const known = open.get(cellId);
  if (known) {
    known.area.focus({ preventScroll: true });
    return known;
  }
  const made = openPlain(place.seat, place.source, (text) => place.change(text), caret);
  open.set(cellId, made);
  made.area.addEventListener('blur', () => setTimeout(() => {
    if (document.activeElement !== made.area) closePlain(cellId);
  }));
  return made;
}

export function closePlain(cellId: string): void {
  const known = open.get(cellId);
  if (!known) return;
  open.delete(cellId);
  known.close();
}

export function plainCaret(cellId: string): number | null {
  return open.get(cellId)?.area.selectionStart ?? null;
}
