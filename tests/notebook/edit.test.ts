// Edits of several cells at once: where they end up, and that they can be taken back.
import { describe, expect, test } from 'vitest';
import { apply, inOrder, insertCell, invert, moveCells, removeCell } from '../../notebook/document/edit.ts';
import { toNotebook, type Notebook } from '../../notebook/document/notebook.ts';

const five = toNotebook({ cells: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, source: id })) });
const order = (notebook: Notebook) => notebook.cells.map(({ id }) => id).join('');

describe('moving cells together', () => {
  const cases: [moved: string, index: number, expected: string][] = [
    ['a', 0, 'abcde'],
    ['a', 1, 'abcde'],
    ['a', 2, 'bacde'],
    ['e', 0, 'eabcd'],
    ['ab', 5, 'cdeab'],
    ['bc', 1, 'abcde'],
    ['de', 1, 'adebc'],
    ['ae', 3, 'bcaed'],
    ['abcde', 2, 'abcde'],
  ];
  test.each(cases)('%s to place %i gives %s, and back', (moved, index, expected) => {
    const edit = moveCells(five, [...moved], index);
    const after = apply(five, edit);
    expect(order(after)).toBe(expected);
    expect(apply(after, invert(edit))).toEqual(five);
  });
});

test('edits in order are one step, each made for the result of the one before', () => {
  const edit = inOrder(five, [(n) => removeCell(n, 'a'), (n) => insertCell(n, 0, { id: 'x' }), (n) => removeCell(n, 'e')]);
  const after = apply(five, edit);
  expect(order(after)).toBe('xbcd');
  expect(apply(after, invert(edit))).toEqual(five);
});
