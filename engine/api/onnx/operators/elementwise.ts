// ONNX operators that work element by element: arithmetic, functions of one number, comparisons, activations, casts.

import { onesLike, rand, zerosLike } from '../../create.ts';
import type { DType } from '../../engine.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';

const unary = (f: (x: Tensor) => Tensor) => (call: NodeCall) => f(call.input(0));
const binary = (f: (x: Tensor, y: Tensor) => Tensor) => (call: NodeCall) => f(call.input(0), call.input(1));
const fold = (f: (x: Tensor, y: Tensor) => Tensor) => (call: NodeCall) => call.inputs().reduce(f);

export const isFloating = (dtype: DType): boolean => dtype === 'float32' || dtype === 'float64';

// Integer arithmetic by float64, which holds every int32 exactly.
function exactly(x: Tensor, y: Tensor, f: (x: Tensor, y: Tensor) => Tensor): Tensor {
  return isFloating(x.dtype) ? f(x, y) : f(ops.to(x, 'float64'), ops.to(y, 'float64'));
}

/** Integers divide towards zero. */
function div(x: Tensor, y: Tensor): Tensor {
  if (isFloating(x.dtype)) return ops.div(x, y);
  return ops.to(ops.trunc(exactly(x, y, ops.div)), x.dtype);
}

/** The result has the type of the base. */
function pow(call: NodeCall): Tensor {
  const [x, y] = [call.input(0), call.input(1)];
  return ops.to(exactly(x, ops.to(y, isFloating(x.dtype) ? x.dtype : 'float64'), ops.pow), x.dtype);
}

function mod(call: NodeCall): Tensor {
  const [x, y] = [call.input(0), call.input(1)];
  if (!call.flag('fmod')) return ops.remainder(x, y);
  // C's rule: the result has the sign of the dividend.
  return ops.mul(ops.sign(x), ops.remainder(ops.abs(x), ops.abs(y)));
}

/** Bits of bytes; wider unsigned integers are held as int32, whose bits would fall off elsewhere. */
function bitShift(call: NodeCall): Tensor {
  const [x, places] = [call.input(0), call.input(1)];
  if (x.dtype !== 'uint8') return call.fail(`shifts uint8 only, got ${x.dtype}`);
  const factor = ops.pow(2, ops.to(places, 'float32'));
  if (call.text('direction') === 'RIGHT') return ops.to(ops.floor(ops.div(x, factor)), 'uint8');
  return ops.to(ops.remainder(ops.mul(x, factor), 256), 'uint8');
}

function clip(call: NodeCall): Tensor {
  const x = call.input(0);
  const min = call.given('min') ? call.number('min') : call.has(1) ? call.scalar(1) : undefined;
  const max = call.given('max') ? call.number('max') : call.has(2) ? call.scalar(2) : undefined;
  if (min === undefined && max === undefined) return x;
  return ops.clamp(x, min, max);
}

function isInf(call: NodeCall): Tensor {
  const x = call.input(0);
  const infinite = ops.isinf(x);
  if (!call.flag('detect_negative', true)) return ops.logicalAnd(infinite, ops.gt(x, 0));
  if (!call.flag('detect_positive', true)) return ops.logicalAnd(infinite, ops.lt(x, 0));
  return infinite;
}

function selu(call: NodeCall): Tensor {
  const x = call.input(0);
  const alpha = call.number('alpha', 1.67326319217681884765625);
  const gamma = call.number('gamma', 1.05070102214813232421875);
  return ops.mul(ops.elu(x, alpha), gamma);
}

function shrink(call: NodeCall): Tensor {
  const x = call.input(0);
  const [bias, limit] = [call.number('bias', 0), call.number('lambd', 0.5)];
  const positive = ops.where(ops.gt(x, limit), ops.sub(x, bias), zerosLike(x));
  return ops.where(ops.lt(x, -limit), ops.add(x, bias), positive);
}

function thresholdedRelu(call: NodeCall): Tensor {
  const x = call.input(0);
  return ops.where(ops.gt(x, call.number('alpha', 1)), x, zerosLike(x));
}

function prelu(call: NodeCall): Tensor {
  const [x, slope] = [call.input(0), call.input(1)];
  if (call.opset < 7) return ops.prelu(x, slope);
  // ONNX broadcasts the slopes like any operand; our prelu takes one per channel.
  return ops.where(ops.lt(x, 0), ops.mul(x, slope), x);
}

/** Result 1 is the mask of what was kept. Without training_mode (or a ratio of 0) nothing is dropped. */
function dropout(call: NodeCall): Tensor[] {
  const x = call.input(0);
  const ratio = call.opset < 12 ? call.number('ratio', 0.5) : call.scalar(1, 0.5);
  const isTraining = call.opset >= 12 && call.scalar(2, 0) !== 0 && ratio > 0;
  if (!isTraining) return [x, onesLike(x, { dtype: 'bool' })];
  // Dropping from ones gives the mask together with its scale 1 / (1 - ratio).
  const scale = ops.dropout(onesLike(x), ratio, true);
  return [ops.mul(x, scale), ops.gt(scale, 0)];
}

function randomUniformLike(call: NodeCall): Tensor {
  const [low, high] = [call.number('low', 0), call.number('high', 1)];
  const dtype = call.dtype('dtype', call.input(0).dtype);
  return ops.add(ops.mul(rand(call.value(0).shape, { dtype }), high - low), low);
}

export const elementwiseOperators: OperatorTable = {
  Abs: unary((x) => ops.abs(x)),
  Acos: unary((x) => ops.acos(x)),
  Acosh: unary((x) => ops.acosh(x)),
  Asin: unary((x) => ops.asin(x)),
  Asinh: unary((x) => ops.asinh(x)),
  Atan: unary((x) => ops.atan(x)),
  Atanh: unary((x) => ops.atanh(x)),
  Ceil: unary((x) => ops.ceil(x)),
  Cos: unary((x) => ops.cos(x)),
  Cosh: unary((x) => ops.cosh(x)),
  Erf: unary((x) => ops.erf(x)),
  Exp: unary((x) => ops.exp(x)),
  Floor: unary((x) => ops.floor(x)),
  IsInf: isInf,
  IsNaN: unary((x) => ops.isnan(x)),
  Log: unary((x) => ops.log(x)),
  Neg: unary((x) => ops.neg(x)),
  Not: unary((x) => ops.logicalNot(x)),
  Reciprocal: unary((x) => ops.reciprocal(x)),
  Round: unary((x) => ops.round(x)),
  Sign: unary((x) => ops.sign(x)),
  Sin: unary((x) => ops.sin(x)),
  Sinh: unary((x) => ops.sinh(x)),
  Sqrt: unary((x) => ops.sqrt(x)),
  Tan: unary((x) => ops.tan(x)),
  Tanh: unary((x) => ops.tanh(x)),

  Add: binary((x, y) => ops.add(x, y)),
  Sub: binary((x, y) => ops.sub(x, y)),
  Mul: binary((x, y) => ops.mul(x, y)),
  Div: binary(div),
  Pow: pow,
  Mod: mod,
  Max: fold((x, y) => ops.maximum(x, y)),
  Min: fold((x, y) => ops.minimum(x, y)),
  Sum: fold((x, y) => ops.add(x, y)),
  Mean: (call) =>
    ops.div(
      call.inputs().reduce((x, y) => ops.add(x, y)),
      call.inputCount,
    ),
  BitShift: bitShift,
  Clip: clip,
  Where: (call) => ops.where(call.input(0), call.input(1), call.input(2)),

  Equal: binary((x, y) => ops.eq(x, y)),
  Greater: binary((x, y) => ops.gt(x, y)),
  GreaterOrEqual: binary((x, y) => ops.ge(x, y)),
  Less: binary((x, y) => ops.lt(x, y)),
  LessOrEqual: binary((x, y) => ops.le(x, y)),
  And: binary((x, y) => ops.logicalAnd(x, y)),
  Or: binary((x, y) => ops.logicalOr(x, y)),
  Xor: binary((x, y) => ops.logicalXor(x, y)),

  Celu: (call) => ops.celu(call.input(0), call.number('alpha', 1)),
  Elu: (call) => ops.elu(call.input(0), call.number('alpha', 1)),
  HardSigmoid: (call) => ops.clamp(ops.add(ops.mul(call.input(0), call.number('alpha', 0.2)), call.number('beta', 0.5)), 0, 1),
  HardSwish: unary((x) => ops.hardswish(x)),
  LeakyRelu: (call) => ops.leakyRelu(call.input(0), call.number('alpha', 0.01)),
  PRelu: prelu,
  Relu: unary((x) => ops.relu(x)),
  Selu: selu,
  Shrink: shrink,
  Sigmoid: unary((x) => ops.sigmoid(x)),
  Softplus: unary((x) => ops.softplus(x)),
  Softsign: unary((x) => ops.softsign(x)),
  ThresholdedRelu: thresholdedRelu,

  Cast: (call) => ops.to(call.input(0), call.dtype('to')),
  CastLike: (call) => ops.to(call.input(0), call.input(1).dtype),
  Identity: (call) => call.value(0),
  Dropout: dropout,
  Bernoulli: (call) => ops.to(ops.bernoulli(call.input(0)), call.dtype('dtype', call.input(0).dtype)),
  RandomUniformLike: randomUniformLike,
};
