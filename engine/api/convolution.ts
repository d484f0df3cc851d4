// Layers for images [batch, channels, height, width]: convolution and pooling.

import { checkCount, checkLayerOptions, declareOurs, uniformParameter } from './dense.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { Module } from './module.ts';
import { ops, run } from './signature.ts';
import { requireTensor, type Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';

/** One number for both directions, or [height, width]. */
export type Pair = number | readonly [number, number];

const pair = (value: Pair): [number, number] => (typeof value === 'number' ? [value, value] : [value[0], value[1]]);
const pairText = (value: Pair): string => (typeof value === 'number' ? String(value) : `[${value.join(', ')}]`);

function checkPair(layer: string, name: string, value: unknown, least: number): Pair {
  const numbers = Array.isArray(value) ? value : [value, value];
  if (numbers.length === 2 && numbers.every((each) => Number.isInteger(each) && each >= least)) return value as Pair;
  throw new ArgumentError(
    `${layer}: \`${name}\` must be a whole number from ${least} on, or two of them, got ${Array.isArray(value) ? shapeText(value) : describeValue(value)}`,
  );
}

/** Throws unless x is [batch, channels, height, width], and says what to do with the usual other shapes. */
export function checkImages(layer: string, x: Tensor, channels?: number): void {
  const { shape } = requireTensor(x, layer, 'x');
  if (shape.length === 4 && (channels === undefined || shape[1] === channels)) return;
  let hint = '';
  if (shape.length === 3 && (channels === undefined || channels === shape[0])) hint = ': one image needs a batch axis, x.unsqueeze(0)';
  else if (shape.length === 3 && channels === 1) hint = ': grey images need a channel axis, x.unsqueeze(1)';
  else if (shape.length === 4 && shape[3] === channels) hint = ': channels come second, x.permute(0, 3, 1, 2)';
  else if (shape.length === 2) hint = ': flat images need their shape back, x.reshape(-1, channels, height, width)';
  const wanted = `[batch, ${channels ?? 'channels'}, height, width]`;
  throw new ShapeError(`${layer}: needs inputs of shape ${wanted}, got ${shapeText(shape)}${hint}`);
}

// -- convolution -------------------------------------------------------------------------------------------------------------

export interface Conv2dOptions {
  /** Distance between positions of the filter. Default 1. */
  readonly stride?: Pair;
  /** Zeros around the image, or 'same' for results of the size of the input (stride 1). Default 0. */
  readonly padding?: Pair | 'same' | 'valid';
  /** Distance between the filter's own points. Default 1. */
  readonly dilation?: Pair;
  /** Channels are parted into this many groups that do not see each other. Default 1. */
  readonly groups?: number;
  /** False leaves out the bias. Default true. */
  readonly bias?: boolean;
}

/** Slides filters over images. */
export class Conv2d extends Module {
  /** [outChannels, inChannels / groups, height, width] */
  readonly weight: Tensor;
  /** [outChannels] */
  declare readonly bias?: Tensor;
  readonly #inChannels: number;
  readonly #stride: [number, number];
  readonly #padding: [number, number];
  readonly #dilation: [number, number];
  readonly #groups: number;
  readonly #text: string;

  constructor(inChannels: number, outChannels: number, size: Pair, options: Conv2dOptions = {}) {
    super();
    checkLayerOptions('conv2d', options, ['stride', 'padding', 'dilation', 'groups', 'bias']);
    checkCount('conv2d', 'inChannels', inChannels);
    checkCount('conv2d', 'outChannels', outChannels);
    const [height, width] = pair(checkPair('conv2d', 'size', size, 1));
    this.#inChannels = inChannels;
    this.#stride = pair(checkPair('conv2d', 'stride', options.stride ?? 1, 1));
    this.#dilation = pair(checkPair('conv2d', 'dilation', options.dilation ?? 1, 1));
    this.#groups = checkCount('conv2d', 'groups', options.groups ?? 1);
    if (inChannels % this.#groups !== 0 || outChannels % this.#groups !== 0) {
      throw new ArgumentError(`conv2d: ${this.#groups} groups must divide both inChannels ${inChannels} and outChannels ${outChannels}`);
    }
    if (options.padding === 'same') {
      const reach = [this.#dilation[0] * (height - 1), this.#dilation[1] * (width - 1)] as const;
      if (this.#stride.some((each) => each !== 1)) throw new ArgumentError("conv2d: padding 'same' needs stride 1");
      if (reach.some((each) => each % 2 !== 0)) throw new ArgumentError("conv2d: padding 'same' needs an odd filter size");
      this.#padding = [reach[0] / 2, reach[1] / 2];
    } else this.#padding = pair(checkPair('conv2d', 'padding', options.padding === 'valid' ? 0 : (options.padding ?? 0), 0));
    // PyTorch's default: Kaiming uniform with a = sqrt(5), which comes to this bound for weight and bias alike.
    const bound = 1 / Math.sqrt((inChannels / this.#groups) * height * width);
    this.weight = uniformParameter([outChannels, inChannels / this.#groups, height, width], bound);
    if (options.bias ?? true) this.bias = uniformParameter([outChannels], bound);
    const written = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    this.#text = `conv2d(${inChannels}, ${outChannels}, ${pairText(size)}${written.length > 0 ? `, { ${written.join(', ')} }` : ''})`;
  }

  override forward(x: Tensor): Tensor {
    checkImages(this.#text, x, this.#inChannels);
    return ops.conv2d(x, this.weight, this.bias, {
      stride: this.#stride,
      padding: this.#padding,
      dilation: this.#dilation,
      groups: this.#groups,
    });
  }

  override toString(): string {
    return this.#text;
  }
}
declareOurs(Conv2d);

/**
 * A layer that slides `outChannels` filters of `size` over images: [batch, inChannels, height, width] becomes [batch,
 * outChannels, ...], each side (side + 2 padding - size) / stride + 1. `weight` is [outChannels, inChannels, size, size] and
 * starts as in PyTorch. `nn.conv2d(1, 8, 3, { padding: 1 })` keeps the size of the image.
 */
export const conv2d = (inChannels: number, outChannels: number, size: Pair, options?: Conv2dOptions): Conv2d =>
  new Conv2d(inChannels, outChannels, size, options);

// -- pooling -------------------------------------------------------------------------------------------------------------------

export interface PoolOptions {
  /** Distance between windows. Default: the size of the window. */
  readonly stride?: Pair;
  /** Border around the image. Default 0. */
  readonly padding?: Pair;
}

/** Takes one number from each window of an image. */
export class Pool2d extends Module {
  readonly #op: 'maxPool2d' | 'avgPool2d';
  readonly #size: [number, number];
  readonly #stride: [number, number];
  readonly #padding: [number, number];
  readonly #text: string;

  constructor(op: 'maxPool2d' | 'avgPool2d', size: Pair, options: PoolOptions = {}) {
    super();
    checkLayerOptions(op, options, ['stride', 'padding']);
    this.#op = op;
    this.#size = pair(checkPair(op, 'size', size, 1));
    this.#stride = pair(checkPair(op, 'stride', options.stride ?? size, 1));
    this.#padding = pair(checkPair(op, 'padding', options.padding ?? 0, 0));
    const written = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    this.#text = `${op}(${pairText(size)}${written.length > 0 ? `, { ${written.join(', ')} }` : ''})`;
  }

  override forward(x: Tensor): Tensor {
    checkImages(this.#text, x);
    return run(this.#op, x, this.#size, { stride: this.#stride, padding: this.#padding });
  }

  override toString(): string {
    return this.#text;
  }
}
declareOurs(Pool2d);

/** The largest value of each window: [batch, channels, height, width] becomes half as high and wide with maxPool2d(2). */
export const maxPool2d = (size: Pair, options?: PoolOptions): Pool2d => new Pool2d('maxPool2d', size, options);
/** The mean of each window: [batch, channels, height, width] becomes half as high and wide with avgPool2d(2). */
export const avgPool2d = (size: Pair, options?: PoolOptions): Pool2d => new Pool2d('avgPool2d', size, options);
