// Pictures of numbers: filters, feature maps, and where a model looks (saliency by one backward pass, occlusion by covering parts).

import { Convolution } from './convolution.ts';
import { tensor } from './create.ts';
import { ArgumentError } from './error.ts';
import { fitting, inEvaluation, looking } from './inspect.ts';
import { activationsOf, leafLayers } from './inspectlayers.ts';
import type { Model } from './fit.ts';
import { namedParameters } from './module.ts';
import { gradients, noGrad, Tensor } from './tensor.ts';
import { shapeText } from './words.ts';

export interface MapGroup {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly total: number;
  readonly values: Float32Array;
  readonly isSigned: boolean;
  readonly captions: readonly string[];
}

const MOST_MAPS = 32;

/**
 * Filters of a convolution as pictures [kh, kw], one per output and input channel; rows of a linear layer as pictures of the
 * shape of the inputs (28 x 28). `layer`: part of the parameter's name; the first weight that can be shown unless given.
 */
export function filters(model: unknown, layer?: string): MapGroup {
  for (const [name, weight] of namedParameters(model)) {
    if (layer !== undefined && !name.includes(layer)) continue;
    const map = filterMaps(name, weight);
    if (map) return map;
  }
  throw new ArgumentError(layer === undefined ? 'views.filters: this model has no filters, and no weights that make a square picture' : `views.filters: no weight named like "${layer}" can be shown; there are ${namedParameters(model).map(([name]) => name).join(', ')}`);
}

function filterMaps(name: string, weight: Tensor): MapGroup | null {
  const { shape } = weight;
  const [outputs = 0, inputs = 0] = shape;
  const side = Math.sqrt(inputs);
  const isConvolution = shape.length === 4;
  if (!isConvolution && !(shape.length === 2 && Number.isInteger(side) && side >= 4)) return null;
  const [height, width] = isConvolution ? (shape.slice(2) as [number, number]) : [side, side];
  const total = isConvolution ? outputs * inputs : outputs;
  const count = Math.min(total, MOST_MAPS);
  const values = noGrad(() => weight.detach().reshape([total, height * width]).narrow(0, 0, count).contiguous().values()) as Float32Array;
  const captions = Array.from({ length: count }, (_, i) => (isConvolution && inputs > 1 ? `${Math.floor(i / inputs)} from ${i % inputs}` : String(i)));
  return { title: name, width, height, count, total, values, isSigned: true, captions };
}

/** What each layer with pictures as results makes of one picture [1, c, h, w] or [c, h, w]. */
export function featureMaps(model: Model, picture: Tensor): MapGroup[] {
  const x = picture.rank === 3 ? picture.unsqueeze(0) : picture.narrow(0, 0, 1);
  return activationsOf('views.featureMaps', model, x)
    .filter(({ output }) => output.rank === 4)
    .map(({ layer, output }) => {
      const [, total = 0, height = 0, width = 0] = output.shape;
      const count = Math.min(total, MOST_MAPS);
      const values = noGrad(() => output.narrow(1, 0, count).reshape([count, height * width]).contiguous().values()) as Float32Array;
      const isSigned = values.some((value) => value < 0);
      return { title: layer, width, height, count, total, values: Float32Array.from(values), isSigned, captions: Array.from({ length: count }, (_, i) => String(i)) };
    });
}

/** What the first convolution works with, when every number of its maps is one sum over a patch of one grey picture. */
export interface KernelGroup {
  /** The picture, row by row. */
  readonly input: Float32Array;
  readonly inputWidth: number;
  readonly inputHeight: number;
  /** Kernels [count, height, width]. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
  readonly width: number;
  readonly height: number;
  /** Rows and columns of zeros above and left of the picture. */
  readonly top: number;
  readonly left: number;
}

/** Kernels and picture behind the first group of featureMaps(); null when there is no such simple arithmetic. */
export function kernelsOf(model: Model, picture: Tensor, group: MapGroup | undefined): KernelGroup | null {
  const layer = group && leafLayers(model).find(({ name }) => group.title.startsWith(`${name} `))?.module;
  const padding = layer instanceof Convolution ? layer.simplePadding : null;
  const [inputHeight = 0, inputWidth = 0] = picture.shape.slice(-2);
  if (!group || !padding || picture.elementCount !== inputHeight * inputWidth) return null;
  const { weight, bias } = layer as Convolution;
  const [, , height = 0, width = 0] = weight.shape;
  const [top, left] = padding;
  return noGrad(() => ({
    input: Float32Array.from(picture.contiguous().values()), inputWidth, inputHeight,
    weights: Float32Array.from(weight.detach().narrow(0, 0, group.count).contiguous().values()),
    bias: bias ? Float32Array.from(bias.detach().values()).slice(0, group.count) : new Float32Array(group.count),
    width, height, top, left,
  }));
}

/**
 * The picture after one step of the fast gradient sign method: every pixel moved by `epsilon` of the picture's range, in the
 * direction that raises the loss of `target`; and what the model says of it.
 */
export function adversarial(model: Model, picture: Tensor, epsilon: number, target: number): { values: Float32Array; prediction: number; chance: number; left: number } {
  const x = batchOfOne(picture);
  const input = x.detach().add(0).detach().requiresGrad_();
  const { output } = inEvaluation(model, () => fitting('views.saliency', model, input));
  const [slope] = gradients(output.logSoftmax(1).select(0, 0).select(0, target).neg(), [input]) as [Tensor];
  return looking(model, () => {
    const low = x.min().item();
    const high = x.max().item();
    const moved = x.add(slope.sign().mul(epsilon * (high - low))).clamp(low, high);
    const chances = fitting('views.saliency', model, moved).output.softmax(1).values() as Float32Array;
    const prediction = chances.reduce((most, chance, i) => (chance > (chances[most] as number) ? i : most), 0);
    const [, , height = 0, width = 0] = x.shape;
    return { values: Float32Array.from(moved.values()).slice(0, height * width), prediction, chance: chances[prediction] as number, left: chances[target] as number };
  });
}

/** d score of `target` / d pixel for one picture; `target`: the predicted class unless given. */
export function saliency(model: Model, picture: Tensor, target?: number): { values: Float32Array; width: number; height: number; target: number } {
  const x = batchOfOne(picture);
  const wanted = target ?? looking(model, () => fitting('views.saliency', model, x).output.argmax(1).values()[0] as number);
  const input = x.detach().add(0).detach().requiresGrad_();
  const { output } = inEvaluation(model, () => fitting('views.saliency', model, input));
  const [grad] = gradients(output.select(0, 0).select(0, wanted), [input]) as [Tensor];
  const [, channels = 1, height = 0, width = 0] = x.shape;
  const values = noGrad(() => (channels === 1 ? grad : grad.abs().max(1)).reshape([height * width]).values()) as Float32Array;
  return { values: Float32Array.from(values), width, height, target: wanted };
}

/** How much the chance of `target` falls when a square around each place is covered. */
export function occlusion(model: Model, picture: Tensor, target?: number, size = 7, stride = 2): { values: Float32Array; width: number; height: number; target: number } {
  const x = batchOfOne(picture);
  const [, channels = 1, height = 0, width = 0] = x.shape;
  const rows = Math.floor((height - 1) / stride) + 1;
  const columns = Math.floor((width - 1) / stride) + 1;
  const open = new Uint8Array(rows * columns * height * width).fill(1);
  const half = Math.floor(size / 2);
  for (let place = 0; place < rows * columns; place++) {
    const centreY = Math.floor(place / columns) * stride;
    const centreX = (place % columns) * stride;
    for (let y = Math.max(0, centreY - half); y <= Math.min(height - 1, centreY + half); y++)
      for (let xAt = Math.max(0, centreX - half); xAt <= Math.min(width - 1, centreX + half); xAt++) open[(place * height + y) * width + xAt] = 0;
  }
  return looking(model, () => {
    const whole = fitting('views.occlusion', model, x).output.softmax(1);
    const wanted = target ?? (whole.argmax(1).values()[0] as number);
    const mask = tensor(open, { dtype: 'uint8' }).reshape([rows * columns, 1, height, width]).to('float32');
    const ground = x.min();
    const covered = x.sub(ground).mul(mask).add(ground);
    const chances = fitting('views.occlusion', model, covered.reshape([rows * columns, channels, height, width])).output.softmax(1).select(1, wanted);
    const fall = chances.neg().add(whole.values()[wanted] as number);
    return { values: Float32Array.from(fall.values()), width: columns, height: rows, target: wanted };
  });
}

function batchOfOne(picture: Tensor): Tensor {
  const x = picture.rank === 3 ? picture.unsqueeze(0) : picture.rank === 2 ? picture.unsqueeze(0).unsqueeze(0) : picture;
  if (x.rank !== 4 || x.shape[0] !== 1) throw new ArgumentError(`needs one picture [c, h, w], got shape ${shapeText(picture.shape)}; take one with test.at(0)[0]`);
  return x;
}
