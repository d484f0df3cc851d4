// The undo stack of cells, without a browser: every change is taken back whole, and typed text is never lost.
import { beforeEach, describe, expect, test } from 'vitest';
import { toNotebook } from '../../notebook/document/notebook.ts';
import * as store from '../../web/store.ts';

const { notebook } = store;
const texts = () => notebook.value.cells.map(({ source }) => source);

beforeEach(() => store.openNotebook(toNotebook({ cells: ['a', 'b', 'c', 'd'].map((id) => ({ id, source: `${id}1\n${id}2` })) })));

const changes: [name: string, change: () => void, after: string[]][] = [
  ['deleting several', () => store.removeCells(['b', 'c']), ['a1\na2', 'd1\nd2']],
  ['moving several', () => store.moveBy(['a', 'b'], 1), ['c1\nc2', 'a1\na2', 'b1\nb2', 'd1\nd2']],
  ['splitting', () => void store.splitCell('b', 2), ['a1\na2', 'b1', 'b2', 'c1\nc2', 'd1\nd2']],
  ['merging', () => store.mergeCells(['a', 'b']), ['a1\na2\nb1\nb2', 'c1\nc2', 'd1\nd2']],
  ['duplicating', () => void store.duplicateCells(['d']), ['a1\na2', 'b1\nb2', 'c1\nc2', 'd1\nd2', 'd1\nd2']],
  ['replacing in several', () => store.setSources(new Map([['a', 'x'], ['d', 'y']])), ['x', 'b1\nb2', 'c1\nc2', 'y']],
];

test.each(changes)('%s is one step: undo and redo give whole notebooks back', (_, change, after) => {
  const before = notebook.value;
  change();
  expect(texts()).toEqual(after);
  const changed = notebook.value;
  store.undo();
  expect(notebook.value).toEqual(before);
  store.redo();
  expect(notebook.value).toEqual(changed);
  store.undo();
  expect(store.canUndo.value).toBe(false);
});

describe('text that was typed after a change of cells', () => {
  test('stays when a deletion elsewhere is undone', () => {
    store.removeCells(['d']);
    store.setSource('a', 'typed');
    store.undo();
    expect(texts()).toEqual(['typed', 'b1\nb2', 'c1\nc2', 'd1\nd2']);
  });
  test('stays in both halves when a split is undone', () => {
    const lower = store.splitCell('b', 2);
    store.setSource('b', 'upper typed');
    store.setSource(lower, 'lower typed');
    store.undo();
    expect(texts()[1]).toBe('upper typed\nlower typed');
    store.redo();
    expect(texts().slice(1, 3)).toEqual(['upper typed', 'lower typed']);
  });
  test('stays when a merge is undone, and the other cells come back', () => {
    store.mergeCells(['a', 'b']);
    store.setSource('a', 'merged and typed');
    store.undo();
    expect(texts()).toEqual(['merged and typed', 'b1\nb2', 'c1\nc2', 'd1\nd2']);
  });
  test('stays when the kind of its cell is changed back', () => {
    store.setKind(['a'], 'markdown');
    store.setSource('a', '# typed');
    store.undo();
    expect(notebook.value.cells[0]).toMatchObject({ kind: 'code', source: '# typed' });
  });
});

test('a selection grows and shrinks from where it began, and any other selection ends it', () => {
  store.selectOnly('b');
  store.extendSelection('c');
  store.extendSelection('d');
  expect(store.selectedIds.value).toEqual(['b', 'c', 'd']);
  store.extendSelection('a');
  expect(store.selectedIds.value).toEqual(['a', 'b']);
  store.selectedId.value = 'c';
  expect(store.selectedIds.value).toEqual(['c']);
});

test('what belongs to a step beside the notebook is undone and redone with it', () => {
  const log: string[] = [];
  store.changeBeside({ undo: () => log.push('undo'), redo: () => log.push('redo') });
  store.undo();
  store.redo();
  expect(log).toEqual(['undo', 'redo']);
});
