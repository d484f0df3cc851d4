// Pictures of numbers with signs: filters, feature maps, where a model looks. One scale for each layer, for all, or for each map.
import type { MapsData } from '../../notebook/protocol/views.ts';
import { formatValue } from '../charts/numbers.ts';
import { h } from '../dom.ts';
import type { Ask, Drawing } from './live.ts';
import { heatColour, paint, sheet, signedColour } from './paint.ts';

type Scale = 'layer' | 'all' | 'map';

export function mapsView(_first: MapsData, _ask: Ask): Drawing<'maps'> {
  const body = h('div', { class: 'map-groups' });
  const words = h('output', { class: 'figures quiet' });
  const scale = h('select', { 'aria-label': 'Colours are scaled', on: { change: () => show() } }, h('option', { value: 'layer' }, 'one scale per layer'), h('option', { value: 'all' }, 'one scale for all'), h('option', { value: 'map' }, 'one scale per map'));
  const title = h('b');
  const note = h('p', { class: 'quiet' });
  let data: MapsData;
  let shape = '';
  let sheets: HTMLImageElement[][] = [];
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
        words.textContent = `${group.title} ${group.captions[i] ?? ''} row ${y}, column ${x}: ${formatValue(group.values[(i * group.height + y) * group.width + x]!)}`;
      })));
    }
    const mode = scale.value as Scale;
    const all = Math.max(...groups.map(({ values }) => largest(values)), 1e-12);
    groups.forEach((group, g) => {
      const size = group.width * group.height;
      const own = Math.max(largest(group.values), 1e-12);
      sheets[g]!.forEach((each, i) => {
        const values = group.values.subarray(i * size, (i + 1) * size);
        const reach = mode === 'all' ? all : mode === 'layer' ? own : Math.max(largest(values), 1e-12);
        each.dataset.largest = String(largest(values));
        paint(each, group.width, group.height, (at, out, to) => out.set(group.isSigned ? signedColour(values[at]! / reach) : heatColour(values[at]! / reach), to));
      });
    });
  };
  return {
    element: h('div', { class: 'maps' }, h('p', { class: 'pick-row' }, title, ' ', scale, ' ', words), body, note),
    update: (next) => {
      data = next;
      title.textContent = next.title;
      note.textContent = next.note;
      show();
    },
  };
}
