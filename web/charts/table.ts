// The chart as a table of numbers: for readers who do not see the picture, and for whoever wants the values.
import { h } from '../dom.ts';
import { formatCount } from '../shell/words.ts';

export interface TableData {
  readonly head: readonly string[];
  /** Number of rows of the whole. */
  readonly count: number;
  /** Row `i` of the whole. */
  row(i: number): readonly (number | string | null)[];
}

const MOST = 200;

/** At most 200 rows, evenly chosen with the first and the last; says how many there are. */
export function tableOf({ head, count, row }: TableData, caption: string, format: (value: number) => string): HTMLElement {
  const shown = Math.min(count, MOST);
  const rows = Array.from({ length: shown }, (_, i) => row(shown < 2 ? i : Math.round((i * (count - 1)) / (shown - 1))));
  const text = (value: number | string | null, column: number) => (value === null || (typeof value === 'number' && Number.isNaN(value) && column === 0) ? '' : typeof value === 'number' ? (column === 0 ? String(value) : format(value)) : value);
  return h('div', { class: 'table-out chart-table', tabIndex: 0, role: 'region', 'aria-label': caption },
    h('table', null,
      h('caption', null, count > shown ? `${caption}: ${formatCount(shown)} of ${formatCount(count)} rows` : caption),
      h('thead', null, h('tr', null, head.map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', null, rows.map((cells) => h('tr', null, cells.map((value, i) => (i === 0 ? h('th', { scope: 'row' }, text(value, i)) : h('td', { data: { number: '' } }, text(value, i)))))))));
}
