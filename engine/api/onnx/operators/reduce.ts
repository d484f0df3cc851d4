// ONNX reductions, and the activations and normalisations that are reductions at heart.

import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, Operator, OperatorTable } from '../call.ts';

type Reduction = (x: Tensor, axes: number[], keepDims: boolean) => Tensor;

/** Without axes all are reduced, or none where `noop_with_empty_axes` says so. */
function reduction(reduce: Reduction): Operator {
  return (call) => {
    const x = call.input(0);
    const axes = call.axes(1, x.rank);
    if ((!axes || axes.length === 0) && call.flag('noop_with_empty_axes')) return x;
    const chosen = axes && axes.length > 0 ? axes : x.shape.map((_, i) => i);
    return reduce(x, chosen, call.flag('keepdims', true));
  };
}

function arg(name: 'argmax' | 'argmin'): Operator {
  return (call) => {
    const x = call.input(0);
    const axis = call.axis(call.number('axis', 0), x.rank);
    const keep = call.flag('keepdims', true);
    if (!call.flag('select_last_index')) return ops[name](x, axis, keep);
    // The last of equal elements is the first of the flipped axis.
    return ops.sub(x.size(axis) - 1, ops[name](ops.flip(x, [axis]), axis, keep));
  };
}

/** Before version 13 softmax treats everything from `axis` on as one axis. */
function softmaxLike(apply: (x: Tensor, axis: number) => Tensor): Operator {
  return (call) => {
    const x = call.input(0);
    const axis = call.axis(call.number('axis', call.opset < 13 ? 1 : -1), x.rank);
    if (call.opset >= 13) return apply(x, axis);
    const flat = ops.reshape(x, [x.shape.slice(0, axis).reduce((a, b) => a * b, 1), -1]);
    return ops.reshape(apply(flat, 1), x.shape);
  };
}

/** Results: normalised x, mean, 1 / standard deviation. */
function layerNormalization(call: NodeCall): Tensor[] {
  const x = call.input(0);
  const axis = call.axis(call.number('axis', -1), x.rank);
  const axes = x.shape.map((_, i) => i).slice(axis);
  const mean = ops.mean(x, axes, true);
  const centred = ops.sub(x, mean);
  const inverse = ops.rsqrt(ops.add(ops.mean(ops.square(centred), axes, true), call.number('epsilon', 1e-5)));
  const result = ops.layerNorm(x, call.input(1), call.optional(2), x.shape.slice(axis), call.number('epsilon', 1e-5));
  return [result, mean, inverse];
}

function meanVarianceNormalization(call: NodeCall): Tensor {
  const x = call.input(0);
  const axes = call.list('axes') ?? [0, 2, 3];
  const mean = ops.mean(x, axes, true);
  const deviation = ops.sqrt(ops.sub(ops.mean(ops.square(x), axes, true), ops.square(mean)));
  return ops.div(ops.sub(x, mean), ops.add(deviation, 1e-9));
}

export const reduceOperators: OperatorTable = {
  ArgMax: arg('argmax'),
  ArgMin: arg('argmin'),
  LayerNormalization: layerNormalization,
  LogSoftmax: softmaxLike((x, axis) => ops.logSoftmax(x, axis)),
  MeanVarianceNormalization: meanVarianceNormalization,
  ReduceL1: reduction((x, axes, keep) => ops.sum(ops.abs(x), axes, keep)),
  ReduceL2: reduction((x, axes, keep) => ops.sqrt(ops.sum(ops.square(x), axes, keep))),
  ReduceLogSum: reduction((x, axes, keep) => ops.log(ops.sum(x, axes, keep))),
  ReduceLogSumExp: reduction((x, axes, keep) => ops.logSumExp(x, axes, keep)),
  ReduceMax: reduction((x, axes, keep) => ops.max(x, axes, keep)),
  ReduceMean: reduction((x, axes, keep) => ops.mean(x, axes, keep)),
  ReduceMin: reduction((x, axes, keep) => ops.min(x, axes, keep)),
  ReduceProd: reduction((x, axes, keep) => ops.prod(x, axes, keep)),
  ReduceSum: reduction((x, axes, keep) => ops.sum(x, axes, keep)),
  ReduceSumSquare: reduction((x, axes, keep) => ops.sum(ops.square(x), axes, keep)),
  Softmax: softmaxLike((x, axis) => ops.softmax(x, axis)),
};
