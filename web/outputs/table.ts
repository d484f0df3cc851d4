// A table of plain values; long ones scroll inside their own box.
import type { TableDisplay } from '../../notebook/protocol/messages.ts';
import { h } from '../dom.ts';
import type { View } from './views.ts';

export function tableView(data: TableDisplay): View<'table'> {
  const element = h('div');
  const show = (table: TableDisplay) => element.replaceChildren(box(table), rest(table));
  show(data);
  return { element, update: show };
}

function box({ columns, rows }: TableDisplay): HTMLElement {
  const isNumber = columns.map((_, i) => rows.every((row) => typeof row[i] === 'number' || row[i] === null));
  const mark = (i: number) => (isNumber[i] ? { data: { number: '' } } : null);
  return h('div', { class: 'table-out', tabIndex: 0, role: 'region', 'aria-label': `Table with ${rows.length} rows` },
    h('table', null,
      h('thead', null, h('tr', null, columns.map((name, i) => h('th', { scope: 'col', ...mark(i) }, name)))),
      h('tbody', null, rows.map((row) => h('tr', null, row.map((value, i) => h('td', mark(i), value === null ? '' : typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value))))))));
}

function rest({ rows, totalRows }: TableDisplay): Node {
  return totalRows > rows.length ? h('div', { class: 'note-out' }, `First ${rows.length} of ${totalRows} rows.`) : document.createTextNode('');
}
