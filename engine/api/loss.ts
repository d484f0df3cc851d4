// Losses: how far predictions are from targets, as one number to make small. Formulas are in the op table; what is checked
// here are the mistakes that would otherwise give a number, but the wrong one.

import { ShapeError } from './error.ts';
import { ops, run } from './signature.ts';
import { requireTensor, type Tensor } from './tensor.ts';
import { shapeText } from './words.ts';

/** How the losses of examples become one: their mean (default), their sum, or not at all. */
export type Reduction = 'mean' | 'sum' | 'none';

export interface LossOptions {
  readonly reduction?: Reduction;
}

export interface CrossEntropyOptions extends LossOptions {
  /** Share of each target that is spread over all classes, 0 to 1. Default 0. */
  readonly labelSmoothing?: number;
  /** Examples with this class id do not count. */
  readonly ignoreIndex?: number;
}

/**
 * Cross-entropy between logits [size, classes] and class ids [size] (or class probabilities [size, classes]): the mean of
 * -log softmax(logits)[target]. Give it logits, not probabilities: softmax is inside. A guess without knowledge gives
 * ln(classes), for ten classes 2.303.
 */
export function crossEntropy(logits: Tensor, target: Tensor, options: CrossEntropyOptions = {}): Tensor {
  const { shape } = requireTensor(logits, 'crossEntropy', 'logits');
  const targetShape = requireTensor(target, 'crossEntropy', 'target').shape;
  if (shape.length === 2 && targetShape.length === 2 && targetShape[1] === 1 && shape[1] !== 1) {
    throw new ShapeError(
      `crossEntropy: class ids must have shape [${shape[0]}], got ${shapeText(targetShape)}: did you forget squeeze(1)?`,
    );
  }
  return ops.crossEntropy(logits, target, { ...options });
}

/** Mean squared error between tensors of the same shape. */
export function mse(prediction: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  return compare('mse', prediction, target, options);
}

/** Mean absolute error between tensors of the same shape. */
export function l1(prediction: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  return compare('l1', prediction, target, options);
}

export interface HuberOptions extends LossOptions {
  /** Where the loss turns from square to straight. Default 1. */
  readonly delta?: number;
}

/** Squared near zero, absolute beyond `delta`: less hurt by outliers than mse. */
export function huber(prediction: Tensor, target: Tensor, options: HuberOptions = {}): Tensor {
  return compare('huber', prediction, target, options);
}

/** Binary cross-entropy between logits and targets 0 or 1 of the same shape; the sigmoid is inside. */
export function bceWithLogits(logits: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  return compare('bceWithLogits', logits, target, options);
}

/** Binary cross-entropy between probabilities and targets 0 or 1 of the same shape. bceWithLogits is safer. */
export function bce(prediction: Tensor, target: Tensor, options: LossOptions = {}): Tensor {
  return compare('bce', prediction, target, options);
}

/** Negative log-likelihood of class ids [size] under log-probabilities [size, classes], as logSoftmax gives them. */
export function nll(logProbabilities: Tensor, target: Tensor, options: LossOptions & { readonly ignoreIndex?: number } = {}): Tensor {
  return run('nll', requireTensor(logProbabilities, 'nll', 'logProbabilities'), requireTensor(target, 'nll', 'target'), { ...options });
}

/** As huber, divided by `beta` (1): squared below it, and with slope 1 above. */
export function smoothL1(prediction: Tensor, target: Tensor, options: LossOptions & { readonly beta?: number } = {}): Tensor {
  return compare('smoothL1', prediction, target, options);
}

/** Kullback-Leibler divergence of target probabilities from log-probabilities of the same shape; 'batchmean' divides by the batch size. */
export function klDiv(
  logProbabilities: Tensor,
  target: Tensor,
  options: { readonly reduction?: Reduction | 'batchmean'; readonly logTarget?: boolean } = {},
): Tensor {
  return compare('klDiv', logProbabilities, target, options as LossOptions);
}

/** Negative log-likelihood of counts under Poisson distributions; the prediction is the logarithm of the expected count. */
export function poissonNll(prediction: Tensor, target: Tensor, options: LossOptions & { readonly logInput?: boolean } = {}): Tensor {
  return compare('poissonNll', prediction, target, options);
}

export interface MarginOptions extends LossOptions {
  readonly margin?: number;
}

/** x where the target is 1, max(0, margin - x) where it is -1; margin 1 unless given. */
export function hingeEmbedding(x: Tensor, target: Tensor, options: MarginOptions = {}): Tensor {
  return compare('hingeEmbedding', x, target, options);
}

/** The hinge loss of a classifier: scores [size, classes] against class ids [size]; margin 1 and p 1 unless given. */
export function multiMargin(
  scores: Tensor,
  target: Tensor,
  options: MarginOptions & { readonly p?: number; readonly weight?: Tensor } = {},
): Tensor {
  return ops.multiMargin(requireTensor(scores, 'multiMargin', 'scores'), requireTensor(target, 'multiMargin', 'target'), { ...options });
}

/** max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below; margin 0 unless given. */
export function marginRanking(x: Tensor, y: Tensor, target: Tensor, options: MarginOptions = {}): Tensor {
  return run('marginRanking', x, y, target, { ...options });
}

/** 1 - cosine of the angle between rows where the target is 1, max(0, cosine - margin) where it is -1; margin 0 unless given. */
export function cosineEmbedding(x: Tensor, y: Tensor, target: Tensor, options: MarginOptions = {}): Tensor {
  return run('cosineEmbedding', x, y, target, { ...options });
}

/** max(0, distance to the positive - distance to the negative + margin) of rows [size, features]; margin 1 unless given. */
export function tripletMargin(
  anchor: Tensor,
  positive: Tensor,
  negative: Tensor,
  options: MarginOptions & { readonly p?: number } = {},
): Tensor {
  return run('tripletMargin', anchor, positive, negative, { ...options });
}

export interface CtcOptions extends LossOptions {
  /** Steps in use of each example. Default: all. */
  readonly inputLengths?: readonly number[];
  /** Class ids in use of each target. Default: all. */
  readonly targetLengths?: readonly number[];
  /** The class that stands for nothing. Default 0. */
  readonly blank?: number;
  /** Targets without time enough count 0 instead of Infinity. Default false. */
  readonly zeroInfinity?: boolean;
}

/**
 * Connectionist temporal classification: log-probabilities [time, batch, classes], as logSoftmax gives them, against class ids
 * [batch, longest target] whose places in time are not known.
 */
export function ctcLoss(logProbabilities: Tensor, target: Tensor, options: CtcOptions = {}): Tensor {
  return run('ctcLoss', requireTensor(logProbabilities, 'ctcLoss', 'logProbabilities'), requireTensor(target, 'ctcLoss', 'target'), {
    ...options,
  });
}

/** Broadcasting [64, 1] against [64] would compare all with all and give a wrong number without a word. */
function compare(loss: string, prediction: Tensor, target: Tensor, options: LossOptions): Tensor {
  const shape = requireTensor(prediction, loss, 'prediction').shape;
  const targetShape = requireTensor(target, loss, 'target').shape;
  if (shape.join() !== targetShape.join()) {
    const isColumn = shape.length === targetShape.length + 1 && shape.at(-1) === 1;
    const isRow = targetShape.length === shape.length + 1 && targetShape.at(-1) === 1;
    const hint = isColumn
      ? `: prediction.squeeze(${shape.length - 1}) or target.unsqueeze(${shape.length - 1}) makes them equal`
      : isRow
        ? `: target.squeeze(${targetShape.length - 1}) makes them equal`
        : shape.slice(0, -1).join() === targetShape.join() && shape.length > 0
          ? `: are the targets class ids? target.oneHot(${shape.at(-1)}) makes rows of them, crossEntropy takes them as they are`
          : prediction.elementCount === target.elementCount
            ? ': they have equally many elements: did you forget flatten()?'
            : '';
    throw new ShapeError(
      `${loss}: prediction and target must have the same shape, got ${shapeText(shape)} and ${shapeText(targetShape)}${hint}`,
    );
  }
  return run(loss, prediction, target, { ...options });
}
