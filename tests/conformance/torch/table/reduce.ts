// PyTorch's reductions, running totals and sorting in ops of ours.

import { ops, type Tensor } from '../../../../engine/api/index.ts';
import type { Arguments } from '../arguments.ts';
import type { Row, Table } from '../table.ts';

const reduction =
  (f: (x: Tensor, axes: number[] | undefined, keepDims: boolean) => Tensor): Row =>
  (a) =>
    f(a.tensor(0), a.axes(1), a.flag(2, 'keepdim'));
const place =
  (f: (x: Tensor, axis: number | undefined, keepDims: boolean) => Tensor): Row =>
  (a) =>
    f(a.tensor(0), a.axes(1)?.[0], a.flag(2, 'keepdim'));

/** Values and places along one axis. */
const extreme =
  (values: 'max' | 'min', places: 'argmax' | 'argmin'): Row =>
  (a) => {
    const keep = a.flag(2, 'keepdim');
    return [ops[values](a.tensor(0), a.axes(1), keep), ops[places](a.tensor(0), a.number(1), keep)];
  };

// torch.std(x, true) means unbiased, not an axis.
function correction(a: Arguments): number {
  if (typeof a.at(1) === 'boolean') return a.flag(1) ? 1 : 0;
  if (a.at(-1, 'correction') !== undefined) return a.at(-1, 'correction') === null ? 1 : a.number(-1, 'correction');
  return a.flag(-1, 'unbiased', true) ? 1 : 0;
}

const spread =
  (name: 'std' | 'var'): Row =>
  (a) =>
    ops[name](a.tensor(0), typeof a.at(1) === 'boolean' ? undefined : a.axes(1), a.flag(-1, 'keepdim'), correction(a));

export const reduce: Table = {
  sum: reduction((x, axes, keep) => ops.sum(x, axes, keep)),
  mean: reduction((x, axes, keep) => ops.mean(x, axes, keep)),
  amax: reduction((x, axes, keep) => ops.max(x, axes, keep)),
  amin: reduction((x, axes, keep) => ops.min(x, axes, keep)),
  prod: reduction((x, axes, keep) => ops.prod(x, axes, keep)),
  all: reduction((x, axes, keep) => ops.all(x, axes, keep)),
  any: reduction((x, axes, keep) => ops.any(x, axes, keep)),
  logsumexp: reduction((x, axes, keep) => ops.logSumExp(x, axes, keep)),
  'max.reduction_with_dim': extreme('max', 'argmax'),
  'min.reduction_with_dim': extreme('min', 'argmin'),
  'max.reduction_no_dim': (a) => ops.max(a.tensor(0)),
  'min.reduction_no_dim': (a) => ops.min(a.tensor(0)),
  argmax: place((x, axis, keep) => ops.argmax(x, axis, keep)),
  argmin: place((x, axis, keep) => ops.argmin(x, axis, keep)),
  var: spread('var'),
  std: spread('std'),
  norm: (a) => ops.norm(a.tensor(0), a.number(1, 'p', 2), a.axes(2), a.flag(3, 'keepdim')),
  'linalg.vector_norm': (a) => ops.norm(a.tensor(0), a.number(1, 'ord', 2), a.axes(2), a.flag(3, 'keepdim')),

  cumsum: (a) => ops.cumsum(a.tensor(0), a.number(1)),
  cumprod: (a) => ops.cumprod(a.tensor(0), a.number(1)),
  sort: (a) => {
    const [axis, isDescending] = [a.number(1, 'dim', -1), a.flag(2, 'descending')];
    return [ops.sort(a.tensor(0), axis, isDescending), ops.argsort(a.tensor(0), axis, isDescending)];
  },
  argsort: (a) => ops.argsort(a.tensor(0), a.number(1, 'dim', -1), a.flag(2, 'descending')),
  topk: (a) => {
    if (a.tensor(0).rank === 0) return 'a scalar has no axis in ours';
    const [k, axis, isLargest] = [a.number(1), a.number(2, 'dim', -1), a.flag(3, 'largest', true)];
    return [ops.topk(a.tensor(0), k, axis, isLargest), ops.topkIndices(a.tensor(0), k, axis, isLargest)];
  },
  // Ours sorts, counts apart, and has no inverse and no axis.
  unique: (a) => {
    if (a.maybe(-1, 'dim') !== undefined || a.flag(-1, 'return_inverse') || !a.flag(-1, 'sorted', true))
      return 'ours has no inverse, no axis, and always sorts';
    return a.flag(-1, 'return_counts') ? [ops.unique(a.tensor(0)), ops.uniqueCounts(a.tensor(0))] : ops.unique(a.tensor(0));
  },
  'nn.functional.one_hot': (a) => ops.oneHot(a.tensor(0), a.number(1, 'num_classes', -1)),
  // PyTorch also takes weights.
  bincount: (a) => (a.optional(1, 'weights') ? 'ours has no weights' : ops.bincount(a.tensor(0), a.number(2, 'minlength', 0))),

  softmax: (a) => ops.softmax(a.tensor(0), a.number(1)),
  log_softmax: (a) => ops.logSoftmax(a.tensor(0), a.number(1)),
  'nn.functional.softmin': (a) => ops.softmin(a.tensor(0), a.number(1)),
};
