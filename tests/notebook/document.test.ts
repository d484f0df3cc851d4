// Laws of the document: edits can be taken back, and what is printed reads back the same. Random notebooks, fixed seeds.
import { describe, expect, test } from 'vitest';
import { apply, invert, mergeCells, removeCell, setSource, splitCell } from '../../notebook/document/edit.ts';
import { parseMarkdown, printMarkdown } from '../../notebook/document/markdown.ts';
import { codeNumber, toNotebook } from '../../notebook/document/notebook.ts';
import { randomEdit, randomNotebook, seeded } from './random.ts';

describe('edits', () => {
  test('an edit taken back gives the notebook that was there before', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = seeded(seed);
      let notebook = randomNotebook(random);
      for (let i = 0; i < 10; i++) {
        const edit = randomEdit(random, notebook);
        const after = apply(notebook, edit);
        expect(apply(after, invert(edit)), `seed ${seed}, edit ${JSON.stringify(edit)}`).toEqual(notebook);
        expect(new Set(after.cells.map(({ id }) => id)).size, `seed ${seed}`).toBe(after.cells.length);
        notebook = after;
      }
    }
  });

  test('cells that an edit does not touch stay the same objects', () => {
    const notebook = toNotebook({ cells: ['1', '2', '3'] });
    const after = apply(notebook, setSource(notebook, 'cell-2', 'new'));
    expect(after.cells.map((cell, i) => cell === notebook.cells[i])).toEqual([true, false, true]);
  });

  test('a split cuts the text at the line end, and a merge puts it back', () => {
    const notebook = toNotebook({ cells: ['a\nb'] });
    const split = apply(notebook, splitCell(notebook, 'cell-1', 1));
    expect(split.cells.map(({ source }) => source)).toEqual(['a', 'b']);
    const merged = apply(split, mergeCells(split, split.cells.map(({ id }) => id)));
    expect(merged).toEqual(notebook);
  });

  test('an edit made for another notebook is refused', () => {
    const notebook = toNotebook({ cells: ['1', '2'] });
    expect(() => apply(toNotebook(), removeCell(notebook, 'cell-2'))).toThrow("edit: made for another notebook: cell 'cell-2' is not at position 1");
  });
});

describe('Markdown', () => {
  test('a printed notebook reads back the same', () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const notebook = randomNotebook(seeded(seed));
      const text = printMarkdown(notebook);
      expect(parseMarkdown(text), `seed ${seed}:\n${text}`).toEqual(notebook);
    }
  });

  test('a lesson reads as text and code cells with their attributes', () => {
    const text = '---\nseed: 7\nlevel: first steps\n---\n\n# Lines\n\nSome text.\n\n```js\nnot a cell\n```\n\n```ts id=fit tags="a,b" collapse\nconst a = 1\n```\n\n```typescript\na\n```\n';
    expect(parseMarkdown(text)).toEqual({
      title: 'Lines',
      metadata: { seed: 7, level: 'first steps' },
      cells: [
        { id: 'cell-1', kind: 'markdown', source: '# Lines\n\nSome text.\n\n```js\nnot a cell\n```', attributes: {} },
        { id: 'fit', kind: 'code', source: 'const a = 1', attributes: { tags: 'a,b', collapse: '' } },
        { id: 'cell-3', kind: 'code', source: 'a', attributes: {} },
      ],
    });
  });

  test('files with Windows line ends and a byte order mark read the same', () => {
    const text = '---\ntitle: T\n---\n\ntext\n\n```ts\n1\n```\n';
    expect(parseMarkdown(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(parseMarkdown(text));
  });

  for (const [sentence, text, message] of [
    ['a code cell without end is refused with its line', 'text\n\n```ts\n1', 'line 3: the code cell that begins here is never closed with ```'],
    ['a malformed attribute is refused with its line', '```ts =3\n```', 'line 1: expected attributes such as id=name or tags="a,b", got "=3"'],
    ['a bad id is refused with its line', '```ts id=a.b\n```', `line 1: a cell id has letters, digits, '-' and '_', got "a.b"`],
    ['front matter that is no list of values is refused', '---\nnonsense\n---\n', `line 2: expected 'name: value' in the front matter, got "nonsense"`],
    ['two cells with one id are refused', '```ts id=a\n```\n\n```ts id=a\n```', "cell id: two cells are named 'a'; give one another id"],
  ] as const) {
    test(sentence, () => expect(() => parseMarkdown(text)).toThrow(message));
  }

  test('code cells are numbered from 1, without the text between them', () => {
    const notebook = toNotebook({ cells: ['1', { kind: 'markdown' }, '2'] });
    expect(notebook.cells.map(({ id }) => codeNumber(notebook, id))).toEqual([1, 0, 2]);
  });
});
