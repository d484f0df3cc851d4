// The one worker that holds TypeScript. It compiles cells for the page from the first second on, and becomes Monaco's
// language service once Monaco has loaded. Both sides are described in editor/compiler.ts and editor/language.ts.
import { initialize } from 'monaco-editor/languages/features/typescript/ts.worker';
import ts from 'typescript';
import { analyze, type Analysis } from '../../notebook/transpile/analyze.ts';
import { compile } from '../../notebook/transpile/compile.ts';
import { CellService } from './service.ts';
import type { CompileAnswer, CompileRequest } from './compiler.ts';

function serveCompiler(port: MessagePort): void {
  port.onmessage = ({ data }: MessageEvent<CompileRequest>) => {
    const analysis = analyze(data.text);
    const answer: CompileAnswer = {
      token: data.token,
      compiled: compile(data.text, analysis),
      names: [...analysis.declared.values()].filter(({ hasValue }) => hasValue).map(({ name, start }) => ({ name, line: analysis.sourceFile.getLineAndCharacterOfPosition(start).line + 1 })),
      doesLog: doesLog(analysis),
      uses: {
        declared: [...analysis.declared.values()].filter(({ hasValue }) => hasValue).map(({ name }) => name),
        references: [...analysis.references.keys()],
        writes: [...analysis.writes.keys()],
      },
    };
    port.postMessage(answer);
  };
}

/** Looks at calls, not at words: `log` by its own name inside a loop, or `fit` anywhere, neither declared by the cell. */
function doesLog({ sourceFile, references }: Analysis): boolean {
  if (!references.has('log') && !references.has('fit')) return false;
  const visit = (node: ts.Node, isInLoop: boolean): boolean => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      if (node.expression.text === 'fit' && references.has('fit')) return true;
      if (isInLoop && node.expression.text === 'log' && references.has('log')) return true;
    }
    // A function may be called once or never: its loops say nothing about this run.
    if (ts.isFunctionLike(node)) return false;
    const isLoop = isInLoop || ts.isIterationStatement(node, false);
    return ts.forEachChild(node, (child) => visit(child, isLoop) || undefined) ?? false;
  };
  return visit(sourceFile, false);
}

// Monaco's first message wakes its language service; ours brings a port.
self.onmessage = (event: MessageEvent) => {
  if (event.data?.type === 'compiler') serveCompiler(event.ports[0]!);
  else initialize((context: unknown, data: unknown) => new CellService(context, data));
};
