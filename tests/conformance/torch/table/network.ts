// PyTorch's layers as functions in ops of ours: convolutions, pools, normalisations, attention.

import { ops, type Tensor } from '../../../../engine/api/index.ts';
import type { Ops } from '../../../../engine/api/ops.generated.d.ts';
import type { Arguments } from '../arguments.ts';
import { notOurs, type Row, type Table } from '../table.ts';

type Op = (x: Tensor, ...rest: unknown[]) => Tensor;
const op = (name: keyof Ops): Op => ops[name] as unknown as Op;

/** PyTorch also takes one example without a batch axis. */
function batched(x: Tensor, rank: number, run: (x: Tensor) => Tensor): Tensor {
  return x.rank === rank ? run(x) : ops.squeeze(run(ops.unsqueeze(x, 0)), [0]);
}

function convolution(space: number, name: keyof Ops): Row {
  return (a) => {
    const weight = a.tensor(1);
    const stride = a.list(3, 'stride') ?? [1];
    const dilation = a.list(5, 'dilation') ?? [1];
    const options = { stride, dilation, groups: a.number(6, 'groups', 1) };
    const named = a.at(4, 'padding');
    if (named !== 'same') {
      const padding = named === 'valid' ? [0] : (a.list(4, 'padding') ?? [0]);
      return batched(a.tensor(0), space + 2, (x) => op(name)(x, weight, a.optional(2), { ...options, padding }));
    }
    // 'same' pads the odd element at the end.
    const total = weight.shape.slice(2).map((size, i) => (size - 1) * (dilation[i] ?? (dilation[0] as number)));
    const pairs = total.reverse().flatMap((size) => [Math.floor(size / 2), Math.ceil(size / 2)]);
    return batched(a.tensor(0), space + 2, (x) => op(name)(ops.pad(x, pairs), weight, a.optional(2), options));
  };
}

function transposed(space: number, name: keyof Ops): Row {
  return (a) => {
    const options = {
      stride: a.list(3, 'stride') ?? [1],
      padding: a.list(4, 'padding') ?? [0],
      outputPadding: a.list(5, 'output_padding') ?? [0],
      groups: a.number(6, 'groups', 1),
      dilation: a.list(7, 'dilation') ?? [1],
    };
    return batched(a.tensor(0), space + 2, (x) => op(name)(x, a.tensor(1), a.optional(2), options));
  };
}

function maxPool(space: number, name: keyof Ops): Row {
  return (a) => {
    const options = {
      stride: a.list(2, 'stride'),
      padding: a.list(3, 'padding') ?? [0],
      dilation: a.list(4, 'dilation') ?? [1],
      ceilMode: a.flag(5, 'ceil_mode'),
    };
    // Places of the maxima are kept by the engine for its gradient only.
    return [batched(a.tensor(0), space + 2, (x) => op(name)(x, a.list(1, 'kernel_size'), options)), notOurs];
  };
}

function averagePool(space: number, name: keyof Ops): Row {
  return (a) => {
    if (a.at(6, 'divisor_override')) return 'ours has no other divisor';
    const options = {
      stride: a.list(2, 'stride'),
      padding: a.list(3, 'padding') ?? [0],
      ceilMode: a.flag(4, 'ceil_mode'),
      countIncludePad: a.flag(5, 'count_include_pad', true),
    };
    return batched(a.tensor(0), space + 2, (x) => op(name)(x, a.list(1, 'kernel_size'), options));
  };
}

function adaptive(space: number, name: keyof Ops): Row {
  return (a) => {
    const x = a.tensor(0);
    const wanted = (a.list(1) as (number | null)[]).map((size, i) => size ?? x.size(i - space));
    return [batched(x, space + 2, (batch) => op(name)(batch, wanted)), notOurs];
  };
}

function interpolate(a: Arguments): Tensor {
  const [size, scaleFactor] = [a.list(1, 'size'), a.list(2, 'scale_factor')];
  return ops.interpolate(a.tensor(0), { size, scaleFactor, mode: a.text(3, 'mode', 'nearest'), alignCorners: a.flag(4, 'align_corners') });
}

/** Kernel size, dilation, padding and stride of windows. */
function windows(a: Arguments, first: number): { dilation: number[]; padding: number[]; stride: number[] } {
  return {
    dilation: a.list(first, 'dilation') ?? [1],
    padding: a.list(first + 1, 'padding') ?? [0],
    stride: a.list(first + 2, 'stride') ?? [1],
  };
}

function batchNorm(a: Arguments): Tensor | string {
  if (a.tensor(0).rank < 2) return 'ours needs a channel axis';
  // The running statistics are not results of PyTorch's function, so they may be changed or not: copies, to be safe.
  const running = [a.optional(1, 'running_mean')?.mul(1), a.optional(2, 'running_var')?.mul(1)];
  return ops.batchNorm(
    a.tensor(0),
    running[0],
    running[1],
    a.optional(3, 'weight'),
    a.optional(4, 'bias'),
    a.flag(5, 'training'),
    undefined,
    a.number(7, 'eps', 1e-5),
  );
}

export const network: Table = {
  'nn.functional.conv1d': convolution(1, 'conv1d'),
  'nn.functional.conv2d': convolution(2, 'conv2d'),
  conv3d: convolution(3, 'conv3d'),
  'nn.functional.conv_transpose1d': transposed(1, 'convTranspose1d'),
  'nn.functional.conv_transpose2d': transposed(2, 'convTranspose2d'),
  'nn.functional.conv_transpose3d': transposed(3, 'convTranspose3d'),
  'nn.functional.max_pool1d': maxPool(1, 'maxPool1d'),
  'nn.functional.max_pool2d': maxPool(2, 'maxPool2d'),
  'nn.functional.avg_pool1d': averagePool(1, 'avgPool1d'),
  'nn.functional.avg_pool2d': averagePool(2, 'avgPool2d'),
  'nn.functional.adaptive_avg_pool1d': adaptive(1, 'adaptiveAvgPool1d'),
  'nn.functional.adaptive_avg_pool2d': adaptive(2, 'adaptiveAvgPool2d'),
  'nn.functional.adaptive_max_pool1d': adaptive(1, 'adaptiveMaxPool1d'),
  'nn.functional.adaptive_max_pool2d': adaptive(2, 'adaptiveMaxPool2d'),
  'nn.functional.interpolate.nearest': interpolate,
  'nn.functional.interpolate.linear': interpolate,
  'nn.functional.interpolate.bilinear': interpolate,
  'interpolate.bicubic': interpolate,
  'nn.functional.unfold': (a) => ops.unfold(a.tensor(0), a.list(1, 'kernel_size') as number[], windows(a, 2)),
  fold: (a) => ops.fold(a.tensor(0), a.list(1, 'output_size') as number[], a.list(2, 'kernel_size') as number[], windows(a, 3)),
  'nn.functional.batch_norm': batchNorm,
  'nn.functional.layer_norm': (a) =>
    ops.layerNorm(a.tensor(0), a.optional(2, 'weight'), a.optional(3, 'bias'), a.list(1), a.number(4, 'eps', 1e-5)),
  rmsNorm: (a) => ops.rmsNorm(a.tensor(0), a.tensor(1), { eps: a.number(2) }),
  'nn.functional.group_norm': (a) =>
    ops.groupNorm(a.tensor(0), a.optional(2, 'weight'), a.optional(3, 'bias'), a.number(1), a.number(4, 'eps', 1e-5)),
  // Ours takes the statistics of the input, not running ones.
  'nn.functional.instance_norm': (a) =>
    a.flag(5, 'use_input_stats', true)
      ? ops.instanceNorm(a.tensor(0), a.optional(3, 'weight'), a.optional(4, 'bias'), a.number(7, 'eps', 1e-5))
      : 'ours takes the statistics of the input',
  'nn.functional.normalize': (a) => ops.normalize(a.tensor(0), a.number(1, 'p', 2), a.number(2, 'dim', 1), a.number(3, 'eps', 1e-12)),
  'nn.functional.linear': (a) => ops.linear(a.tensor(0), a.tensor(1), a.optional(2)),
  'nn.functional.cosine_similarity': (a) => ops.cosineSimilarity(a.tensor(0), a.tensor(1), a.number(2, 'dim', 1), a.number(3, 'eps', 1e-8)),
};
