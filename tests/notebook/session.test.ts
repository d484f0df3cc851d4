// What cells mean: scope, redeclaration, errors with places, stop, timers, console. Through the real session.
import { setTimeout } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { createImporter } from '../../notebook/kernel/modules.ts';
import { type CellOutcome, collect, type Kernel, openKernel, runCells } from './cells.ts';

const cases: readonly [sentence: string, cells: readonly string[], expected: readonly CellOutcome[]][] = [
  ['a cell shows the value of its last expression', ['const a = 1\na + 1'], [{ value: '2' }]],
  ['a semicolon after the last expression hides its value', ['1 + 1;'], [{}]],
  ['the value undefined shows nothing', ['undefined'], [{}]],
  ['a promise as last expression is awaited', ['Promise.resolve([1, 2])'], [{ value: '[1, 2]' }]],
  ['types are erased', ['type P = { a: number }\nconst p: P = { a: 1 } satisfies P\np as P'], [{ value: '{ a: 1 }' }]],
  ['a later cell reads a name', ['const lr = 0.1', 'lr * 2'], [{}, { value: '0.2' }]],
  ['a later cell assigns a let', ['let step = 0\nconst get = () => step', 'step = 5;', 'get()'], [{}, {}, { value: '5' }]],
  [
    'a later cell that assigns a const gets an error that names the declaring cell',
    ['const lr = 0.1', 'lr = 3'],
    [{}, { error: "TypeError: Assignment to constant variable 'lr' (declared in cell 1)", at: ['b:1:4'] }],
  ],
  ['a cell can be run again although it declares a const', ['const k = 1', 'a: const k = 2', 'k'], [{}, {}, { value: '2' }]],
  ['another cell can declare a name again', ['const n = 1', "const n = 'x'", 'n'], [{}, {}, { value: '"x"' }]],
  [
    'a function keeps the names of its own cell',
    ['const lr = 1\nconst f = () => lr', 'const lr = 2', 'f()'],
    [{}, {}, { value: '1' }],
  ],
  [
    'a name that a cell no longer declares vanishes',
    ['const x = 1', 'a: const y = 2', 'x'],
    [{}, {}, { error: 'ReferenceError: x is not defined', at: ['c:1:1'] }],
  ],
  [
    'a name used before its declaration is an error at its place',
    ['  later; const later = 1;'],
    [{ error: "ReferenceError: Cannot access 'later' before initialization", at: ['a:1:3'] }],
  ],
  [
    'a name whose cell failed before it says so',
    ["throw new Error('no')\nconst model = 1", 'model'],
    [
      { error: 'Error: no', at: ['a:1:7'] },
      { error: "ReferenceError: 'model' has no value: cell 1 ended before it declared it", at: ['b:1:1'] },
    ],
  ],
  [
    'destructuring declares every name, with defaults',
    ['const { a, b: [c = 4], ...rest } = { a: 1, b: [], d: 2 }', '[a, c, rest]'],
    [{}, { value: '[1, 4, { d: 2 }]' }],
  ],
  ['a function can be used above its declaration', ['twice(2)\nfunction twice(x: number) { return 2 * x }'], [{}]],
  ['var in a block is visible to other cells', ['if (true) { var deep = 3 }', 'deep'], [{}, { value: '3' }]],
  ['classes with generics work across cells', ['class Box<T> { v!: T; constructor(v: T) { this.v = v } }', 'new Box<number>(2)'], [{}, { value: 'Box { v: 2 }' }]],
  ['await stands at the top level', ['const v = await new Promise<number>((r) => setTimeout(() => r(3), 1))\nv'], [{ value: '3' }]],
  ['for await stands at the top level', ['let s = 0\nfor await (const q of [1, 2]) s += q\ns'], [{ value: '3' }]],
  [
    'imports bring names to all cells',
    ["import def, { a as b, type T } from 'data:text/javascript,export const a = 1; export default 2'", '[def, b]'],
    [{}, { value: '[2, 1]' }],
  ],
  [
    'an imported name cannot be assigned by another cell',
    ["import { a } from 'data:text/javascript,export const a = 1'", 'a = 2'],
    [{}, { error: "TypeError: Assignment to constant variable 'a' (declared in cell 1)", at: ['b:1:3'] }],
  ],
  ['assigning a name that nobody declared is an error', ['nobody = 1'], [{ error: 'ReferenceError: nobody is not defined', at: ['a:1:8'] }]],
  [
    'an error in a function of another cell shows both places',
    ['type Q = { z: number }\nfunction boom(q: Q): never {\n  throw new Error("deep " + q.z);\n}', '\n  boom({ z: 1 })'],
    [{}, { error: 'Error: deep 1', at: ['a:3:9', 'b:2:3'] }],
  ],
  [
    'columns stay true on a line where the compiler inserted text',
    ['for (const x of [1]) { for (;;) { (null as any).x } }'],
    [{ error: "TypeError: Cannot read properties of null (reading 'x')", at: ['a:1:49'] }],
  ],
  ['columns stay true in the first line of a cell that declares much', ['const a = 1, b = 2; missing(a, b)'], [{ error: 'ReferenceError: missing is not defined', at: ['a:1:21'] }]],
  ['columns stay true after an import on the same line', ["import { sep } from 'node:path'; sep.nope.x"], [{ error: "TypeError: Cannot read properties of undefined (reading 'x')", at: ['a:1:43'] }]],
  ['a class with private fields and statics works across cells', ['class P { static n = 1; #v = 2; get v() { return this.#v } }', 'new P().v + P.n'], [{}, { value: '3' }]],
  ['a generic function works across cells', ['function id<T extends object>(v: T): T { return v }', 'id<{ a: number }>({ a: 1 })'], [{}, { value: '{ a: 1 }' }]],
  ['a later cell assigns through destructuring', ['let p = 0, q = 0', '[p, q] = [1, 2]; ({ p } = { p: 3 })', '[p, q]'], [{}, { value: '{ p: 3 }' }, { value: '[3, 2]' }]],
  ['a declaration hides that of another cell, and comes back when it goes', ['const n = 1', 'const n = 2', 'n', 'b: 0', 'n'], [{}, {}, { value: '2' }, { value: '0' }, { value: '1' }]],
  ['a cell that fails half way keeps what it had declared', ['const a = 1; let b = 2; b = a.x.y; const c = 3', '[a, b]'], [{ error: "TypeError: Cannot read properties of undefined (reading 'y')", at: ['a:1:33'] }, { value: '[1, 2]' }]],
  ['an error in an async function shows the places that awaited it', ['async function deep() { await null; throw new Error("x") }', 'await deep()'], [{}, { error: 'Error: x', at: ['a:1:43', 'b:1:1'] }]],
  ['a cause is part of the message', ["throw new Error('a', { cause: new Error('b') })"], [{ error: 'Error: a (because: b)', at: ['a:1:7'] }]],
  ['a thrown value that is no Error is shown', ["throw { code: 3 }"], [{ error: 'Thrown: { code: 3 }', at: ['a:1:7'] }]],
  ['what is thrown has a place although it is no error', ['function f(v: unknown) {\n  throw v as string\n}', '\nf("oops")'], [{}, { error: 'Thrown: "oops"', at: ['a:2:9', 'b:2:1'] }]],
  ['a thrown undefined has a place', ['if (true)\n  throw undefined'], [{ error: 'Thrown: undefined', at: ['a:2:9'] }]],
  ['errors that contain each other are told once', ['const e = new Error("a"); e.cause = e; throw e'], [{ error: 'Error: a (because: a (because: a (because: a)))', at: ['a:1:11'] }]],
  [
    'an error that gathers others names them, and has the place of the first',
    ['await Promise.any([1, 2, 3, 4].map(async (i) => { throw new Error("e" + i) }))'],
    [{ error: 'AggregateError: All promises were rejected (e1; e2; e3; 1 more)', at: ['a:1:57'] }],
  ],
  ['a name that a module lacks is an error at the import', ["1;\nimport { b } from 'data:text/javascript,export const a = 1'"], [{ error: "SyntaxError: import: 'data:text/javascript,export const a = 1' exports no 'b'; it exports a. A type is imported as `type b`", at: ['a:2:11'] }]],
  ['a default that a module lacks is an error', ["import b from 'data:text/javascript,'"], [{ error: "SyntaxError: import: 'data:text/javascript,' has no default export; name what you need: import { a } from 'data:text/javascript,', or import * as all", at: ['a:1:19'] }]],
  ['a module that fails has the place of its import', ["\nimport 'data:text/javascript,nope'"], [{ error: 'ReferenceError: nope is not defined', at: ['a:2:1'] }]],
  ['the place of a class that fails while it is made lies in the cell', ['class A {\n  static x = (() => { throw new Error("st") })()\n}'], [{ error: 'Error: st', at: ['a:2:29', 'a:2:47', 'a:1:1'] }]],
  ['a value that refuses to be asked whether it is a promise is shown', ['new Proxy({}, { get() { throw new Error("trap") } })'], [{ value: '[cannot be shown]' }]],
  [
    'a value that refuses every question harms neither its cell nor others',
    [`const no = () => { throw 'no' }\nconst shy: any = new Proxy(() => {}, { get: no, has: no, ownKeys: no, getPrototypeOf: no, getOwnPropertyDescriptor: no })\nconst held = { shy }\nshy`, 'console.log(shy); display(shy)', '1 + 1', 'throw shy'],
    [{ value: '[cannot be shown]' }, { printed: '[cannot be shown]\n', value: '[cannot be shown]' }, { value: '2' }, { error: 'Thrown: a value that cannot be read', at: ['d:1:7'] }],
  ],
  ['a first line for shells is a comment', ['#!/usr/bin/env node\n1'], [{ value: '1' }]],
  ['an enum is refused before it runs', ['enum E { A }'], [{ diagnostic: '1:6 An enum needs code generation; use a constant object: const E = { A: 0, B: 1 } as const.' }]],
  ['a name of the language cannot be taken', ['const Promise = 1'], [{ diagnostic: "1:7 'Promise' is part of JavaScript and all cells share their names; choose another name." }]],
  ['console arguments are written as text', ["console.log('a', 1, [1, { b: 2 }], new Map([['k', 1]]))"], [{ printed: 'a 1 [1, { b: 2 }] Map(1) { k: 1 }\n' }]],
  ['console formats its first text', ["console.log('%s is %d%%', 'x', 5, 'end')"], [{ printed: 'x is 5% end\n' }]],
  ['a carriage return leaves the line open', ["console.log('50 %\\r'); console.log('done')"], [{ printed: '50 %\rdone\n' }]],
  ['display shows more than one value', ["display('one'); display.markdown('**two**');"], [{ value: '**two**' }]],
  ['what display returns is not shown again', ['display(1)', "plot.line([1], [1])"], [{ value: '1' }, { value: 'chart' }]],
  ['a cell knows itself', ['[cell.id, cell.index, cell.signal.aborted]'], [{ value: '["a", 1, false]' }]],
  ['a getter of a shown object is not run', ['({ get x() { throw new Error("ran") } })'], [{ value: '{ x: [getter] }' }]],
  ['a value that contains itself is shown', ['const o: any = { n: 1 }; o.self = o\no'], [{ value: '{ n: 1, self: [circular] }' }]],
];

describe('cells', () => {
  for (const [sentence, cells, expected] of cases) {
    test(sentence, async () => {
      expect(await runCells(cells)).toEqual(expected);
    });
  }
});

test('JSON in a data: URL can be imported on the page', async () => {
  const load = createImporter(() => Promise.reject(new Error('this test reads no files')));
  const { signal } = new AbortController();
  expect(await load('data:application/json,{%22a%22:1}', undefined, signal)).toEqual({ default: { a: 1 } });
  expect(await load('data:application/json;base64,WzFd', undefined, signal)).toEqual({ default: [1] });
});

describe('a running kernel', () => {
  let kernel: Kernel;
  afterEach(() => kernel.end());

  test('a deleted cell takes its names with it, and an older declaration comes back', async () => {
    kernel = openKernel();
    await kernel.run('a', 'const n = 1, only = 2');
    await kernel.run('b', 'const n = 3');
    kernel.session.forget('b');
    expect(await kernel.run('c', 'n')).toEqual({ value: '1' });
    kernel.session.forget('a');
    expect(await kernel.run('d', '[typeof n, typeof only]')).toEqual({ value: '["undefined", "undefined"]' });
  });

  test('the end of a session leaves the global object as it was', async () => {
    const before = Object.getOwnPropertyNames(globalThis).sort();
    const { console: realConsole } = globalThis;
    kernel = openKernel();
    await kernel.run('a', 'const left = 1; const name = 2; left');
    kernel.end();
    expect([Object.getOwnPropertyNames(globalThis).sort(), globalThis.console]).toEqual([before, realConsole]);
  });

  test('a stop by message ends an awaiting loop and keeps what it computed', async () => {
    kernel = openKernel();
    const source = 'let done = 0\nfor (;;) { done++; await new Promise((r) => setTimeout(r, 1)) }';
    const { runId, outcome } = kernel.begin('a', source);
    await until(() => kernel.events.some((event) => event.type === 'status' && event.state === 'busy'));
    setTimeout(() => kernel.session.interrupt(runId), 20);
    expect(await outcome).toEqual({ stopped: true });
    expect(await kernel.run('b', 'done > 0')).toEqual({ value: 'true' });
  });

  test('a stop by flag ends a loop that never gives way', async () => {
    for (const source of ['for (;;) {}', 'while (true);', 'do { var i = 1 } while (i)', 'for (;;) { try { for (;;) null } catch {} }']) {
      kernel = openKernel();
      const { runId, outcome } = kernel.begin('a', source);
      setFlagLater(kernel.stopFlag, runId);
      expect(await outcome).toEqual({ stopped: true });
      expect(await kernel.run('b', '1')).toEqual({ value: '1' });
      kernel.end();
    }
  });

  test('a stop for a run that has ended stops nothing', async () => {
    kernel = openKernel();
    await kernel.run('a', '1');
    kernel.session.interrupt(1);
    Atomics.store(kernel.stopFlag, 0, 1);
    expect(await kernel.run('b', 'let n = 0; for (let i = 0; i < 1000; i++) n++\nn')).toEqual({ value: '1000' });
  });

  test('a stopped cell that awaits for ever is let go', async () => {
    kernel = openKernel();
    const { runId, outcome } = kernel.begin('a', 'await new Promise(() => {})');
    setTimeout(() => kernel.session.interrupt(runId), 5);
    expect(await outcome).toEqual({ stopped: true });
  });

  test('the signal of a stopped cell is aborted', async () => {
    kernel = openKernel();
    const { runId, outcome } = kernel.begin('a', 'const { signal } = cell\nawait new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason)))');
    setTimeout(() => kernel.session.interrupt(runId), 5);
    expect(await outcome).toEqual({ stopped: true });
    expect(await kernel.run('b', 'signal.aborted')).toEqual({ value: 'true' });
  });

  test('a function of a cell that was stopped still works in other cells', async () => {
    kernel = openKernel();
    const source = 'const count = (n: number) => { let k = 0; for (let i = 0; i < n; i++) k++; return k }\nfor (;;) {}';
    const { runId, outcome } = kernel.begin('a', source);
    setFlagLater(kernel.stopFlag, runId);
    await outcome;
    expect(await kernel.run('b', 'count(500)')).toEqual({ value: '500' });
  });

  test('timers of a cell end when it runs again', async () => {
    kernel = openKernel();
    await kernel.run('a', 'let ticks = 0');
    await kernel.run('b', 'setInterval(() => { ticks++ }, 1);');
    await kernel.run('b', '');
    expect(await kernel.run('c', 'const seen = ticks; await new Promise((r) => setTimeout(r, 20))\nticks - seen')).toEqual({ value: '0' });
  });

  test('what a timer prints or throws belongs to the cell that made it', async () => {
    kernel = openKernel();
    await kernel.run('a', "setTimeout(() => { console.log('late'); throw new Error('too late') }, 5);");
    await kernel.run('b', 'await new Promise((r) => setTimeout(r, 40))');
    expect(collect(kernel.events, 1)).toEqual({ printed: 'late\n', error: 'Error: too late', at: ['a:1:47'] });
    expect(kernel.events.filter((event) => event.type === 'error').map((event) => event.origin)).toEqual(['background']);
  });

  test('a flood of console lines arrives in few events, with its first and last lines', async () => {
    kernel = openKernel();
    await kernel.run('a', 'for (let i = 0; i < 100000; i++) console.log(i)');
    const chunks = kernel.events.flatMap((event) => (event.type === 'stream' ? event.chunks : []));
    const lines = chunks.map(({ text }) => text).join('').split('\n');
    const dropped = chunks.reduce((sum, chunk) => sum + (chunk.droppedLines ?? 0), 0);
    expect(lines.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, i) => String(i)));
    expect(lines.slice(-3)).toEqual(['99998', '99999', '']);
    expect(dropped + lines.length - 1).toBe(100_000);
    expect(lines.length).toBeLessThan(20_000);
    kernel.session.readLog({ cellId: 'a' });
    const log = kernel.events.find((event) => event.type === 'log');
    const all = log?.type === 'log' ? new TextDecoder().decode(log.bytes).split('\n') : [];
    expect([all.length, all[50_000], log?.type === 'log' && log.lostCharacters]).toEqual([100_001, '50000', 0]);
  });

  test('a very long line is cut', async () => {
    kernel = openKernel();
    expect(await kernel.run('a', "console.log('x'.repeat(12000))")).toEqual({
      printed: `${'x'.repeat(10_000)}... (2000 more characters)\n`,
    });
  });

  test('a loop that never gives way still shows what it prints', async () => {
    kernel = openKernel();
    const { runId, outcome } = kernel.begin('a', "console.log('begun'); for (;;) {}");
    setFlagLater(kernel.stopFlag, runId, 100);
    await outcome;
    const types = kernel.events.map(({ type }) => type);
    expect(types.indexOf('stream')).toBeLessThan(types.indexOf('reply'));
    expect(collect(kernel.events, runId)).toEqual({ printed: 'begun\n', stopped: true });
  });

  test('a progress bar that moves with every step is drawn at most once per frame', async () => {
    kernel = openKernel();
    await kernel.run('a', "const p = progress('steps', 20000); for (let i = 1; i <= 20000; i++) p.update(i);");
    const bars = kernel.events.flatMap((event) => (event.type === 'display' && event.data.kind === 'progress' ? [event.data] : []));
    expect(bars.length).toBeLessThan(60);
    expect(bars.at(-1)).toMatchObject({ value: 20_000, total: 20_000 });
  });

  test('a chart is drawn again in its place, at most once per frame', async () => {
    kernel = openKernel();
    await kernel.run('a', 'const c = plot.line([0, 1], [2, 3]); for (let i = 0; i < 1000; i++) c.update({ series: [{ y: [i] }] });');
    const charts = kernel.events.flatMap((event) => (event.type === 'display' ? [event] : []));
    const last = charts.at(-1);
    expect(new Set(charts.map(({ displayId }) => displayId)).size).toBe(1);
    expect(charts.length).toBeLessThan(20);
    expect(last?.data).toEqual({
      kind: 'chart',
      chart: { title: '', xLabel: '', yLabel: '', height: 280, series: [{ name: '', kind: 'line', x: Float64Array.of(0), y: Float64Array.of(999) }] },
    });
  });

  test('runs happen one after another, in the order they were asked for', async () => {
    kernel = openKernel();
    const first = kernel.begin('a', 'await new Promise((r) => setTimeout(r, 10)); const order = ["a"]').outcome;
    const second = kernel.begin('b', 'order.push("b"); order').outcome;
    expect(await Promise.all([first, second])).toEqual([{}, { value: '["a", "b"]' }]);
  });
});

/** Another thread sets the flag, as the page's frame does while the kernel is deaf. */
function setFlagLater(flag: Int32Array, value: number, afterMs = 30): void {
  const code = 'const { workerData: [flag, value, ms] } = require("node:worker_threads"); setTimeout(() => Atomics.store(flag, 0, value), ms)';
  new Worker(code, { eval: true, workerData: [flag, value, afterMs] }).unref();
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}
