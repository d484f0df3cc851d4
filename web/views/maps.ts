// Pictures of numbers with signs: filters, feature maps, where a model looks. One scale for each layer, for all, or for each map.
import type { MapsData } from '../../notebook/protocol/views.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { h, setText } from '../dom.ts';
import { arithmeticOf } from './arithmetic.ts';
import type { Ask, Drawing } from './live.ts';
import { heatWriter, paint, sheet, signedWriter } from './paint.ts';

type Scale = 'layer' | 'all' | 'map';

/** What stands where the arithmetic of a place will. */
const HINT = 'How the number in the frame comes about. Point at another place of the first layer; with the keyboard, Tab to a map and use the arrow keys.';

/** The largest number of a group of maps. */
function mostOf({ values, width, height }: MapsData['groups'][number]) {
  let at = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[at]!) at = i;
  return { map: Math.floor(at / (width * height)), row: Math.floor(at / width) % height, column: at % width };
}

export function mapsView(_first: MapsData, ask: Ask): Drawing<'maps'> {
  const body = h('div', { class: 'map-groups' });
  const words = h('output', { class: 'figures quiet' });
  const scale = h('select', { 'aria-label': 'Colours are scaled', on: { change: () => show() } }, h('option', { value: 'layer' }, 'one scale per layer'), h('option', { value: 'all' }, 'one scale for all'), h('option', { value: 'map' }, 'one scale per map'));
  const title = h('b', { class: 'told' });
  const note = h('p', { class: 'quiet' });
  let data: MapsData;
  let shape = '';
  let sheets: HTMLImageElement[][] = [];
  const sum = h('div', { class: 'sum-of-patch', hidden: true }, h('p', { class: 'quiet' }, HINT));
  const frame = h('span', { class: 'map-place', 'aria-hidden': 'true' });
  /** The map and place whose number is taken apart. */
  let place: { map: number; row: number; column: number } | null = null;
  const strength = h('input', { type: 'range', min: '0', max: '50', step: '1', 'aria-label': 'Largest change of a pixel, in hundredths of the range of the picture', data: { attack: '' }, on: { input: () => ask({ act: 'attack', epsilon: Number(strength.value) / 100 }) } });
  const reads = h('output', { class: 'figures' });
  const attack = h('p', { class: 'pick-row', hidden: true }, h('b', null, 'Change against it'), strength, reads);
  const showSum = () => {
    const { kernels, groups } = data;
    sum.hidden = !kernels;
    const group = groups[0];
    if (!kernels || !group) return frame.remove();
    const fits = place && place.map < group.count && place.row < group.height && place.column < group.width;
    // Before anybody points, the place that stands out most.
    if (!place || !fits) place = mostOf(group);
    const { map, row, column } = place;
    sum.replaceChildren(h('p', { class: 'quiet' }, HINT), arithmeticOf(kernels, map, row, column));
    const picture = sheets[0]![map]!;
    Object.assign(frame.style, { left: `${picture.offsetLeft + 1 + ((column + 0.5) / group.width) * (picture.offsetWidth - 2)}px`, top: `${picture.offsetTop + 1 + ((row + 0.5) / group.height) * (picture.offsetHeight - 2)}px` });
    picture.after(frame);
  };
  const pointAt = (g: number, i: number, row: number, column: number) => {
    const group = data.groups[g]!;
    words.textContent = `${group.title} ${group.captions[i] ?? ''} row ${row}, column ${column}: ${formatValue(group.values[(i * group.height + row) * group.width + column]!)}`;
    if (g > 0 || !data.kernels) return;
    place = { map: i, row, column };
    showSum();
  };
  const step = (event: KeyboardEvent, i: number) => {
    const by = ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] } as Record<string, [number, number]>)[event.key];
    if (!by || !data.kernels) return;
    event.preventDefault();
    event.stopPropagation();
    const { width, height } = data.groups[0]!;
    const from = place?.map === i ? place : { row: Math.floor(height / 2), column: Math.floor(width / 2) };
    pointAt(0, i, Math.min(height - 1, Math.max(0, from.row + by[0])), Math.min(width - 1, Math.max(0, from.column + by[1])));
  };
  const largest = (values: Float32Array) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const show = () => {
    const { groups } = data;
    const layout = groups.map(({ title: name, width, height, count, total, captions }) => [name, width, height, count, total, ...captions].join('|')).join('\n');
    if (layout !== shape) {
      shape = layout;
      sheets = groups.map((group) => Array.from({ length: group.count }, (_, i) => {
        const wanted = group.count === 1 ? 112 : group.width <= 7 ? 36 : 64;
        return sheet(group.width, group.height, Math.max(1, Math.round(wanted / group.width)), `${group.title} ${group.captions[i] ?? i}`);
      }));
      body.replaceChildren(...groups.map((group, g) => h('section', group.count === 1 ? { class: 'single' } : null,
        h('h4', null, group.title, group.total > group.count ? h('span', { class: 'quiet' }, ` first ${group.count} of ${group.total}`) : null),
        h('div', { class: 'map-grid' }, sheets[g]!.map((each, i) => h('figure', null, each, group.count > 1 ? h('figcaption', { class: 'figures' }, group.captions[i] ?? '') : null))))));
      sheets.forEach((all, g) => all.forEach((each, i) => each.addEventListener('pointermove', (event) => {
        const group = data.groups[g]!;
        const box = each.getBoundingClientRect();
        const x = Math.min(group.width - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * group.width)));
        const y = Math.min(group.height - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * group.height)));
        pointAt(g, i, y, x);
      })));
      if (data.kernels) sheets[0]!.forEach((each, i) => {
        each.tabIndex = 0;
        each.addEventListener('keydown', (event) => step(event, i));
      });
    }
    const mode = scale.value as Scale;
    const all = Math.max(...groups.map(({ values }) => largest(values)), 1e-12);
    groups.forEach((group, g) => {
      const size = group.width * group.height;
      const own = Math.max(largest(group.values), 1e-12);
      const colour = group.isSigned ? signedWriter() : heatWriter();
      sheets[g]!.forEach((each, i) => {
        const values = group.values.subarray(i * size, (i + 1) * size);
        const reach = mode === 'all' ? all : mode === 'layer' ? own : Math.max(largest(values), 1e-12);
        each.dataset.largest = String(largest(values));
        paint(each, group.width, group.height, (at, out, to) => colour(values[at]! / reach, out, to));
      });
    });
  };
  return {
    element: h('div', { class: 'maps' }, h('p', { class: 'pick-row' }, title, scale, ' ', words), body, attack, sum, note),
    update: (next) => {
      data = next;
      title.textContent = next.title;
      note.textContent = next.note;
      attack.hidden = !next.attack;
      if (next.attack) {
        const { epsilon, target, left, prediction, chance } = next.attack;
        if (document.activeElement !== strength) strength.value = String(Math.round(epsilon * 100));
        setText(reads, `every pixel by at most ${Math.round(epsilon * 100)} % of the range: read as ${prediction} (${formatShare(chance)})${prediction === target ? '' : `, ${target} has ${formatShare(left)}`}`);
        Object.assign(attack.dataset, { epsilon: String(epsilon), prediction, chance: String(chance), left: String(left) });
      }
      show();
      showSum();
    },
  };
}
