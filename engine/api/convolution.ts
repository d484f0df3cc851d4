// Convolution layers: filters that slide over sequences [batch, channels, length], images [batch, channels, height, width] and
// volumes. Formulas are in the op table; pooling is in pooling.ts.

import { checkCount, checkLayerOptions, declareOurs, uniformParameter } from './dense.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { Module } from './module.ts';
import { run } from './signature.ts';
import { requireTensor, type Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';

/** One number for all directions, or one per direction: [height, width]. */
export type Sizes = number | readonly number[];

/** A number per direction. Throws unless all are whole numbers from `least` on. */
export function checkSizes(layer: string, name: string, value: unknown, directions: number, least: number): number[] {
  const numbers: unknown[] = Array.isArray(value) ? value : new Array(directions).fill(value);
  if (numbers.length === directions && numbers.every((each) => Number.isInteger(each) && (each as number) >= least))
    return numbers as number[];
  const several = directions === 1 ? '' : `, or ${directions} of them`;
  throw new ArgumentError(
    `${layer}: \`${name}\` must be a whole number from ${least} on${several}, got ${Array.isArray(value) ? shapeText(value) : describeValue(value)}`,
  );
}

/** How a layer was written: conv2d(1, 8, 3, { padding: 1 }) */
export function layerText(name: string, args: readonly Sizes[], options: object): string {
  const written = Object.entries(options).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const numbers = args.map((arg) => (typeof arg === 'number' ? String(arg) : shapeText(arg)));
  return `${name}(${[...numbers, ...(written.length > 0 ? [`{ ${written.join(', ')} }`] : [])].join(', ')})`;
}

const axisNames = [[], ['length'], ['height', 'width'], ['depth', 'height', 'width']] as const;

/** Throws unless x is [batch, channels, ...] with as many further axes as there are directions; hints at the usual other shapes. */
export function checkChannels(layer: string, x: Tensor, directions: number, channels?: number): void {
  const { shape } = requireTensor(x, layer, 'x');
  if (shape.length === directions + 2 && (channels === undefined || shape[1] === channels)) return;
  const isOneLess = shape.length === directions + 1;
  const things = ['', 'sequence', 'image', 'volume'][directions];
  let hint = '';
  if (isOneLess && (channels === undefined || channels === shape[0])) hint = `: one ${things} needs a batch axis, x.unsqueeze(0)`;
  else if (isOneLess && channels === 1)
    hint = `: ${directions === 2 ? 'grey images need' : `${things}s of single numbers need`} a channel axis, x.unsqueeze(1)`;
  else if (shape.length === directions + 2 && shape.at(-1) === channels) {
    hint = `: channels come second, x.permute(0, ${directions + 1}, ${Array.from({ length: directions }, (_, i) => i + 1).join(', ')})`;
  } else if (shape.length === 2 && directions === 2) hint = ': flat images need their shape back, x.reshape(-1, channels, height, width)';
  const wanted = ['batch', channels ?? 'channels', ...(axisNames[directions] ?? [])].join(', ');
  throw new ShapeError(`${layer}: needs inputs of shape [${wanted}], got ${shapeText(shape)}${hint}`);
}

export interface ConvolutionOptions {
  /** Distance between positions of the filter. Default 1. */
  readonly stride?: Sizes;
  /** Zeros around the input, or 'same' for results of the size of the input (stride 1). Default 0. */
  readonly padding?: Sizes | 'same' | 'valid';
  /** Distance between the filter's own points. Default 1. */
  readonly dilation?: Sizes;
  /** Channels are parted into this many groups that do not see each other. Default 1. */
  readonly groups?: number;
  /** False leaves out the bias. Default true. */
  readonly bias?: boolean;
}

export interface TransposedOptions extends ConvolutionOptions {
  readonly padding?: Sizes;
  /** Added to one side of the result, where the stride leaves its size open. Default 0. */
  readonly outputPadding?: Sizes;
}

type ConvolutionOp = 'conv1d' | 'conv2d' | 'conv3d' | 'convTranspose1d' | 'convTranspose2d' | 'convTranspose3d';

/** Slides filters over its input. */
export class Convolution extends Module {
  /** [outChannels, inChannels / groups, ...size]; transposed: [inChannels, outChannels / groups, ...size] */
  readonly weight: Tensor;
  /** [outChannels] */
  declare readonly bias?: Tensor;
  readonly #op: ConvolutionOp;
  readonly #inChannels: number;
  readonly #attributes: Readonly<Record<string, number | number[]>>;
  readonly #text: string;

  constructor(op: ConvolutionOp, inChannels: number, outChannels: number, size: Sizes, options: TransposedOptions | ConvolutionOptions) {
    super();
    const isTransposed = op.startsWith('convTranspose');
    checkLayerOptions(op, options, ['stride', 'padding', 'dilation', 'groups', 'bias', ...(isTransposed ? ['outputPadding'] : [])]);
    checkCount(op, 'inChannels', inChannels);
    checkCount(op, 'outChannels', outChannels);
    const directions = Number(op.at(-2));
    const sizes = checkSizes(op, 'size', size, directions, 1);
    const stride = checkSizes(op, 'stride', options.stride ?? 1, directions, 1);
    const dilation = checkSizes(op, 'dilation', options.dilation ?? 1, directions, 1);
    const groups = checkCount(op, 'groups', options.groups ?? 1);
    if (inChannels % groups !== 0 || outChannels % groups !== 0) {
      throw new ArgumentError(`${op}: ${groups} groups must divide both inChannels ${inChannels} and outChannels ${outChannels}`);
    }
    this.#op = op;
    this.#inChannels = inChannels;
    this.#attributes = {
      stride,
      padding: paddingOf(op, options.padding ?? 0, sizes, stride, dilation),
      dilation,
      groups,
      ...(isTransposed && {
        outputPadding: checkSizes(op, 'outputPadding', (options as TransposedOptions).outputPadding ?? 0, directions, 0),
      }),
    };
    this.#text = layerText(op, [inChannels, outChannels, size], options);
    const [rows, columns] = isTransposed ? [inChannels, outChannels / groups] : [outChannels, inChannels / groups];
    // PyTorch's default: Kaiming uniform with a = sqrt(5), which comes to this bound for weight and bias alike.
    const bound = 1 / Math.sqrt(sizes.reduce((product, each) => product * each, columns));
    this.weight = uniformParameter([rows, columns, ...sizes], bound);
    if (options.bias ?? true) this.bias = uniformParameter([outChannels], bound);
  }

  override forward(x: Tensor): Tensor {
    checkChannels(this.#text, x, this.weight.rank - 2, this.#inChannels);
    return run(this.#op, x, this.weight, this.bias, this.#attributes);
  }

  /** Of a conv2d whose filters move pixel by pixel over all channels: rows and columns of zeros above and left of its input. Else null. */
  get simplePadding(): readonly [top: number, left: number] | null {
    const { stride, dilation, groups, padding } = this.#attributes;
    const isSimple = this.#op === 'conv2d' && [stride, dilation, groups].flat().every((each) => each === 1);
    return isSimple ? (padding as [number, number]) : null;
  }

  override toString(): string {
    return this.#text;
  }
}
declareOurs(Convolution);

function paddingOf(
  op: string,
  padding: unknown,
  sizes: readonly number[],
  stride: readonly number[],
  dilation: readonly number[],
): number[] {
  if (padding === 'valid') return sizes.map(() => 0);
  if (padding !== 'same') return checkSizes(op, 'padding', padding, sizes.length, 0);
  const reach = sizes.map((size, i) => (dilation[i] as number) * (size - 1));
  if (stride.some((each) => each !== 1)) throw new ArgumentError(`${op}: padding 'same' needs stride 1`);
  if (reach.some((each) => each % 2 !== 0)) throw new ArgumentError(`${op}: padding 'same' needs an odd filter size`);
  return reach.map((each) => each / 2);
}

/**
 * A layer that slides `outChannels` filters of `size` over images: [batch, inChannels, height, width] becomes [batch,
 * outChannels, ...], each side (side + 2 padding - size) / stride + 1. `weight` is [outChannels, inChannels, size, size] and
 * starts as in PyTorch. `nn.conv2d(1, 8, 3, { padding: 1 })` keeps the size of the image.
 */
export const conv2d = (inChannels: number, outChannels: number, size: Sizes, options: ConvolutionOptions = {}): Convolution =>
  new Convolution('conv2d', inChannels, outChannels, size, options);

/** As conv2d, over sequences [batch, inChannels, length]. */
export const conv1d = (inChannels: number, outChannels: number, size: Sizes, options: ConvolutionOptions = {}): Convolution =>
  new Convolution('conv1d', inChannels, outChannels, size, options);

/** As conv2d, over volumes [batch, inChannels, depth, height, width]. */
export const conv3d = (inChannels: number, outChannels: number, size: Sizes, options: ConvolutionOptions = {}): Convolution =>
  new Convolution('conv3d', inChannels, outChannels, size, options);

/** A convolution the other way: makes images larger by its stride. `weight` is [inChannels, outChannels, size, size]. */
export const convTranspose2d = (inChannels: number, outChannels: number, size: Sizes, options: TransposedOptions = {}): Convolution =>
  new Convolution('convTranspose2d', inChannels, outChannels, size, options);

/** As convTranspose2d, over sequences [batch, inChannels, length]. */
export const convTranspose1d = (inChannels: number, outChannels: number, size: Sizes, options: TransposedOptions = {}): Convolution =>
  new Convolution('convTranspose1d', inChannels, outChannels, size, options);

/** As convTranspose2d, over volumes [batch, inChannels, depth, height, width]. */
export const convTranspose3d = (inChannels: number, outChannels: number, size: Sizes, options: TransposedOptions = {}): Convolution =>
  new Convolution('convTranspose3d', inChannels, outChannels, size, options);
