// Layers that bring values to mean 0 and variance 1: over the batch, or over the features of each example.

import { checkImages } from './convolution.ts';
import { ones, zeros } from './create.ts';
import { checkCount, checkLayerOptions, declareOurs } from './dense.ts';
import { ShapeError, ValueError } from './error.ts';
import { buffer, Module, parameter } from './module.ts';
import { noGrad, requireTensor, type Tensor } from './tensor.ts';
import { shapeText } from './words.ts';

export interface BatchNormOptions {
  /** Added to the variance, so that nothing is divided by zero. Default 1e-5. */
  readonly eps?: number;
  /** Weight of a new batch in the running averages. Default 0.1. */
  readonly momentum?: number;
}

/** Normalises each channel over the batch. */
export class BatchNorm extends Module {
  /** [features] */
  readonly weight: Tensor;
  /** [features] */
  readonly bias: Tensor;
  readonly runningMean: Tensor;
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
    if (this.#name === 'batchNorm2d') checkImages(String(this), x, features);
    const { shape } = requireTensor(x, String(this), 'x');
    if (shape.length < 2 || shape[1] !== features)
      throw new ShapeError(`${this}: needs inputs of shape [batch, ${features}, ...], got ${shapeText(shape)}`);
    // Everything but the channels: (1, features, 1, 1)
    const broadcast = shape.map((_, axis) => (axis === 1 ? features : 1));
    let mean = this.runningMean.reshape(broadcast);
    let variance = this.runningVar.reshape(broadcast);
    if (this.training) {
      const count = x.elementCount / features;
      if (count < 2)
        throw new ValueError(
          `${this}: needs more than one value per channel while training, got inputs of shape ${shapeText(shape)}; use a larger batch or eval()`,
        );
      const axes = shape.map((_, axis) => axis).filter((axis) => axis !== 1);
      mean = x.mean(axes, true);
      variance = x.sub(mean).square().mean(axes, true);
      this.#remember(mean, variance, count);
    }
    const scale = variance.add(this.#eps).rsqrt().mul(this.weight.reshape(broadcast));
    return x.sub(mean).mul(scale).add(this.bias.reshape(broadcast));
  }

  /** running = (1 - momentum) running + momentum new; the variance without bias, as PyTorch. */
  #remember(mean: Tensor, variance: Tensor, count: number): void {
    noGrad(() => {
      const momentum = this.#momentum;
      const blend = (running: Tensor, now: Tensor): void =>
        void running.copy_(running.mul(1 - momentum).add(now.reshape(running.shape).mul(momentum)));
      blend(this.runningMean, mean.detach());
      blend(this.runningVar, variance.detach().mul(count / (count - 1)));
      this.numBatchesTracked.copy_(this.numBatchesTracked.add(1));
    });
  }

  override toString(): string {
    return `${this.#name}(${this.weight.shape[0]})`;
  }
}
declareOurs(BatchNorm);

/**
 * Brings each channel of images [batch, channels, height, width] to mean 0 and variance 1 over the batch, then scales and
 * shifts it by trained numbers. After eval() it uses running averages of the training batches.
 */
export const batchNorm2d = (channels: number, options: BatchNormOptions = {}): BatchNorm => new BatchNorm('batchNorm2d', channels, options);
/** As batchNorm2d, for inputs [batch, features] or [batch, features, length]. */
export const batchNorm1d = (features: number, options: BatchNormOptions = {}): BatchNorm => new BatchNorm('batchNorm1d', features, options);

/** Normalises the last axes of each example. */
export class LayerNorm extends Module {
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly #eps: number;

  constructor(shape: number | readonly number[], options: { readonly eps?: number }) {
    super();
    checkLayerOptions('layerNorm', options, ['eps']);
    const sizes = typeof shape === 'number' ? [shape] : shape;
    for (const size of sizes) checkCount('layerNorm', 'shape', size);
    this.#eps = options.eps ?? 1e-5;
    this.weight = parameter(ones(sizes));
    this.bias = parameter(zeros(sizes));
  }

  override forward(x: Tensor): Tensor {
    const { shape } = requireTensor(x, String(this), 'x');
    const own = this.weight.shape;
    if (shape.slice(-own.length).join() !== own.join())
      throw new ShapeError(`${this}: needs inputs of shape [..., ${own.join(', ')}], got ${shapeText(shape)}`);
    const axes = own.map((_, i) => i - own.length);
    const centred = x.sub(x.mean(axes, true));
    const scale = centred.square().mean(axes, true).add(this.#eps).rsqrt();
    return centred.mul(scale).mul(this.weight).add(this.bias);
  }

  override toString(): string {
    return `layerNorm(${this.weight.shape.length === 1 ? this.weight.shape[0] : shapeText(this.weight.shape)})`;
  }
}
declareOurs(LayerNorm);

/** Brings the last axes of each example, of the given size or sizes, to mean 0 and variance 1, then scales and shifts by trained numbers. */
export const layerNorm = (shape: number | readonly number[], options: { readonly eps?: number } = {}): LayerNorm =>
  new LayerNorm(shape, options);
