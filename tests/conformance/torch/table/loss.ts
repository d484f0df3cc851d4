// PyTorch's losses in ops of ours.

import { ops } from '../../../../engine/api/index.ts';
import type { Arguments } from '../arguments.ts';
import type { Table } from '../table.ts';

const reduction = (a: Arguments): string => a.text(-1, 'reduction', 'mean');

export const loss: Table = {
  ctcLoss: (a) =>
    ops.ctcLoss(ops.logSoftmax(a.tensor(0), 2), a.tensor(1), {
      inputLengths: a.list(-1, 'input_lengths') as number[],
      targetLengths: a.list(-1, 'target_lengths') as number[],
      blank: a.number(-1, 'blank', 0),
      reduction: reduction(a),
      zeroInfinity: a.flag(-1, 'zero_infinity'),
    }),
  'nn.functional.multi_margin_loss': (a) =>
    ops.multiMargin(a.tensor(0), a.tensor(1), a.optional(-1, 'weight'), reduction(a), a.number(-1, 'margin', 1), a.number(-1, 'p', 1)),
  'nn.functional.margin_ranking_loss': (a) =>
    ops.marginRanking(a.tensor(0), a.tensor(1), a.tensor(2), reduction(a), a.number(-1, 'margin', 0)),
  'nn.functional.cross_entropy': (a) =>
    ops.crossEntropy(a.tensor(0), a.tensor(1), a.optional(-1, 'weight'), {
      reduction: reduction(a),
      ignoreIndex: a.number(-1, 'ignore_index', -100),
      labelSmoothing: a.number(-1, 'label_smoothing', 0),
    }),
  'nn.functional.nll_loss': (a) =>
    ops.nll(a.tensor(0), a.tensor(1), a.optional(-1, 'weight'), {
      reduction: reduction(a),
      ignoreIndex: a.number(-1, 'ignore_index', -100),
    }),
  'nn.functional.mse_loss': (a) => ops.mse(a.tensor(0), a.tensor(1), reduction(a)),
  'nn.functional.l1_loss': (a) => ops.l1(a.tensor(0), a.tensor(1), reduction(a)),
  'nn.functional.huber_loss': (a) => ops.huber(a.tensor(0), a.tensor(1), reduction(a), a.number(-1, 'delta', 1)),
  'nn.functional.smooth_l1_loss': (a) => ops.smoothL1(a.tensor(0), a.tensor(1), reduction(a), a.number(-1, 'beta', 1)),
  'nn.functional.binary_cross_entropy': (a) => ops.bce(a.tensor(0), a.tensor(1), a.optional(-1, 'weight'), reduction(a)),
  'nn.functional.binary_cross_entropy_with_logits': (a) =>
    ops.bceWithLogits(a.tensor(0), a.tensor(1), a.optional(-1, 'weight'), a.optional(-1, 'pos_weight'), reduction(a)),
  // 'batchmean' is a sum divided by the first size.
  'nn.functional.kl_div': (a) => {
    const isBatch = reduction(a) === 'batchmean';
    const value = ops.klDiv(a.tensor(0), a.tensor(1), isBatch ? 'sum' : reduction(a), a.flag(-1, 'log_target'));
    return isBatch && a.tensor(0).rank > 0 ? ops.div(value, a.tensor(0).size(0)) : value;
  },
  // PyTorch gives other targets than 1 and -1 both losses at once; ours are defined for these two only.
  'nn.functional.hinge_embedding_loss': (a) =>
    a
      .tensor(1)
      .values()
      .some((y) => Math.abs(y) !== 1)
      ? 'defined for the targets 1 and -1'
      : ops.hingeEmbedding(a.tensor(0), a.tensor(1), reduction(a), a.number(-1, 'margin', 1)),
  'nn.functional.cosine_embedding_loss': (a) =>
    ops.cosineEmbedding(a.tensor(0), a.tensor(1), a.tensor(2), reduction(a), a.number(-1, 'margin', 0)),
  'nn.functional.triplet_margin_loss': (a) =>
    a.flag(-1, 'swap')
      ? 'ours does not swap'
      : ops.tripletMargin(a.tensor(0), a.tensor(1), a.tensor(2), reduction(a), a.number(-1, 'margin', 1), a.number(-1, 'p', 2)),
  'nn.functional.poisson_nll_loss': (a) =>
    a.flag(-1, 'full')
      ? 'ours has no Stirling term'
      : ops.poissonNll(a.tensor(0), a.tensor(1), reduction(a), a.flag(-1, 'log_input', true)),
};
