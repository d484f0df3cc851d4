// Dependencies and staleness, from lists of cell sources through the real analyzer.
import { describe, expect, test } from 'vitest';
import { dependents, type Graph, graph, requirements } from '../../notebook/dataflow/graph.ts';
import { freshness, learnValues, moveValue, recordRun, type Runs, type Values } from '../../notebook/dataflow/schedule.ts';
import { analyze } from '../../notebook/transpile/analyze.ts';

/** Cells named a, b, c, ... */
function graphOf(sources: readonly string[], names = sources.map((_, i) => String.fromCharCode(97 + i))): Graph {
  return graph(
    sources.map((source, i) => {
      const { declared, references, writes } = analyze(source);
      const values = [...declared.values()].filter(({ hasValue }) => hasValue).map(({ name }) => name);
      return { id: names[i] as string, declared: values, references: [...references.keys()], writes: [...writes.keys()] };
    }),
  );
}

const edges: readonly [sentence: string, cells: readonly string[], parents: Record<string, string>, early?: string][] = [
  ['a cell depends on the cell that declares what it uses', ['const x = 1', 'x + 1', '2'], { b: 'a' }],
  ['the nearest declaration above counts', ['const x = 1', 'const x = 2', 'x'], { c: 'b' }],
  ['a cell that declares a name itself does not depend on others for it', ['const x = 1', 'const x = 2; x'], {}],
  ['a name declared inside a function is no use of another cell', ['const x = 1', '((x: number) => x)(2); for (const x of []) { x }'], {}],
  ['a property is no use', ['const x = 1', 'const o = { x: 2 }; o.x'], {}],
  ['a shorthand property is a use', ['const x = 1', '({ x })'], { b: 'a' }],
  ['a use inside a function counts', ['const x = 1', 'const f = () => x'], { b: 'a' }],
  ['a type is no use', ['type T = number; const T1 = 1', 'const y: T = 1; let z: typeof T1'], {}],
  ['a cell that assigns a name comes between', ['let s = 0', 's += 1', 's'], { b: 'a', c: 'ab' }],
  ['assignments through destructuring, loops and increments count', ['let p = 0, q = 0, r = 0', '[p] = [1]; ({ q } = { q: 1 }); r++; for (p of [1]) {}', 'p + q + r'], { b: 'a', c: 'ab' }],
  ['an earlier declaration hides assignments before it', ['let s = 0', 's = 1', 'let s = 2', 's'], { b: 'a', d: 'c' }],
  ['a use above its declaration is marked', ['x', 'const x = 1'], {}, 'a uses x of b'],
  ['a name that nobody declares has no source', ['nobody'], {}],
  ['imports, classes and functions are declarations', ["import { a } from 'm'", 'class C {}', 'function f() {}', 'a; C; f'], { d: 'abc' }],
];

describe('graph', () => {
  for (const [sentence, cells, expected, early] of edges) {
    test(sentence, () => {
      const { parents, early: marked } = graphOf(cells);
      const found = [...parents].filter(([, ids]) => ids.length > 0).map(([id, ids]) => [id, ids.join('')]);
      expect([Object.fromEntries(found), marked.map(({ cell, name, owner }) => `${cell} uses ${name} of ${owner}`)]).toEqual([expected, early ? [early] : []]);
    });
  }

  test('dependents and requirements go all the way', () => {
    const of = graphOf(['const a = 1', 'const b = a', 'const other = 1', 'b']);
    expect([dependents(of, 'a'), requirements(of, 'd')]).toEqual([['b', 'd'], ['a', 'b']]);
  });
});

/**
 * Plays a story and gives the state of every cell. `run b`; `fail b`; `stop b`; `cancel b`; `edit b: text`; `delete b`;
 * `swap a b`. A run may tell values: `run a: lr=0.1 model#3` (plain, or a model of version 3); `move a: lr=0.2` moves a control.
 */
function play(sources: readonly string[], story: readonly string[]): Record<string, string> {
  let names = sources.map((_, i) => String.fromCharCode(97 + i));
  const texts = new Map(names.map((name, i) => [name, sources[i] as string]));
  let runs: Runs = new Map();
  let number = 0;
  let values: Values = new Map();
  const versions = new Map<string, number>();
  const tell = (id: string, facts: string): void => {
    const told = [...facts.matchAll(/(\w+)([=#])(\S+)/g)].map(([, name = '', mark, text = '']) => {
      // A plain value has a new version when it is another one.
      const key = `${name} ${text}`;
      if (!versions.has(key)) versions.set(key, versions.size + 1);
      return { name, text: mark === '=' ? text : '', version: versions.get(key) as number, kind: mark === '=' ? ('plain' as const) : ('model' as const) };
    });
    values = learnValues(values, id, told);
  };
  const current = () => graphOf(names.map((name) => texts.get(name) as string), names);
  for (const event of story) {
    const [, verb, id = '', other = ''] = /^(\w+) (\w)(?:: ?| ?)(.*)$/s.exec(event) ?? [];
    if (verb === 'edit') texts.set(id, other);
    else if (verb === 'delete') names = names.filter((name) => name !== id);
    else if (verb === 'move') {
      const [, name = '', text = ''] = /(\w+)=(\S+)/.exec(other) ?? [];
      values = moveValue(values, name, text);
    } else if (verb === 'swap') names = names.map((name) => (name === id ? other : name === other ? id : name));
    else {
      number += 1;
      const state = verb === 'run' ? 'ok' : verb === 'fail' ? 'error' : verb === 'cancel' ? 'cancelled' : verb === 'keep' ? 'restored' : 'stopped';
      tell(id, other);
      runs = recordRun(runs, current(), id, { state, source: texts.get(id) as string, run: number, values });
    }
  }
  const label = (id: string) => `cell ${names.indexOf(id) + 1}`;
  const states = freshness(current(), runs, texts, label, values);
  return Object.fromEntries([...states].map(([id, each]) => [id, 'reason' in each ? `${each.state}: ${each.reason}` : each.state]));
}

const chain = ['const lr = 0.1', 'const model = lr', 'model'];
const all = ['run a', 'run b', 'run c'];
const stories: readonly [sentence: string, cells: readonly string[], story: readonly string[], expected: Record<string, string>][] = [
  ['cells that did not run say so', chain, ['run a'], { a: 'fresh', b: 'never', c: 'never' }],
  ['cells that ran in order are fresh', chain, all, { a: 'fresh', b: 'fresh', c: 'fresh' }],
  ['an edited cell is stale, and its dependents are not yet', chain, [...all, 'edit a: const lr = 1'], { a: 'edited: edited since it ran', b: 'fresh', c: 'fresh' }],
  ['an edit that is undone makes the cell fresh again', chain, [...all, 'edit a: x', 'edit a: const lr = 0.1'], { a: 'fresh', b: 'fresh', c: 'fresh' }],
  [
    'a cell that runs again makes all that build on it stale, with the reason',
    chain,
    [...all, 'run a'],
    { a: 'fresh', b: 'upstream: uses `lr`, which cell 1 set again', c: 'upstream: uses `model` from cell 2, which is not up to date' },
  ],
  ['running the stale cells in order makes all fresh', chain, [...all, 'run a', 'run b', 'run c'], { a: 'fresh', b: 'fresh', c: 'fresh' }],
  ['a cell that assigns makes later users stale', ['let s = 0', 's += 1', 's'], [...all, 'run b'], { a: 'fresh', b: 'fresh', c: 'upstream: uses `s`, which cell 2 set again' }],
  ['a new declaration in between changes where a name comes from', ['const x = 1', '2', 'x'], [...all, 'edit b: const x = 3', 'run b'], { a: 'fresh', b: 'fresh', c: 'upstream: uses `x`, which now comes from cell 2' }],
  ['a deleted declaration makes its users stale', ['const x = 1', 'x'], ['run a', 'run b', 'delete a'], { b: 'upstream: uses `x`, which no cell above declares now' }],
  ['a cell moved below its users makes them stale', ['const x = 1', 'x'], ['run a', 'run b', 'swap a b'], { b: 'upstream: uses `x`, which no cell above declares now', a: 'fresh' }],
  [
    'a changed number is told with both values',
    chain,
    ['run a: lr=0.1', 'run b: model#1', 'run c', 'edit a: const lr = 0.01', 'run a: lr=0.01'],
    { a: 'fresh', b: 'upstream: uses `lr`, which cell 1 changed from 0.1 to 0.01', c: 'upstream: uses `model` from cell 2, which is not up to date' },
  ],
  ['a cell that gives the same number again changes nothing', chain, ['run a: lr=0.1', 'run b: model#1', 'run c', 'run a: lr=0.1'], { a: 'fresh', b: 'fresh', c: 'fresh' }],
  ['an object that is made again is another one', ['const o = {}', 'o'], ['run a: o#1', 'run b', 'run a: o#2'], { a: 'fresh', b: 'upstream: uses `o`, which cell 1 set again' }],
  [
    'a model that is trained further makes stale what uses it below the training, but neither the training nor what stands above',
    ['const model = 1', 'model', 'train(model)', 'model'],
    ['run a: model#1', 'run b', 'run c: model#2', 'run d', 'run c: model#3'],
    { a: 'fresh', b: 'fresh', c: 'fresh', d: 'upstream: uses `model`, which cell 3 has trained further since' },
  ],
  ['a notebook that ran from top to bottom is fresh', ['const model = 1', 'model', 'train(model)', 'model'], ['run a: model#1', 'run b', 'run c: model#2', 'run d'], { a: 'fresh', b: 'fresh', c: 'fresh', d: 'fresh' }],
  ['a moved control makes its users stale', ['const lr = ui', 'lr'], ['run a: lr=0.1', 'run b', 'move a: lr=0.2'], { a: 'fresh', b: 'upstream: uses `lr`, which was moved from 0.1 to 0.2' }],
  ['a control that is moved back changes nothing', ['const lr = ui', 'lr'], ['run a: lr=0.1', 'run b', 'move a: lr=0.1'], { a: 'fresh', b: 'fresh' }],
  ['cells that were taken out of the queue say so', chain, ['fail a', 'cancel b'], { a: 'error: ended with an error', b: 'cancelled: did not run: a cell before it failed or was stopped', c: 'never' }],
  ['outputs of an earlier session say so', ['1'], ['keep a'], { a: 'restored: its output was kept from an earlier session; its names have no values now' }],
  ['errors and stops are states of their own', chain, ['run a', 'fail b', 'stop c'], { a: 'fresh', b: 'error: ended with an error', c: 'stopped: was stopped' }],
];

describe('freshness', () => {
  for (const [sentence, cells, story, expected] of stories) {
    test(sentence, () => expect(play(cells, story)).toEqual(expected));
  }
});
