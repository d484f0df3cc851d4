// PyTorch's views, joins, indexing and padding in ops of ours.

import { ops, type Tensor } from '../../../../engine/api/index.ts';
import type { Row, Table } from '../table.ts';

/** Parts of the given sizes along an axis. */
function parts(x: Tensor, sizes: readonly number[], axis: number): Tensor[] {
  let from = 0;
  return sizes.map((size) => {
    from += size;
    return ops.narrow(x, axis, from - size, size);
  });
}

const equalSizes = (total: number, size: number): number[] =>
  Array.from({ length: Math.max(1, Math.ceil(total / size)) }, (_, i) => Math.min(size, total - i * size));

/** PyTorch treats a scalar as a list of one; ours has no axis there, and says so. */
const hasAxes =
  (row: Row): Row =>
  (a) =>
    a.tensor(0).rank === 0 ? 'a scalar has no axis in ours' : row(a);

export const movement: Table = {
  reshape: (a) => ops.reshape(a.tensor(0), a.list(1) as number[]),
  view: (a) => ops.view(a.tensor(0), a.list(1) as number[]),
  flatten: (a) => ops.flatten(a.tensor(0), a.number(1, 'start_dim', 0), a.number(2, 'end_dim', -1)),
  unflatten: (a) => ops.unflatten(a.tensor(0), a.number(1), a.list(2) as number[]),
  squeeze: (a) => ops.squeeze(a.tensor(0), a.list(1, 'dim')),
  unsqueeze: (a) => ops.unsqueeze(a.tensor(0), a.number(1)),
  permute: (a) => ops.permute(a.tensor(0), a.list(1) as number[]),
  transpose: (a) => ops.transpose(a.tensor(0), a.number(1), a.number(2)),
  expand: (a) => ops.expand(a.tensor(0), a.list(1) as number[]),
  broadcast_to: (a) => ops.expand(a.tensor(0), a.list(1) as number[]),
  repeat: (a) => ops.repeat(a.tensor(0), a.list(1) as number[]),
  tile: (a) => ops.tile(a.tensor(0), a.list(1) as number[]),
  cat: (a) => ops.concat(a.tensors(0), a.number(1, 'dim', 0)),
  stack: (a) => ops.stack(a.tensors(0), a.number(1, 'dim', 0)),
  split: (a) => parts(a.tensor(0), equalSizes(a.tensor(0).size(a.number(2, 'dim', 0)), a.number(1)), a.number(2, 'dim', 0)),
  'split.list_args': (a) => parts(a.tensor(0), a.list(1) as number[], a.number(2, 'dim', 0)),
  chunk: (a) => {
    const size = a.tensor(0).size(a.number(2, 'dim', 0));
    return parts(a.tensor(0), equalSizes(size, Math.ceil(size / a.number(1))), a.number(2, 'dim', 0));
  },
  narrow: (a) => ops.narrow(a.tensor(0), a.number(1), a.number(2), a.number(3)),
  select: (a) => ops.select(a.tensor(0), a.number(1), a.number(2)),
  slice: (a) => {
    const end = a.maybe(3, 'end');
    return ops.slice(a.tensor(0), a.number(2, 'start', 0), end, a.number(1, 'dim', 0), a.number(4, 'step', 1));
  },
  index: (a) => ops.index(a.tensor(0), a.tensor(1)),
  masked_select: (a) => ops.maskedSelect(a.tensor(0), a.tensor(1)),
  argwhere: (a) => ops.nonzero(a.tensor(0)),
  contiguous: (a) => ops.contiguous(a.tensor(0)),
  sum_to_size: (a) => ops.sumTo(a.tensor(0), a.sizes(1)),
  gather: hasAxes((a) => ops.gather(a.tensor(0), a.tensor(2), a.number(1))),
  // PyTorch also takes a number as source.
  scatter: (a) => (a.optional(3) ? ops.scatter(a.tensor(0), a.tensor(2), a.tensor(3), a.number(1)) : 'ours takes a tensor as source'),
  scatter_add: (a) => ops.scatterAdd(a.tensor(0), a.tensor(2), a.tensor(3), a.number(1)),
  index_select: hasAxes((a) => ops.indexSelect(a.tensor(0), a.tensor(2), a.number(1))),
  index_add: hasAxes((a) => ops.indexAdd(a.tensor(0), a.tensor(2), ops.mul(a.tensor(3), a.number(-1, 'alpha', 1)), a.number(1))),
  take_along_dim: (a) => {
    if (a.at(2) !== undefined) return ops.takeAlong(a.tensor(0), a.tensor(1), a.number(2));
    return ops.takeAlong(ops.flatten(a.tensor(0)), ops.flatten(a.tensor(1)), 0);
  },
  'nn.functional.embedding': (a) => ops.embedding(a.tensor(1), a.tensor(0)),
  'nn.functional.pad.constant': (a) => ops.pad(a.tensor(0), a.list(1) as number[], 'constant', a.number(3, 'value', 0)),
  'nn.functional.pad.reflect': (a) => ops.pad(a.tensor(0), a.list(1) as number[], 'reflect'),
  'nn.functional.pad.replicate': (a) => ops.pad(a.tensor(0), a.list(1) as number[], 'replicate'),
  'nn.functional.pad.circular': (a) => ops.pad(a.tensor(0), a.list(1) as number[], 'circular'),
  flip: (a) => ops.flip(a.tensor(0), a.list(-1, 'dims') as number[]),
  roll: (a) => ops.roll(a.tensor(0), a.list(1) as number[], a.list(2)),
  'nn.functional.pixel_shuffle': (a) => ops.pixelShuffle(a.tensor(0), a.number(1, 'upscale_factor')),
  'nn.functional.pixel_unshuffle': (a) => ops.pixelUnshuffle(a.tensor(0), a.number(1, 'downscale_factor')),
  // PyTorch also takes a number of repeats for each place.
  repeat_interleave: (a) =>
    a.optional(-1, 'repeats')
      ? 'ours takes one number of repeats'
      : ops.repeatInterleave(a.tensor(0), a.number(-1, 'repeats'), a.at(-1, 'dim') === undefined ? undefined : a.number(-1, 'dim')),
};
