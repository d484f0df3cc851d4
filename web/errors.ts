// Puts errors under cells in words: cell numbers instead of ids, places as links, a hint, a way to try again.
import type { CellError, StackFrame } from '../notebook/protocol/messages.ts';
import { codeNumber } from '../notebook/document/notebook.ts';
import { editCell } from './cells/column.ts';
import { h } from './dom.ts';
import type { OutputArea } from './outputs/area.ts';
import { failureView, type Place } from './outputs/failure.ts';
import { hasCell, notebook } from './store.ts';

export type ErrorFact = Pick<CellError, 'cellId' | 'name' | 'message' | 'line' | 'column' | 'frames' | 'hint'>;

/** `retry` is offered for failures that may pass by themselves: a download, a script that did not load. */
export function showError(area: OutputArea, error: ErrorFact, retry: (() => void) | null): void {
  area.note(failureView({
    name: error.name,
    message: error.message,
    places: error.frames.map((frame) => placeOf(frame, error.cellId)),
    hint: error.hint,
    note: '',
    retry,
  }, ({ cellId, line, column }) => {
    if (hasCell(cellId)) editCell(cellId, { line, column });
  }), { kind: 'error', error: { cellId: error.cellId, name: error.name, message: error.message, line: error.line, column: error.column, frames: error.frames, hint: error.hint } });
}

function placeOf({ cellId, line, column, name, old }: StackFrame, failedId: string): Place {
  const number = hasCell(cellId) ? codeNumber(notebook.value, cellId) : 0;
  const cell = cellId === failedId ? 'line' : number ? `cell ${number}, line` : 'a deleted cell, line';
  return { cellId, line, column, words: `${cell} ${line}`, functionName: name, isOld: old };
}

export function showNote(area: OutputArea, words: string): void {
  area.note(h('p', { class: 'note-out', data: { kind: 'warn' } }, words), { kind: 'words', words });
}
