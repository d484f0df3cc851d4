// How a classifier does, example by example: counts for a confusion matrix, losses for a gallery, confidence for calibration.

import { ArgumentError } from './error.ts';
import type { Dataset } from './dataset.ts';
import { fitting, looking, overExamples, picturesOf } from './inspect.ts';
import type { Model } from './fit.ts';

/** What a model says about the first `count` examples of a dataset. */
export interface Examined {
  readonly classes: readonly string[];
  readonly count: number;
  readonly truth: Int32Array;
  readonly prediction: Int32Array;
  /** Cross-entropy of each example. */
  readonly loss: Float32Array;
  /** Chance of the predicted class. */
  readonly confidence: Float32Array;
  /** classes x classes: the row is the truth, the column the prediction. */
  readonly counts: Int32Array;
}

export function examine(user: string, model: Model, dataset: Dataset, limit = dataset.length): Examined {
  if (dataset.labelType !== 'int32') throw new ArgumentError(`${user}: needs a dataset with classes; the labels of this one are measurements`);
  const count = Math.min(limit, dataset.length);
  const truth = new Int32Array(count);
  const prediction = new Int32Array(count);
  const loss = new Float32Array(count);
  const confidence = new Float32Array(count);
  let width = dataset.classes.length;
  let counts: Int32Array | null = null;
  looking(model, () => {
    overExamples(dataset, count, (x, y, from) => {
      const { output } = fitting(user, model, x);
      width = Math.max(width, output.shape[1] as number);
      const logChances = output.logSoftmax(1);
      const ids = output.argmax(1).to('int32');
      truth.set(y.values() as Int32Array, from);
      prediction.set(ids.values() as Int32Array, from);
      loss.set(logChances.gather(y.reshape([-1, 1]), 1).neg().reshape([-1]).values() as Float32Array, from);
      confidence.set(logChances.max(1).exp().values() as Float32Array, from);
      const part = y.mul(width).add(ids).to('int32').bincount(width * width).values();
      counts ??= new Int32Array(width * width);
      for (let i = 0; i < part.length; i++) counts[i] = (counts[i] as number) + (part[i] as number);
    });
  });
  const classes = Array.from({ length: width }, (_, i) => dataset.classes[i] ?? String(i));
  return { classes, count, truth, prediction, loss, confidence, counts: counts ?? new Int32Array(width * width) };
}

/** Share found of each class, share right among what was called so, and accuracy with half the width of its 95 % interval. */
export function rates({ classes, counts, count }: Examined) {
  const size = classes.length;
  const cell = (row: number, column: number) => counts[row * size + column] as number;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const all = classes.map((_, i) => i);
  const share = (part: number, whole: number) => (whole === 0 ? Number.NaN : part / whole);
  const accuracy = share(sum(all.map((i) => cell(i, i))), count);
  return {
    accuracy,
    margin: 1.96 * Math.sqrt((accuracy * (1 - accuracy)) / Math.max(1, count)),
    recall: all.map((i) => share(cell(i, i), sum(all.map((column) => cell(i, column))))),
    precision: all.map((i) => share(cell(i, i), sum(all.map((row) => cell(row, i))))),
  };
}

/** The examples with the largest loss among those that `isWanted`, with their pictures and chances. */
export function gallery(user: string, model: Model, dataset: Dataset, examined: Examined, isWanted: (i: number) => boolean, most: number) {
  const found = Array.from({ length: examined.count }, (_, i) => i).filter(isWanted);
  const shown = [...found].sort((a, b) => (examined.loss[b] as number) - (examined.loss[a] as number)).slice(0, most);
  if (shown.length === 0) return { pictures: null, items: [], total: 0 };
  return looking(model, () => {
    const [x] = dataset.pick(shown);
    const chances = fitting(user, model, x).output.softmax(1);
    const width = chances.shape[1] as number;
    const values = chances.values();
    const items = shown.map((index, i) => ({
      index,
      truth: examined.truth[index] as number,
      prediction: examined.prediction[index] as number,
      loss: examined.loss[index] as number,
      chances: Array.from(values.subarray(i * width, (i + 1) * width)),
    }));
    return { pictures: picturesOf(x), items, total: found.length };
  });
}

/** Confidence and accuracy in bins of equal width, and the mean gap between both, weighted by how many are in a bin. */
export function calibration({ truth, prediction, confidence, count }: Examined, bins = 10) {
  const counts = new Int32Array(bins);
  const sums = new Float64Array(bins);
  const right = new Float64Array(bins);
  for (let i = 0; i < count; i++) {
    const bin = Math.min(bins - 1, Math.floor((confidence[i] as number) * bins));
    counts[bin] = (counts[bin] as number) + 1;
    sums[bin] = (sums[bin] as number) + (confidence[i] as number);
    if (truth[i] === prediction[i]) right[bin] = (right[bin] as number) + 1;
  }
  const mean = (values: Float64Array) => values.map((value, bin) => (counts[bin] ? value / (counts[bin] as number) : Number.NaN));
  const meanConfidence = mean(sums);
  const accuracy = mean(right);
  let error = 0;
  for (let bin = 0; bin < bins; bin++) if (counts[bin]) error += ((counts[bin] as number) / count) * Math.abs((meanConfidence[bin] as number) - (accuracy[bin] as number));
  return { counts, confidence: meanConfidence, accuracy, error };
}
