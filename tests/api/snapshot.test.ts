// Snapshots from the running engine: what a traced step did, with the line of the cell, and what variables and cells hold.
import { expect, test } from 'vitest';
import { readSnapshot, rowsOf, shapeOf, type Snapshot } from '../../web/inspector/snapshot.ts';
import * as api from '../../engine/api/index.ts';
import * as host from '../../engine/api/host.ts';
import './start.ts';

const { nn, optim, randn } = api;

function snapshotOf(named: readonly (readonly [string, unknown])[], options: Partial<host.InspectRequest> = {}): Snapshot {
  const bytes = host.inspect({ trace: false, clear: false, selected: 0, from: 0, isRunning: false, named, ...options });
  const snapshot = readSnapshot(bytes);
  if (!snapshot) throw new Error('the engine wrote bytes that cannot be read');
  return snapshot;
}

const rowOf = (snapshot: Snapshot, table: string, column: string, text: string): number =>
  rowsOf(snapshot.table(table)).find((row) => snapshot.table(table).text(row, column) === text) ?? -1;

test('a traced step, its tensors and its cells are in the snapshot', () => {
  host.setHooks({ place: () => ({ cellId: 'cell-a', line: 3 }) });
  host.beginRun('cell-a');
  const model = nn.sequential(nn.linear(6, 5), nn.relu(), nn.linear(5, 2));
  const optimizer = optim.adam(model.parameters(), { lr: 0.01 });
  const x = randn(8, 6);
  const step = () => {
    const loss = model(x).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    api.log({ loss });
    return loss.item();
  };
  const named = [['model', model], ['x', x]] as const;
  snapshotOf(named, { trace: true, isRunning: true });
  const loss = step();
  const first = snapshotOf(named, { isRunning: true });
  const nodes = first.table('nodes');
  const names = rowsOf(nodes).map((row) => nodes.text(row, 'name'));
  expect(names[0]).toBe('linear');
  expect(names.at(-1)).toBe('adam');
  expect(rowsOf(nodes).map((row) => nodes.text(row, 'cell'))).toEqual(names.map(() => 'cell-a'));
  expect(rowsOf(nodes).map((row) => nodes.number(row, 'line'))).toEqual(names.map(() => 3));
  expect(shapeOf(first, nodes, 0)).toBe('[8, 5]');
  expect(nodes.number(0, 'flops')).toBe(2 * 8 * 6 * 5);
  expect(rowOf(first, 'leaves', 'name', 'model.0.weight')).toBeGreaterThanOrEqual(0);
  const metric = rowOf(first, 'metrics', 'name', 'loss');
  expect(first.table('metrics').number(metric, 'last')).toBeCloseTo(loss, 6);

  // The next step is not watched unless asked for.
  step();
  expect(snapshotOf(named).table('engine').number(0, 'trace')).toBe(first.table('engine').number(0, 'trace'));
  host.endRun([model, x]);

  const tensors = first.table('tensors');
  const weight = rowOf(first, 'tensors', 'name', 'model.2.weight');
  expect(tensors.text(weight, 'kind')).toBe('parameter');
  expect(tensors.text(weight, 'cell')).toBe('cell-a');
  expect(shapeOf(first, tensors, weight)).toBe('[2, 5]');
  expect(rowOf(first, 'tensors', 'kind', 'gradient')).toBeGreaterThanOrEqual(0);
  expect(rowOf(first, 'tensors', 'kind', 'state')).toBeGreaterThanOrEqual(0);
});

test('the values of a selected tensor are the values of the tensor, and the ledger adds up to all live bytes', () => {
  host.beginRun('cell-b');
  const w = api.tensor([[0.5, -1, 2], [4, 0, Number.NaN]]).keep();
  host.endRun([w]);
  const named = [['w', w]] as const;
  const before = snapshotOf(named);
  const row = rowOf(before, 'tensors', 'name', 'w');
  const tensors = before.table('tensors');
  expect([tensors.number(row, 'min'), tensors.number(row, 'max'), tensors.number(row, 'mean'), tensors.number(row, 'zeros'), tensors.number(row, 'notFinite')]).toEqual([-1, 4, 1.1, 1, 1]);
  const chosen = snapshotOf(named, { selected: tensors.number(row, 'key'), from: 2 });
  expect(rowsOf(chosen.table('values')).map((i) => chosen.table('values').number(i, 'value'))).toEqual([2, 4, 0, Number.NaN]);
  expect(rowsOf(chosen.table('bins')).reduce((sum, bin) => sum + chosen.table('bins').number(bin, 'count'), 0)).toBe(5);
  const cells = chosen.table('cells');
  expect(rowsOf(cells).reduce((sum, each) => sum + cells.number(each, 'bytes'), 0)).toBe(chosen.table('engine').number(0, 'live'));
});

test('the captured step that ran last is in the snapshot, op by op, as explain() tells it', () => {
  host.beginRun('cell-c');
  const model = nn.sequential(nn.linear(6, 5), nn.relu(), nn.linear(5, 2));
  const optimizer = optim.adam(model.parameters(), { lr: 0.01 });
  const x = randn(8, 6);
  expect(snapshotOf([]).table('program').rows).toBe(0);
  const step = api.capture((batch: api.Tensor) => {
    const loss = model(batch).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss;
  });
  for (let i = 0; i < 6; i++) step(x);
  expect(step.reason).toBe('');
  const snapshot = snapshotOf([]);
  const table = snapshot.table('program');
  const of = snapshot.table('programs');
  const names = rowsOf(table).map((row) => table.text(row, 'name'));
  expect(step.explain()).toContain(`${table.rows} operations, ${rowsOf(table).filter((row) => table.text(row, 'fused') !== '').length} fused`);
  expect(names[0]).toBe('linear');
  expect(table.text(0, 'fused')).toBe('relu');
  expect(shapeOf(snapshot, table, 0)).toBe('[8, 5]');
  expect([table.number(0, 'flops'), table.number(0, 'bytes'), table.number(0, 'backward')]).toEqual([2 * 8 * 6 * 5, 8 * 5 * 4, 0]);
  expect(rowsOf(table).some((row) => table.number(row, 'backward') === 1)).toBe(true);
  expect(of.number(0, 'runs')).toBeGreaterThanOrEqual(3);
  for (const row of rowsOf(table)) expect(table.number(row, 'offset')).toBeLessThan(of.number(0, 'arena'));
  host.endRun([]);
});

test('damaged bytes are refused or read as what lies inside them', () => {
  const { bytes } = snapshotOf([]);
  for (let size = 0; size < bytes.length; size += 7) expect(readSnapshot(bytes.slice(0, size))).toBeNull();
  for (let at = 0; at + 4 <= Math.min(bytes.length, 2000); at += 4) {
    for (const value of [0, 1, 0x7fffffff, 0xffffffff]) {
      const damaged = bytes.slice();
      new DataView(damaged.buffer).setUint32(at, value, true);
      const read = readSnapshot(damaged);
      for (const name of ['engine', 'tensors', 'numbers']) for (const row of read ? rowsOf(read.table(name)).slice(0, 5) : []) read?.table(name).number(row, 'value');
    }
  }
});
