// Layers that bring values to mean 0 and variance 1: over the batch, or over parts of each example. Formulas are in the op table.

import { aboutToOverwrite } from './changes.ts';
import { actedInTraining } from './clock.ts';
import { checkChannels } from './convolution.ts';
import { ones, zeros } from './create.ts';
import { checkCount, checkLayerOptions, declareOurs } from './dense.ts';
import { ArgumentError, ShapeError, ValueError } from './error.ts';
import { buffer, Module, parameter } from './module.ts';
import { noGrad, requireTensor, type Tensor } from './tensor.ts';
import { ops } from './signature.ts';
import { shapeText } from './words.ts';

export interface BatchNormOptions {
  /** Added to the variance, so that nothing is divided by zero. Default 1e-5. */
  readonly eps?: number;
  /** Weight of a new batch in the running averages. Default 0.1. */
  readonly momentum?: number;
}

/** Normalises each channel over the batch. */
export class BatchNorm extends Module {
  static override readonly stateNames = {
    runningMean: 'running_mean',
    runningVar: 'running_var',
    numBatchesTracked: 'num_batches_tracked',
  };
  /** [features] */
  readonly weight: Tensor;
  /** [features] */
  readonly bias: Tensor;
  /** [features] */
  readonly runningMean: Tensor;
  /** [features] */
  readonly runningVar: Tensor;
  /** Batches that the running averages have seen. */
  readonly numBatchesTracked: Tensor;
  readonly #eps: number;
  readonly #momentum: number;
  readonly #name: 'batchNorm1d' | 'batchNorm2d';

  constructor(name: 'batchNorm1d' | 'batchNorm2d', features: number, options: BatchNormOptions) {
    super();
    checkLayerOptions(name, options, ['eps', 'momentum']);
    checkCount(name, 'features', features);
    this.#name = name;
    this.#eps = options.eps ?? 1e-5;
    this.#momentum = options.momentum ?? 0.1;
    this.weight = parameter(ones(features));
    this.bias = parameter(zeros(features));
    this.runningMean = buffer(zeros(features));
    this.runningVar = buffer(ones(features));
    this.numBatchesTracked = buffer(zeros([], { dtype: 'int32' }));
  }

  override forward(x: Tensor): Tensor {
    const features = this.weight.shape[0] as number;
    if (this.#name === 'batchNorm2d') checkChannels(String(this), x, 2, features);
    const { shape } = requireTensor(x, String(this), 'x');
    if (shape.length < 2 || shape[1] !== features) {
      throw new ShapeError(`${this}: needs inputs of shape [batch, ${features}, ...], got ${shapeText(shape)}`);
    }
    if (this.training) {
      if (x.elementCount < 2 * features) {
        throw new ValueError(
          `${this}: needs more than one value per channel while training, got inputs of shape ${shapeText(shape)}; use a larger batch or eval()`,
        );
      }
      actedInTraining(this);
      // The op updates the running averages in place.
      aboutToOverwrite(this.runningMean);
      aboutToOverwrite(this.runningVar);
      noGrad(() => this.numBatchesTracked.copy_(this.numBatchesTracked.add(1)));
    }
    return ops.batchNorm(x, this.runningMean, this.runningVar, this.weight, this.bias, this.training, this.#momentum, this.#eps);
  }

  override toString(): string {
    return `${this.#name}(${this.weight.shape[0]})`;
  }
}

/**
 * Brings each channel of images [batch, channels, height, width] to mean 0 and variance 1 over the batch, then scales and
 * shifts it by trained numbers. After eval() it uses running averages of the training batches.
 */
export const batchNorm2d = (channels: number, options: BatchNormOptions = {}): BatchNorm => new BatchNorm('batchNorm2d', channels, options);
/** As batchNorm2d, for inputs [batch, features] or [batch, features, length]. */
export const batchNorm1d = (features: number, options: BatchNormOptions = {}): BatchNorm => new BatchNorm('batchNorm1d', features, options);

export interface EpsOptions {
  /** Added to the variance, so that nothing is divided by zero. Default 1e-5. */
  readonly eps?: number;
}

/** Normalises the last axes of each example. */
export class LayerNorm extends Module {
  readonly weight: Tensor;
  /** Absent in rmsNorm. */
  declare readonly bias?: Tensor;
  readonly #eps: number | undefined;
  readonly #name: 'layerNorm' | 'rmsNorm';

  constructor(name: 'layerNorm' | 'rmsNorm', shape: number | readonly number[], options: EpsOptions) {
    super();
    checkLayerOptions(name, options, ['eps']);
    const sizes = typeof shape === 'number' ? [shape] : shape;
    for (const size of sizes) checkCount(name, 'shape', size);
    this.#name = name;
    this.#eps = options.eps;
    this.weight = parameter(ones(sizes));
    if (name === 'layerNorm') this.bias = parameter(zeros(sizes));
  }

  override forward(x: Tensor): Tensor {
    const { shape } = requireTensor(x, String(this), 'x');
    const own = this.weight.shape;
    if (shape.slice(-own.length).join() !== own.join()) {
      throw new ShapeError(`${this}: needs inputs of shape [..., ${own.join(', ')}], got ${shapeText(shape)}`);
    }
    return this.bias ? ops.layerNorm(x, this.weight, this.bias, own, this.#eps) : ops.rmsNorm(x, this.weight, own, this.#eps);
  }

  override toString(): string {
    return `${this.#name}(${this.weight.shape.length === 1 ? this.weight.shape[0] : shapeText(this.weight.shape)})`;
  }
}

/** Brings the last axes of each example, of the given size or sizes, to mean 0 and variance 1, then scales and shifts by trained numbers. */
export const layerNorm = (shape: number | readonly number[], options: EpsOptions = {}): LayerNorm =>
  new LayerNorm('layerNorm', shape, options);
/** Divides the last axes of each example by their root mean square, then scales by trained numbers: layerNorm without the mean. */
export const rmsNorm = (shape: number | readonly number[], options: EpsOptions = {}): LayerNorm => new LayerNorm('rmsNorm', shape, options);

/** Normalises groups of channels of each example. */
export class GroupNorm extends Module {
  /** [channels] */
  readonly weight: Tensor;
  /** [channels] */
  readonly bias: Tensor;
  readonly groups: number;
  readonly #eps: number;

  constructor(groups: number, channels: number, options: EpsOptions) {
    super();
    checkLayerOptions('groupNorm', options, ['eps']);
    checkCount('groupNorm', 'groups', groups);
    checkCount('groupNorm', 'channels', channels);
    if (channels % groups !== 0) throw new ArgumentError(`groupNorm: ${groups} groups must divide ${channels} channels`);
    this.groups = groups;
    this.#eps = options.eps ?? 1e-5;
    this.weight = parameter(ones(channels));
    this.bias = parameter(zeros(channels));
  }

  override forward(x: Tensor): Tensor {
    const { shape } = requireTensor(x, String(this), 'x');
    const channels = this.weight.shape[0];
    if (shape[1] !== channels) throw new ShapeError(`${this}: needs inputs of shape [batch, ${channels}, ...], got ${shapeText(shape)}`);
    return ops.groupNorm(x, this.weight, this.bias, this.groups, this.#eps);
  }

  override toString(): string {
    return `groupNorm(${this.groups}, ${this.weight.shape[0]})`;
  }
}

/** Brings groups of channels of each example to mean 0 and variance 1, whatever the batch; then scales and shifts each channel. */
export const groupNorm = (groups: number, channels: number, options: EpsOptions = {}): GroupNorm =>
  new GroupNorm(groups, channels, options);

export interface InstanceNormOptions extends EpsOptions {
  /** True scales and shifts by trained numbers. Default false, as in PyTorch. */
  readonly affine?: boolean;
}

/** Normalises each channel of each example. */
export class InstanceNorm extends Module {
  /** [channels] */
  declare readonly weight?: Tensor;
  /** [channels] */
  declare readonly bias?: Tensor;
  readonly #channels: number;
  readonly #directions: 1 | 2;
  readonly #eps: number;

  constructor(directions: 1 | 2, channels: number, options: InstanceNormOptions) {
    super();
    checkLayerOptions(`instanceNorm${directions}d`, options, ['eps', 'affine']);
    this.#channels = checkCount(`instanceNorm${directions}d`, 'channels', channels);
    this.#directions = directions;
    this.#eps = options.eps ?? 1e-5;
    if (options.affine ?? false) {
      this.weight = parameter(ones(channels));
      this.bias = parameter(zeros(channels));
    }
  }

  override forward(x: Tensor): Tensor {
    checkChannels(String(this), x, this.#directions, this.#channels);
    return ops.instanceNorm(x, this.weight ?? null, this.bias ?? null, this.#eps);
  }

  override toString(): string {
    return `instanceNorm${this.#directions}d(${this.#channels})`;
  }
}

/** Brings each channel of each image [batch, channels, height, width] to mean 0 and variance 1. */
export const instanceNorm2d = (channels: number, options: InstanceNormOptions = {}): InstanceNorm => new InstanceNorm(2, channels, options);
/** As instanceNorm2d, for sequences [batch, channels, length]. */
export const instanceNorm1d = (channels: number, options: InstanceNormOptions = {}): InstanceNorm => new InstanceNorm(1, channels, options);

for (const layer of [BatchNorm, LayerNorm, GroupNorm, InstanceNorm]) declareOurs(layer);
