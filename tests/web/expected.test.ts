// What the text of a cell says that it will show: its room is kept before the first run. Without a browser.
import { expect, test } from 'vitest';
import { analyze } from '../../notebook/transpile/analyze.ts';
import { compile } from '../../notebook/transpile/compile.ts';
import { expectedOf } from '../../web/editor/expected.ts';

const expected = (text: string) => {
  const analysis = analyze(text);
  return expectedOf(analysis.sourceFile, (name) => analysis.references.has(name), compile(text, analysis).program?.hasResult === true)
    .map(({ kind, height, hasYLabel }) => [kind, ...(height === null ? [] : [height]), ...(hasYLabel ? ['label'] : [])].join(' '));
};

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
  // In a loop, a branch or a function nobody knows how often.
  ['for (const i of [1, 2]) plot.line([i], [i]);\nif (Math.random() > 2) console.log(1);\nconst f = () => display(1);', []],
  // Names of the cell's own are not the notebook's.
  ["const plot = { line: () => 1 };\nplot.line();", []],
  ['views.confusion(model, set)', []],
])('%j will show %j', (text, wanted) => expect(expected(text)).toEqual(wanted));
