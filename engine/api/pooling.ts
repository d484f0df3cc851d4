// Layers that change the size of images and sequences: pooling, upsampling.

import { checkChannels, checkSizes, layerText, type Sizes } from './convolution.ts';
import { checkLayerOptions, declareOurs } from './dense.ts';
import { ArgumentError } from './error.ts';
import { Module } from './module.ts';
import { run } from './signature.ts';
import type { Tensor } from './tensor.ts';

export interface PoolOptions {
  /** Distance between windows. Default: the size of the window. */
  readonly stride?: Sizes;
  /** Border around the input. Default 0. */
  readonly padding?: Sizes;
}

/** An op that changes sizes, as a layer. */
export class Resize extends Module {
  readonly #op: string;
  readonly #directions: number;
  readonly #args: readonly unknown[];
  readonly #text: string;

  constructor(op: string, directions: number, args: readonly unknown[], text: string) {
    super();
    this.#op = op;
    this.#directions = directions;
    this.#args = args;
    this.#text = text;
  }

  override forward(x: Tensor): Tensor {
    checkChannels(this.#text, x, this.#directions);
    return run(this.#op, x, ...this.#args);
  }

  override toString(): string {
    return this.#text;
  }
}
declareOurs(Resize);

function pool(op: string, directions: number, size: Sizes, options: PoolOptions): Resize {
  checkLayerOptions(op, options, ['stride', 'padding']);
  const attributes = {
    stride: checkSizes(op, 'stride', options.stride ?? size, directions, 1),
    padding: checkSizes(op, 'padding', options.padding ?? 0, directions, 0),
  };
  return new Resize(op, directions, [checkSizes(op, 'size', size, directions, 1), attributes], layerText(op, [size], options));
}

const adaptive = (op: string, size: Sizes, directions = 2): Resize =>
  new Resize(op, directions, [checkSizes(op, 'size', size, directions, 1)], layerText(op, [size], {}));

/** The largest value of each window: [batch, channels, height, width] becomes half as high and wide with maxPool2d(2). */
export const maxPool2d = (size: Sizes, options: PoolOptions = {}): Resize => pool('maxPool2d', 2, size, options);
/** The mean of each window: [batch, channels, height, width] becomes half as high and wide with avgPool2d(2). */
export const avgPool2d = (size: Sizes, options: PoolOptions = {}): Resize => pool('avgPool2d', 2, size, options);
/** As maxPool2d, over sequences [batch, channels, length]. */
export const maxPool1d = (size: Sizes, options: PoolOptions = {}): Resize => pool('maxPool1d', 1, size, options);
/** As avgPool2d, over sequences [batch, channels, length]. */
export const avgPool1d = (size: Sizes, options: PoolOptions = {}): Resize => pool('avgPool1d', 1, size, options);
/** Means of windows chosen so that the result is [batch, channels, size, size], whatever the input: adaptiveAvgPool2d(1) is the mean of each channel. */
export const adaptiveAvgPool2d = (size: Sizes): Resize => adaptive('adaptiveAvgPool2d', size);
/** As adaptiveAvgPool2d, with the largest value. */
export const adaptiveMaxPool2d = (size: Sizes): Resize => adaptive('adaptiveMaxPool2d', size);

/** As adaptiveAvgPool2d, over sequences [batch, channels, length]. */
export const adaptiveAvgPool1d = (size: number): Resize => adaptive('adaptiveAvgPool1d', size, 1);
/** As adaptiveMaxPool2d, over sequences [batch, channels, length]. */
export const adaptiveMaxPool1d = (size: number): Resize => adaptive('adaptiveMaxPool1d', size, 1);

export interface UpsampleOptions {
  /** 'nearest' (default) repeats pixels, 'bilinear' blends them. */
  readonly mode?: 'nearest' | 'bilinear';
}

/** Makes images `scale` times as high and wide. */
export function upsample(scale: number, options: UpsampleOptions = {}): Resize {
  checkLayerOptions('upsample', options, ['mode']);
  if (!(scale > 0)) throw new ArgumentError(`upsample: \`scale\` must be a number above 0, got ${scale}`);
  return new Resize('interpolate', 2, [{ scaleFactor: scale, mode: options.mode ?? 'nearest' }], layerText('upsample', [scale], options));
}
