// Distributions layer by layer, the newest in front and the past behind it; what is dead or saturated; the size of updates.
import type { HistogramsData } from '../../notebook/protocol/views.ts';
import { columnOf } from '../charts/column.ts';
import type { Drawn } from '../charts/canvas.ts';
import { ChartFrame } from '../charts/frame.ts';
import { formatShare, formatTick, formatValue } from '../charts/numbers.ts';
import { xRange } from '../charts/ranges.ts';
import { chartTheme, seriesColour } from '../charts/theme.ts';
import { h } from '../dom.ts';
import type { Ask, Drawing } from './live.ts';
import { area, line, makeSvg, svgText } from './svg.ts';

const WIDTH = 270;
const HEIGHT = 118;
const FRONT = 88;
const SHOWN = 9;
const KINDS = { weight: 'Weights', gradient: 'Gradients', activation: 'Activations' } as const;
type Row = HistogramsData['rows'][number];

export function histogramsView(_first: HistogramsData, _ask: Ask): Drawing<'histograms'> {
  const groups = h('div', { class: 'histogram-groups' });
  const ratios = new ChartFrame({
    title: 'Update to weight', xLabel: 'step', yLabel: '', height: 200, endRoom: 78, showsYLabel: false, empty: 'Appears with the next optimizer steps: how much a step changes a weight, against its size. About 1e-3 is healthy.',
    formatY: formatValue, formatTick, table: () => ({ head: ['step', ...data.ratios.map(({ layer }) => layer)], count: data.steps.length, row: (i) => [data.steps[i]!, ...data.ratios.map(({ values }) => values[i]!)] }),
  });
  let data: HistogramsData;
  const update = (next: HistogramsData) => {
    data = next;
    groups.replaceChildren(...(Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => {
      const rows = next.rows.filter((row) => row.kind === kind);
      return rows.length ? h('section', null, h('h4', null, KINDS[kind]), h('div', { class: 'histogram-grid' }, rows.map((row) => ridge(row, next.steps)))) : null;
    }).filter((each) => each !== null));
    const lines: Drawn[] = next.ratios.map(({ layer, values }, i) => {
      const known = [...values.keys()].filter((at) => Number.isFinite(values[at]!) && values[at]! > 0);
      return { name: layer, kind: 'line', x: known.map((at) => next.steps[at]!), y: columnOf(known.map((at) => values[at]!)), count: known.length, colour: seriesColour(i), weight: 'full', isDashed: false, end: known.length && next.ratios.length <= 4 ? formatValue(values[known.at(-1)!]!) : null };
    });
    const last = Math.max(...next.steps, 1);
    const guide: Drawn = { name: '1e-3 guide', kind: 'line', x: [0, last], y: columnOf([1e-3, 1e-3]), count: 2, colour: 5, weight: 'full', isDashed: true, end: '1e\u22123', label: 'guide' };
    const values = lines.flatMap(({ y, count }) => [...y.values.subarray(0, count)]);
    ratios.showEmpty(values.length === 0);
    ratios.view.draw({ lines: [guide, ...lines], xRange: xRange(lines, [last], null), yRange: [Math.min(1e-4, ...values) / 1.3, Math.max(1e-2, ...values) * 1.3], isLog: true, missing: [], events: [], xLabel: 'step' });
    ratios.setNote('log axis');
    ratios.showKeys(lines);
    ratios.summarise(lines.map(({ name, count, y }) => ({ name, points: count, first: y.values[0] ?? Number.NaN, last: y.last, min: Number.NaN, max: Number.NaN })), () => `Update to weight. ${lines.map(({ name, y }) => `${name} ${formatValue(y.last)}`).join('; ')}.`, true);
  };
  return { element: h('div', { class: 'histograms' }, groups, ratios.element), update, close: () => ratios.close() };
}

/** One layer: older distributions behind, higher and fainter. */
function ridge(row: Row, steps: readonly number[]): HTMLElement {
  const theme = chartTheme();
  const count = row.counts.length;
  const every = Math.max(1, Math.ceil(count / SHOWN));
  const shown = [...row.counts.keys()].filter((i) => (count - 1 - i) % every === 0 && row.counts[i]!.length > 0);
  const low = Math.min(...shown.map((i) => row.lows[i]!));
  const high = Math.max(...shown.map((i) => row.highs[i]!));
  const x = (value: number) => 6 + ((value - low) / (high - low || 1)) * (WIDTH - 12);
  const back = shown.length > 1 ? (FRONT - 46) / (shown.length - 1) : 0;
  const last = shown.at(-1) ?? 0;
  const sum = row.counts[last]?.reduce((all, each) => all + each, 0) ?? 0;
  const words = `mean ${formatValue(row.mean)}, std ${formatValue(row.std)}${row.idle === null ? '' : `, ${formatShare(row.idle)} ${row.idleWord}`}`;
  const svg = makeSvg(WIDTH, HEIGHT, `${row.kind} of ${row.layer}: ${words}; step ${steps.at(-1) ?? 0}`);
  shown.forEach((i, place) => {
    const counts = row.counts[i]!;
    const bin = (row.highs[i]! - row.lows[i]!) / counts.length;
    const base = FRONT - (shown.length - 1 - place) * back;
    const most = Math.max(...counts, 1);
    const isLast = place === shown.length - 1;
    const points: [number, number][] = [[x(row.lows[i]!), base]];
    counts.forEach((each, k) => points.push([x(row.lows[i]! + k * bin), base - (each / most) * 38], [x(row.lows[i]! + (k + 1) * bin), base - (each / most) * 38]));
    points.push([x(row.highs[i]!), base]);
    svg.append(area(points, isLast ? theme.series[0]! : theme.paper, isLast ? theme.series[0]! : theme.axis));
  });
  if (low < 0 && high > 0) svg.append(line([[x(0), FRONT - 44], [x(0), FRONT]], theme.axis, 1, '2 3'));
  svg.append(line([[6, FRONT], [WIDTH - 6, FRONT]], theme.line), svgText(6, FRONT + 14, formatValue(low), theme.axis, 'start', 11), svgText(WIDTH - 6, FRONT + 14, formatValue(high), theme.axis, 'end', 11));
  const isBad = row.idle !== null && row.idle > 0.4;
  return h('figure', { class: 'ridge', data: { layer: row.layer, kind: row.kind, count: String(sum), idle: row.idle === null ? '' : String(row.idle), steps: String(count), bins: (row.counts[last] ?? []).join(' ') } },
    h('figcaption', null, h('b', null, row.layer), h('span', { class: 'quiet' }, ` ${words}`), isBad ? h('span', { class: 'trouble' }, ` ⚠ many ${row.idleWord}`) : null), svg);
}
