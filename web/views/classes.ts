// Views of a classifier: the confusion matrix with numbers, whose cells open their examples; the worst mistakes; calibration.
import type { CalibrationData, ConfusionData, MistakesData } from '../../notebook/protocol/views.ts';
import { formatShare } from '../charts/numbers.ts';
import { chartTheme } from '../charts/theme.ts';
import { h, setText } from '../dom.ts';
import { makeGallery } from './gallery.ts';
import type { Ask, Drawing } from './live.ts';
import { changeWords, isComparable, MatrixTable } from './matrix.ts';
import { line, makeSvg, svgText } from './svg.ts';
import { formatCount } from '../shell/words.ts';

const ROWS_AND_COLUMNS = 'Rows: what it is. Columns: what the model says. Press a cell to see its examples.';

export function confusionView(_first: ConfusionData, ask: Ask): Drawing<'confusion'> {
  const head = h('p', { role: 'status' });
  const opened = makeGallery();
  const table = new MatrixTable(ROWS_AND_COLUMNS, (truth, prediction, isOpen) => ask(isOpen ? { act: 'close' } : { act: 'open', truth, prediction }));
  let data: ConfusionData;
  let kept: ConfusionData | null = null;
  const which = h('select', { hidden: true, 'aria-label': 'Which matrix', on: { change: () => update(data) } }, h('option', { value: 'now' }, 'now'), h('option', { value: 'kept' }, 'kept'), h('option', { value: 'difference' }, 'now less kept'));
  const keep = h('button', { class: 'button', type: 'button', data: { action: 'keep-matrix' }, title: 'Keeps these numbers in this view: after another run they can be compared', on: { click: () => {
    kept = { ...data, counts: data.counts.slice() };
    which.hidden = false;
    update(data);
  } } }, 'Keep for comparison');

  const update = (next: ConfusionData) => {
    data = next;
    if (kept && !isComparable(kept, next)) {
      kept = null;
      which.hidden = true;
    }
    const shown = kept && which.value === 'kept' ? kept : next;
    const former = kept && which.value === 'difference' ? kept : null;
    const { open } = next;
    table.show(shown, former, (truth, prediction) => open?.truth === truth && open.prediction === prediction);
    const { total, accuracy, margin } = shown;
    head.replaceChildren(...(former ? changeWords(next, former, ['now', 'kept']) : [h('b', null, `${formatShare(accuracy)} of ${formatCount(total)} right`), ` (between ${formatShare(Math.max(0, accuracy - margin))} and ${formatShare(Math.min(1, accuracy + margin))}, 19 times of 20)`]));
    head.dataset.accuracy = String(accuracy);
    opened.element.hidden = !open;
    if (open) opened.show(open.gallery, next.classes, `${next.classes[open.truth]} read as ${next.classes[open.prediction]}`);
    else opened.clear();
  };
  return { element: h('div', { class: 'confusion-view' }, head, h('p', { class: 'quiet', 'aria-hidden': 'true' }, ROWS_AND_COLUMNS), h('div', { class: 'table-out' }, table.element), h('p', { class: 'pick-row' }, keep, which), opened.element), update };
}

export function mistakesView(_first: MistakesData, _ask: Ask): Drawing<'mistakes'> {
  const pick = h('select', { 'aria-label': 'Which mistakes', data: { pair: '' }, on: { change: () => show() } });
  const count = h('b', { class: 'told' });
  const gallery = makeGallery();
  const element = h('div', { class: 'mistakes' }, h('p', { class: 'pick-row' }, count, pick), gallery.element);
  let data: MistakesData;
  let offered = '';
  const show = () => {
    const { gallery: { items, pictures, total }, classes, examined } = data;
    const pairs = new Map<string, number>();
    for (const { truth, prediction } of items) pairs.set(`${truth} ${prediction}`, (pairs.get(`${truth} ${prediction}`) ?? 0) + 1);
    const wanted = pairs.has(pick.value) ? pick.value : '';
    const offers = [...pairs].sort((a, b) => b[1] - a[1]);
    if (String(offers) !== offered) {
      offered = String(offers);
      pick.replaceChildren(h('option', { value: '' }, 'all mistakes'), ...offers.map(([pair, many]) => {
        const [truth, prediction] = pair.split(' ').map(Number) as [number, number];
        return h('option', { value: pair, selected: pair === wanted }, `${classes[truth]} read as ${classes[prediction]} (${many})`);
      }));
    }
    setText(count, `${formatCount(total)} of ${formatCount(examined)} wrong`);
    const isShown = items.map((item) => !wanted || `${item.truth} ${item.prediction}` === wanted);
    gallery.show({ items, pictures, total: wanted ? isShown.filter(Boolean).length : total }, classes, 'Mistakes', (i) => isShown[i]!);
    element.dataset.total = String(total);
  };
  return { element, update: (next) => { data = next; show(); } };
}

const SIZE = 300;
const EDGE = 44;

export function calibrationView(_first: CalibrationData, _ask: Ask): Drawing<'calibration'> {
  const element = h('div', { class: 'calibration' });
  const update = ({ counts, confidence, accuracy, error, total }: CalibrationData) => {
    const theme = chartTheme();
    const at = (share: number) => EDGE + share * (SIZE - EDGE - 10);
    const up = (share: number) => SIZE - EDGE - share * (SIZE - EDGE - 10);
    const svg = makeSvg(SIZE, SIZE, `Calibration: mean gap ${formatShare(error)} over ${formatCount(total)} examples; the numbers stand in the table`);
    svg.append(line([[at(0), up(0)], [at(1), up(1)]], theme.axis, 1, '4 4'), line([[at(0), up(0)], [at(1), up(0)]], theme.line), line([[at(0), up(0)], [at(0), up(1)]], theme.line));
    for (const tick of [0, 0.5, 1]) svg.append(svgText(at(tick) + (tick === 1 ? 10 : 0), SIZE - EDGE + 16, `${tick * 100} %`, theme.axis, tick === 1 ? 'end' : 'middle'), svgText(EDGE - 6, up(tick) + 4, `${tick * 100} %`, theme.axis, 'end'));
    svg.append(svgText(at(0.5), SIZE - 10, 'how sure', theme.axis, 'middle'), svgText(EDGE + 6, up(1) + 10, 'how often right', theme.axis, 'start'));
    const points = [...counts.keys()].filter((i) => counts[i]! > 0);
    svg.append(line(points.map((i) => [at(confidence[i]!), up(accuracy[i]!)]), theme.series[0]!, 2));
    for (const i of points) {
      const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
      for (const [name, value] of Object.entries({ cx: at(confidence[i]!), cy: up(accuracy[i]!), r: 3 + 5 * Math.sqrt(counts[i]! / total), fill: theme.series[0]! })) dot.setAttribute(name, String(value));
      svg.append(dot);
    }
    element.dataset.error = String(error);
    element.replaceChildren(h('p', null, h('b', null, `Mean gap ${formatShare(error)}`), error < 0.02 ? ': its chances can be believed.' : points.filter((i) => counts[i]! > 0).reduce((sum, i) => sum + counts[i]! * (confidence[i]! - accuracy[i]!), 0) > 0 ? ': it is surer than it should be.' : ': it is less sure than it could be.'),
      h('div', { class: 'side-by-side' }, svg, h('div', { class: 'table-out' }, h('table', null, h('thead', null, h('tr', null, ['sure', 'right', 'examples'].map((name) => h('th', { scope: 'col' }, name)))), h('tbody', null, points.map((i) => h('tr', null, h('td', { data: { number: '' } }, formatShare(confidence[i]!)), h('td', { data: { number: '' } }, formatShare(accuracy[i]!)), h('td', { data: { number: '' } }, String(counts[i])))))))));
  };
  return { element, update };
}

