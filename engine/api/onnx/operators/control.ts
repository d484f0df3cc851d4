// ONNX operators that run graphs: branches and loops, step by step.

import { ops } from '../../signature.ts';
import type { NodeCall, OperatorTable, Results } from '../call.ts';
import { Value } from '../value.ts';

// A loop of a damaged model must end.
const MOST_ROUNDS = 1e7;

function branch(call: NodeCall): Results {
  const chosen = call.scalar(0) ? 'then_branch' : 'else_branch';
  return call.runGraph(call.graph(chosen), []);
}

/** Carried values go round; further results of the body are stacked along a new first axis. */
function loop(call: NodeCall): Results {
  const body = call.graph('body');
  const rounds = call.has(0) ? call.scalar(0) : MOST_ROUNDS;
  let goesOn = call.has(1) ? call.scalar(1) !== 0 : true;
  let carried = Array.from({ length: Math.max(0, call.inputCount - 2) }, (_, i) => call.value(i + 2));
  const stacks: Value[][] = body.outputs.slice(1 + carried.length).map(() => []);
  for (let round = 0; goesOn && round < rounds; round++) {
    const condition = new Value({ name: 'condition', type: 'bool', shape: [], values: Uint8Array.of(1) });
    const results = call.runGraph(body, [Value.integers([round], []), condition, ...carried]);
    goesOn = results[0]?.numbers[0] !== 0;
    stacks.forEach((stack, i) => void stack.push(results[1 + carried.length + i] as Value));
    carried = results.slice(1, 1 + carried.length);
  }
  return [
    ...carried,
    ...stacks.map((stack) =>
      ops.stack(
        stack.map((value) => value.tensor),
        0,
      ),
    ),
  ];
}

/** One round per place of the scanned axes; version 8 has a batch axis in front of everything. */
function scan(call: NodeCall): Results {
  const body = call.graph('body');
  const scanned = call.number('num_scan_inputs');
  if (call.opset < 9) return scanBatches(call, scanned);
  for (const name of ['scan_input_axes', 'scan_output_axes', 'scan_input_directions', 'scan_output_directions']) {
    if (call.list(name)?.some((value) => value !== 0)) call.fail(`attribute "${name}" is not supported`);
  }
  const all = Array.from({ length: call.inputCount }, (_, i) => call.value(i));
  return scanOver(call, body, all.slice(0, -scanned), all.slice(-scanned));
}

function scanOver(call: NodeCall, body: ReturnType<NodeCall['graph']>, start: readonly Value[], lists: readonly Value[]): Value[] {
  let state = start;
  const stacks: Value[][] = body.outputs.slice(start.length).map(() => []);
  const rounds = lists[0]?.shape[0] ?? 0;
  for (let round = 0; round < rounds; round++) {
    const results = call.runGraph(body, [...state, ...lists.map((list) => new Value(ops.select(list.tensor, 0, round)))]);
    stacks.forEach((stack, i) => void stack.push(results[start.length + i] as Value));
    state = results.slice(0, start.length);
  }
  return [
    ...state,
    ...stacks.map(
      (stack) =>
        new Value(
          ops.stack(
            stack.map((value) => value.tensor),
            0,
          ),
        ),
    ),
  ];
}

function scanBatches(call: NodeCall, scanned: number): Results {
  const body = call.graph('body');
  // Input 0 holds sequence lengths; without it every sequence is as long as its axis.
  if (call.has(0)) call.fail('sequence lengths are not supported');
  const all = Array.from({ length: call.inputCount - 1 }, (_, i) => call.input(i + 1));
  const batches = all[0]?.size(0) ?? 0;
  const results = Array.from({ length: batches }, (_, batch) => {
    const values = all.map((tensor) => new Value(ops.select(tensor, 0, batch)));
    return scanOver(call, body, values.slice(0, -scanned), values.slice(-scanned));
  });
  return (results[0] ?? []).map((_, i) =>
    ops.stack(
      results.map((row) => (row[i] as Value).tensor),
      0,
    ),
  );
}

export const controlOperators: OperatorTable = { If: branch, Loop: loop, Scan: scan };
