// Views of a classifier: the confusion matrix with numbers, whose cells open their examples; the worst mistakes; calibration.
import type { CalibrationData, ConfusionData, MistakesData } from '../../notebook/protocol/views.ts';
import { formatShare } from '../charts/numbers.ts';
import { chartTheme } from '../charts/theme.ts';
import { h, setText } from '../dom.ts';
import { galleryOf } from './gallery.ts';
import type { Ask, Drawing } from './live.ts';
import { css, heatColour, signedColour } from './paint.ts';
import { line, makeSvg, svgText } from './svg.ts';

const ROWS_AND_COLUMNS = 'Rows: what it is. Columns: what the model says. Press a cell to see its examples.';

/** Which matrix is shown: that of now, the one that was kept, or the first less the second. */
type Shown = 'now' | 'kept' | 'difference';

/** Parts of a row in hundredths, with a sign; nothing for no change. */
const points = (change: number): string => (Math.abs(change) < 5e-4 || Number.isNaN(change) ? '' : `${change > 0 ? '+' : '\u2212'}${Math.abs(change * 100).toFixed(1)}`);

export function confusionView(_first: ConfusionData, ask: Ask): Drawing<'confusion'> {
  const head = h('p', { role: 'status' });
  const table = h('table', { class: 'confusion' });
  const opened = h('div', { class: 'opened' });
  let buttons: HTMLButtonElement[] = [];
  let recalls: HTMLElement[] = [];
  let precisions: HTMLElement[] = [];
  let shape = '';
  let data: ConfusionData;
  let kept: ConfusionData | null = null;
  const which = h('select', { hidden: true, 'aria-label': 'Which matrix', on: { change: () => update(data) } }, h('option', { value: 'now' }, 'now'), h('option', { value: 'kept' }, 'kept'), h('option', { value: 'difference' }, 'now less kept'));
  const keep = h('button', { class: 'button', type: 'button', data: { action: 'keep-matrix' }, title: 'Keeps these numbers in this view: after another run they can be compared', on: { click: () => {
    kept = { ...data, counts: data.counts.slice() };
    which.hidden = false;
    update(data);
  } } }, 'Keep for comparison');

  const build = (classes: readonly string[]) => {
    buttons = [];
    recalls = classes.map(() => h('td', { class: 'rate' }));
    precisions = classes.map(() => h('td', { class: 'rate' }));
    const rows = classes.map((truth, row) => h('tr', null, h('th', { scope: 'row' }, truth), classes.map((prediction, column) => {
      const button = h('button', { type: 'button', tabIndex: row + column === 0 ? 0 : -1, data: { truth: String(row), prediction: String(column) }, on: {
        click: () => ask(button.getAttribute('aria-pressed') === 'true' ? { act: 'close' } : { act: 'open', truth: row, prediction: column }),
        keydown: (event: Event) => move(event as KeyboardEvent, row, column),
      } });
      button.dataset.names = `${truth} read as ${prediction}`;
      buttons.push(button);
      return h('td', null, button);
    }), recalls[row]));
    table.replaceChildren(
      h('caption', { class: 'only-read' }, ROWS_AND_COLUMNS),
      h('thead', null, h('tr', null, h('td'), classes.map((name) => h('th', { scope: 'col' }, name)), h('th', { scope: 'col' }, 'found'))),
      h('tbody', null, rows, h('tr', null, h('th', { scope: 'row' }, 'right'), precisions, h('td'))));
  };
  /** The matrix is one stop of the Tab key; arrows walk in it. */
  const move = (event: KeyboardEvent, row: number, column: number) => {
    const size = data.classes.length;
    const by: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = by[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const to = buttons[Math.min(size - 1, Math.max(0, row + step[0])) * size + Math.min(size - 1, Math.max(0, column + step[1]))]!;
    for (const each of buttons) each.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  };
  const update = (next: ConfusionData) => {
    data = next;
    if (kept && kept.classes.join('\n') !== next.classes.join('\n')) {
      kept = null;
      which.hidden = true;
    }
    const shown: Shown = kept ? (which.value as Shown) : 'now';
    const former = shown === 'difference' ? kept : null;
    const { classes, counts, total, accuracy, margin, recall, precision } = shown === 'kept' ? kept! : next;
    const { open } = next;
    const size = classes.length;
    if (counts.length !== size * size) throw new Error('the matrix does not fit its classes');
    if (classes.join('\n') !== shape) {
      shape = classes.join('\n');
      build(classes);
    }
    setText(head, '');
    if (former) head.replaceChildren(h('b', null, `${points(accuracy - former.accuracy) || '0.0'} % right`), ` (${formatShare(accuracy)} of ${total} now, ${formatShare(former.accuracy)} of ${former.total} kept). In the cells: % of the row, now less kept.`);
    else head.replaceChildren(h('b', null, `${formatShare(accuracy)} of ${total} right`), ` (between ${formatShare(Math.max(0, accuracy - margin))} and ${formatShare(Math.min(1, accuracy + margin))}, 19 times of 20)`);
    head.dataset.accuracy = String(accuracy);
    for (let row = 0; row < size; row++) {
      const sumOf = (all: Int32Array) => all.subarray(row * size, (row + 1) * size).reduce((so, count) => so + count, 0);
      const sum = sumOf(counts);
      const formerSum = former ? sumOf(former.counts) : 0;
      for (let column = 0; column < size; column++) {
        const button = buttons[row * size + column]!;
        const count = counts[row * size + column]!;
        const share = sum ? count / sum : 0;
        const change = former && share - (formerSum ? former.counts[row * size + column]! / formerSum : 0);
        setText(button, change !== null ? points(change) : count ? String(count) : '');
        // The darkest ground on which the number still has a contrast of 4.5.
        button.style.background = css(change !== null ? signedColour(Math.max(-1, Math.min(1, change * 4)) * 0.45) : heatColour(row === column ? share * 0.35 : Math.min(1, share * 4) * 0.47));
        const words = `${button.dataset.names}: ${count}, ${formatShare(share)} of its row${former ? `; kept: ${former.counts[row * size + column]}` : ''}`;
        button.setAttribute('aria-label', words);
        button.title = words;
        button.setAttribute('aria-pressed', String(open?.truth === row && open.prediction === column));
      }
      const rate = (now: readonly number[], before: readonly number[] | undefined) => (!Number.isFinite(now[row]) ? '' : before ? points(now[row]! - before[row]!) : formatShare(now[row]!));
      setText(recalls[row]!, rate(recall, former?.recall));
      setText(precisions[row]!, rate(precision, former?.precision));
    }
    opened.replaceChildren(...(open ? [galleryOf(open.gallery, classes, `${classes[open.truth]} read as ${classes[open.prediction]}`)] : []));
  };
  return { element: h('div', { class: 'confusion-view' }, head, h('p', { class: 'pick-row' }, keep, which), h('p', { class: 'quiet', 'aria-hidden': 'true' }, ROWS_AND_COLUMNS), h('div', { class: 'table-out' }, table), opened), update };
}

export function mistakesView(_first: MistakesData, _ask: Ask): Drawing<'mistakes'> {
  const element = h('div', { class: 'mistakes' });
  const pick = h('select', { 'aria-label': 'Which mistakes', data: { pair: '' }, on: { change: () => show() } });
  let data: MistakesData;
  const show = () => {
    const { gallery, classes, examined } = data;
    const pairs = new Map<string, number>();
    for (const { truth, prediction } of gallery.items) pairs.set(`${truth} ${prediction}`, (pairs.get(`${truth} ${prediction}`) ?? 0) + 1);
    const wanted = pairs.has(pick.value) ? pick.value : '';
    pick.replaceChildren(h('option', { value: '' }, 'all mistakes'), ...[...pairs].sort((a, b) => b[1] - a[1]).map(([pair, count]) => {
      const [truth, prediction] = pair.split(' ').map(Number) as [number, number];
      return h('option', { value: pair, selected: pair === wanted }, `${classes[truth]} read as ${classes[prediction]} (${count})`);
    }));
    const shown = gallery.items.map((item, i) => ({ item, i })).filter(({ item }) => !wanted || `${item.truth} ${item.prediction}` === wanted);
    const { pictures } = gallery;
    const size = pictures ? pictures.width * pictures.height * pictures.channels : 0;
    const pixels = new Uint8Array(size * shown.length);
    if (pictures) shown.forEach(({ i }, to) => pixels.set(pictures.pixels.subarray(i * size, (i + 1) * size), to * size));
    element.replaceChildren(
      h('p', { class: 'pick-row' }, h('span', null, h('b', null, `${gallery.total} of ${examined} wrong`), ', most surprising first'), pick),
      galleryOf({ items: shown.map(({ item }) => item), pictures: pictures && { ...pictures, pixels }, total: wanted ? shown.length : gallery.total }, classes, 'Mistakes'));
    element.dataset.total = String(gallery.total);
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
    const svg = makeSvg(SIZE, SIZE, `Calibration: mean gap ${formatShare(error)} over ${total} examples; the numbers stand in the table`);
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

