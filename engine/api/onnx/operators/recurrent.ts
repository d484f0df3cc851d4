// ONNX RNN, LSTM and GRU, step by step in ops of ours, with directions, activations, peepholes and sequence lengths.
// Layout: x (time, batch, inputs), or with layout 1 (batch, time, inputs); weights have a leading axis of directions.

import { tensor, zeros } from '../../create.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, Operator, OperatorTable } from '../call.ts';

type Activation = (x: Tensor) => Tensor;

const activations: Readonly<Record<string, Activation>> = {
  Sigmoid: (x) => ops.sigmoid(x),
  Tanh: (x) => ops.tanh(x),
  Relu: (x) => ops.relu(x),
  Softsign: (x) => ops.softsign(x),
  Softplus: (x) => ops.softplus(x),
};

/** What one direction of a layer computes with; gates lie side by side, each `size` wide. */
interface Cell {
  readonly call: NodeCall;
  readonly size: number;
  readonly weight: Tensor;
  readonly recurrent: Tensor;
  /** Biases of inputs and of the state. */
  readonly bias: readonly [Tensor, Tensor] | undefined;
  readonly peephole: Tensor | undefined;
  readonly activate: readonly Activation[];
}

/** One step: x of this step and the state before -> the state after; the first of it is the result. */
type Step = (cell: Cell, x: Tensor, state: readonly Tensor[]) => Tensor[];

const gates = (x: Tensor, size: number): Tensor[] => Array.from({ length: x.size(-1) / size }, (_, i) => ops.narrow(x, -1, i * size, size));
const limited = (cell: Cell, x: Tensor): Tensor =>
  cell.call.given('clip') ? ops.clamp(x, -cell.call.number('clip'), cell.call.number('clip')) : x;

function project(x: Tensor, weight: Tensor, bias: Tensor | undefined): Tensor {
  const product = ops.matmul(x, ops.transpose(weight));
  return bias ? ops.add(product, bias) : product;
}

function rnnStep(cell: Cell, x: Tensor, [h]: readonly Tensor[]): Tensor[] {
  const total = ops.add(project(x, cell.weight, cell.bias?.[0]), project(h as Tensor, cell.recurrent, cell.bias?.[1]));
  return [(cell.activate[0] as Activation)(limited(cell, total))];
}

/** Gates in the order input, output, forget, cell. */
function lstmStep(cell: Cell, x: Tensor, [h, c]: readonly Tensor[]): Tensor[] {
  const [f, g, hidden] = cell.activate as [Activation, Activation, Activation];
  const total = ops.add(project(x, cell.weight, cell.bias?.[0]), project(h as Tensor, cell.recurrent, cell.bias?.[1]));
  const [input, output, forget, candidate] = gates(total, cell.size) as [Tensor, Tensor, Tensor, Tensor];
  const peep = cell.peephole ? gates(cell.peephole, cell.size) : undefined;
  const look = (gate: Tensor, at: number, state: Tensor): Tensor =>
    limited(cell, peep ? ops.add(gate, ops.mul(peep[at] as Tensor, state)) : gate);
  const before = c as Tensor;
  const taken = f(look(input, 0, before));
  const kept = cell.call.flag('input_forget') ? ops.sub(1, taken) : f(look(forget, 2, before));
  const after = ops.add(ops.mul(kept, before), ops.mul(taken, g(limited(cell, candidate))));
  return [ops.mul(f(look(output, 1, after)), hidden(after)), after];
}

/** Gates in the order update, reset, hidden. */
function gruStep(cell: Cell, x: Tensor, [h]: readonly Tensor[]): Tensor[] {
  const [f, g] = cell.activate as [Activation, Activation];
  const [xz, xr, xh] = gates(project(x, cell.weight, cell.bias?.[0]), cell.size) as [Tensor, Tensor, Tensor];
  const state = h as Tensor;
  const [wz, wr, wh] = [0, 1, 2].map((i) => ops.narrow(cell.recurrent, 0, i * cell.size, cell.size)) as [Tensor, Tensor, Tensor];
  const [bz, br, bh] = cell.bias ? gates(cell.bias[1], cell.size) : [];
  const update = f(limited(cell, ops.add(xz, project(state, wz, bz))));
  const reset = f(limited(cell, ops.add(xr, project(state, wr, br))));
  const fromState = cell.call.flag('linear_before_reset') ? ops.mul(reset, project(state, wh, bh)) : project(ops.mul(reset, state), wh, bh);
  const candidate = g(limited(cell, ops.add(xh, fromState)));
  return [ops.add(ops.mul(ops.sub(1, update), candidate), ops.mul(update, state))];
}

function layer(step: Step, gateCount: number, stateCount: number, defaults: readonly string[]): Operator {
  return (call) => {
    const isBatchFirst = call.flag('layout');
    const x = isBatchFirst ? ops.transpose(call.input(0), 0, 1) : call.input(0);
    const [weight, recurrent] = [call.input(1), call.input(2)];
    const direction = call.text('direction', 'forward');
    const size = recurrent.size(-1);
    const [time, batch] = x.shape as [number, number];
    const lengths = call.has(4) ? call.numbers(4) : undefined;
    const isRagged = lengths?.some((length) => length < time) ?? false;
    const names = call.texts('activations') ?? new Array(weight.size(0)).fill(defaults).flat();
    const results: Tensor[] = [];
    const finals: Tensor[][] = [];
    for (let d = 0; d < weight.size(0); d++) {
      const biases = call.has(3) ? ops.select(call.input(3), 0, d) : undefined;
      const half = gateCount * size;
      const cell: Cell = {
        call,
        size,
        weight: ops.select(weight, 0, d),
        recurrent: ops.select(recurrent, 0, d),
        bias: biases ? [ops.narrow(biases, 0, 0, half), ops.narrow(biases, 0, half, half)] : undefined,
        peephole: call.has(7) ? ops.select(call.input(7), 0, d) : undefined,
        activate: names
          .slice(d * defaults.length, (d + 1) * defaults.length)
          .map((name) => activations[name] ?? call.fail(`the activation ${name} is not supported`)),
      };
      let state: Tensor[] = Array.from({ length: stateCount }, (_, i) => {
        if (!call.has(5 + i)) return zeros([batch, size], { dtype: x.dtype });
        return ops.select(call.input(5 + i), isBatchFirst ? 1 : 0, d);
      });
      const isBackward = direction === 'reverse' || d === 1;
      const outputs: Tensor[] = [];
      for (let k = 0; k < time; k++) {
        const at = isBackward ? time - 1 - k : k;
        const next = step(cell, ops.select(x, 0, at), state);
        if (!isRagged) {
          state = next;
          outputs.push(state[0] as Tensor);
        } else {
          // A sequence that has ended (or, backwards, not begun) keeps its state and gives zeros.
          const goesOn = ops.reshape(tensor((lengths as number[]).map((length) => at < length)), [batch, 1]);
          state = state.map((old, i) => ops.where(goesOn, next[i] as Tensor, old));
          outputs.push(ops.where(goesOn, next[0] as Tensor, zeros([batch, size], { dtype: x.dtype })));
        }
      }
      results.push(ops.stack(isBackward ? outputs.reverse() : outputs, 0));
      finals.push(state);
    }
    // (time, directions, batch, size) or (batch, time, directions, size)
    const all = ops.stack(results, 1);
    const last = Array.from({ length: stateCount }, (_, i) =>
      ops.stack(
        finals.map((state) => state[i] as Tensor),
        isBatchFirst ? 1 : 0,
      ),
    );
    return [isBatchFirst ? ops.permute(all, [2, 0, 1, 3]) : all, ...last];
  };
}

export const recurrentOperators: OperatorTable = {
  GRU: layer(gruStep, 3, 1, ['Sigmoid', 'Tanh']),
  LSTM: layer(lstmStep, 4, 2, ['Sigmoid', 'Tanh', 'Tanh']),
  RNN: layer(rnnStep, 1, 1, ['Tanh']),
};
