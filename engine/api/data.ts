// data: where datasets come from: files that the host reads, arrays, generators.

import type { DatasetSplit } from '../../datasets/load.ts';
import { loadDataset } from '../../datasets/load.ts';
import * as generators from '../../datasets/synthetic.ts';
import type { Generated } from '../../datasets/synthetic.ts';
import { type TensorSource, tensor } from './create.ts';
import { Dataset, type Scaling } from './dataset.ts';
import { engine } from './engine.ts';
import { ArgumentError } from './error.ts';
import { hooks } from './hooks.ts';
import { Tensor } from './tensor.ts';
import { describeValue, didYouMean } from './words.ts';

export { type Batch, Dataset, type Transform } from './dataset.ts';
/** Changes of batches, for dataset.transform(): `train.transform(data.transforms.randomShift(2))`. */
export * as transforms from './transforms.ts';

export interface ImageOptions {
  /** Number of training examples, or 'all'. Default 10,000, which is a small download. */
  readonly train?: number | 'all';
  /** Number of test examples, or 'all', the default. */
  readonly test?: number | 'all';
  /** False (the default): pixels from 0 to 1. True: less the mean and divided by the standard deviation of the training images. */
  readonly normalize?: boolean;
  /** Ends the loading when aborted. */
  readonly signal?: AbortSignal;
}

export interface TrainAndTest {
  readonly train: Dataset;
  readonly test: Dataset;
}

/**
 * Handwritten digits: 28 x 28 grey images of 0 to 9. Batches are float32 [size, 1, 28, 28] with pixels from 0 to 1, labels
 * int32 [size]. `const { train, test } = await data.mnist({ train: 10_000 })`
 */
export function mnist(options: ImageOptions = {}): Promise<TrainAndTest> {
  return images('mnist', options);
}

/** Grey images of clothes in ten classes, with the shapes of MNIST, and harder. */
export function fashionMnist(options: ImageOptions = {}): Promise<TrainAndTest> {
  return images('fashionMnist', options);
}

async function images(name: string, options: ImageOptions): Promise<TrainAndTest> {
  checkNames(`data.${name}`, options, ['train', 'test', 'normalize', 'signal']);
  const { normalize, ...wanted } = options;
  let bar: ReturnType<typeof hooks.progress> | undefined;
  try {
    const loaded = await loadDataset(
      name,
      {
        ...wanted,
        onProgress({ loadedBytes, totalBytes, text }) {
          bar ??= hooks.progress(text.split(':')[0] ?? name, totalBytes, 'bytes');
          bar.update(loadedBytes);
        },
      },
      hooks.datasets,
    );
    const { mean, std, classes } = loaded.info;
    const scaling: Scaling = normalize ? { scale: 1 / 255 / std, shift: -mean / std } : { scale: 1 / 255, shift: 0 };
    const toDataset = (part: DatasetSplit): Dataset => {
      const shape = [part.examples, ...part.shape];
      const features = new Tensor(engine().createFrom('uint8', shape, part.features), `data.${name}`);
      const labels = new Tensor(engine().createFrom('int32', [part.examples], part.labels), `data.${name}`);
      return new Dataset({ name: `${name} ${part.split}`, features, labels, classes, scaling, isImage: true });
    };
    return { train: toDataset(loaded.train), test: toDataset(loaded.test) };
  } finally {
    bar?.done();
  }
}

export interface ArrayOptions {
  readonly name?: string;
  /** Names of the classes: labels are then class ids. Labels that are texts name their classes themselves. */
  readonly classes?: readonly string[];
}

/**
 * A dataset of your own numbers: features [n, ...], one label per example. Labels that are texts become class ids (int32 [n],
 * classes in alphabetical order), as do whole numbers when `classes` is given. Other numbers become float32; a flat list of
 * them becomes a column [n, 1], the shape that linear(k, 1) predicts.
 */
export function fromArrays(
  features: Tensor | TensorSource,
  labels: Tensor | TensorSource | readonly string[],
  options: ArrayOptions = {},
): Dataset {
  checkNames('data.fromArrays', options, ['name', 'classes']);
  const { name = 'arrays' } = options;
  const x = features instanceof Tensor ? features : tensor(features);
  if (Array.isArray(labels) && labels.some((label) => typeof label === 'string')) {
    const classes = [...(options.classes ?? [...new Set(labels as string[])].sort())];
    const ids = (labels as string[]).map((label, i) => {
      const id = classes.indexOf(label);
      if (id < 0)
        throw new ArgumentError(
          `data.fromArrays: labels[${i}] is ${describeValue(label)}, which is not among the classes ${classes.join(', ')}`,
        );
      return id;
    });
    return new Dataset({ name, features: x, labels: tensor(ids, { dtype: 'int32' }), classes });
  }
  if (options.classes) {
    const ids = labels instanceof Tensor ? labels.to('int32') : tensor(labels as TensorSource, { dtype: 'int32' });
    return new Dataset({ name, features: x, labels: ids, classes: options.classes });
  }
  const y = labels instanceof Tensor ? labels : tensor(labels as TensorSource);
  const isFlatNumbers = y.rank === 1 && (y.dtype === 'float32' || y.dtype === 'float64');
  return new Dataset({ name, features: x, labels: isFlatNumbers ? y.reshape([y.shape[0] as number, 1]) : y });
}

function checkNames(user: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw new ArgumentError(`${user}: options must be an object, got ${describeValue(options)}`);
  for (const key of Object.keys(options)) {
    if (!known.includes(key))
      throw new ArgumentError(`${user}: unknown option "${key}"${didYouMean(key, known) || `; known: ${known.join(', ')}`}`);
  }
}

// -- generated datasets ----------------------------------------------------------------------------------------------------

/** Points around the line y = slope * x + intercept: features [n, 1], labels [n, 1]. */
export const line = (options: generators.LineOptions = {}): Dataset => generated(generators.line(options));
/** Points around a sine wave: features [n, 1], labels [n, 1]. */
export const sine = (options: generators.SineOptions = {}): Dataset => generated(generators.sine(options));
/** Two half circles that reach into each other: features [n, 2], class ids [n]. */
export const moons = (options: generators.GenerateOptions = {}): Dataset => generated(generators.moons(options));
/** Arms of a spiral, one class each: features [n, 2], class ids [n]. */
export const spiral = (options: Parameters<typeof generators.spiral>[0] = {}): Dataset => generated(generators.spiral(options));
/** Four corners, opposite ones of one class: features [n, 2], class ids [n]. */
export const xor = (options: generators.GenerateOptions = {}): Dataset => generated(generators.xor(options));
/** A circle within a circle: features [n, 2], class ids [n]. */
export const circles = (options: Parameters<typeof generators.circles>[0] = {}): Dataset => generated(generators.circles(options));

function generated(made: Generated): Dataset {
  const features = tensor(made.features).reshape([made.examples, made.featureCount]);
  const labels = made.kind === 'classification' ? tensor(made.labels, { dtype: 'int32' }) : tensor(made.labels).reshape([made.examples, 1]);
  return new Dataset({ name: made.name, features, labels, classes: made.classes });
}
