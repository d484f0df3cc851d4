// PyTorch's elementwise operators in ops of ours.

import { ops, type Tensor } from '../../../../engine/api/index.ts';
import type { Arguments } from '../arguments.ts';
import type { Row, Table } from '../table.ts';

const unary =
  (f: (x: Tensor) => Tensor): Row =>
  (a) =>
    f(a.tensor(0));
const binary =
  (f: (x: Tensor, y: Tensor | number) => Tensor): Row =>
  (a) =>
    f(a.tensor(0), a.operand(1, 'other'));

/** x + alpha y */
const scaled = (a: Arguments, f: (x: Tensor, y: Tensor) => Tensor): Tensor => {
  const alpha = a.number(-1, 'alpha', 1);
  return f(a.tensor(0), alpha === 1 ? a.tensor(1) : ops.mul(a.tensor(1), alpha));
};

export const elementwise: Table = {
  abs: unary((x) => ops.abs(x)),
  acos: unary((x) => ops.acos(x)),
  acosh: unary((x) => ops.acosh(x)),
  asin: unary((x) => ops.asin(x)),
  asinh: unary((x) => ops.asinh(x)),
  atan: unary((x) => ops.atan(x)),
  atanh: unary((x) => ops.atanh(x)),
  ceil: unary((x) => ops.ceil(x)),
  cos: unary((x) => ops.cos(x)),
  cosh: unary((x) => ops.cosh(x)),
  erf: unary((x) => ops.erf(x)),
  exp: unary((x) => ops.exp(x)),
  expm1: unary((x) => ops.expm1(x)),
  floor: unary((x) => ops.floor(x)),
  isfinite: unary((x) => ops.isfinite(x)),
  isinf: unary((x) => ops.isinf(x)),
  isnan: unary((x) => ops.isnan(x)),
  log: unary((x) => ops.log(x)),
  log10: unary((x) => ops.log10(x)),
  log1p: unary((x) => ops.log1p(x)),
  log2: unary((x) => ops.log2(x)),
  logical_not: unary((x) => ops.logicalNot(x)),
  neg: unary((x) => ops.neg(x)),
  reciprocal: unary((x) => ops.reciprocal(x)),
  round: unary((x) => ops.round(x)),
  rsqrt: unary((x) => ops.rsqrt(x)),
  sigmoid: unary((x) => ops.sigmoid(x)),
  sign: unary((x) => ops.sign(x)),
  sin: unary((x) => ops.sin(x)),
  sinh: unary((x) => ops.sinh(x)),
  sqrt: unary((x) => ops.sqrt(x)),
  square: unary((x) => ops.square(x)),
  tan: unary((x) => ops.tan(x)),
  tanh: unary((x) => ops.tanh(x)),
  trunc: unary((x) => ops.trunc(x)),

  add: (a) => scaled(a, (x, y) => ops.add(x, y)),
  sub: (a) => scaled(a, (x, y) => ops.sub(x, y)),
  mul: binary((x, y) => ops.mul(x, y)),
  'div.no_rounding_mode': binary((x, y) => ops.div(x, y)),
  pow: binary((x, y) => ops.pow(x, y)),
  atan2: binary((y, x) => ops.atan2(y, x)),
  remainder: binary((x, y) => ops.remainder(x, y)),
  maximum: binary((x, y) => ops.maximum(x, y)),
  minimum: binary((x, y) => ops.minimum(x, y)),
  eq: binary((x, y) => ops.eq(x, y)),
  ne: binary((x, y) => ops.ne(x, y)),
  ge: binary((x, y) => ops.ge(x, y)),
  gt: binary((x, y) => ops.gt(x, y)),
  le: binary((x, y) => ops.le(x, y)),
  lt: binary((x, y) => ops.lt(x, y)),
  logical_and: binary((x, y) => ops.logicalAnd(x, y)),
  logical_or: binary((x, y) => ops.logicalOr(x, y)),
  logical_xor: binary((x, y) => ops.logicalXor(x, y)),

  clamp: (a) => ops.clamp(a.tensor(0), a.maybe(1, 'min'), a.maybe(2, 'max')),
  lerp: (a) => ops.lerp(a.tensor(0), a.tensor(1), a.operand(2)),
  where: (a) => ops.where(a.tensor(1), a.tensor(0), a.tensor(2)),
  // PyTorch also takes a tensor as value, and finds its gradient.
  masked_fill: (a) =>
    a.optional(2, 'value') ? 'ours takes a number as value' : ops.maskedFill(a.tensor(0), a.tensor(1), a.number(2, 'value')),

  'nn.functional.relu': unary((x) => ops.relu(x)),
  'nn.functional.leaky_relu': (a) => ops.leakyRelu(a.tensor(0), a.number(1, 'negative_slope', 0.01)),
  'nn.functional.elu': (a) => ops.elu(a.tensor(0), a.number(1, 'alpha', 1)),
  'nn.functional.selu': unary((x) => ops.selu(x)),
  'nn.functional.celu': (a) => ops.celu(a.tensor(0), a.number(1, 'alpha', 1)),
  'nn.functional.gelu': (a) => ops.gelu(a.tensor(0), a.text(1, 'approximate', 'none')),
  'nn.functional.silu': unary((x) => ops.silu(x)),
  'nn.functional.mish': unary((x) => ops.mish(x)),
  'nn.functional.softplus': (a) => ops.softplus(a.tensor(0), a.number(1, 'beta', 1), a.number(2, 'threshold', 20)),
  'nn.functional.hardswish': unary((x) => ops.hardswish(x)),
  'nn.functional.hardsigmoid': unary((x) => ops.hardsigmoid(x)),
  'nn.functional.hardtanh': (a) => ops.hardtanh(a.tensor(0), a.number(1, 'min_val', -1), a.number(2, 'max_val', 1)),
  'nn.functional.relu6': unary((x) => ops.relu6(x)),
  'nn.functional.prelu': (a) => ops.prelu(a.tensor(0), a.tensor(1, 'weight')),
  'nn.functional.logsigmoid': unary((x) => ops.logSigmoid(x)),
  'nn.functional.softsign': unary((x) => ops.softsign(x)),
};
