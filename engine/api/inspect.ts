// Looking into a model while it trains: what views of it have in common. Numbers are computed by the engine; only small results
// (counts, means, a few pictures) are read back. Nothing here changes a model: modes, gradients and random numbers stay.

import { after } from './after.ts';
import { lastLearnedFrom } from './clock.ts';
import { Dataset } from './dataset.ts';
import { engine } from './engine.ts';
import { ArgumentError } from './error.ts';
import type { Model } from './fit.ts';
import { isTraining, Module, train as setTraining } from './module.ts';
import { noGrad, Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';

/** Runs `body` with the model in evaluation mode and without recording; the mode comes back. */
export function looking<Result>(model: unknown, body: () => Result): Result {
  return inEvaluation(model, () => noGrad(body));
}

/**
 * Runs `body`, whose operations are none of the training's: a run counts the same arithmetic whoever watches it, and they are in no
 * traced step.
 */
export function uncounted<Result>(body: () => Result): Result {
  const it = engine();
  const count = it.flops();
  const wasPaused = it.pauseTrace(true);
  return after(body, () => {
    it.flops(count);
    it.pauseTrace(wasPaused);
  });
}

/** Runs `body` with the model in evaluation mode; the mode comes back. */
export function inEvaluation<Result>(model: unknown, body: () => Result): Result {
  const hasMode = model instanceof Module || (typeof model === 'object' && model !== null);
  const before = hasMode && isTraining(model);
  if (before) setTraining(model, false);
  try {
    return body();
  } finally {
    if (before) setTraining(model, true);
  }
}

export function requireModel(user: string, model: unknown): asserts model is Model {
  if (typeof model !== 'function') throw new ArgumentError(`${user}: needs a model, got ${describeValue(model)}`);
}

/** `dataset` when it is one, else the one that was trained on last. */
export function datasetFor(user: string, dataset: unknown): Dataset {
  if (dataset instanceof Dataset) return dataset;
  if (dataset !== undefined) throw new ArgumentError(`${user}: needs a dataset, got ${describeValue(dataset)}`);
  const last = lastLearnedFrom();
  if (last instanceof Dataset) return last;
  throw new ArgumentError(`${user}: which data? Hand in a dataset, as in ${user}(model, test)`);
}

/** So few that what layers make of them stays in the processor's cache: batches of 500 take three times as long. */
const BATCH = 100;

/** Goes through the first `count` examples in batches; `body` gets the batch and the position of its first example. */
export function overExamples(dataset: Dataset, count: number, body: (x: Tensor, y: Tensor, from: number) => void, size = BATCH): void {
  for (let from = 0; from < count; from += size) {
    const [x, y] = dataset.pick(Array.from({ length: Math.min(size, count - from) }, (_, i) => from + i));
    body(x, y, from);
    if (x.elementCount > 0) x.dispose();
  }
}

/** How often values fall into `bins` equal parts of low..high; what lies outside counts in the first and last part. */
export function histogram(values: Tensor, bins: number, low: number, high: number): Float64Array {
  return noGrad(() => {
    const flat = values.detach().reshape([-1]);
    const width = (high - low) / bins;
    const finite = flat.isfinite();
    // Picking values takes longer than all the rest, and is seldom needed.
    const known = finite.all().item() ? flat : flat.maskedSelect(finite);
    const place = width > 0 ? known.sub(low).div(width).clamp(0, bins - 1) : known.mul(0);
    // Conversion takes the part before the point, which is the bin.
    const counts = place.to('int32').bincount(bins);
    return Float64Array.from(counts.values());
  });
}

export interface Moments {
  readonly mean: number;
  readonly std: number;
  readonly min: number;
  readonly max: number;
}

/** Mean, standard deviation and extremes, computed by the engine. */
export function moments(values: Tensor): Moments {
  return noGrad(() => {
    const flat = values.detach();
    if (flat.elementCount === 0) return { mean: Number.NaN, std: Number.NaN, min: Number.NaN, max: Number.NaN };
    const mean = flat.mean().item();
    const variance = flat.square().mean().item() - mean * mean;
    return { mean, std: Math.sqrt(Math.max(0, variance)), min: flat.min().item(), max: flat.max().item() };
  });
}

/** Share of elements for which `mask` is true. */
export function share(mask: Tensor): number {
  return noGrad(() => mask.to('float32').mean().item());
}

/** Pixels 0..255 of pictures [n, c, h, w], stretched from their lowest to their highest value. */
export function picturesOf(x: Tensor): { width: number; height: number; channels: 1 | 3; pixels: Uint8Array } | null {
  const [count = 0, channels = 0, height = 0, width = 0] = x.shape;
  if (x.rank !== 4 || (channels !== 1 && channels !== 3) || count === 0) return null;
  return noGrad(() => {
    const { min, max } = moments(x);
    const bytes = x.detach().sub(min).mul(255 / (max - min || 1)).round().to('uint8').permute([0, 2, 3, 1]).contiguous();
    return { width, height, channels, pixels: bytes.values() as Uint8Array };
  });
}

/** A batch of features in the shape that the model takes: pictures are tried as they are, then as rows of numbers. */
export function fitting(user: string, model: Model, x: Tensor): { input: Tensor; output: Tensor } {
  const count = x.shape[0] as number;
  const shapes = [x.shape, [count, x.elementCount / count], [count, ...x.shape.slice(-2)], [count, 1, ...x.shape.slice(-2)]];
  let first: unknown;
  for (const shape of shapes) {
    try {
      const input = x.reshape([...shape]);
      const output = model(input);
      if (output instanceof Tensor && output.rank === 2 && output.shape[0] === count) return { input, output };
    } catch (error) {
      first ??= error;
    }
  }
  throw first ?? new ArgumentError(`${user}: the model gives no scores [size, classes] for features ${shapeText(x.shape)}`);
}

/** The dataset that was trained on last, or null. */
export function lastDataset(): Dataset | null {
  const last = lastLearnedFrom();
  return last instanceof Dataset ? last : null;
}
