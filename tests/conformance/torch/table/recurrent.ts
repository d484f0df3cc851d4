// PyTorch's recurrent and attention layers, written with the cells and attention of ours. Samples hold the inputs and the
// weights in the order of the layer's parameters.

import { ones, ops, type Tensor } from '../../../../engine/api/index.ts';
import { Recurrent, type RecurrentState } from '../../../../engine/api/recurrent.ts';
import type { Arguments } from '../arguments.ts';
import type { Row, Table } from '../table.ts';

/** State of a cell: h, or h and c. */
type State = readonly Tensor[];
type Cell = (x: Tensor, state: State, weights: readonly Tensor[], nonlinearity: string) => State;

const cells: Readonly<Record<string, Cell>> = {
  rnn: (x, [h], [wi, wh, bi, bh], nonlinearity) => [ops.rnnCell(x, h as Tensor, wi as Tensor, wh as Tensor, bi, bh, nonlinearity)],
  gru: (x, [h], [wi, wh, bi, bh]) => [ops.gruCell(x, h as Tensor, wi as Tensor, wh as Tensor, bi, bh)],
  lstm: (x, [h, c], [wi, wh, bi, bh]) => {
    const both = ops.lstmCell(x, h as Tensor, c as Tensor, wi as Tensor, wh as Tensor, bi, bh);
    return [ops.select(both, 0, 0), ops.select(both, 0, 1)];
  },
};

const cellRow =
  (name: string): Row =>
  (a) => {
    const [x, ...state] = a.tensors(0) as [Tensor, ...Tensor[]];
    return (cells[name] as Cell)(x, state, a.tensors(1), 'tanh');
  };

/** Our layer with a sample's weights in place of its own. */
class SampleLayer extends Recurrent<RecurrentState> {
  static of(kind: 'rnn' | 'gru' | 'lstm', a: Arguments): SampleLayer {
    const layer = new SampleLayer(kind, a.number(-1, 'input_size'), a.number(-1, 'hidden_size'), {
      layers: a.number(-1, 'num_layers', 1),
      bias: a.flag(-1, 'bias', true),
      batchFirst: a.flag(-1, 'batch_first'),
      bidirectional: a.flag(-1, 'bidirectional'),
      ...(kind === 'rnn' && { nonlinearity: a.text(-1, 'nonlinearity', 'tanh') as 'tanh' | 'relu' }),
    });
    const weights = a.tensors(1);
    const names = Object.keys(layer.stateDict());
    if (names.length !== weights.length) throw new Error(`${layer} has the weights ${names.join(', ')}, the sample ${weights.length}`);
    samples.set(layer, new Map(names.map((name, i) => [name, weights[i] as Tensor])));
    return layer;
  }

  override weight(name: string): Tensor | undefined {
    return samples.get(this)?.get(name);
  }
}
const samples = new WeakMap<object, Map<string, Tensor>>();

/** Results: all steps, then the last states of each layer and direction. */
const layerRow =
  (name: 'rnn' | 'gru' | 'lstm'): Row =>
  (a) => {
    const [steps, state] = SampleLayer.of(name, a).forward(a.tensors(0)[0] as Tensor);
    return [steps, ...(Array.isArray(state) ? state : [state as Tensor])];
  };

/** (batch, places, width) -> (batch, heads, places, width / heads) */
const parted = (x: Tensor, heads: number): Tensor => ops.transpose(ops.unflatten(x, -1, [heads, -1]), 1, 2);

function attention(inputs: readonly Tensor[], weights: readonly (Tensor | undefined)[], heads: number): { result: Tensor; shares: Tensor } {
  const [inWeight, inBias, outWeight, outBias] = weights as [Tensor, Tensor | undefined, Tensor, Tensor | undefined];
  const width = inWeight.size(1);
  const [q, k, v] = inputs.map((x, i) =>
    parted(ops.linear(x, ops.narrow(inWeight, 0, i * width, width), inBias && ops.narrow(inBias, 0, i * width, width)), heads),
  ) as [Tensor, Tensor, Tensor];
  const mixed = ops.flatten(ops.transpose(ops.scaledDotProductAttention(q, k, v), 1, 2), 2, 3);
  const scores = ops.div(ops.matmul(q, ops.transpose(k)), Math.sqrt(width / heads));
  return { result: ops.linear(mixed, outWeight, outBias), shares: ops.mean(ops.softmax(scores, -1), [1]) };
}

function multiheadAttention(a: Arguments): Tensor[] {
  const given = a.tensors(1);
  const weights = a.flag(-1, 'bias', true) ? given : [given[0], undefined, given[1], undefined];
  const { result, shares } = attention(a.tensors(0), weights, a.number(-1, 'num_heads'));
  return [result, shares];
}

/** Weights: attention in and out, two linear layers, two normalisations. */
function transformerEncoderLayer(a: Arguments): Tensor {
  const w = a.tensors(1) as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];
  const x = a.tensors(0)[0] as Tensor;
  const norm = (y: Tensor, i: number): Tensor => ops.layerNorm(y, w[8 + 2 * i], w[9 + 2 * i]);
  const attend = (y: Tensor): Tensor => attention([y, y, y], w, a.number(-1, 'nhead')).result;
  const activate = (y: Tensor): Tensor => (a.text(-1, 'activation', 'relu') === 'gelu' ? ops.gelu(y) : ops.relu(y));
  const feed = (y: Tensor): Tensor => ops.linear(activate(ops.linear(y, w[4], w[5])), w[6], w[7]);
  if (a.flag(-1, 'norm_first')) {
    const y = ops.add(x, attend(norm(x, 0)));
    return ops.add(y, feed(norm(y, 1)));
  }
  const y = norm(ops.add(x, attend(x)), 0);
  return norm(ops.add(y, feed(y)), 1);
}

/** PyTorch 1.13's function also gives the shares, and their gradient. */
function scaledDotProductAttention(a: Arguments): Tensor[] | string {
  if (a.number(-1, 'dropout_p', 0) > 0) return 'random';
  const [q, k, v] = [a.tensor(0), a.tensor(1), a.tensor(2)];
  const isCausal = a.flag(-1, 'is_causal');
  const scores = ops.div(ops.matmul(q, ops.transpose(k)), Math.sqrt(q.size(-1)));
  const seen = isCausal ? ops.where(ops.tril(ones(q.size(-2), k.size(-2))), scores, Number.NEGATIVE_INFINITY) : scores;
  return [ops.scaledDotProductAttention(q, k, v, null, { isCausal }), ops.softmax(seen, -1)];
}

export const recurrent: Table = {
  rnnCell: cellRow('rnn'),
  gruCell: cellRow('gru'),
  lstmCell: cellRow('lstm'),
  rnn: layerRow('rnn'),
  gru: layerRow('gru'),
  lstm: layerRow('lstm'),
  multiheadAttention,
  transformerEncoderLayer,
  'nn.functional._scaled_dot_product_attention': scaledDotProductAttention,
};
