// ONNX operators of networks with parameters: convolutions and normalisations over (batch, channels, space...).

import { ops, run } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';
import { padBy } from './movement.ts';
import { padsOf, reachOf, windowOf } from './window.ts';

/** A convolution of `space` axes without padding of its own. */
export function convolve(
  x: Tensor,
  weight: Tensor,
  bias: Tensor | undefined,
  strides: readonly number[],
  dilations: readonly number[],
  groups: number,
): Tensor {
  const options = { stride: [...strides], padding: strides.map(() => 0), dilation: [...dilations], groups };
  if (strides.length === 1) return ops.conv1d(x, weight, bias, options);
  if (strides.length === 2) return ops.conv2d(x, weight, bias, options);
  return ops.conv3d(x, weight, bias, options);
}

function conv(call: NodeCall): Tensor {
  const [x, weight] = [call.input(0), call.input(1)];
  const window = windowOf(call, weight.shape.slice(2), x.shape.slice(2));
  const padded = padBy(x, padsOf(window.begins, window.ends));
  return convolve(padded, weight, call.optional(2), window.strides, window.dilations, call.number('group', 1));
}

/** The whole transposed convolution, then cut (or widened by output_padding) to the size asked for. */
function convTranspose(call: NodeCall): Tensor {
  const [x, weight] = [call.input(0), call.input(1)];
  const space = x.shape.slice(2);
  const sizes = weight.shape.slice(2);
  const strides = call.list('strides') ?? space.map(() => 1);
  const dilations = call.list('dilations') ?? space.map(() => 1);
  const extra = call.list('output_padding') ?? space.map(() => 0);
  const mode = call.text('auto_pad', 'NOTSET');
  const whole = space.map((size, i) => (strides[i] as number) * (size - 1) + reachOf(sizes[i] as number, dilations[i] as number));
  let wanted = call.list('output_shape')?.slice(-space.length);
  if (mode.startsWith('SAME')) wanted ??= space.map((size, i) => size * (strides[i] as number));
  let begins: number[];
  let ends: number[];
  if (wanted) {
    const totals = whole.map((size, i) => size + (extra[i] as number) - (wanted[i] as number));
    const halves = totals.map((total) => Math.floor(total / 2));
    const others = totals.map((total, i) => total - (halves[i] as number));
    [begins, ends] = mode === 'SAME_UPPER' ? [halves, others] : [others, halves];
  } else {
    const pads = call.list('pads') ?? [...space, ...space].map(() => 0);
    [begins, ends] = [pads.slice(0, space.length), pads.slice(space.length)];
  }
  const result = spread(x, weight, strides, dilations, call.number('group', 1));
  const cut = padBy(
    result,
    padsOf(
      begins.map((size) => -size),
      ends.map((size, i) => (extra[i] as number) - size),
    ),
  );
  const bias = call.optional(2);
  return bias ? ops.add(cut, alongChannels(bias, x.rank)) : cut;
}

function spread(x: Tensor, weight: Tensor, strides: readonly number[], dilations: readonly number[], groups: number): Tensor {
  const options = { stride: [...strides], dilation: [...dilations], groups };
  if (strides.length === 1) return ops.convTranspose1d(x, weight, options);
  if (strides.length === 2) return ops.convTranspose2d(x, weight, options);
  return spreadByConvolution(x, weight, strides, dilations, groups);
}

/** A transposed convolution is a convolution of x, with zeros between its elements, by the mirrored filters. */
function spreadByConvolution(x: Tensor, weight: Tensor, strides: readonly number[], dilations: readonly number[], groups: number): Tensor {
  const reach = weight.shape.slice(2).map((size, i) => reachOf(size, dilations[i] as number) - 1);
  let wide = x;
  strides.forEach((stride, i) => {
    const axis = i + 2;
    const size = wide.size(axis);
    const apart = run('unslice', wide, (size - 1) * stride + 1, 0, axis, stride);
    wide = stride === 1 ? wide : apart;
  });
  const [input, perGroup, ...space] = weight.shape as [number, number, ...number[]];
  const grouped = ops.reshape(
    ops.flip(
      weight,
      space.map((_, i) => i + 2),
    ),
    [groups, input / groups, perGroup, ...space],
  );
  const turned = ops.reshape(ops.transpose(grouped, 1, 2), [groups * perGroup, input / groups, ...space]);
  return convolve(
    padBy(wide, padsOf(reach, reach)),
    turned,
    undefined,
    strides.map(() => 1),
    dilations,
    groups,
  );
}

/** One number per channel, shaped to meet (batch, channels, space...). */
function alongChannels(x: Tensor, rank: number): Tensor {
  return ops.reshape(x, [1, -1, ...new Array(rank - 2).fill(1)]);
}

/** Training mode also gives the running mean and variance after this batch. */
function batchNormalization(call: NodeCall): Tensor[] {
  const [x, scale, bias, mean, variance] = [0, 1, 2, 3, 4].map((i) => call.input(i)) as [Tensor, Tensor, Tensor, Tensor, Tensor];
  const epsilon = call.number('epsilon', 1e-5);
  if (!call.flag('training_mode')) return [ops.batchNorm(x, mean, variance, scale, bias, false, undefined, epsilon)];
  // ONNX keeps the biased variance in the running statistics, PyTorch the unbiased one: so they are kept here.
  const axes = x.shape.map((_, i) => i).filter((axis) => axis !== 1);
  const momentum = call.number('momentum', 0.9);
  const batchMean = ops.mean(x, axes);
  const batchVariance = ops.mean(ops.square(ops.sub(x, alongChannels(batchMean, x.rank))), axes);
  const blend = (old: Tensor, now: Tensor): Tensor => ops.add(ops.mul(old, momentum), ops.mul(now, 1 - momentum));
  const result = ops.batchNorm(x, null, null, scale, bias, true, undefined, epsilon);
  return [result, blend(mean, batchMean), blend(variance, batchVariance)];
}

/** Divides by a power of the sum of squares over neighbouring channels. */
function localResponseNormalization(call: NodeCall): Tensor {
  const x = call.input(0);
  const size = call.number('size');
  const before = Math.floor((size - 1) / 2);
  const pads = new Array(2 * x.rank).fill(0);
  pads[1] = before;
  pads[1 + x.rank] = size - 1 - before;
  const squares = padBy(ops.square(x), pads);
  let total = ops.slice(squares, 0, x.size(1), 1);
  for (let i = 1; i < size; i++) total = ops.add(total, ops.slice(squares, i, i + x.size(1), 1));
  const scaled = ops.add(ops.mul(total, call.number('alpha', 1e-4) / size), call.number('bias', 1));
  return ops.div(x, ops.pow(scaled, call.number('beta', 0.75)));
}

export const networkOperators: OperatorTable = {
  BatchNormalization: batchNormalization,
  Conv: conv,
  ConvTranspose: convTranspose,
  InstanceNormalization: (call) => ops.instanceNorm(call.input(0), call.input(1), call.input(2), call.number('epsilon', 1e-5)),
  LRN: localResponseNormalization,
};
