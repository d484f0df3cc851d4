// metrics: how well predictions fit, in numbers for people. Nothing here is differentiable.

import { tensor } from './create.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { requireTensor, type Tensor } from './tensor.ts';
import { shapeText } from './words.ts';

export { accuracy } from './accuracy.ts';

/** Class ids from logits [size, classes], or as they are when they are ids [size]. */
function idsOf(user: string, name: string, value: Tensor): { ids: ArrayLike<number>; classes: number } {
  const { shape } = requireTensor(value, user, name);
  if (shape.length === 2) return { ids: value.argmax(1).values(), classes: shape[1] as number };
  if (shape.length === 1) {
    const ids = Array.from(value.values());
    return { ids, classes: ids.reduce((most, id) => Math.max(most, id + 1), 0) };
  }
  throw new ShapeError(`${user}: \`${name}\` must be logits [size, classes] or class ids [size], got ${shapeText(shape)}`);
}

/**
 * Counts [classes, classes], int32: row is the target, column the prediction, so the diagonal is what is right.
 * `prediction`: logits [size, classes] or class ids [size]; `target`: class ids [size].
 */
export function confusionMatrix(prediction: Tensor, target: Tensor, classes?: number): Tensor {
  const predicted = idsOf('confusionMatrix', 'prediction', prediction);
  const wanted = idsOf('confusionMatrix', 'target', target);
  if (predicted.ids.length !== wanted.ids.length) {
    throw new ShapeError(
      `confusionMatrix: ${predicted.ids.length} predictions and ${wanted.ids.length} targets; there must be equally many`,
    );
  }
  const count = classes ?? Math.max(predicted.classes, wanted.classes);
  const counts = Array.from({ length: count }, () => new Array<number>(count).fill(0));
  for (let i = 0; i < wanted.ids.length; i++) {
    const row = counts[wanted.ids[i] as number];
    const column = predicted.ids[i] as number;
    if (row?.[column] === undefined)
      throw new ArgumentError(
        `confusionMatrix: example ${i} has target ${wanted.ids[i]} and prediction ${column}; with ${count} classes ids are 0 to ${count - 1}`,
      );
    row[column] = (row[column] as number) + 1;
  }
  return tensor(counts, { dtype: 'int32' });
}

/** Precision, recall and F1 of each class, and their means over classes. */
export interface ClassReport {
  /** Right among those predicted as this class; 0 when none was. */
  readonly precision: number[];
  /** Found among those of this class; 0 when there are none. */
  readonly recall: number[];
  /** Harmonic mean of both. */
  readonly f1: number[];
  readonly accuracy: number;
  /** Means over classes. */
  readonly macro: { readonly precision: number; readonly recall: number; readonly f1: number };
}

/** Precision, recall and F1 of each class; arguments as confusionMatrix. */
export function classReport(prediction: Tensor, target: Tensor, classes?: number): ClassReport {
  const counts = confusionMatrix(prediction, target, classes).toArray() as number[][];
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  const right = counts.map((row, i) => row[i] as number);
  const precision = right.map((count, i) => share(count, sum(counts.map((row) => row[i] as number))));
  const recall = right.map((count, i) => share(count, sum(counts[i] as number[])));
  const f1 = precision.map((p, i) => share(2 * p * (recall[i] as number), p + (recall[i] as number)));
  const mean = (values: readonly number[]): number => share(sum(values), values.length);
  return {
    precision,
    recall,
    f1,
    accuracy: share(sum(right), sum(counts.map(sum))),
    macro: { precision: mean(precision), recall: mean(recall), f1: mean(f1) },
  };
}

/** Share of examples whose target is among the `k` largest logits, 0 to 1. */
export function topKAccuracy(logits: Tensor, target: Tensor, k = 5): number {
  const { shape } = requireTensor(logits, 'topKAccuracy', 'logits');
  const ids = requireTensor(target, 'topKAccuracy', 'target').values();
  if (shape.length !== 2 || shape[0] !== ids.length)
    throw new ShapeError(
      `topKAccuracy: needs logits [size, classes] and class ids [size], got ${shapeText(shape)} and ${shapeText(target.shape)}`,
    );
  const classes = shape[1] as number;
  const values = logits.values();
  let hits = 0;
  for (let i = 0; i < ids.length; i++) {
    const row = values.subarray(i * classes, (i + 1) * classes);
    const own = row[ids[i] as number];
    if (own === undefined) throw new ArgumentError(`topKAccuracy: example ${i} has target ${ids[i]}; with ${classes} classes ids are 0 to ${classes - 1}`);
    let better = 0;
    for (const value of row) if (value > own) better++;
    if (better < k) hits++;
  }
  return hits / ids.length;
}

/** R squared: the share of the target's variance that the prediction explains. 1 is perfect, 0 is as good as the mean. */
export function r2(prediction: Tensor, target: Tensor): number {
  const p = requireTensor(prediction, 'r2', 'prediction').values();
  const t = requireTensor(target, 'r2', 'target').values();
  if (prediction.shape.join() !== target.shape.join())
    throw new ShapeError(
      `r2: prediction and target must have the same shape, got ${shapeText(prediction.shape)} and ${shapeText(target.shape)}`,
    );
  const mean = Array.from(t).reduce((sum, value) => sum + value, 0) / t.length;
  let residual = 0;
  let total = 0;
  for (let i = 0; i < t.length; i++) {
    residual += ((t[i] as number) - (p[i] as number)) ** 2;
    total += ((t[i] as number) - mean) ** 2;
  }
  return 1 - residual / total;
}
