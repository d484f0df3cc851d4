// What the text of a cell says that it will show: its room is kept before the first run. Without a browser.
import { expect, test } from 'vitest';
import { analyze } from '../../notebook/transpile/analyze.ts';
import { compile } from '../../notebook/transpile/compile.ts';
import { expectedOf, type Expected } from '../../web/editor/expected.ts';
import { withCalls } from '../../web/editor/foreseen.ts';

const read = (text: string) => {
  const analysis = analyze(text);
  return expectedOf(analysis.sourceFile, (name) => analysis.references.has(name), compile(text, analysis).program?.hasResult === true);
};
const words = (all: readonly Expected[]) => all.map(({ kind, height, hasYLabel, name, rows }) => [kind, name, height, rows, hasYLabel ? 'label' : ''].filter((each) => each !== '' && each !== null).join(' '));

test.each<[text: string, expected: string[]]>([
  ['const a = 1;', []],
  ['1 + 1', ['line']],
  ['1 + 1;', []],
  ["console.log('a');\nconsole.warn('b');", ['line', 'line']],
  ["console.log('a')", ['line']],
  ['plot.line([1], [2])', ['chart']],
  ["await plot.heatmap([[1]], { height: 90 });\nplot.bar(['a'], [1], { yLabel: 'count' });", ['heat 90', 'chart label']],
  ["display.html('x', { height: 120 });\ndisplay.markdown('y');\ndisplay(1);", ['html 120', 'prose', 'line']],
  ["const lr = ui.slider('rate');\nprogress('x', 3);\ndisplay.download('a', 'b');", ['control', 'progress', 'download']],
  ["display.table([[1], [2]]);\ndisplay.table(rows);\ndisplay(x, { as: 'image' });\ndisplay(x, { captions });\ndisplay.picture(bytes);", ['table 2', 'table', 'images', 'images', 'picture']],
  ['const digits = await data.mnist();\nawait views.health(model, digits);', ['progress', 'view health']],
  ['await sweep({ lr: [1] }, train);', ['view sweep']],
  // Each place in a loop once: nobody knows how often it goes round. What is printed there scrolls.
  ['for (const i of [1, 2]) plot.line([i], [i]);', ['chart']],
  ['while (true) {\n  console.log(1);\n}', ['lines']],
  ['rows.forEach((row) => console.log(row));\nawait fit(model, set, { onEpoch() { display(1); } });', ['lines', 'line', 'call fit']],
  // The larger of two branches; the way through a catch is not expected.
  ["if (a) console.log(1);\nelse {\n  plot.line(x, y);\n  display(1);\n}", ['chart', 'line']],
  ["try {\n  display.html(a);\n} catch {\n  display.html(b);\n  display.html(c);\n}", ['html']],
  ['switch (a) {\n  case 1: display(1); break;\n  default: ui.toggle("b"); ui.toggle("c");\n}', ['control', 'control']],
  // A function shows something where it is called, by whatever way.
  ['function show() { plot.line([1], [1]); }', []],
  ['const show = () => display(1);\nfunction both() { show(); plot.line([1], [1]); }\nboth();', ['line', 'chart']],
  ['function again() { display(1); again(); }\nagain();', ['line', 'line', 'line', 'line']],
  ['teach(3);', ['call teach']],
  // Names of the cell's own are not the notebook's.
  ["const plot = { line: () => 1 };\nplot.line();", []],
])('%j will show %j', (text, wanted) => expect(words(read(text).expected)).toEqual(wanted));

test('what functions of other cells show is found by their names', () => {
  const { showers } = read('function outer() { inner(); }\nfunction inner() { display.table([[1]]); elsewhere(); }\nconst quiet = () => 1;');
  expect(Object.keys(showers)).toEqual(['outer', 'inner']);
  const all = new Map([...Object.entries(showers), ...Object.entries(read('const elsewhere = () => console.log(1);').showers)]);
  expect(words(withCalls(read('outer();').expected, all))).toEqual(['table 1', 'line']);
  // Those that call each other for ever come to an end.
  expect(withCalls(read('ping();').expected, new Map(Object.entries({ ...read('function ping() { pong(); }').showers, ...read('function pong() { ping(); }').showers })))).toEqual([]);
});
