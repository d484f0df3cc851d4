// What changed between two runs: settings, last values, and the code line by line.
import { h } from '../dom.ts';
import { groupOf } from '../charts/groups.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { onChartTheme } from '../charts/theme.ts';
import { changeWords, isComparable, MatrixTable, points } from '../views/matrix.ts';
import { diffLines, finals, type TrainingRun } from './record.ts';
import { formatCount } from '../shell/words.ts';

const AROUND = 2;

export function diffView(a: TrainingRun, b: TrainingRun, close: () => void): HTMLElement {
  const names = [...new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])].filter((name) => a.settings[name] !== b.settings[name]);
  const metrics = [...new Set([...finals(a).keys(), ...finals(b).keys()])];
  const isShare = (name: string) => groupOf(name).scale === 'share';
  const number = (name: string, value: number | undefined) => (value === undefined ? '' : isShare(name) ? formatShare(value) : formatValue(value));
  const change = (name: string) => {
    const [before, after] = [finals(a).get(name), finals(b).get(name)];
    if (before === undefined || after === undefined) return '';
    if (after === before) return 'none';
    return isShare(name) ? `${points(after - before) || '0.0'} points` : `${after > before ? '+' : ''}${formatValue(after - before)}`;
  };
  const lines = diffLines(a.program, b.program);
  const isNear = lines.map((_, i) => lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some(({ kind }) => kind !== 'same'));
  const code: HTMLElement[] = [];
  lines.forEach(({ kind, text }, i) => {
    if (!isNear[i]) {
      if (i > 0 && isNear[i - 1]) code.push(h('div', { class: 'diff-gap' }, '…'));
      return;
    }
    code.push(h('div', { data: { line: kind } }, h('span', { 'aria-hidden': 'true' }, kind === 'gone' ? '−' : kind === 'new' ? '+' : ' '), h('span', { class: 'only-read' }, kind === 'gone' ? 'gone: ' : kind === 'new' ? 'new: ' : ''), text));
  });
  return h('section', { class: 'diff', 'aria-label': `From ${a.name} to ${b.name}` },
    h('div', { class: 'diff-head' }, h('h3', null, `From ${a.name} to ${b.name}`), h('button', { class: 'button', type: 'button', on: { click: close } }, 'Close')),
    h('table', null, h('thead', null, h('tr', null, ['', a.name, b.name, 'change'].map((text) => h('th', { scope: 'col' }, text)))), h('tbody', null,
      names.map((name) => h('tr', { data: { setting: name } }, h('th', { scope: 'row' }, name), h('td', null, String(a.settings[name] ?? '')), h('td', null, String(b.settings[name] ?? '')), h('td'))),
      metrics.map((name) => h('tr', { data: { metric: name } }, h('th', { scope: 'row' }, name), h('td', null, number(name, finals(a).get(name))), h('td', null, number(name, finals(b).get(name))), h('td', null, change(name)))))),
    ...matrices(a, b),
    code.length ? h('pre', { class: 'diff-code' }, code) : h('p', { class: 'quiet' }, names.length ? 'The code is the same.' : 'Code and settings are the same.'));
}

/** Which classes the later run mixes up more or less: the matrix of each, and their difference. */
function matrices(a: TrainingRun, b: TrainingRun): HTMLElement[] {
  const known = (run: TrainingRun) => run.matrices ?? {};
  const both = Object.entries(known(b)).filter(([of, matrix]) => known(a)[of] && isComparable(known(a)[of]!, matrix));
  if (!both.length) return Object.keys({ ...known(a), ...known(b) }).length ? [h('p', { class: 'quiet' }, 'Only one of the two runs has a confusion matrix: with views.confusion(model, test) in the notebook, each run keeps its own.')] : [];
  return both.map(([of, after]) => {
    const before = known(a)[of]!;
    const table = new MatrixTable('Rows: what it is. Columns: what the model says.');
    const head = h('p', { role: 'status' });
    const which = h('select', { 'aria-label': `Which matrix of ${of}`, on: { change: () => show() } }, h('option', { value: 'difference' }, `${b.name} less ${a.name}`), h('option', { value: 'before' }, a.name), h('option', { value: 'after' }, b.name));
    const show = () => {
      const shown = which.value === 'before' ? before : after;
      table.show(shown, which.value === 'difference' ? before : null);
      head.replaceChildren(...(which.value === 'difference' ? changeWords(after, before, [b.name, a.name], 'in ') : [`${shown.counts.reduce((sum, count, i) => sum + (i % (shown.classes.length + 1) ? 0 : count), 0)} of ${formatCount(shown.total)} right. Rows: what it is. Columns: what the model says.`]));
    };
    show();
    // Its colours are those of the page.
    const stop = onChartTheme(() => (table.element.isConnected ? show() : stop()));
    return h('div', { class: 'confusion-view', data: { matrix: of } }, h('p', { class: 'pick-row' }, h('b', null, `Confusion matrix, ${of}`), which), head, h('div', { class: 'table-out' }, table.element));
  });
}
