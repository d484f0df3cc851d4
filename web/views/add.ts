// A view by a menu: a cell with its one line under the selected cell, run at once when the notebook has what it looks at.
import { focusCell } from '../cells/column.ts';
import { valueKinds } from '../freshness.ts';
import { runCells } from '../session.ts';
import { say } from '../shell/note.ts';
import { indexOf, insertCell, notebook, selectedId, selectOnly } from '../store.ts';
import { callFor, namesIn } from './calls.ts';

export function addView(view: string): void {
  const { line, isComplete } = callFor(view, namesIn(valueKinds()));
  const below = selectedId.value ? indexOf(selectedId.value) : -1;
  const id = insertCell(below < 0 ? notebook.value.cells.length : below + 1, 'code', line);
  selectOnly(id);
  if (isComplete) runCells([id]);
  else say('No model and data yet. Run the cells that make them, then this one');
  focusCell(id, 'high');
}
