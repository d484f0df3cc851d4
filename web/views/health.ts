// The health panel: one sentence, then every check with a mark, its words and its number. And the learning-rate finder.
import type { HealthData, RateFinderData } from '../../notebook/protocol/views.ts';
import { columnOf } from '../charts/column.ts';
import { ChartFrame } from '../charts/frame.ts';
import { formatTick, formatValue } from '../charts/numbers.ts';
import { h, setText } from '../dom.ts';
import type { Ask, Drawing } from './live.ts';
import { spaceCounts } from '../shell/words.ts';

const MARKS = { good: '✓', warn: '!', bad: '✗', skipped: '–' } as const;
const WORDS = { good: 'good', warn: 'worth a look', bad: 'wrong', skipped: 'not checked' } as const;

export function healthView(_first: HealthData, _ask: Ask): Drawing<'health'> {
  const verdict = h('p', { class: 'verdict', role: 'status' });
  const list = h('ul', { class: 'checks' });
  const update = ({ verdict: words, checks }: HealthData) => {
    setText(verdict, spaceCounts(words));
    verdict.dataset.kind = checks.some(({ state }) => state === 'bad') ? 'bad' : checks.some(({ state }) => state === 'warn') ? 'warn' : 'good';
    list.replaceChildren(...checks.map(({ key, title, state, words: why, value }) => h('li', { data: { check: key, state } },
      h('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[state]), h('span', null, h('b', null, title), h('span', { class: 'only-read' }, `: ${WORDS[state]}.`), ` ${spaceCounts(why)}`), h('span', { class: 'figures quiet' }, spaceCounts(value).replace(/(^|\s)-(?=\d)/g, '$1\u2212')))));
  };
  return { element: h('div', { class: 'health' }, verdict, list), update };
}

export function rateFinderView(_first: RateFinderData, _ask: Ask): Drawing<'rateFinder'> {
  let data: RateFinderData;
  // The rate is drawn by its logarithm: the axis counts powers of ten.
  const frame = new ChartFrame({
    title: 'Loss by learning rate', xLabel: 'learning rate (log axis)', yLabel: '', height: 240, endRoom: 24, showsYLabel: false, empty: 'No step could be made.', formatY: formatValue, formatTick,
    table: () => ({ head: ['rate', 'loss'], count: data.rates.length, row: (i) => [data.rates[i]!, data.losses[i]!] }),
  });
  const words = h('p');
  const update = (next: RateFinderData) => {
    data = next;
    const { rates, losses, steepest, tenth, note } = next;
    const x = Float64Array.from(rates, Math.log10);
    const low = Math.min(...losses);
    const top = Math.min(Math.max(...losses), low * 3 || 1, (losses[0] ?? 1) * 1.6);
    frame.showEmpty(rates.length === 0);
    frame.view.draw({
      lines: [{ name: 'loss', kind: 'line', x, y: columnOf(losses), count: losses.length, colour: 0, weight: 'full', isDashed: false, end: null }],
      xRange: [x[0] ?? 0, x[x.length - 1] ?? 1], yRange: [Math.max(0, low - (top - low) * 0.1), top], isLog: false, xLabel: '', formatX: (power) => (10 ** power).toExponential(Number.isInteger(power) ? 0 : 1).replace('e+0', '').replace('-', '−'), missing: [],
      events: [...(steepest === null ? [] : [{ x: Math.log10(steepest), text: 'steepest' }]), ...(tenth === null ? [] : [{ x: Math.log10(tenth), text: 'a tenth of the lowest' }])].sort((a, b) => a.x - b.x),
    });
    frame.element.dataset.steepest = String(steepest);
    const sentence = steepest === null ? 'The loss falls at none of these rates. A model that has learned already has little left to gain: try it with a fresh one. If this one is fresh, something else is wrong.' : `It falls fastest at ${steepest.toExponential(1)}${tenth === null ? '' : `; a tenth of the rate with the lowest loss is ${tenth.toExponential(1)}`}. A rate between them is a good start. The model is as it was.`;
    words.replaceChildren(h('b', null, sentence), note ? ` ${note}` : '');
    frame.summarise([{ name: 'loss', points: losses.length, first: losses[0] ?? Number.NaN, last: losses[losses.length - 1] ?? Number.NaN, min: low, max: Math.max(...losses) }], () => `Loss by learning rate. ${sentence}`, true);
  };
  return { element: h('div', { class: 'rate-finder' }, words, frame.element), update, close: () => frame.close() };
}
