// The one worker that holds TypeScript. It compiles cells for the page from the first second on, and becomes Monaco's
// language service once Monaco has loaded. Both sides are described in editor/compiler.ts and editor/language.ts.
import { initialize } from 'monaco-editor/languages/features/typescript/ts.worker';
import ts from 'typescript';
import { analyze, type Analysis } from '../../notebook/transpile/analyze.ts';
import { compile } from '../../notebook/transpile/compile.ts';
import { expectedOf } from './expected.ts';
import { CellService } from './service.ts';
import type { CompileAnswer, CompileRequest } from './compiler.ts';

function serveCompiler(port: MessagePort): void {
  port.onmessage = ({ data }: MessageEvent<CompileRequest>) => {
    const analysis = analyze(data.text);
    const loggers = loggersOf(analysis);
    const compiled = compile(data.text, analysis);
    const { expected, showers } = expectedOf(analysis.sourceFile, (name) => analysis.references.has(name), compiled.program?.hasResult === true);
    const answer: CompileAnswer = {
      token: data.token,
      compiled,
      names: [...analysis.declared.values()].filter(({ hasValue }) => hasValue).map(({ name, start }) => ({ name, line: analysis.sourceFile.getLineAndCharacterOfPosition(start).line + 1 })),
      doesLog: logs(analysis.sourceFile, analysis, loggers),
      loggers: [...loggers],
      metrics: loggers.size > 0 || analysis.references.has('log') ? metricsOf(analysis) : [],
      expected,
      showers,
      uses: {
        declared: [...analysis.declared.values()].filter(({ hasValue }) => hasValue).map(({ name }) => name),
        references: [...analysis.references.keys()],
        writes: [...analysis.writes.keys()],
      },
    };
    port.postMessage(answer);
  };
}

/** Functions at the top level that log numbers again and again when they are called. */
function loggersOf(analysis: Analysis): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (name: ts.Node | undefined, made: ts.Node | undefined) => {
    if (!name || !made || !ts.isIdentifier(name) || !ts.isFunctionLike(made)) return;
    if (ts.forEachChild(made, (child) => logs(child, analysis, found) || undefined)) found.add(name.text);
  };
  for (const statement of analysis.sourceFile.statements) {
    if (ts.isFunctionDeclaration(statement)) note(statement.name, statement);
    else if (ts.isVariableStatement(statement)) for (const { name, initializer } of statement.declarationList.declarations) note(name, initializer);
  }
  return found;
}

/** Looks at calls, not at words: `log` by its own name inside a loop, `fit` anywhere, neither declared by the cell; or a function that does. */
function logs(node: ts.Node, { references }: Analysis, loggers: ReadonlySet<string>): boolean {
  const visit = (at: ts.Node, isInLoop: boolean): boolean => {
    if (ts.isCallExpression(at) && ts.isIdentifier(at.expression)) {
      const { text } = at.expression;
      if (loggers.has(text)) return true;
      if (text === 'fit' && references.has('fit')) return true;
      if (isInLoop && text === 'log' && references.has('log')) return true;
    }
    // A function may be called once or never: its loops say nothing about this run.
    if (ts.isFunctionLike(at)) return false;
    const isLoop = isInLoop || ts.isIterationStatement(at, false);
    return ts.forEachChild(at, (child) => visit(child, isLoop) || undefined) ?? false;
  };
  return visit(node, false);
}

/** Names of the numbers that `log({ loss, accuracy })` is seen to log. */
function metricsOf({ sourceFile, references }: Analysis): readonly string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'log' && references.has('log')) {
      const [values] = node.arguments;
      if (values && ts.isObjectLiteralExpression(values)) for (const { name } of values.properties) if (name && (ts.isIdentifier(name) || ts.isStringLiteral(name))) found.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return [...found];
}

// Monaco's first message wakes its language service; ours brings a port.
self.onmessage = (event: MessageEvent) => {
  if (event.data?.type === 'compiler') serveCompiler(event.ports[0]!);
  else initialize((context: unknown, data: unknown) => new CellService(context, data));
};
