// A sweep: two settings as a grid of results, more as parallel coordinates, and always the table.
import type { SweepData } from '../../notebook/protocol/views.ts';
import { groupOf } from '../charts/groups.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { h } from '../dom.ts';
import { drawParallel } from '../runs/parallel.ts';
import type { Ask, Drawing } from './live.ts';
import { css, heatColour } from './paint.ts';

export function sweepView(_first: SweepData, _ask: Ask): Drawing<'sweep'> {
  const element = h('div', { class: 'sweep' });
  const update = (data: SweepData) => {
    const { names, rows, results, planned } = data;
    const result = results.find((name) => /val|test/i.test(name)) ?? results.find((name) => /acc/i.test(name)) ?? results[0];
    const at = result === undefined ? -1 : results.indexOf(result);
    const head = h('p', { role: 'status' }, h('b', null, `${rows.length} of ${planned} runs`), result ? ` by ${result}` : '', '. Their curves are under Runs.');
    const isGrid = names.length === 2 && rows.length > 1;
    element.replaceChildren(head, ...(at < 0 ? [] : isGrid ? [grid(data, at)] : rows.length > 1 ? [drawParallel([...names, result!], rows.map((row, i) => ({ name: `run ${i + 1}`, values: [...row.settings, row.results[at] ?? null] })))] : []), table(data));
  };
  return { element, update };
}

const textOf = (name: string, value: number | null) => (value === null ? '' : Number.isInteger(value) && Math.abs(value) < 1e6 && groupOf(name).scale !== 'share' ? String(value) : groupOf(name).scale === 'share' ? formatShare(value) : formatValue(value));

function grid({ names, rows, results }: SweepData, at: number): HTMLElement {
  const across = [...new Set(rows.map(({ settings }) => settings[1]!))];
  const down = [...new Set(rows.map(({ settings }) => settings[0]!))];
  const values = rows.map((row) => row.results[at] ?? null).filter((value): value is number => value !== null && Number.isFinite(value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return h('table', { class: 'sweep-grid' },
    h('caption', null, h('span', null, `${results[at]} by ${names[0]} (down) and ${names[1]} (across)`)),
    h('thead', null, h('tr', null, h('td'), across.map((value) => h('th', { scope: 'col' }, String(value))))),
    h('tbody', null, down.map((value) => h('tr', null, h('th', { scope: 'row' }, String(value)), across.map((other) => {
      const row = rows.find(({ settings }) => settings[0] === value && settings[1] === other);
      const found = row?.results[at] ?? null;
      const share = found === null || high === low ? 0 : (found - low) / (high - low);
      return h('td', { style: { background: css(heatColour(share * 0.45)) } }, textOf(results[at]!, found));
    })))));
}

function table({ names, rows, results }: SweepData): HTMLElement {
  return h('div', { class: 'table-out' }, h('table', null,
    h('thead', null, h('tr', null, [...names, ...results].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', null, rows.map((row) => h('tr', null, row.settings.map((value) => h('td', null, String(value))), row.results.map((value, i) => h('td', { data: { number: '' } }, textOf(results[i]!, value))))))));
}
