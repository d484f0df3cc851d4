// From the text of one cell to names, diagnostics and JavaScript. What the JavaScript does is tested in session.test.ts.
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { sourceColumn } from '../../notebook/kernel/failure.ts';
import { analyze } from '../../notebook/transpile/analyze.ts';
import { compile } from '../../notebook/transpile/compile.ts';
import { closers, suffixes } from '../../notebook/transpile/suffix.ts';

/** `kind name` of what is declared, `?` after names without a value; what is used; what is assigned. */
function namesOf(source: string): { declares: string; uses: string; assigns: string } {
  const { declared, references, writes } = analyze(source);
  const declares = [...declared.values()].map(({ kind, name, hasValue }) => `${kind} ${name}${hasValue ? '' : '?'}`);
  return { declares: declares.join(', '), uses: [...references.keys()].join(' '), assigns: [...writes.keys()].join(' ') };
}

const names: readonly [sentence: string, source: string, declares: string, uses: string, assigns?: string][] = [
  ['variables of every kind', 'const a = 1; let b = 2; var c = 3', 'const a, let b, var c', ''],
  ['destructuring, with defaults and rest', 'const { a, b: [c = d], ...e } = f', 'const a, const c, const e', 'd f'],
  ['functions, classes and types', 'function f() {} class C {} interface I {} type T = I', 'function f, class C, type I?, type T?', ''],
  ['imports, and which of them are types', "import x, { y as z, type T } from 'm'; import * as n from 'm'; import type U from 'm'", 'import x, import z, import T?, import n, import U?', ''],
  ['var inside blocks and loops', 'for (var i = 0; ;) { var j = i }', 'var i, var j', ''],
  ['let inside a block is its own', '{ let a = 1; a } for (const q of r) q', '', 'r'],
  ['exported names', 'export const a = 1; export function f() {}', 'function f, const a', ''],
  ['what is only declared has no value', 'declare const a: number; declare function f(): void', 'function f?, const a?', ''],
  ['parameters and own names of function expressions are bound', '(function f(a, { b }) { f(a, b, arguments) })', '', ''],
  ['a catch variable is bound', 'try { a } catch (b) { b }', '', 'a'],
  ['labels are no names', 'x: for (;;) { continue x }', '', ''],
  ['keys and members are no uses', '({ a: b, c, [d]: 1 }).e?.f', '', 'b c d'],
  ['types use no values', 'let a: typeof b; let d = e as F', 'let a, let d', 'e'],
  ['templates and tags use names', 't`${a}`', '', 't a'],
  ['assignments of every form', 'a = 1; b += 1; c++; [d] = e; ({ f, g: h } = i); for (j of k) {}', '', 'a b c d e f h i j k', 'a b c d f h j'],
  ['assigning a member assigns no name', 'a.b = 1; a[c] = 2', '', 'a c'],
  ['a broken cell still gives names', 'const a = 1; const b = (', 'const a, const b', ''],
];

describe('names', () => {
  for (const [sentence, source, declares, uses, assigns = ''] of names) {
    test(sentence, () => expect(namesOf(source)).toEqual({ declares, uses, assigns }));
  }
});

const refused: readonly [sentence: string, source: string, diagnostics: readonly string[]][] = [
  ['a missing type', 'const a = 1\nconst bad: = 3', ['2:12 1110 Type expected.']],
  ['an open bracket', 'f(1', ['1:4 1005 \')\' expected.']],
  ['an open template', 'const a = `x', ['1:13 1160 Unterminated template literal.']],
  ['a name declared twice', 'const a = 1\nconst a = 2', ["1:7 2451 Cannot redeclare block-scoped variable 'a'.", "2:7 2451 Cannot redeclare block-scoped variable 'a'."]],
  ['a const without value', 'const a', ["1:7 1155 'const' declarations must be initialized."]],
  ['break outside a loop', 'break', ["1:1 1105 A 'break' statement can only be used within an enclosing iteration or switch statement."]],
  ['return', '\n  return 1', ["2:3 1108 A 'return' statement can only be used within a function body. A cell shows its last expression when no ';' follows it."]],
  ['await in a plain function', 'function f() { await 1 }', ["1:16 1308 'await' expressions are only allowed within async functions and at the top levels of modules."]],
  ['with', 'with (a) {}', ["1:1 1101 'with' statements are not allowed in strict mode."]],
  ['a bad assignment target', '1 = 2', ['1:1 2364 The left-hand side of an assignment expression must be a variable or a property access.']],
  ['enum', 'enum E { A }', ['1:6 1294 An enum needs code generation; use a constant object: const E = { A: 0, B: 1 } as const.']],
  ['namespace', 'namespace N { export const a = 1 }', ['1:11 1294 A namespace needs code generation; use a constant object or plain functions.']],
  ['parameter property', 'class C { constructor(public x: number) {} }', ['1:23 1294 A parameter property needs code generation; declare the field and assign it in the constructor.']],
  ['a cast in angle brackets', 'const a = <number>b', ['1:11 1294 Write `value as Type` instead of `<Type>value`.']],
  ['a built-in name', 'class Map {}', ["1:7 90001 'Map' is part of JavaScript and all cells share their names; choose another name."]],
  ['a name of the compiler', 'let __gbn = 1', ["1:5 90002 Names that start with '__gb' belong to the notebook; choose another name."]],
  ['re-export', "export * from 'm'", ['1:1 90003 Cells share their names without exports; write `import` to bring these names in.']],
  ['import.meta', 'const u = import.meta.url', ['1:11 90004 A cell is no module file, so it has no `import.meta`.']],
  ['decorators', '@d class C {}', ['1:1 90005 Decorators are not supported in cells; call the function instead.']],
  ['an accessor field', 'class A { static accessor x = 1 }', ['1:18 90006 Accessor fields are not supported in cells; write `get` and `set`, or a plain field.']],
  ['a function after if', 'if (1) function f() {}', ['1:8 90008 A function after `if` or `else` needs braces around it.']],
  ['an unknown private name', 'class A { #x = 1; m(o: A) { return o.#x + this.#y } }', ['1:48 90009 No class around this declares #y.']],
  ['two constructors', 'class A { constructor() {}\nconstructor() {} }', ['1:11 2392 Multiple constructor implementations are not allowed.', '2:1 2392 Multiple constructor implementations are not allowed.']],
  ['super in a method', 'class A extends B { m() { super() } }', ['1:27 2337 Super calls are not permitted outside constructors or in nested functions inside constructors.']],
  ['?? beside ||', 'a ?? b || c', ["1:1 5076 '??' and '||' operations cannot be mixed without parentheses."]],
  ['a name of catch declared again', 'try {} catch (e) { let e }', ["1:24 2492 Cannot redeclare identifier 'e' in catch clause."]],
  ['var over let', 'for (let i of [1]) { var i }', ["1:26 2481 Cannot initialize outer scoped variable 'i' in the same scope as block scoped declaration 'i'."]],
  ['await in a static block', 'class A { static { await 1 } }', ["1:20 18037 'await' expression cannot be used inside a class static block."]],
  ['rest in the middle', '[...a, b] = []', ['1:2 2462 A rest element must be last in a destructuring pattern.']],
  ['delete of a private name', 'class A { #x; m() { delete this.#x } }', ["1:28 18011 The operand of a 'delete' operator cannot be a private identifier."]],
  ['a class without name', 'export default class {}', ['1:1 90007 Give it a name: other cells can use only what has one.']],
];

describe('refused before it runs', () => {
  for (const [sentence, source, expected] of refused) {
    test(sentence, () => {
      const { program, diagnostics } = compile(source);
      expect([program, diagnostics.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)]).toEqual([null, expected]);
    });
  }

  for (const source of ['const a: number = "x"; a.b; nobody; f(1, 2); if ((() => {})()) {}', 'async function f(): number {}', 'let a; a?.b!.c as any', '', '// only a comment', 'export {}; export const a = 1; export { a as b }']) {
    test(`type errors and odd cells never stop a run: ${JSON.stringify(source)}`, () => expect(compile(source).diagnostics).toEqual([]));
  }
});

// Cells that strain the rewriting; each token of the source must be found at its own line and column of the result.
const strained: readonly string[] = [
  'const a: number = 1; let b = a as any\nfor (const x of [1]) { for (;;) { b; break } } a',
  'import d, { type T,\n  a as b } from "m"; b + d\nexport const x = 1; export default function f<T>(q: T) { while (q) q = null as any }\nf(x)',
  'do x = y; while (z) last as unknown',
  'async function g() { for await (const q of w) { if (q) continue; else break } }\n`${a}${`${b}`}` + g',
  'class K<T> { private v!: T; static n = 1; get x(): T { for (;;) return this.v } }\n\n\nnew K<number>().x satisfies number',
  'label: for (const i in o) switch (i) { case "1": do { continue label } while (1) }\ni2',
  '"use strict"; if (a) for (;;) ; else while (b) c();\nvar v1 = 1, v2 = function () { while (1) ; }; v2()',
  '// comment\nx /* between */ // end',
];

describe('positions', () => {
  for (const source of strained) {
    test(JSON.stringify(source), () => {
      const { program } = compile(source);
      if (!program) throw new Error(JSON.stringify(compile(source).diagnostics));
      expect(program.code.split('\n').length).toBe(source.split('\n').length + 1);
      const found = new Set<string>();
      for (const [line, column, text] of tokens(program.code)) found.add(`${line}:${sourceColumn(program.shifts, line, column)}:${text}`);
      const erased = /^(export|default|as|satisfies|private|number|unknown|any|T)$/;
      // What an import says moves to where it began; what is erased is nowhere.
      const kept = tokens(source, ts.isImportDeclaration).filter(([, , text]) => /^[A-Za-z_]\w*$/.test(text) && !erased.test(text));
      expect(kept.filter(([line, column, text]) => !found.has(`${line}:${column}:${text}`))).toEqual([]);
    });
  }
});

function tokens(text: string, isSkipped: (node: ts.Node) => boolean = () => false): [line: number, column: number, text: string][] {
  const file = ts.createSourceFile('t.ts', text, ts.ScriptTarget.ESNext, true);
  const list: [number, number, string][] = [];
  const visit = (node: ts.Node): void => {
    if (isSkipped(node)) return;
    if (node.getChildCount(file) === 0 && node.getWidth(file) > 0) {
      const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
      list.push([line + 1, character + 1, node.getText(file)]);
    }
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  return list;
}

describe('types across cells', () => {
  const check = (sources: readonly string[]): string[] => {
    const cells = sources.map((text, i) => ({ file: `/c${i}.ts`, base: `c${i}`, analysis: analyze(text, `/c${i}.ts`) }));
    const texts = new Map(suffixes(cells).map((suffix, i) => [`/c${i}.ts`, sources[i] + suffix.text]));
    const options: ts.CompilerOptions = { target: 99, module: 99, moduleResolution: 100, moduleDetection: 3, strict: true, noEmit: true, noLib: true, types: [] };
    const globals = 'interface Array<T> { length: number } interface Boolean {} interface Function {} interface CallableFunction {} interface NewableFunction {} interface IArguments {} interface Number { toFixed(): string } interface Object {} interface RegExp {} interface String { big(): string }';
    const read = (file: string) => texts.get(file) ?? (file === '/g.d.ts' ? globals : undefined);
    const host: ts.CompilerHost = {
      getSourceFile: (file) => {
        const text = read(file);
        return text === undefined ? undefined : ts.createSourceFile(file, text, 99);
      },
      getDefaultLibFileName: () => '/lib.d.ts',
      writeFile: () => {},
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (file) => file,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      fileExists: (file) => read(file) !== undefined,
      readFile: read,
    };
    const program = ts.createProgram({ rootNames: ['/g.d.ts', ...texts.keys()], options, host });
    return [...texts.keys()].flatMap((file, i) =>
      program.getSemanticDiagnostics(program.getSourceFile(file)).filter(({ start }) => (start ?? 0) < (sources[i]?.length ?? 0)).map(({ code, start }) => `c${i}:${start} ${code}`),
    );
  };

  for (const [sentence, cells, expected] of [
    ['values and types flow to later cells', ['const n = 1; type P = { a: number }', 'const p: P = { a: n }', 'p.a.toFixed()'], []],
    ['a name declared again has its new type below', ['const n = 1', "const n = 'x'", 'n.big(); n.toFixed()'], ['c2:11 2339']],
    ['later cells are not visible', ['later', 'const later = 1'], ['c0:0 2304']],
    ['a name that a cell assigns is checked', ['let s = 0', "s = 1; s = 'x'"], ['c1:7 2322']],
    ['a constant cannot be assigned', ['const s = 0', 's = 1'], ['c1:0 2632']],
    ['exported names are not exported twice', ['export const a = 1; const b = a', 'a + b'], []],
  ] as const) {
    test(sentence, () => expect(check(cells)).toEqual(expected));
  }

  test('a suffix adds imports, variables that the cell assigns, and exports', () => {
    const cells = ['let s = 0; const n = 1; type T = 1', 's = n; const own = 1'].map((text, i) => ({ file: `/c${i}.ts`, base: `c${i}`, analysis: analyze(text) }));
    expect(suffixes(cells).map(({ text }) => text)).toEqual([
      '\n;export{s,n,T};',
      "\n;declare let s:typeof import('./c0').s;import{n,T}from'./c0';export{own};",
    ]);
  });

  for (const [text, expected] of [
    ['f(', ')'], ['for (const q of p) {\n q.', '}'], ['`a ${b[0]. ', '}`'], ['`abc', '`'], ['[f(`${x', '}`)]'], ['/* open', '*/'], ['f(a) }', ''], ['({ a: [', ']})'], ["'(' + f(", ')'],
  ] as const) {
    test(`${JSON.stringify(text)} is closed with ${JSON.stringify(expected)}`, () => expect(closers(text)).toBe(expected));
  }
});
