// A table of plain values that can be sorted by any column; long ones scroll inside their own box.
import type { TableDisplay } from '../../notebook/protocol/messages.ts';
import { h } from '../dom.ts';
import type { View } from './views.ts';
import { formatCount } from '../shell/words.ts';

type Cell = TableDisplay['rows'][number][number];

interface Order {
  readonly column: number;
  readonly isDown: boolean;
}

export function tableView(data: TableDisplay): View<'table'> {
  const element = h('div');
  let current = data;
  let order: Order | null = null;
  // The first click sorts, the second turns the order round, the third gives back the table's own.
  const sort = (column: number) => {
    order = order?.column !== column ? { column, isDown: false } : order.isDown ? null : { column, isDown: true };
    draw();
    element.querySelectorAll<HTMLElement>('th button')[column]?.focus();
  };
  const draw = () => element.replaceChildren(...(current.columns.length > 0 ? [box(current, order, sort)] : []), rest(current));
  draw();
  return {
    element,
    update(next) {
      current = next;
      if (order && order.column >= next.columns.length) order = null;
      draw();
    },
  };
}

function box({ columns, rows }: TableDisplay, order: Order | null, sort: (column: number) => void): HTMLElement {
  const isNumber = columns.map((_, i) => rows.every((row) => typeof row[i] === 'number' || row[i] === null));
  const mark = (i: number) => (isNumber[i] ? { data: { number: '' } } : null);
  const head = (name: string, i: number) => {
    const state = order?.column !== i ? 'none' : order.isDown ? 'descending' : 'ascending';
    return h('th', { scope: 'col', 'aria-sort': state, ...mark(i) },
      h('button', { type: 'button', title: 'Sort by this column', on: { click: () => sort(i) } }, name, h('span', { class: 'order', 'aria-hidden': 'true' }, state === 'none' ? '' : state === 'ascending' ? ' ▴' : ' ▾')));
  };
  return h('div', { class: 'table-out', tabIndex: 0, role: 'region', 'aria-label': `Table with ${formatCount(rows.length)} rows` },
    h('table', null,
      h('thead', null, h('tr', null, columns.map(head))),
      h('tbody', null, sorted(rows, order).map((row) => h('tr', null, row.map((value, i) => h('td', mark(i), value === null ? '' : typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value))))))));
}

/** Numbers by size, texts as people sort them; what is missing or no number comes last. */
function sorted(rows: TableDisplay['rows'], order: Order | null): TableDisplay['rows'] {
  if (!order) return rows;
  const { column, isDown } = order;
  const isLast = (value: Cell | undefined) => value === null || value === undefined || Number.isNaN(value);
  return rows.toSorted((a, b) => {
    const [left, right] = [a[column], b[column]];
    if (isLast(left) || isLast(right)) return Number(isLast(left)) - Number(isLast(right));
    const by = typeof left === 'number' && typeof right === 'number' ? left - right : String(left).localeCompare(String(right), 'en', { numeric: true });
    return isDown ? -by : by;
  });
}

function rest({ rows, totalRows }: TableDisplay): Node {
  if (totalRows === 0) return h('div', { class: 'note-out' }, 'A table without rows.');
  return totalRows > rows.length ? h('div', { class: 'note-out' }, `First ${formatCount(rows.length)} of ${formatCount(totalRows)} rows.`) : document.createTextNode('');
}
