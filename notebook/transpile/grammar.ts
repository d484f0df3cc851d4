// What a cell may not say although it parses: early errors of JavaScript, TypeScript that needs code
// generation, and names that would break the kernel. Every rule ends as a diagnostic on exact characters.
import ts from 'typescript';
import { type Analysis, CELL_OPTIONS, diagnosticAt, fromTypeScript } from './analyze.ts';
import type { Diagnostic } from './program.ts';

/** Numbers of our own diagnostics; TypeScript stays below 90000. */
const OUR_CODES = { protectedName: 90001, reservedName: 90002, reexport: 90003, importMeta: 90004, decorator: 90005, accessor: 90006, nameless: 90007, strayFunction: 90008, unknownPrivate: 90009 } as const;

/** Prefix of the names that compiled cells use themselves. */
const RESERVED_PREFIX = '__gb';

const PROTECTED_NAMES = new Set(
  (
    'undefined NaN Infinity globalThis self eval arguments Object Function Array String Number Boolean Symbol BigInt ' +
    'Promise Proxy Reflect Map Set WeakMap WeakSet WeakRef FinalizationRegistry Date RegExp Math JSON Atomics ' +
    'Error TypeError RangeError SyntaxError ReferenceError AggregateError ArrayBuffer SharedArrayBuffer DataView ' +
    'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array ' +
    'BigInt64Array BigUint64Array WebAssembly console performance queueMicrotask setTimeout clearTimeout setInterval ' +
    'clearInterval MessageChannel MessagePort MessageEvent EventTarget AbortController Blob URL TextEncoder TextDecoder ' +
    'Worker importScripts postMessage process Buffer'
  ).split(' '),
);

// Early errors that TypeScript numbers outside its grammar range: redeclared names, bad assignment targets, stray super,
// await and yield where they may not stand, rest elements, mixed ?? and ||, private names. The engine that runs cells
// refuses the whole script for each of them, and does not say where.
const EARLY_ERRORS = new Set([
  2300, 2337, 2357, 2364, 2392, 2440, 2451, 2462, 2480, 2481, 2487, 2492, 2501, 2523, 2524, 2660, 2777, 2778, 2779, 2780, 2781, 5076, 17013,
  18011, 18012, 18016, 18037, 18041,
]);
// In the grammar range, but about types: these never stop a run.
const ABOUT_TYPES = new Set([1055, 1058, 1059, 1060, 1061, 1062, 1063, 1064, 1065, 1320, 1321, 1322, 1345, 1361, 1362]);

/** All reasons not to run the cell, sorted by place. Empty means that it compiles. */
export function grammar(analysis: Analysis): readonly Diagnostic[] {
  if (analysis.syntax.length > 0) return analysis.syntax;
  const found = [...earlyErrors(analysis), ...nameErrors(analysis), ...formErrors(analysis)];
  return found.sort((a, b) => a.start - b.start);
}

// The checker knows JavaScript's early errors. It runs on this one file without libraries, so all it says about
// types is noise and is dropped.
function earlyErrors({ sourceFile }: Analysis): Diagnostic[] {
  const name = sourceFile.fileName;
  const host: ts.CompilerHost = {
    getSourceFile: (file) => (file === name ? sourceFile : undefined),
    getDefaultLibFileName: () => '/lib.d.ts',
    writeFile: () => {},
    getCurrentDirectory: () => '/',
    getCanonicalFileName: (file) => file,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (file) => file === name,
    readFile: () => undefined,
  };
  const options = { ...CELL_OPTIONS, noLib: true, noResolve: true, types: [], noEmit: true, strict: false };
  const program = ts.createProgram({ rootNames: [name], options, host });
  const kept = program.getSemanticDiagnostics(sourceFile).filter(({ code, category }) => {
    if (category !== ts.DiagnosticCategory.Error) return false;
    return EARLY_ERRORS.has(code) || (code >= 1000 && code < 2000 && !ABOUT_TYPES.has(code));
  });
  return kept.map((each) => {
    const plain = fromTypeScript(sourceFile, each);
    if (plain.code === 1294) return { ...plain, message: erasableAdvice(sourceFile, plain.start) };
    if (plain.code === 1108) {
      return { ...plain, message: `${plain.message} A cell shows its last expression when no ';' follows it.` };
    }
    return plain;
  });
}

/** TypeScript says only that the syntax is not allowed; the learner needs to know what to write instead. */
function erasableAdvice(sourceFile: ts.SourceFile, start: number): string {
  let node: ts.Node = sourceFile;
  const descend = (child: ts.Node): void => {
    if (child.getStart(sourceFile) <= start && start < child.getEnd()) {
      node = child;
      ts.forEachChild(child, descend);
    }
  };
  descend(sourceFile);
  for (let at: ts.Node = node; at; at = at.parent) {
    if (ts.isEnumDeclaration(at)) return "An enum needs code generation; use a constant object: const E = { A: 0, B: 1 } as const.";
    if (ts.isModuleDeclaration(at)) return 'A namespace needs code generation; use a constant object or plain functions.';
    if (ts.isParameter(at)) return 'A parameter property needs code generation; declare the field and assign it in the constructor.';
    if (ts.isTypeAssertionExpression(at)) return 'Write `value as Type` instead of `<Type>value`.';
    if (ts.isImportEqualsDeclaration(at)) return "Write `import * as name from 'module'` instead of `import name = require('module')`.";
  }
  return 'This TypeScript syntax needs code generation; a cell may only use types that can be erased.';
}

function nameErrors({ sourceFile, declared }: Analysis): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const { name, start, hasValue } of declared.values()) {
    if (!hasValue) continue;
    if (PROTECTED_NAMES.has(name)) {
      const message = `'${name}' is part of JavaScript and all cells share their names; choose another name.`;
      found.push(diagnosticAt(sourceFile, start, name.length, OUR_CODES.protectedName, message));
    } else if (name.startsWith(RESERVED_PREFIX)) {
      const message = `Names that start with '${RESERVED_PREFIX}' belong to the notebook; choose another name.`;
      found.push(diagnosticAt(sourceFile, start, name.length, OUR_CODES.reservedName, message));
    }
  }
  return found;
}

function formErrors({ sourceFile }: Analysis): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (node: ts.Node, code: number, message: string): void => {
    const start = node.getStart(sourceFile);
    found.push(diagnosticAt(sourceFile, start, node.getEnd() - start, code, message));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly) {
      report(node, OUR_CODES.reexport, 'Cells share their names without exports; write `import` to bring these names in.');
    }
    if ((ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) && !node.name) {
      report(node, OUR_CODES.nameless, 'Give it a name: other cells can use only what has one.');
    }
    if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) {
      report(node, OUR_CODES.importMeta, 'A cell is no module file, so it has no `import.meta`.');
    }
    if (ts.isDecorator(node)) report(node, OUR_CODES.decorator, 'Decorators are not supported in cells; call the function instead.');
    if (node.kind === ts.SyntaxKind.AccessorKeyword) report(node, OUR_CODES.accessor, 'Accessor fields are not supported in cells; write `get` and `set`, or a plain field.');
    if (ts.isFunctionDeclaration(node) && ts.isIfStatement(node.parent)) {
      report(node, OUR_CODES.strayFunction, 'A function after `if` or `else` needs braces around it.');
    }
    if (ts.isPrivateIdentifier(node) && !isDeclaredPrivate(node)) {
      report(node, OUR_CODES.unknownPrivate, `No class around this declares ${node.text}.`);
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return found;
}

/** Whether a class around the place declares a private name. Outside of any class TypeScript has its own words for it. */
function isDeclaredPrivate(name: ts.PrivateIdentifier): boolean {
  let isInClass = false;
  for (let at: ts.Node = name.parent; at; at = at.parent) {
    if (!ts.isClassLike(at)) continue;
    isInClass = true;
    if (at.members.some((member) => member.name && ts.isPrivateIdentifier(member.name) && member.name.text === name.text)) return true;
  }
  return !isInClass;
}
