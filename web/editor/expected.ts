// What a cell will show, as far as its text tells. The page keeps the room of it before the first run.
import ts from 'typescript';

/** One thing that will stand under the cell. */
export interface Expected {
  readonly kind: 'chart' | 'heat' | 'html' | 'control' | 'progress' | 'download' | 'prose' | 'line' | 'lines' | 'table' | 'picture' | 'images' | 'view' | 'call';
  /** The height that the call itself states. */
  readonly height: number | null;
  /** A chart names its vertical axis. */
  readonly hasYLabel: boolean;
  /** Of a view: which. Of a call: the function of another cell that shows something of its own. */
  readonly name: string;
  /** Rows of a table that is written out. */
  readonly rows: number | null;
}

const LINES = new Set(['log', 'info', 'warn', 'error', 'debug']);
const DISPLAYS: Readonly<Record<string, Expected['kind']>> = { html: 'html', download: 'download', markdown: 'prose', table: 'table', picture: 'picture' };
const SHOWING = new Set(['plot', 'display', 'ui', 'progress', 'console', 'views']);
/** Functions within functions are followed so far. */
const DEPTH = 4;

export interface Reading {
  readonly expected: readonly Expected[];
  /** Functions at the top level, and what a call of each shows. */
  readonly showers: Readonly<Record<string, readonly Expected[]>>;
}

/** `isOurs`: whether the cell leaves a name to the notebook. `hasResult`: the value of the last expression is shown. */
export function expectedOf(sourceFile: ts.SourceFile, isOurs: (name: string) => boolean, hasResult: boolean): Reading {
  const functions = functionsOf(sourceFile);
  const showers: Record<string, readonly Expected[]> = {};
  for (const [name, made] of functions) {
    const shows = inOrder(made, { isOurs, functions, depth: 1, isInLoop: false });
    if (shows.length > 0) showers[name] = shows;
  }
  const expected = sourceFile.statements.flatMap((statement) => read(statement, { isOurs, functions, depth: 0, isInLoop: false }));
  const last = sourceFile.statements.at(-1);
  if (hasResult && last && !isShowing(last, isOurs)) expected.push(thing('line'));
  return { expected, showers };
}

interface Place {
  readonly isOurs: (name: string) => boolean;
  readonly functions: ReadonlyMap<string, ts.Node>;
  readonly depth: number;
  readonly isInLoop: boolean;
}

const thing = (kind: Expected['kind'], more: Partial<Expected> = {}): Expected => ({ kind, height: null, hasYLabel: false, name: '', rows: null, ...more });

const inOrder = (node: ts.Node, place: Place): Expected[] => {
  const found: Expected[] = [];
  ts.forEachChild(node, (child) => void found.push(...read(child, place)));
  return found;
};

/** What a piece of the text shows, each place in it once: nobody knows how often a loop goes round. */
function read(node: ts.Node, place: Place): Expected[] {
  // A function shows something when it is called; one that is handed over probably is, and again and again.
  if (ts.isFunctionLike(node)) return isHandedOver(node) ? inOrder(node, { ...place, isInLoop: true }) : [];
  if (ts.isClassLike(node) || ts.isCatchClause(node)) return [];
  if (ts.isIfStatement(node)) return [...read(node.expression, place), ...larger(read(node.thenStatement, place), node.elseStatement ? read(node.elseStatement, place) : [])];
  if (ts.isConditionalExpression(node)) return [...read(node.condition, place), ...larger(read(node.whenTrue, place), read(node.whenFalse, place))];
  if (ts.isCaseBlock(node)) return node.clauses.map((clause) => inOrder(clause, place)).reduce(larger, []);
  if (ts.isIterationStatement(node, false)) return inOrder(node, { ...place, isInLoop: true });
  const inner = inOrder(node, place);
  return ts.isCallExpression(node) ? [...inner, ...shownBy(node, place)] : inner;
}

const larger = (one: Expected[], other: Expected[]): Expected[] => (other.length > one.length ? other : one);

function shownBy(call: ts.CallExpression, place: Place): readonly Expected[] {
  const [name, part] = calledBy(call);
  const own = part === '' ? place.functions.get(name) : undefined;
  if (own) return place.depth < DEPTH ? inOrder(own, { ...place, depth: place.depth + 1 }) : [];
  if (!place.isOurs(name)) return [];
  const kind = kindOf(name, part, call);
  // A function of another cell, for all that this text tells.
  if (!kind) return part === '' ? [thing('call', { name })] : [];
  if (kind === 'line' && name === 'console' && place.isInLoop) return [thing('lines')];
  return [thing(kind, { height: statedHeight(call), hasYLabel: name === 'plot' && optionOf(call, 'yLabel') !== null, name: kind === 'view' ? part || name : '', rows: kind === 'table' ? statedRows(call) : null })];
}

function kindOf(name: string, part: string, call: ts.CallExpression): Expected['kind'] | null {
  if (name === 'plot') return part === 'heatmap' ? 'heat' : 'chart';
  if (name === 'ui') return 'control';
  if (name === 'progress') return 'progress';
  if (name === 'views' || (name === 'sweep' && part === '')) return 'view';
  // A data set that has to be loaded shows how far it is.
  if (name === 'data') return ts.isAwaitExpression(call.parent) ? 'progress' : null;
  if (name === 'console') return LINES.has(part) ? 'line' : null;
  if (name !== 'display') return null;
  if (part !== '') return DISPLAYS[part] ?? 'line';
  const form = optionOf(call, 'as');
  if (form && ts.isStringLiteral(form)) return form.text === 'table' ? 'table' : form.text === 'image' ? 'images' : 'line';
  return optionOf(call, 'captions') || optionOf(call, 'limit') ? 'images' : 'line';
}

/** Functions with a name at the top level. */
function functionsOf(sourceFile: ts.SourceFile): ReadonlyMap<string, ts.Node> {
  const found = new Map<string, ts.Node>();
  for (const statement of sourceFile.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name) found.set(statement.name.text, statement);
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) if (ts.isIdentifier(name) && initializer && ts.isFunctionLike(initializer)) found.set(name.text, initializer);
  }
  return found;
}

/** `rows.forEach((row) => ...)`, `fit({ onEpoch() { ... } })`. */
function isHandedOver(node: ts.Node): boolean {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isCallExpression(at)) return true;
    if (!ts.isObjectLiteralExpression(at) && !ts.isPropertyAssignment(at) && !ts.isParenthesizedExpression(at)) return false;
  }
  return false;
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

function statedRows({ arguments: [rows] }: ts.CallExpression): number | null {
  return rows && ts.isArrayLiteralExpression(rows) && !rows.elements.some(ts.isSpreadElement) ? rows.elements.length : null;
}

/** What the call's last argument, an object, says for this name. */
function optionOf({ arguments: given }: ts.CallExpression, name: string): ts.Expression | null {
  const options = given.at(-1);
  if (!options || !ts.isObjectLiteralExpression(options)) return null;
  const stated = options.properties.find((each) => each.name && ts.isIdentifier(each.name) && each.name.text === name);
  if (!stated) return null;
  return ts.isPropertyAssignment(stated) ? stated.initializer : ts.isShorthandPropertyAssignment(stated) ? stated.name : null;
}

/** The last expression shows something by itself, and its value is not shown again. */
function isShowing(statement: ts.Statement, isOurs: (name: string) => boolean): boolean {
  if (!ts.isExpressionStatement(statement)) return false;
  const expression = ts.isAwaitExpression(statement.expression) ? statement.expression.expression : statement.expression;
  if (!ts.isCallExpression(expression)) return false;
  const [name] = calledBy(expression);
  return SHOWING.has(name) && isOurs(name);
}
