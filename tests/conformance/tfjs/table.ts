// Ops that both TensorFlow.js and the engine have: how each is called, and with inputs of which shapes.
// TensorFlow.js keeps channels last; its rows transpose.

import type * as tfTypes from '@tensorflow/tfjs';
import { ops, type Tensor, tensor } from '../../../engine/api/index.ts';
import type { Limits, Sizes } from './draw.ts';

type TF = typeof tfTypes;
type Theirs = tfTypes.Tensor;

export interface Row {
  readonly limits: Limits;
  /** Shapes of the inputs. */
  readonly shapes: (sizes: Sizes) => number[][];
  readonly ours: (inputs: Tensor[], sizes: Sizes) => Tensor;
  readonly theirs: (tf: TF, inputs: Theirs[], sizes: Sizes) => Theirs;
  /** Range of the inputs; default -2 to 2. */
  readonly range?: readonly [number, number];
  /** False where a gradient does not exist or TensorFlow.js has none. */
  readonly gradient?: false;
  /** Sizes that make no sense together. */
  readonly isPossible?: (sizes: Sizes) => boolean;
  /** Largest distance relative to the largest number; default 2e-5: their float32 sums are plain loops. */
  readonly bound?: number;
}

const one: Limits = { a: [1, 5], b: [1, 5] };
const unary = (ours: (x: Tensor) => Tensor, theirs: (tf: TF, x: Theirs) => Theirs, more: Partial<Row> = {}): Row => ({
  limits: one,
  shapes: ({ a, b }) => [[a, b] as number[]],
  ours: ([x]) => ours(x as Tensor),
  theirs: (tf, [x]) => theirs(tf, x as Theirs),
  ...more,
});

/** Broadcasting: (a, b) with (b), (a, 1) or (a, b). */
const binary = (
  ours: (x: Tensor, y: Tensor) => Tensor,
  theirs: (tf: TF, x: Theirs, y: Theirs) => Theirs,
  more: Partial<Row> = {},
): Row => ({
  limits: { a: [1, 5], b: [1, 5], kind: [0, 2] },
  shapes: ({ a, b, kind }) => [[a, b], kind === 0 ? [b] : kind === 1 ? [a, 1] : [a, b]] as number[][],
  ours: ([x, y]) => ours(x as Tensor, y as Tensor),
  theirs: (tf, [x, y]) => theirs(tf, x as Theirs, y as Theirs),
  ...more,
});

/** Two inputs of one shape. */
const pair = (ours: (x: Tensor, y: Tensor) => Tensor, theirs: (tf: TF, x: Theirs, y: Theirs) => Theirs): Row => ({
  ...binary(ours, theirs),
  limits: one,
  shapes: ({ a, b }) =>
    [
      [a, b],
      [a, b],
    ] as number[][],
});

const classIds = ({ n, classes }: Sizes): Int32Array =>
  Int32Array.from({ length: n as number }, (_, i) => (7 * (i + 1)) % (classes as number));

const axis = (sizes: Sizes): number => sizes.axis as number;
const reduction = (
  ours: (x: Tensor, axes: number[]) => Tensor,
  theirs: (tf: TF, x: Theirs, axes: number[]) => Theirs,
  more: Partial<Row> = {},
): Row => ({
  limits: { a: [1, 4], b: [1, 9], c: [1, 4], axis: [0, 2] },
  shapes: ({ a, b, c }) => [[a, b, c] as number[]],
  ours: ([x], sizes) => ours(x as Tensor, [axis(sizes)]),
  theirs: (tf, [x], sizes) => theirs(tf, x as Theirs, [axis(sizes)]),
  ...more,
});

const comparison = { gradient: false } as const;
const positive = { range: [0.1, 4] } as const;

interface ConvSizes {
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
}
const convSizes = (sizes: Sizes): ConvSizes => sizes as unknown as ConvSizes;
const toLast = (x: Theirs): Theirs => x.transpose([0, 2, 3, 1]);
const toFirst = (x: Theirs): Theirs => x.transpose([0, 3, 1, 2]);
const padded = (tf: TF, x: Theirs, padding: number): Theirs =>
  tf.pad(x, [
    [0, 0],
    [padding, padding],
    [padding, padding],
    [0, 0],
  ]);

export const rows: Readonly<Record<string, Row>> = {
  abs: unary(
    (x) => ops.abs(x),
    (tf, x) => tf.abs(x),
  ),
  acos: unary(
    (x) => ops.acos(x),
    (tf, x) => tf.acos(x),
    { range: [-0.9, 0.9] },
  ),
  acosh: unary(
    (x) => ops.acosh(x),
    (tf, x) => tf.acosh(x),
    { range: [1.1, 4] },
  ),
  asin: unary(
    (x) => ops.asin(x),
    (tf, x) => tf.asin(x),
    { range: [-0.9, 0.9] },
  ),
  asinh: unary(
    (x) => ops.asinh(x),
    (tf, x) => tf.asinh(x),
  ),
  atan: unary(
    (x) => ops.atan(x),
    (tf, x) => tf.atan(x),
  ),
  atanh: unary(
    (x) => ops.atanh(x),
    (tf, x) => tf.atanh(x),
    { range: [-0.9, 0.9] },
  ),
  ceil: unary(
    (x) => ops.ceil(x),
    (tf, x) => tf.ceil(x),
  ),
  clamp: unary(
    (x) => ops.clamp(x, -1, 0.5),
    (tf, x) => tf.clipByValue(x, -1, 0.5),
  ),
  cos: unary(
    (x) => ops.cos(x),
    (tf, x) => tf.cos(x),
  ),
  cosh: unary(
    (x) => ops.cosh(x),
    (tf, x) => tf.cosh(x),
  ),
  elu: unary(
    (x) => ops.elu(x),
    (tf, x) => tf.elu(x),
  ),
  // Their erf is an approximation of 1.5e-7.
  erf: unary(
    (x) => ops.erf(x),
    (tf, x) => tf.erf(x),
  ),
  exp: unary(
    (x) => ops.exp(x),
    (tf, x) => tf.exp(x),
  ),
  expm1: unary(
    (x) => ops.expm1(x),
    (tf, x) => tf.expm1(x),
  ),
  floor: unary(
    (x) => ops.floor(x),
    (tf, x) => tf.floor(x),
  ),
  leakyRelu: unary(
    (x) => ops.leakyRelu(x, 0.2),
    (tf, x) => tf.leakyRelu(x, 0.2),
  ),
  log: unary(
    (x) => ops.log(x),
    (tf, x) => tf.log(x),
    positive,
  ),
  log1p: unary(
    (x) => ops.log1p(x),
    (tf, x) => tf.log1p(x),
    positive,
  ),
  logSigmoid: unary(
    (x) => ops.logSigmoid(x),
    (tf, x) => tf.logSigmoid(x),
  ),
  mish: unary(
    (x) => ops.mish(x),
    (tf, x) => x.mul(tf.tanh(tf.softplus(x))),
  ),
  neg: unary(
    (x) => ops.neg(x),
    (tf, x) => tf.neg(x),
  ),
  reciprocal: unary(
    (x) => ops.reciprocal(x),
    (tf, x) => tf.reciprocal(x),
    positive,
  ),
  relu: unary(
    (x) => ops.relu(x),
    (tf, x) => tf.relu(x),
  ),
  relu6: unary(
    (x) => ops.relu6(x),
    (tf, x) => tf.relu6(x),
    { range: [-8, 8] },
  ),
  round: unary(
    (x) => ops.round(x),
    (tf, x) => tf.round(x),
  ),
  rsqrt: unary(
    (x) => ops.rsqrt(x),
    (tf, x) => tf.rsqrt(x),
    positive,
  ),
  selu: unary(
    (x) => ops.selu(x),
    (tf, x) => tf.selu(x),
  ),
  sigmoid: unary(
    (x) => ops.sigmoid(x),
    (tf, x) => tf.sigmoid(x),
  ),
  sign: unary(
    (x) => ops.sign(x),
    (tf, x) => tf.sign(x),
  ),
  silu: unary(
    (x) => ops.silu(x),
    (tf, x) => x.mul(tf.sigmoid(x)),
  ),
  sin: unary(
    (x) => ops.sin(x),
    (tf, x) => tf.sin(x),
  ),
  sinh: unary(
    (x) => ops.sinh(x),
    (tf, x) => tf.sinh(x),
  ),
  softplus: unary(
    (x) => ops.softplus(x),
    (tf, x) => tf.softplus(x),
  ),
  sqrt: unary(
    (x) => ops.sqrt(x),
    (tf, x) => tf.sqrt(x),
    positive,
  ),
  square: unary(
    (x) => ops.square(x),
    (tf, x) => tf.square(x),
  ),
  tan: unary(
    (x) => ops.tan(x),
    (tf, x) => tf.tan(x),
    { range: [-1.2, 1.2] },
  ),
  tanh: unary(
    (x) => ops.tanh(x),
    (tf, x) => tf.tanh(x),
  ),

  add: binary(
    (x, y) => ops.add(x, y),
    (tf, x, y) => tf.add(x, y),
  ),
  sub: binary(
    (x, y) => ops.sub(x, y),
    (tf, x, y) => tf.sub(x, y),
  ),
  mul: binary(
    (x, y) => ops.mul(x, y),
    (tf, x, y) => tf.mul(x, y),
  ),
  div: binary(
    (x, y) => ops.div(x, y),
    (tf, x, y) => tf.div(x, y),
    positive,
  ),
  pow: binary(
    (x, y) => ops.pow(x, y),
    (tf, x, y) => tf.pow(x, y),
    { range: [0.2, 2] },
  ),
  atan2: binary(
    (x, y) => ops.atan2(x, y),
    (tf, x, y) => tf.atan2(x, y),
  ),
  // Their gradient forgets to undo broadcasting, so these have one shape.
  maximum: pair(
    (x, y) => ops.maximum(x, y),
    (tf, x, y) => tf.maximum(x, y),
  ),
  minimum: pair(
    (x, y) => ops.minimum(x, y),
    (tf, x, y) => tf.minimum(x, y),
  ),
  remainder: binary(
    (x, y) => ops.remainder(x, y),
    (tf, x, y) => tf.mod(x, y),
    { ...positive, gradient: false },
  ),
  eq: binary(
    (x, y) => ops.eq(ops.round(x), ops.round(y)),
    (tf, x, y) => tf.equal(tf.round(x), tf.round(y)),
    comparison,
  ),
  gt: binary(
    (x, y) => ops.gt(x, y),
    (tf, x, y) => tf.greater(x, y),
    comparison,
  ),
  le: binary(
    (x, y) => ops.le(x, y),
    (tf, x, y) => tf.lessEqual(x, y),
    comparison,
  ),
  where: binary(
    (x, y) => ops.where(ops.gt(x, 0), x, y),
    (tf, x, y) => tf.where(tf.greater(x, 0), x, tf.add(y, tf.zerosLike(x))),
    comparison,
  ),

  sum: reduction(
    (x, axes) => ops.sum(x, axes),
    (tf, x, axes) => tf.sum(x, axes),
  ),
  mean: reduction(
    (x, axes) => ops.mean(x, axes, true),
    (tf, x, axes) => tf.mean(x, axes, true),
  ),
  max: reduction(
    (x, axes) => ops.max(x, axes),
    (tf, x, axes) => tf.max(x, axes),
  ),
  min: reduction(
    (x, axes) => ops.min(x, axes),
    (tf, x, axes) => tf.min(x, axes),
  ),
  prod: reduction(
    (x, axes) => ops.prod(x, axes),
    (tf, x, axes) => tf.prod(x, axes),
  ),
  argmax: reduction(
    (x, axes) => ops.argmax(x, axes[0]),
    (tf, x, axes) => tf.argMax(x, axes[0] as number),
    comparison,
  ),
  argmin: reduction(
    (x, axes) => ops.argmin(x, axes[0]),
    (tf, x, axes) => tf.argMin(x, axes[0]),
    comparison,
  ),
  logSumExp: reduction(
    (x, axes) => ops.logSumExp(x, axes),
    (tf, x, axes) => tf.logSumExp(x, axes),
  ),
  var: reduction(
    (x, axes) => ops.var(x, axes, false, 0),
    (tf, x, axes) => tf.moments(x, axes).variance,
  ),
  // Their gradient is wrong on any axis but the last.
  cumsum: reduction(
    (x, axes) => ops.cumsum(x, axes[0] as number),
    (tf, x, axes) => tf.cumsum(x, axes[0]),
    { gradient: false },
  ),
  cumsumOfTheLastAxis: reduction(
    (x) => ops.cumsum(x, -1),
    (tf, x) => tf.cumsum(x, 2),
  ),
  softmax: reduction(
    (x) => ops.softmax(x, -1),
    (tf, x) => tf.softmax(x),
  ),
  logSoftmax: reduction(
    (x) => ops.logSoftmax(x, -1),
    (tf, x) => tf.logSoftmax(x),
  ),
  flip: reduction(
    (x, axes) => ops.flip(x, axes),
    (tf, x, axes) => tf.reverse(x, axes),
  ),
  expandAndTile: reduction(
    (x) => ops.tile(x, [2, 1, 3]),
    (tf, x) => tf.tile(x, [2, 1, 3]),
  ),
  permute: reduction(
    (x) => ops.permute(x, [2, 0, 1]),
    (tf, x) => tf.transpose(x, [2, 0, 1]),
  ),
  slice: reduction(
    (x) => ops.slice(x, 0, undefined, 1, 2),
    (tf, x) => tf.stridedSlice(x, [0, 0, 0], x.shape, [1, 2, 1]),
    { gradient: false },
  ),
  pad: reduction(
    (x) => ops.pad(x, [1, 2, 0, 1], 'constant', 0.5),
    (tf, x) =>
      tf.pad(
        x,
        [
          [0, 0],
          [0, 1],
          [1, 2],
        ],
        0.5,
      ),
  ),
  reflectPad: reduction(
    (x) => ops.pad(x, [1, 1], 'reflect'),
    (tf, x) =>
      tf.mirrorPad(
        x as tfTypes.Tensor3D,
        [
          [0, 0],
          [0, 0],
          [1, 1],
        ],
        'reflect',
      ),
    { isPossible: ({ c }) => (c as number) > 1, gradient: false },
  ),

  concat: pair(
    (x, y) => ops.concat([x, y], 1),
    (tf, x, y) => tf.concat([x, y], 1),
  ),
  stack: pair(
    (x, y) => ops.stack([x, y], 0),
    (tf, x, y) => tf.stack([x, y], 0),
  ),

  matmul: {
    limits: { batch: [1, 3], m: [1, 20], k: [1, 20], n: [1, 20] },
    shapes: ({ batch, m, k, n }) =>
      [
        [batch, m, k],
        [batch, k, n],
      ] as number[][],
    ours: ([x, y]) => ops.matmul(x as Tensor, y as Tensor),
    theirs: (tf, [x, y]) => tf.matMul(x as Theirs, y as Theirs),
  },
  matmulTransposed: {
    limits: { m: [1, 20], k: [1, 20], n: [1, 20] },
    shapes: ({ m, k, n }) =>
      [
        [k, m],
        [n, k],
      ] as number[][],
    ours: ([x, y]) => ops.matmul(ops.transpose(x as Tensor), ops.transpose(y as Tensor)),
    theirs: (tf, [x, y]) => tf.matMul(x as Theirs, y as Theirs, true, true),
  },
  conv2d: {
    limits: {
      n: [1, 3],
      c: [1, 4],
      h: [3, 9],
      w: [3, 9],
      o: [1, 5],
      kh: [1, 3],
      kw: [1, 3],
      stride: [1, 2],
      padding: [0, 2],
      dilation: [1, 1],
    },
    shapes: ({ n, c, h, w, o, kh, kw }) =>
      [
        [n, c, h, w],
        [o, c, kh, kw],
      ] as number[][],
    ours: ([x, weight], sizes) => {
      const { stride, padding, dilation } = convSizes(sizes);
      return ops.conv2d(x as Tensor, weight as Tensor, { stride, padding, dilation });
    },
    theirs: (tf, [x, weight], sizes) => {
      const { stride, padding, dilation } = convSizes(sizes);
      const filter = (weight as Theirs).transpose([2, 3, 1, 0]) as tfTypes.Tensor4D;
      return toFirst(tf.conv2d(padded(tf, toLast(x as Theirs), padding) as tfTypes.Tensor4D, filter, stride, 'valid', 'NHWC', dilation));
    },
  },
  depthwiseConv2d: {
    limits: { n: [1, 2], c: [1, 6], h: [3, 9], w: [3, 9], k: [1, 3], stride: [1, 2], padding: [0, 1], dilation: [1, 1] },
    shapes: ({ n, c, h, w, k }) =>
      [
        [n, c, h, w],
        [c, 1, k, k],
      ] as number[][],
    ours: ([x, weight], sizes) => {
      const { stride, padding } = convSizes(sizes);
      return ops.conv2d(x as Tensor, weight as Tensor, { stride, padding, groups: sizes.c });
    },
    theirs: (tf, [x, weight], sizes) => {
      const { stride, padding } = convSizes(sizes);
      const filter = (weight as Theirs).transpose([2, 3, 0, 1]) as tfTypes.Tensor4D;
      return toFirst(tf.depthwiseConv2d(padded(tf, toLast(x as Theirs), padding) as tfTypes.Tensor4D, filter, stride, 'valid'));
    },
  },
  convTranspose2d: {
    limits: { n: [1, 2], c: [1, 3], h: [1, 5], w: [1, 5], o: [1, 4], k: [1, 3], stride: [1, 2] },
    shapes: ({ n, c, h, w, o, k }) =>
      [
        [n, c, h, w],
        [c, o, k, k],
      ] as number[][],
    ours: ([x, weight], sizes) => ops.convTranspose2d(x as Tensor, weight as Tensor, { stride: sizes.stride }),
    theirs: (tf, [x, weight], sizes) => {
      const { n, h, w, o, k, stride } = sizes as { n: number; h: number; w: number; o: number; k: number; stride: number };
      const filter = (weight as Theirs).transpose([2, 3, 1, 0]) as tfTypes.Tensor4D;
      const shape: [number, number, number, number] = [n, (h - 1) * stride + k, (w - 1) * stride + k, o];
      return toFirst(tf.conv2dTranspose(toLast(x as Theirs) as tfTypes.Tensor4D, filter, shape, stride, 'valid'));
    },
  },
  maxPool2d: {
    limits: { n: [1, 2], c: [1, 3], h: [3, 9], w: [3, 9], k: [1, 3], stride: [1, 3] },
    shapes: ({ n, c, h, w }) => [[n, c, h, w]] as number[][],
    ours: ([x], { k, stride }) => ops.maxPool2d(x as Tensor, k as number, { stride }),
    theirs: (tf, [x], { k, stride }) =>
      toFirst(tf.maxPool(toLast(x as Theirs) as tfTypes.Tensor4D, k as number, stride as number, 'valid')),
  },
  avgPool2d: {
    limits: { n: [1, 2], c: [1, 3], h: [3, 9], w: [3, 9], k: [1, 3], stride: [1, 3] },
    shapes: ({ n, c, h, w }) => [[n, c, h, w]] as number[][],
    ours: ([x], { k, stride }) => ops.avgPool2d(x as Tensor, k as number, { stride }),
    theirs: (tf, [x], { k, stride }) =>
      toFirst(tf.avgPool(toLast(x as Theirs) as tfTypes.Tensor4D, k as number, stride as number, 'valid')),
  },
  crossEntropy: {
    limits: { n: [1, 8], classes: [2, 9] },
    shapes: ({ n, classes }) => [[n, classes]] as number[][],
    ours: ([x], sizes) => ops.crossEntropy(x as Tensor, tensor(classIds(sizes))),
    theirs: (tf, [x], sizes) =>
      tf.losses.softmaxCrossEntropy(tf.oneHot(tf.tensor1d(classIds(sizes), 'int32'), sizes.classes as number), x as Theirs),
  },
  mse: pair(
    (x, y) => ops.mse(x, y),
    (tf, x, y) => tf.losses.meanSquaredError(y, x),
  ),
  l1: pair(
    (x, y) => ops.l1(x, y),
    (tf, x, y) => tf.losses.absoluteDifference(y, x),
  ),
  huber: pair(
    (x, y) => ops.huber(x, y),
    (tf, x, y) => tf.losses.huberLoss(y, x),
  ),
};
