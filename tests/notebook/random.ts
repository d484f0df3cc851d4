// Random notebooks and edits from a seed, full of lines that a careless format would trip over.
import {
  duplicateCell,
  type Edit,
  insertCell,
  mergeCells,
  moveCell,
  removeCell,
  setAttribute,
  setKind,
  setMetadata,
  setSource,
  setTitle,
  splitCell,
} from '../../notebook/document/edit.ts';
import { type Notebook, type NotebookSpec, toNotebook } from '../../notebook/document/notebook.ts';

export type Random = () => number;

/** Small seeded generator (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

// Lines that a careless format would trip over.
const LINES = [
  '// %%', '// %% [markdown]', '// \\%% a', '// ---', '//', '// text', '%%', '', '', 'text', '# Title', '---', '```', '```ts', '```js', '~~~', '````', '  indented', '<!-- cell -->', '<!-- cell lines=2 -->',
  '<!-- cell id=x', 'const a = 1', '`', 'title: x', 'ends with space ', '\ttab', 'ünï 🎈', '-->', '```ts id=q', '    ```', '> ```ts', 'a\\"b',
];
const WORDS = ['', 'a', 'two words', 'q"uote', 'x>y', '-->', '\\', 'a=b', '1', 'true', 'null', 'line\nend', 'ü'];

export function randomText(random: Random): string {
  return Array.from({ length: Math.floor(random() * 7) }, () => pick(random, LINES)).join('\n');
}

export function randomNotebook(random: Random): Notebook {
  const spec: NotebookSpec = {
    ...(random() < 0.7 ? { title: pick(random, [...WORDS, 'Title', 'Untitled']) } : {}),
    metadata: Object.fromEntries(
      ['seed', 'author', 'x-y'].filter(() => random() < 0.4).map((name) => [name, pick(random, [...WORDS, 3, -1.5, true, null, ['a'], { b: [] }])]),
    ),
    cells: Array.from({ length: Math.floor(random() * 6) }, (_, i) => ({
      ...(random() < 0.4 ? { id: `n${i}-${Math.floor(random() * 1e6)}` } : {}),
      kind: random() < 0.5 ? ('code' as const) : ('markdown' as const),
      source: randomText(random),
      attributes: Object.fromEntries(['tags', 'collapse', 'x'].filter(() => random() < 0.3).map((name) => [name, pick(random, WORDS)])),
    })),
  };
  return toNotebook(spec);
}

export function randomEdit(random: Random, notebook: Notebook): Edit {
  const { cells } = notebook;
  const edits: (() => Edit)[] = [
    () => insertCell(notebook, Math.floor(random() * 8), { source: randomText(random) }),
    () => setTitle(notebook, pick(random, WORDS)),
    () => setMetadata(notebook, { seed: random() }),
  ];
  if (cells.length > 0) {
    const { id, source } = pick(random, cells);
    edits.push(
      () => removeCell(notebook, id),
      () => moveCell(notebook, id, Math.floor(random() * 8)),
      () => setSource(notebook, id, randomText(random)),
      () => setKind(notebook, id, pick(random, ['code', 'markdown'])),
      () => setAttribute(notebook, id, 'tags', pick(random, [...WORDS, null])),
      () => splitCell(notebook, id, Math.floor(random() * (source.length + 1))),
      () => duplicateCell(notebook, id),
    );
  }
  if (cells.length > 1) {
    const some = cells.slice(Math.floor(random() * 2)).slice(0, 2 + Math.floor(random() * 3));
    if (some.length > 1) edits.push(() => mergeCells(notebook, some.map((cell) => cell.id)));
  }
  return pick(random, edits)();
}
