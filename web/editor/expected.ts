// What a cell is sure to show, as far as its text tells: calls that stand in no loop, branch or function. The page keeps their room.
import ts from 'typescript';

/** One thing that will stand under the cell. */
export interface Expected {
  readonly kind: 'chart' | 'heat' | 'html' | 'control' | 'progress' | 'download' | 'prose' | 'line';
  /** The height that the call itself states. */
  readonly height: number | null;
  /** A chart names its vertical axis. */
  readonly hasYLabel: boolean;
}

const LINES = new Set(['log', 'info', 'warn', 'error', 'debug']);
const DISPLAYS: Readonly<Record<string, Expected['kind']>> = { html: 'html', download: 'download', markdown: 'prose' };
const SHOWING = new Set(['plot', 'display', 'ui', 'progress', 'console', 'views']);

/** `isOurs`: whether the cell leaves a name to the notebook. `hasResult`: the value of the last expression is shown. */
export function expectedOf(sourceFile: ts.SourceFile, isOurs: (name: string) => boolean, hasResult: boolean): readonly Expected[] {
  const found: Expected[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) note(node);
    if (isUnsure(node)) return;
    ts.forEachChild(node, visit);
  };
  const note = (call: ts.CallExpression): void => {
    const [name, part] = calledBy(call);
    if (!isOurs(name)) return;
    const kind = kindOf(name, part);
    if (kind) found.push({ kind, height: statedHeight(call), hasYLabel: name === 'plot' && optionOf(call, 'yLabel') !== null });
  };
  ts.forEachChild(sourceFile, visit);
  const last = sourceFile.statements.at(-1);
  if (hasResult && last && !isShowing(last, isOurs)) found.push({ kind: 'line', height: null, hasYLabel: false });
  return found;
}

function kindOf(name: string, part: string): Expected['kind'] | null {
  if (name === 'plot') return part === 'heatmap' ? 'heat' : 'chart';
  if (name === 'ui') return 'control';
  if (name === 'progress') return 'progress';
  if (name === 'console') return LINES.has(part) ? 'line' : null;
  if (name === 'display') return DISPLAYS[part] ?? 'line';
  return null;
}

/** `plot.line(...)` -> plot, line; `display(...)` -> display, nothing. */
function calledBy({ expression }: ts.CallExpression): [name: string, part: string] {
  if (ts.isIdentifier(expression)) return [expression.text, ''];
  if (ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.expression)) return [expression.expression.text, expression.name.text];
  return ['', ''];
}

function statedHeight(call: ts.CallExpression): number | null {
  const stated = optionOf(call, 'height');
  return stated && ts.isNumericLiteral(stated) ? Number(stated.text) : null;
}

/** What the call's last argument, an object, says for this name. */
function optionOf({ arguments: given }: ts.CallExpression, name: string): ts.Expression | null {
  const options = given.at(-1);
  if (!options || !ts.isObjectLiteralExpression(options)) return null;
  const stated = options.properties.find((each) => ts.isPropertyAssignment(each) && ts.isIdentifier(each.name) && each.name.text === name);
  return stated && ts.isPropertyAssignment(stated) ? stated.initializer : null;
}

/** What is inside may happen never, or often. */
function isUnsure(node: ts.Node): boolean {
  return ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isIterationStatement(node, false) || ts.isIfStatement(node) || ts.isSwitchStatement(node)
    || ts.isConditionalExpression(node) || ts.isCatchClause(node)
    || (ts.isBinaryExpression(node) && [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken].includes(node.operatorToken.kind));
}

/** The last expression shows something by itself, and its value is not shown again. */
function isShowing(statement: ts.Statement, isOurs: (name: string) => boolean): boolean {
  if (!ts.isExpressionStatement(statement)) return false;
  const expression = ts.isAwaitExpression(statement.expression) ? statement.expression.expression : statement.expression;
  if (!ts.isCallExpression(expression)) return false;
  const [name] = calledBy(expression);
  return SHOWING.has(name) && isOurs(name);
}
