// Sections: a heading folds what follows it, up to the next heading of its level or above. Kept in the heading's cell as `fold`.
import { computed } from '@preact/signals-core';
import type { Cell } from '../../notebook/document/notebook.ts';
import { cellOf, indexOf, notebook, setAttribute } from '../store.ts';

/** Level of the first heading that a text cell begins with, or 0. */
export function headingLevel({ kind, source }: Cell): number {
  const marks = kind === 'markdown' ? /^\s*(#{1,6})\s+\S/.exec(source)?.[1] : undefined;
  return marks?.length ?? 0;
}

/** Hidden cell -> the folded heading that hides it; and how many cells each folded heading hides. */
export const folds = computed(() => {
  const hidden = new Map<string, string>();
  const counts = new Map<string, number>();
  let owner: { readonly id: string; readonly level: number } | null = null;
  for (const cell of notebook.value.cells) {
    const level = headingLevel(cell);
    if (owner && level > 0 && level <= owner.level) owner = null;
    if (owner) {
      hidden.set(cell.id, owner.id);
      counts.set(owner.id, counts.get(owner.id)! + 1);
    } else if (level > 0 && cell.attributes.fold !== undefined) {
      owner = { id: cell.id, level };
      counts.set(cell.id, 0);
    }
  }
  return { hidden, counts };
});

/** The next cell that is not hidden. */
export function visibleNeighbour(id: string, by: 1 | -1): Cell | undefined {
  const { cells } = notebook.value;
  for (let i = indexOf(id) + by; i >= 0 && i < cells.length; i += by) if (!folds.value.hidden.has(cells[i]!.id)) return cells[i];
  return undefined;
}

/** Folds or unfolds the section that the cell is in; returns the heading's cell, or the cell when it is in no section. */
export function setFold(id: string, isFolded: boolean): string {
  const { cells } = notebook.value;
  for (let i = indexOf(id); i >= 0; i--) {
    if (headingLevel(cells[i]!) === 0) continue;
    setAttribute([cells[i]!.id], 'fold', isFolded ? '' : null);
    return cells[i]!.id;
  }
  return id;
}

export function foldAll(isFolded: boolean): void {
  setAttribute(notebook.value.cells.filter((cell) => headingLevel(cell) > 0).map(({ id }) => id), 'fold', isFolded ? '' : null);
}

/** Opens whatever hides the cell. */
export function unfoldAround(id: string): void {
  for (let owner = folds.value.hidden.get(id); owner && cellOf(owner); owner = folds.value.hidden.get(id)) setAttribute([owner], 'fold', null);
}
