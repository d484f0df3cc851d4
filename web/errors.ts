// Puts errors under cells in words: cell numbers instead of ids, places as links, a hint, a way to try again.
import type { CellError, StackFrame } from '../notebook/protocol/messages.ts';
import { undeclaredName } from '../notebook/protocol/errors.ts';
import { codeNumber } from '../notebook/document/notebook.ts';
import { editCell } from './cells/column.ts';
import { h } from './dom.ts';
import type { OutputArea } from './outputs/area.ts';
import { declarerOf } from './freshness.ts';
import { failureView, type Place } from './outputs/failure.ts';
import { hasCell, notebook } from './store.ts';

export type ErrorFact = Pick<CellError, 'cellId' | 'name' | 'message' | 'line' | 'column' | 'frames' | 'hint'>;

/** `retry` is offered for failures that may pass by themselves: a download, a script that did not load. */
export function showError(area: OutputArea, error: ErrorFact, retry: (() => void) | null): void {
  const hint = whereDeclared(error) ?? error.hint;
  area.note(failureView({
    name: error.name,
    message: error.message,
    places: error.frames.map((frame) => placeOf(frame, error.cellId)),
    hint,
    note: '',
    retry,
  }, ({ cellId, line, column }) => {
    if (hasCell(cellId)) editCell(cellId, { line, column });
  }), { kind: 'error', error: { cellId: error.cellId, name: error.name, message: error.message, line: error.line, column: error.column, frames: error.frames, hint } });
}

function placeOf({ cellId, line, column, name, old }: StackFrame, failedId: string): Place {
  const number = hasCell(cellId) ? codeNumber(notebook.value, cellId) : 0;
  const cell = cellId === failedId ? 'line' : number ? `cell ${number}, line` : 'a deleted cell, line';
  return { cellId, line, column, words: `${cell} ${line}`, functionName: name, isOld: old };
}

/** A name that nobody has declared yet may stand in a cell that has not run. */
function whereDeclared({ cellId, name, message }: ErrorFact): string | null {
  const missing = undeclaredName(name, message);
  const declarer = missing === null ? null : declarerOf(cellId, missing);
  if (!declarer || !hasCell(declarer.id)) return null;
  const number = codeNumber(notebook.value, declarer.id);
  return declarer.isBelow ? `Cell ${number} further down declares \`${missing}\`: run it first, or move it up.` : `Cell ${number} declares \`${missing}\`: run it first.`;
}

export function showNote(area: OutputArea, words: string): void {
  area.note(h('p', { class: 'note-out', data: { kind: 'warn' } }, words), { kind: 'words', words });
}
