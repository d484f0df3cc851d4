// What an error of JavaScript itself advises to do.
import { describe, expect, test } from 'vitest';
import type { KernelEvent } from '../../notebook/protocol/messages.ts';
import { openKernel } from './cells.ts';

type Failure = Extract<KernelEvent, { type: 'error' }>;

/** The errors of cells a, b, c, ..., which run in order. */
async function errorsOf(...sources: string[]): Promise<Failure[]> {
  const kernel = openKernel();
  try {
    for (const [i, source] of sources.entries()) await kernel.run(String.fromCharCode(97 + i), source);
    return kernel.events.filter((event) => event.type === 'error');
  } finally {
    kernel.end();
  }
}

describe('hints', () => {
  test.each([
    [['const modle = 1;', 'model'], 'Did you mean `modle`?'],
    [['const optimizer = 1;', 'Optimizer'], 'Did you mean `optimizer`?'],
    [['const a = 1;', 'b'], 'Run the cell that declares it first, or check the spelling.'],
    [['count = 5;'], 'Declare it first: `const count = …`, or `let` if it is meant to change.'],
    [['count == 5'], 'Run the cell that declares it first, or check the spelling.'],
    [['print("hello")'], 'That is Python; here it is `console.log`.'],
    [['document.body'], 'Cells run beside the page and cannot reach it: show things with `display`, ask for values with `ui`.'],
    [['const set = Promise.resolve({ train: [1] });\nset.train.length'], '`set` is a promise, not yet what it promises: write `await` where it is made.'],
    [['const set = Promise.resolve({ train: [1] });', 'set.load()'], '`set` is a promise, not yet what it promises: write `await` where it is made.'],
    [['const set = Promise.resolve({ train: [1] });', '(await set).load()'], ''],
    [['const layers = { linear: () => 1 };', 'layers.Linear(2)'], 'Did you mean `layers.linear`?'],
    [['const layers = { linear: () => 1 };\nnew layers.Linear(2)'], 'Did you mean `layers.linear`?'],
    [['const layers = { linear: () => 1 };', 'layers.conv()'], ''],
    [['const set = { train: undefined };\nset.train.length'], ''],
    [['function f() { return f() + 1; }\nf()'], 'A function calls itself without an end: it needs a case in which it does not.'],
  ])('%j', async (sources, hint) => {
    expect((await errorsOf(...sources)).map((error) => error.hint)).toEqual([hint]);
  });

  test('a row of a table that is none is named', async () => {
    expect((await errorsOf('display.table([{ a: 1 }, null])')).map((error) => error.message)).toEqual(['display.table: row 2 is null; a row is an object or a list of values']);
  });

  test('a function that calls itself stands among the places once', async () => {
    const [error] = await errorsOf('function f() {\n  return f() + 1;\n}\nf()');
    expect(error?.frames.map(({ line, name }) => [line, name])).toEqual([[2, 'f']]);
  });

  test('a function without a name has none in the places', async () => {
    const kernel = openKernel();
    await kernel.run('a', 'const done = new Promise((end) => setTimeout(() => { setTimeout(end, 0); throw new Error("late"); }, 0));\nawait done;');
    const late = kernel.events.find((event) => event.type === 'error');
    kernel.end();
    expect(late?.frames.map(({ name }) => name)).toEqual(['']);
  });
});
