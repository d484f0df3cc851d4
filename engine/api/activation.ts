// Layers without parameters: activations. Each is the op of the same name, as a layer for sequential.

import { full } from './create.ts';
import { checkCount, declareOurs } from './dense.ts';
import { ArgumentError } from './error.ts';
import { Module, parameter } from './module.ts';
import { run } from './signature.ts';
import { requireTensor, Tensor } from './tensor.ts';

/** An op on one tensor, as a layer. */
export class Activation extends Module {
  readonly #op: string;
  readonly #attributes: readonly unknown[];

  constructor(op: string, attributes: readonly unknown[]) {
    super();
    if (attributes[0] instanceof Tensor) throw new ArgumentError(`nn.${op}() makes a layer: write nn.${op}()(x), or x.${op}()`);
    this.#op = op;
    // Undefined at the end means left out.
    this.#attributes = attributes;
  }

  override forward(x: Tensor): Tensor {
    return run(this.#op, requireTensor(x, String(this), 'x'), ...this.#attributes);
  }

  override toString(): string {
    return `${this.#op}(${this.#attributes.filter((attribute) => attribute !== undefined).join(', ')})`;
  }
}
declareOurs(Activation);

const layer = (op: string, ...attributes: unknown[]): Activation => new Activation(op, attributes);

/** max(x, 0): keeps positive values, replaces the rest with zero. */
export const relu = (): Activation => layer('relu');
/** 1 / (1 + exp(-x)): between 0 and 1. */
export const sigmoid = (): Activation => layer('sigmoid');
/** Hyperbolic tangent: between -1 and 1. */
export const tanh = (): Activation => layer('tanh');
/** x for positive values, negativeSlope * x for the rest (0.01 unless given). */
export const leakyRelu = (negativeSlope?: number): Activation => layer('leakyRelu', negativeSlope);
/** x for positive values, alpha * (exp(x) - 1) for the rest. */
export const elu = (alpha?: number): Activation => layer('elu', alpha);
/** x times the normal distribution function of x; 'tanh' computes it approximately, as GPT-2 does. */
export const gelu = (approximate?: 'none' | 'tanh'): Activation => layer('gelu', approximate);
/** x * sigmoid(x), also called swish. */
export const silu = (): Activation => layer('silu');
/** log(1 + exp(x)): a smooth relu. */
export const softplus = (): Activation => layer('softplus');
/** Positive numbers that add up to 1 along an axis. For a classifier use logits with crossEntropy, which contains it. */
export const softmax = (axis = -1): Activation => layer('softmax', axis);
/** Logarithm of softmax, computed safely. */
export const logSoftmax = (axis = -1): Activation => layer('logSoftmax', axis);
/** elu with fixed slope and scale that keep mean and variance of normal values. */
export const selu = (): Activation => layer('selu');
/** A continuous elu: max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0). */
export const celu = (alpha?: number): Activation => layer('celu', alpha);
/** x * tanh(softplus(x)). */
export const mish = (): Activation => layer('mish');
/** x / (1 + |x|). */
export const softsign = (): Activation => layer('softsign');
/** log(sigmoid(x)), computed safely. */
export const logSigmoid = (): Activation => layer('logSigmoid');
/** Cut to min..max, -1..1 unless given. */
export const hardtanh = (min?: number, max?: number): Activation => layer('hardtanh', min, max);
/** Cut to 0..6. */
export const relu6 = (): Activation => layer('relu6');
/** A sigmoid of straight lines. */
export const hardsigmoid = (): Activation => layer('hardsigmoid');
/** x * hardsigmoid(x). */
export const hardswish = (): Activation => layer('hardswish');

/** leakyRelu with a trained slope. */
export class PRelu extends Module {
  /** [count] */
  readonly weight: Tensor;

  constructor(count: number, start: number) {
    super();
    this.weight = parameter(full([checkCount('prelu', 'count', count)], start));
  }

  override forward(x: Tensor): Tensor {
    return run('prelu', requireTensor(x, String(this), 'x'), this.weight);
  }

  override toString(): string {
    return `prelu(${this.weight.shape[0]})`;
  }
}
declareOurs(PRelu);

/** leakyRelu whose slope is trained: one for all channels, or `count` of them, one per channel. Starts at 0.25. */
export const prelu = (count = 1, start = 0.25): PRelu => new PRelu(count, start);
