// The panels as tables and lists of the page, for screen readers, for copying, and for who likes tables better than pictures.
// Each says the same as its panel on the canvas, from the same bytes. One row of PANELS is one panel.
import { h } from '../dom.ts';
import { rowsOf, shapeOf, type Snapshot, type Table } from './snapshot.ts';
import { bytesText, countText, millisecondsText, numberText, wholeText } from './words.ts';

/** What a twin knows of the page. */
export interface TwinSeat {
  /** "cell 2", or how else the holder of a tensor is called. */
  cellName(cellId: string): string;
  selectTensor(key: number): void;
  selectNode(row: number): void;
  readonly tensor: number;
  readonly node: number;
  /** Lower case; '' lets everything through. */
  readonly filter: string;
}

export interface PanelTwin {
  /** As ui/panels.cpp calls it. */
  readonly name: string;
  /** True when it is about a traced step. */
  readonly needsTrace: boolean;
  build(snapshot: Snapshot, seat: TwinSeat): Node[];
}

interface Column<Row> {
  readonly title: string;
  text(row: Row): string;
  /** The number behind the text, for copying and sorting tools. */
  value?(row: Row): number;
  readonly isCode?: boolean;
}

interface Listed<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The first column becomes a button. */
  choose?(row: Row): void;
  isChosen?(row: Row): boolean;
  key(row: Row): string;
}

function listed<Row>({ label, columns, rows, choose, isChosen, key }: Listed<Row>): HTMLElement {
  const head = h('tr', null, columns.map(({ title, value }) => h('th', { scope: 'col', class: value ? 'figures' : '' }, title)));
  const body = rows.map((row) => {
    const chosen = isChosen?.(row) ?? false;
    const cells = columns.map((column, i) => {
      const words = column.text(row);
      const data = { column: column.title, ...(column.value && { value: String(column.value(row)) }) };
      if (i > 0) return h('td', { class: column.value ? 'figures' : '', data }, words);
      const inside = choose ? h('button', { type: 'button', 'aria-pressed': String(chosen), data: { key: key(row) }, on: { click: () => choose(row) } }, words) : words;
      return h('th', { scope: 'row', class: column.isCode ? 'code' : '', data }, inside);
    });
    return h('tr', { data: { row: key(row), ...(chosen && { chosen: '' }) } }, cells);
  });
  return h('div', { class: 'twin-table', role: 'region', 'aria-label': label, tabIndex: 0 }, h('table', null, h('caption', { class: 'only-read' }, label), h('thead', null, head), h('tbody', null, body)));
}

/** Facts in a line: name and value. */
const facts = (list: readonly (readonly [string, string, number?])[]): HTMLElement =>
  h('dl', { class: 'twin-facts' }, list.map(([name, words, value]) => h('div', null, h('dt', null, name), h('dd', { class: 'figures', data: { fact: name, ...(value !== undefined && { value: String(value) }) } }, words))));

const note = (words: string): HTMLElement => h('p', { class: 'quiet' }, words);

const PASSES = ['forward', 'backward', 'step'] as const;
const passName = (pass: number): string => PASSES[pass as 0 | 1 | 2] ?? '';
const plural = (count: number, noun: string): string => `${wholeText(count)} ${noun}${count === 1 ? '' : 's'}`;

// -- graph -----------------------------------------------------------------------------------------------------------

/** What a node reads, in words. */
function inputsOf(snapshot: Snapshot, nodes: Table, row: number): string {
  const from = nodes.number(row, 'inputs');
  const leaves = snapshot.table('leaves');
  return Array.from({ length: Math.min(64, nodes.number(row, 'inputCount') || 0) }, (_, i) => {
    const input = snapshot.table('numbers').number(from + i, 'value');
    if (input >= 0) return `${nodes.text(input, 'name')} ${wholeText(input + 1)}`;
    const leaf = -1 - input;
    return leaves.text(leaf, 'name') || `${leaves.number(leaf, 'requiresGrad') === 1 ? 'parameter' : 'data'} ${shapeOf(snapshot, leaves, leaf)}`;
  }).join(', ');
}

function graph(snapshot: Snapshot, seat: TwinSeat): Node[] {
  const nodes = snapshot.table('nodes');
  const trace = snapshot.table('trace');
  const matching = rowsOf(nodes).filter((row) => nodes.text(row, 'name').toLowerCase().includes(seat.filter));
  const place = (row: number) => (nodes.number(row, 'line') > 0 ? `${seat.cellName(nodes.text(row, 'cell'))}, line ${nodes.number(row, 'line')}` : '');
  return [
    facts([
      ['Operations', wholeText(nodes.rows), nodes.rows],
      ['Step', millisecondsText(trace.number(0, 'elapsedMs')), trace.number(0, 'elapsedMs')],
      ['FLOPs', countText(trace.number(0, 'flops')) || '0', trace.number(0, 'flops')],
    ]),
    listed<number>({
      label: 'Operations of the watched step, in order',
      rows: matching,
      key: (row) => String(row),
      choose: (row) => seat.selectNode(row),
      isChosen: (row) => row === seat.node,
      columns: [
        { title: 'Operation', text: (row) => `${wholeText(row + 1)} ${nodes.text(row, 'name')}`, isCode: true },
        { title: 'Pass', text: (row) => passName(nodes.number(row, 'pass')) + (nodes.number(row, 'of') >= 0 ? ` of ${nodes.text(nodes.number(row, 'of'), 'name')} ${wholeText(nodes.number(row, 'of') + 1)}` : '') },
        { title: 'Reads', text: (row) => inputsOf(snapshot, nodes, row) },
        { title: 'Result', text: (row) => (nodes.number(row, 'pass') === 2 ? '' : shapeOf(snapshot, nodes, row)) },
        { title: 'Bytes', text: (row) => (nodes.number(row, 'bytes') ? bytesText(nodes.number(row, 'bytes')) : 'a view'), value: (row) => nodes.number(row, 'bytes') },
        { title: 'FLOPs', text: (row) => countText(nodes.number(row, 'flops')), value: (row) => nodes.number(row, 'flops') },
        { title: 'Time', text: (row) => millisecondsText(nodes.number(row, 'elapsedMs')), value: (row) => nodes.number(row, 'elapsedMs') },
        { title: 'From', text: place },
      ],
    }),
  ];
}

// -- tensors ---------------------------------------------------------------------------------------------------------

function tensors(snapshot: Snapshot, seat: TwinSeat): Node[] {
  const table = snapshot.table('tensors');
  const name = (row: number) => table.text(row, 'name') || table.text(row, 'kind');
  const rows = rowsOf(table)
    .filter((row) => name(row).toLowerCase().includes(seat.filter))
    .sort((a, b) => table.number(b, 'bytes') - table.number(a, 'bytes'));
  const statistic = (title: string, column: string, words = numberText): Column<number> => ({
    title,
    text: (row) => (table.number(row, 'known') > 0 ? words(table.number(row, column)) : ''),
    value: (row) => table.number(row, column),
  });
  return [
    facts([
      ['Tensors', wholeText(table.rows), table.rows],
      ['Bytes', bytesText(snapshot.table('engine').number(0, 'live')), snapshot.table('engine').number(0, 'live')],
    ]),
    ...values(snapshot, table, seat),
    listed<number>({
      label: 'Live tensors, largest first',
      rows,
      key: (row) => String(table.number(row, 'key')),
      choose: (row) => seat.selectTensor(table.number(row, 'key')),
      isChosen: (row) => table.number(row, 'key') === seat.tensor,
      columns: [
        { title: 'Name', text: name, isCode: true },
        { title: 'Kind', text: (row) => table.text(row, 'kind') },
        { title: 'Held by', text: (row) => seat.cellName(table.text(row, 'cell')) },
        { title: 'Shape', text: (row) => shapeOf(snapshot, table, row) },
        { title: 'Type', text: (row) => table.text(row, 'dtype') },
        { title: 'Bytes', text: (row) => bytesText(table.number(row, 'bytes')) + (table.number(row, 'isView') ? ', a view' : ''), value: (row) => table.number(row, 'bytes') },
        statistic('Mean', 'mean'),
        statistic('Std', 'deviation'),
        statistic('Min', 'min'),
        statistic('Max', 'max'),
        statistic('Zeros', 'zeros', wholeText),
        statistic('Not finite', 'notFinite', wholeText),
      ],
    }),
  ];
}

/** The first values of the selected tensor and its histogram. */
function values(snapshot: Snapshot, table: Table, seat: TwinSeat): Node[] {
  const selected = snapshot.table('selected');
  const row = rowsOf(table).find((each) => table.number(each, 'key') === seat.tensor);
  if (!seat.tensor) return [];
  if (row === undefined) return [note('The selected tensor is gone.')];
  if (selected.number(0, 'key') !== seat.tensor) return [note('Reading its values.')];
  const list = snapshot.table('values');
  const bins = snapshot.table('bins');
  const low = table.number(row, 'min');
  const width = (table.number(row, 'max') - low) / Math.max(1, bins.rows);
  const shown = rowsOf(list).slice(0, 200).map((i) => numberText(list.number(i, 'value')));
  return [
    h('section', { class: 'twin-values', 'aria-label': 'Values of the selected tensor' },
      h('h3', null, `${table.text(row, 'name') || table.text(row, 'kind')} ${shapeOf(snapshot, table, row)}`),
      h('p', { class: 'figures', data: { values: shown.length } }, `From element ${wholeText(selected.number(0, 'from'))}: ${shown.join(' ')}${list.rows > shown.length ? ' ...' : ''}`),
      h('details', null, h('summary', null, 'Histogram'),
        h('ul', { class: 'figures' }, rowsOf(bins).map((bin) => h('li', { data: { bin: bins.number(bin, 'count') } }, `${numberText(low + width * bin)} to ${numberText(low + width * (bin + 1))}: ${wholeText(bins.number(bin, 'count'))}`))))),
  ];
}

// -- memory ----------------------------------------------------------------------------------------------------------

function memory(snapshot: Snapshot, seat: TwinSeat): Node[] {
  const engine = snapshot.table('engine');
  const cells = snapshot.table('cells');
  const nodes = snapshot.table('nodes');
  const bytes = (name: string, column: string) => [name, bytesText(engine.number(0, column)), engine.number(0, column)] as const;
  const made = rowsOf(nodes).filter((row) => nodes.number(row, 'bytes') > 0);
  return [
    facts([bytes('In tensors', 'live'), bytes('Most', 'peak'), bytes('Kept for reuse', 'cached'), bytes('Heap', 'heap'), ['Blocks', wholeText(engine.number(0, 'blocks')), engine.number(0, 'blocks')]]),
    listed<number>({
      label: 'Who holds the memory',
      rows: rowsOf(cells),
      key: (row) => cells.text(row, 'cell'),
      columns: [
        { title: 'Held by', text: (row) => seat.cellName(cells.text(row, 'cell')) },
        { title: 'Tensors', text: (row) => wholeText(cells.number(row, 'tensors')), value: (row) => cells.number(row, 'tensors') },
        { title: 'Bytes', text: (row) => bytesText(cells.number(row, 'bytes')), value: (row) => cells.number(row, 'bytes') },
      ],
    }),
    made.length
      ? listed<number>({
          label: 'What the watched step made, in order',
          rows: made,
          key: (row) => String(row),
          choose: (row) => seat.selectNode(row),
          isChosen: (row) => row === seat.node,
          columns: [
            { title: 'Operation', text: (row) => `${wholeText(row + 1)} ${nodes.text(row, 'name')}`, isCode: true },
            { title: 'Bytes', text: (row) => bytesText(nodes.number(row, 'bytes')), value: (row) => nodes.number(row, 'bytes') },
            { title: 'Alive for', text: (row) => (nodes.number(row, 'died') < 0 ? 'longer than the step' : plural(nodes.number(row, 'died') - row, 'operation')) },
            { title: 'Live after it', text: (row) => bytesText(nodes.number(row, 'live')), value: (row) => nodes.number(row, 'live') },
          ],
        })
      : note('The timeline of a step appears when something trains while the inspector is open.'),
  ];
}

// -- profile, program, metrics ---------------------------------------------------------------------------------------

function profile(snapshot: Snapshot, seat: TwinSeat): Node[] {
  const table = snapshot.table('profile');
  const engine = snapshot.table('engine');
  const steps = Math.max(1, engine.number(0, 'steps'));
  const ceiling = engine.number(0, 'ceiling');
  const total = rowsOf(table).reduce((sum, row) => sum + table.number(row, 'elapsedMs'), 0);
  // The pace of a handful of operations says nothing.
  const counts = (row: number) => table.number(row, 'flops') / steps >= 1000;
  const speed = (row: number) => table.number(row, 'flops') / table.number(row, 'elapsedMs') / 1e6;
  const rows = rowsOf(table)
    .filter((row) => table.text(row, 'name').toLowerCase().includes(seat.filter))
    .sort((a, b) => table.number(b, 'elapsedMs') - table.number(a, 'elapsedMs'));
  return [
    facts([
      ['Steps watched', wholeText(engine.number(0, 'steps')), engine.number(0, 'steps')],
      ['Operations of a step', millisecondsText(total / steps), total / steps],
      ['Threads', wholeText(engine.number(0, 'threads')), engine.number(0, 'threads')],
      ['Ceiling', `${numberText(ceiling)} GFLOP/s`, ceiling],
    ]),
    listed<number>({
      label: 'What the operations of a step cost, the slowest first',
      rows,
      key: (row) => `${table.text(row, 'name')} ${table.number(row, 'pass')}`,
      columns: [
        { title: 'Operation', text: (row) => table.text(row, 'name'), isCode: true },
        { title: 'Pass', text: (row) => passName(table.number(row, 'pass')) },
        { title: 'Calls', text: (row) => numberText(table.number(row, 'calls') / steps), value: (row) => table.number(row, 'calls') },
        { title: 'Time', text: (row) => millisecondsText(table.number(row, 'elapsedMs') / steps), value: (row) => table.number(row, 'elapsedMs') },
        { title: 'Share', text: (row) => `${((table.number(row, 'elapsedMs') / total) * 100).toFixed(1)} %`, value: (row) => table.number(row, 'elapsedMs') / total },
        { title: 'FLOPs', text: (row) => countText(table.number(row, 'flops') / steps), value: (row) => table.number(row, 'flops') },
        { title: 'GFLOP/s', text: (row) => (counts(row) ? numberText(speed(row)) : ''), value: speed },
        { title: 'Of ceiling', text: (row) => (counts(row) ? `${((speed(row) / ceiling) * 100).toFixed(0)} %` : ''), value: (row) => speed(row) / ceiling },
      ],
    }),
  ];
}

function program(snapshot: Snapshot, seat: TwinSeat): Node[] {
  const table = snapshot.table('program');
  if (!table.rows) return [h('p', { class: 'strong' }, 'No step has been captured.'), note('Steps that repeat can be captured into a program that runs in one call. This training runs op by op; Graph and Profile show its steps.')];
  const of = snapshot.table('programs');
  const bytes = (name: string, column: string) => [name, bytesText(of.number(0, column)), of.number(0, column)] as const;
  return [
    facts([['Operations', wholeText(table.rows), table.rows], ['Runs', wholeText(of.number(0, 'runs')), of.number(0, 'runs')], bytes('Arena', 'arena'), bytes('Largest live set', 'largest')]),
    listed<number>({
      label: 'The captured step, in order',
      rows: rowsOf(table).filter((row) => table.text(row, 'name').toLowerCase().includes(seat.filter)),
      key: (row) => String(row),
      columns: [
        { title: 'Op', text: (row) => `${wholeText(row + 1)} ${table.text(row, 'name')}`, isCode: true },
        { title: 'Fused with', text: (row) => table.text(row, 'fused') },
        { title: 'Pass', text: (row) => (table.text(row, 'name') === 'optimizer step' ? 'step' : passName(table.number(row, 'backward'))) },
        { title: 'Result', text: (row) => shapeOf(snapshot, table, row) },
        { title: 'Place in the arena', text: (row) => (table.number(row, 'offset') >= 0 ? wholeText(table.number(row, 'offset')) : ''), value: (row) => table.number(row, 'offset') },
        { title: 'Bytes', text: (row) => (table.number(row, 'bytes') ? bytesText(table.number(row, 'bytes')) : ''), value: (row) => table.number(row, 'bytes') },
        { title: 'FLOPs', text: (row) => countText(table.number(row, 'flops')), value: (row) => table.number(row, 'flops') },
      ],
    }),
  ];
}

function metrics(snapshot: Snapshot, seat: TwinSeat): Node[] {
  const table = snapshot.table('metrics');
  const engine = snapshot.table('engine');
  const rows = rowsOf(table).filter((row) => table.number(row, 'count') > 0 && !table.text(row, 'name').startsWith('#') && table.text(row, 'name').toLowerCase().includes(seat.filter));
  const fact = (name: string, column: string) => [name, wholeText(engine.number(0, column)), engine.number(0, column)] as const;
  return [
    facts([['Engine', engine.text(0, 'flavour')], fact('Threads', 'threads'), fact('Tensors', 'blocks'), fact('Handles', 'handles'), fact('Records', 'records'), ['Last step', millisecondsText(engine.number(0, 'stepMs')), engine.number(0, 'stepMs')]]),
    rows.length
      ? listed<number>({
          label: 'Logged metrics',
          rows,
          key: (row) => table.text(row, 'name'),
          columns: [
            { title: 'Metric', text: (row) => table.text(row, 'name'), isCode: true },
            ...(['last', 'step', 'min', 'max', 'count'] as const).map((column) => ({
              title: column[0]!.toUpperCase() + column.slice(1),
              text: (row: number) => (column === 'step' || column === 'count' ? wholeText(table.number(row, column)) : numberText(table.number(row, column))),
              value: (row: number) => table.number(row, column),
            })),
          ],
        })
      : note('Nothing has been logged. log({ loss }) in a training loop, or fit(...), fills this table.'),
  ];
}

export const PANELS: readonly PanelTwin[] = [
  { name: 'Graph', needsTrace: true, build: graph },
  { name: 'Tensors', needsTrace: false, build: tensors },
  { name: 'Memory', needsTrace: true, build: memory },
  { name: 'Profile', needsTrace: true, build: profile },
  { name: 'Program', needsTrace: false, build: program },
  { name: 'Metrics', needsTrace: false, build: metrics },
];

/** What a panel says while there is nothing; null when there is something. */
export function emptyWords(panel: PanelTwin, snapshot: Snapshot | null): string | null {
  if (!snapshot) return 'Nothing to inspect yet. Run a cell: its tensors, the step that it trains, and what each operation costs appear here.';
  if (panel.name !== 'Memory' && panel.needsTrace && !snapshot.table('nodes').rows) return 'No step has been watched yet. Train something while the inspector is open: now and then one step is watched, op by op.';
  return null;
}
