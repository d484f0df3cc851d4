// Reads one cell: which names it declares, which it takes from outside, which of those it assigns, and
// what is wrong with its syntax. Leaves the rewriting to compile.ts. Types play no part here.
import ts from 'typescript';
import type { Diagnostic } from './program.ts';

/** What a top-level name is; the last three have no value while the cell runs (an enum is refused). */
export type DeclarationKind =
  | 'const'
  | 'let'
  | 'var'
  | 'function'
  | 'class'
  | 'import'
  | 'type'
  | 'enum'
  | 'namespace';

export interface Declaration {
  readonly name: string;
  readonly kind: DeclarationKind;
  /** Offset of the name in the cell. */
  readonly start: number;
  /** False for types, interfaces, type-only imports and everything after `declare`. */
  readonly hasValue: boolean;
  /** True when the learner wrote `export` before it. */
  readonly isExported: boolean;
}

export interface Analysis {
  readonly text: string;
  readonly sourceFile: ts.SourceFile;
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Names the cell uses and does not declare, with the offset of the first use. Built-ins are among them. */
  readonly references: ReadonlyMap<string, number>;
  /** Names from outside that the cell assigns, with every offset where it does. */
  readonly writes: ReadonlyMap<string, readonly number[]>;
  /** Syntax errors of the parser and the binder, in order. */
  readonly syntax: readonly Diagnostic[];
}

// The compiler's own scope tables do the work; these parts of it are not in its published types.
type WithLocals = { readonly locals?: ReadonlyMap<string, ts.Symbol> };
interface Internals {
  bindSourceFile(file: ts.SourceFile, options: ts.CompilerOptions): void;
  isExpressionNode(node: ts.Node): boolean;
  isInTypeQuery(node: ts.Node): boolean;
  isWriteAccess(node: ts.Node): boolean;
}
const internals = ts as unknown as Internals;

export const CELL_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  erasableSyntaxOnly: true,
};

/** Parses a cell as a module, so that `await` may stand at the top level. */
export function parse(text: string, fileName: string): ts.SourceFile {
  const options: ts.CreateSourceFileOptions = {
    languageVersion: ts.ScriptTarget.ESNext,
    impliedNodeFormat: ts.ModuleKind.ESNext,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
    setExternalModuleIndicator: (file) => {
      (file as { externalModuleIndicator?: unknown }).externalModuleIndicator = true;
    },
  };
  return ts.createSourceFile(fileName, text, options, true, ts.ScriptKind.TS);
}

/** Reads one cell. Never throws; a broken cell still gives the names that could be read. */
export function analyze(text: string, fileName = '/cell.ts'): Analysis {
  const sourceFile = parse(text, fileName);
  internals.bindSourceFile(sourceFile, CELL_OPTIONS);
  const declared = declarationsOf(sourceFile);
  const references = new Map<string, number>();
  const writes = new Map<string, number[]>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isReference(node) && !isBoundInside(node)) {
      const start = node.getStart(sourceFile);
      if (!references.has(node.text)) references.set(node.text, start);
      if (internals.isWriteAccess(node)) writes.set(node.text, [...(writes.get(node.text) ?? []), start]);
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  const { parseDiagnostics } = sourceFile as unknown as { parseDiagnostics: readonly ts.Diagnostic[] };
  const syntax = parseDiagnostics.map((found) => fromTypeScript(sourceFile, found));
  return { text, sourceFile, declared, references, writes, syntax };
}

/** A diagnostic at a span of the cell, with lines and columns filled in. */
export function diagnosticAt(
  sourceFile: ts.SourceFile,
  start: number,
  length: number,
  code: number,
  message: string,
): Diagnostic {
  const from = Math.min(start, sourceFile.text.length);
  const to = Math.min(start + length, sourceFile.text.length);
  const first = sourceFile.getLineAndCharacterOfPosition(from);
  const last = sourceFile.getLineAndCharacterOfPosition(to);
  return {
    start: from,
    length: to - from,
    line: first.line + 1,
    column: first.character + 1,
    endLine: last.line + 1,
    endColumn: last.character + 1,
    code,
    message,
  };
}

export function fromTypeScript(sourceFile: ts.SourceFile, found: ts.Diagnostic): Diagnostic {
  const message = ts.flattenDiagnosticMessageText(found.messageText, '\n');
  return diagnosticAt(sourceFile, found.start ?? 0, found.length ?? 0, found.code, message);
}

function declarationsOf(sourceFile: ts.SourceFile): Map<string, Declaration> {
  const declared = new Map<string, Declaration>();
  (sourceFile as WithLocals).locals?.forEach((symbol) => {
    const declaration = symbol.declarations?.[0];
    const name = declaration && ts.getNameOfDeclaration(declaration);
    if (!declaration || !name || !ts.isIdentifier(name)) return;
    // The binder keeps an exported name twice: a local mark and the real symbol.
    const exported = (symbol as { exportSymbol?: ts.Symbol }).exportSymbol;
    const kind = kindOf((exported ?? symbol).flags, declaration);
    const isAmbient = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Ambient) !== 0;
    const isTypeOnly = kind === 'type' || isAmbient || (kind === 'import' && ts.isTypeOnlyImportDeclaration(declaration));
    declared.set(name.text, {
      name: name.text,
      kind,
      start: name.getStart(sourceFile),
      hasValue: !isTypeOnly,
      isExported: exported !== undefined,
    });
  });
  return declared;
}

function kindOf(flags: ts.SymbolFlags, declaration: ts.Declaration): DeclarationKind {
  const has = (flag: ts.SymbolFlags) => (flags & flag) !== 0;
  if (has(ts.SymbolFlags.Alias)) return 'import';
  if (has(ts.SymbolFlags.Function)) return 'function';
  if (has(ts.SymbolFlags.Class)) return 'class';
  if (has(ts.SymbolFlags.Enum)) return 'enum';
  if (has(ts.SymbolFlags.BlockScopedVariable)) {
    // `using` is as constant as `const`.
    return ts.getCombinedNodeFlags(declaration) & (ts.NodeFlags.Const | ts.NodeFlags.Using) ? 'const' : 'let';
  }
  if (has(ts.SymbolFlags.FunctionScopedVariable)) return 'var';
  if (has(ts.SymbolFlags.ValueModule)) return 'namespace';
  return 'type';
}

/** Whether an identifier stands for a value that is looked up by name. */
function isReference(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isShorthandPropertyAssignment(parent)) {
    return parent.name === node || parent.objectAssignmentInitializer === node;
  }
  if ((ts.isPropertyAccessExpression(parent) || ts.isMetaProperty(parent)) && parent.name === node) return false;
  if (ts.isBindingElement(parent) && parent.propertyName === node) return false;
  if (ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent)) return false;
  if ((parent as { name?: ts.Node }).name === node && !ts.isExportSpecifier(parent)) return false;
  return internals.isExpressionNode(node) && !internals.isInTypeQuery(node);
}

/** Whether the cell itself gives the name a meaning at this place. */
function isBoundInside(node: ts.Identifier): boolean {
  const name = node.text;
  for (let scope: ts.Node | undefined = node.parent; scope; scope = scope.parent) {
    if ((scope as WithLocals).locals?.has(node.escapedText as string)) return true;
    if ((ts.isFunctionExpression(scope) || ts.isClassExpression(scope)) && scope.name?.text === name) return true;
    if (name === 'arguments' && ts.isFunctionLike(scope) && !ts.isArrowFunction(scope)) return true;
  }
  return false;
}
