// Turns one cell into JavaScript that runs with the names of all cells in scope. Types become spaces and no line is
// added, so a place in the result is a place in the cell but for the shifts it lists. Leaves running to the kernel.
import ts from 'typescript';
import { blankSourceFile } from 'ts-blank-space';
import { type Analysis, analyze } from './analyze.ts';
import { grammar } from './grammar.ts';
import type { CellProgram, ColumnShift, DeclaredName, Diagnostic, NameKind } from './program.ts';

export type { CellProgram, ColumnShift, DeclaredName, Diagnostic, NameKind } from './program.ts';

/** Either a program, or the reasons why there is none. */
export type Compiled =
  | { readonly program: CellProgram; readonly diagnostics: readonly [] }
  | { readonly program: null; readonly diagnostics: readonly Diagnostic[] };

const ENTRY = '__gbCell';

/** One change of the blanked text: the span [start, end) becomes `text`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Compiles one cell.
 *
 * The program's code is a script that assigns `async (__gb) => { ... }` to a global name, because a worker
 * under a strict content policy can run scripts but not `eval`. The kernel calls it with an object that offers
 * `declare(accessors)` (called first; a getter and, when others may assign, a setter for each declared name),
 * `result` (assigned the value of the last expression), `import(specifier, names, options?)` (throws when the module
 * lacks one of the names), `thrown(value)` (called with what a `throw` is about to throw; gives it back), `tick()`
 * (called by every loop each 64 rounds; may throw to stop the cell) and `round()` (called by loops that await at the
 * beginning of each round; gives what to wait for while the run stands still, or null).
 */
export function compile(text: string, analysis: Analysis = analyze(text)): Compiled {
  const diagnostics = grammar(analysis);
  if (diagnostics.length > 0) return { program: null, diagnostics };
  const { sourceFile } = analysis;
  const blanked = blankSourceFile(sourceFile);
  const declared = valueNames(analysis);
  const edits: Edit[] = [{ start: 0, end: 0, text: prologue(declared) }];
  // The first line of a file that a shell can run is a comment, but only at the very beginning.
  if (blanked.startsWith('#!')) edits.push({ start: 0, end: 2, text: '//' });
  const hasResult = rewriteStatements(sourceFile, blanked, edits);
  guardLoops(sourceFile, edits);
  placeThrown(sourceFile, blanked, edits);
  const { code, shifts } = apply(blanked, edits);
  return { program: { code: `${code}\n})`, entry: ENTRY, declared, hasResult, shifts }, diagnostics: [] };
}

function valueNames({ declared }: Analysis): DeclaredName[] {
  const names: DeclaredName[] = [];
  for (const { name, kind, hasValue } of declared.values()) {
    if (hasValue) names.push({ name, kind: kind as NameKind });
  }
  return names;
}

function prologue(declared: readonly DeclaredName[]): string {
  const accessors = declared.map(({ name, kind }) => {
    const setter = kind === 'const' || kind === 'import' ? '' : `,__gbv=>{${name}=__gbv}`;
    return `${name}:[()=>${name}${setter}]`;
  });
  return `${ENTRY}=(async(__gb)=>{"use strict";let __gbn=0,__gbr;__gb.declare({${accessors.join()}});`;
}

/** Imports, exports and the last expression. Returns whether the cell has a result. */
function rewriteStatements(sourceFile: ts.SourceFile, blanked: string, edits: Edit[]): boolean {
  let hasResult = false;
  const blank = (start: number, end: number): void => {
    edits.push({ start, end, text: blanked.slice(start, end).replace(/[^\r\n]/g, ' ') });
  };
  const last = sourceFile.statements.at(-1);
  for (const statement of sourceFile.statements) {
    const start = statement.getStart(sourceFile);
    const end = statement.getEnd();
    if (ts.isImportDeclaration(statement)) {
      // A type-only import is spaces by now.
      if (!blanked.startsWith('import', start)) continue;
      const lineEnds = blanked.slice(start, end).replace(/[^\n]/g, '');
      edits.push({ start, end, text: importCode(statement, sourceFile) + lineEnds });
    } else if (ts.isExportDeclaration(statement)) {
      blank(start, end);
    } else if (ts.isExportAssignment(statement)) {
      blank(start, statement.expression.getStart(sourceFile));
      if (statement === last) hasResult = showResult(statement.expression, sourceFile, blanked, edits);
    } else {
      for (const modifier of ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []) {
        if (modifier.kind === ts.SyntaxKind.ExportKeyword || modifier.kind === ts.SyntaxKind.DefaultKeyword) {
          blank(modifier.getStart(sourceFile), modifier.getEnd());
        }
      }
      const isShown = statement === last && ts.isExpressionStatement(statement) && sourceFile.text[end - 1] !== ';';
      if (isShown) hasResult = showResult(statement.expression, sourceFile, blanked, edits);
    }
  }
  return hasResult;
}

function showResult(expression: ts.Expression, sourceFile: ts.SourceFile, blanked: string, edits: Edit[]): true {
  wrap('__gb.result=(', expression, sourceFile, blanked, edits);
  return true;
}

/** Puts `open` before an expression and a bracket behind it. */
function wrap(open: string, expression: ts.Expression, sourceFile: ts.SourceFile, blanked: string, edits: Edit[]): void {
  const start = expression.getStart(sourceFile);
  // Erasing `as T` at the end of a statement leaves a semicolon behind; the bracket must close before it.
  const end = start + blanked.slice(start, expression.getEnd()).replace(/;?\s*$/, '').length;
  edits.push({ start, end: start, text: open }, { start: end, end, text: ')' });
}

// Only errors know where they come from; what else is thrown gets its place by passing through the kernel.
function placeThrown(sourceFile: ts.SourceFile, blanked: string, edits: Edit[]): void {
  const visit = (node: ts.Node): void => {
    if (ts.isThrowStatement(node) && !ts.isNewExpression(node.expression)) wrap('__gb.thrown(', node.expression, sourceFile, blanked, edits);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
}

/** `import d, { a as b } from "m"` -> `const {default:d,a:b}=await __gb.import("m",["default","a"]);` */
function importCode(statement: ts.ImportDeclaration, sourceFile: ts.SourceFile): string {
  const clause = statement.importClause;
  const attributes = statement.attributes ? `,{with:{${statement.attributes.elements.map((each) => each.getText(sourceFile)).join()}}}` : '';
  const bindings = clause?.namedBindings;
  const picked: string[] = clause?.name ? [`default:${clause.name.text}`] : [];
  const names: string[] = clause?.name ? ['default'] : [];
  if (bindings && ts.isNamedImports(bindings)) {
    for (const each of bindings.elements) {
      if (each.isTypeOnly) continue;
      names.push((each.propertyName ?? each.name).text);
      picked.push(each.propertyName ? `${each.propertyName.getText(sourceFile)}:${each.name.text}` : each.name.text);
    }
  }
  const load = `await __gb.import(${statement.moduleSpecifier.getText(sourceFile)},${JSON.stringify(names)}${attributes})`;
  if (bindings && ts.isNamespaceImport(bindings)) {
    const name = bindings.name.text;
    return `const ${name}=${load}${picked.length > 0 ? `,{${picked.join()}}=${name}` : ''};`;
  }
  return picked.length > 0 ? `const {${picked.join()}}=${load};` : `${load};`;
}

// The counter stays a small integer, which V8 keeps in a register; one call in 64 rounds reads the clock and the flag.
// It stands at 63 while `tick` throws: when the cell catches that, the guard of the next loop further out throws again.
const GUARD = '(__gbn=__gbn+1&63)||(__gbn=63,__gb.tick(),__gbn=0);';
// A loop that awaits can stand still without sleeping on anything: messages reach the kernel meanwhile.
const REST = '(__gbr=__gb.round())&&await __gbr;';

function guardLoops(sourceFile: ts.SourceFile, edits: Edit[]): void {
  const visit = (node: ts.Node): void => {
    if (ts.isIterationStatement(node, false)) {
      const body = node.statement;
      const guard = awaits(node) ? GUARD + REST : GUARD;
      if (ts.isBlock(body)) {
        const inside = body.getStart(sourceFile) + 1;
        edits.push({ start: inside, end: inside, text: guard });
      } else {
        edits.push({ start: body.getStart(sourceFile), end: body.getStart(sourceFile), text: `{${guard}` });
        ts.forEachChild(node, visit);
        edits.push({ start: body.getEnd(), end: body.getEnd(), text: '}' });
        return;
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
}

/** Whether a loop awaits something itself, not only in functions that it makes. */
function awaits(loop: ts.Node): boolean {
  const visit = (node: ts.Node): boolean => {
    if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return true;
    if (ts.isFunctionLike(node) || ts.isClassStaticBlockDeclaration(node)) return false;
    return ts.forEachChild(node, (child) => visit(child) || undefined) ?? false;
  };
  return visit(loop);
}

/** Applies edits that do not overlap. Edits at one place keep their order. */
function apply(text: string, edits: readonly Edit[]): { code: string; shifts: ColumnShift[] } {
  const ordered = edits.map((edit, order) => ({ ...edit, order })).sort((a, b) => a.start - b.start || a.order - b.order);
  const shifts: ColumnShift[] = [];
  let code = '';
  let from = 0;
  let line = 1;
  // Length of the current line so far, in the source and in the result.
  let sourceColumn = 0;
  let column = 0;
  const advance = (piece: string, inSource: boolean, inResult: boolean): void => {
    const lineEnd = piece.lastIndexOf('\n');
    const tail = piece.length - (lineEnd + 1);
    if (inSource) sourceColumn = lineEnd >= 0 ? tail : sourceColumn + tail;
    if (inResult) {
      column = lineEnd >= 0 ? tail : column + tail;
      if (lineEnd >= 0) line += piece.split('\n').length - 1;
    }
  };
  for (const edit of ordered) {
    const kept = text.slice(from, edit.start);
    advance(kept, true, true);
    advance(text.slice(edit.start, edit.end), true, false);
    advance(edit.text, false, true);
    code += kept + edit.text;
    from = edit.end;
    const previous = shifts.at(-1);
    const before = previous?.line === line ? previous.by : 0;
    if (column - sourceColumn !== before) shifts.push({ line, column: column + 1, by: column - sourceColumn });
  }
  return { code: code + text.slice(from), shifts };
}
