// ONNX operators on quantised numbers, computed in floats: x is scale * (q - zero point).

import { full } from '../../create.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';
import { convolve } from './network.ts';
import { padBy } from './movement.ts';
import { padsOf, windowOf } from './window.ts';

/** One number for all, or one per place of `axis`. */
function along(x: Tensor, axis: number, rank: number): Tensor {
  if (x.rank === 0 || x.elementCount === 1) return ops.reshape(x, []);
  return ops.reshape(
    x,
    Array.from({ length: rank }, (_, i) => (i === axis ? -1 : 1)),
  );
}

// uint8 stays uint8; int8 is held as int32.
function quantized(x: Tensor, scale: Tensor, zero: Tensor): Tensor {
  const isUnsigned = zero.dtype === 'uint8';
  const shifted = ops.add(ops.round(ops.div(x, scale)), ops.to(zero, 'float32'));
  return ops.to(ops.clamp(shifted, isUnsigned ? 0 : -128, isUnsigned ? 255 : 127), isUnsigned ? 'uint8' : 'int32');
}

function dequantized(q: Tensor, scale: Tensor, zero: Tensor): Tensor {
  return ops.mul(ops.sub(ops.to(q, 'float32'), ops.to(zero, 'float32')), scale);
}

function quantizeLinear(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.value(1).shape.length === 0 ? 0 : call.axis(call.number('axis', 1), x.rank);
  const zero = call.optional(2) ?? full([], 0, { dtype: 'uint8' });
  return quantized(x, along(call.input(1), axis, x.rank), along(zero, axis, x.rank));
}

function dequantizeLinear(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.value(1).shape.length === 0 ? 0 : call.axis(call.number('axis', 1), x.rank);
  return dequantized(x, along(call.input(1), axis, x.rank), along(call.optional(2) ?? full([], 0), axis, x.rank));
}

/** The range of x, widened to hold zero, becomes 0 .. 255. Results: q, scale, zero point. */
function dynamicQuantizeLinear(call: NodeCall): Tensor[] {
  const x = call.input(0);
  const high = ops.maximum(ops.max(x), 0);
  const low = ops.minimum(ops.min(x), 0);
  const scale = ops.div(ops.sub(high, low), 255);
  const zero = ops.to(ops.clamp(ops.round(ops.div(ops.neg(low), scale)), 0, 255), 'uint8');
  return [quantized(x, scale, zero), scale, zero];
}

const centred = (call: NodeCall, i: number, zeroAt: number, shape: (zero: Tensor) => Tensor = (zero) => zero): Tensor => {
  const x = ops.to(call.input(i), 'float32');
  return call.has(zeroAt) ? ops.sub(x, ops.to(shape(call.input(zeroAt)), 'float32')) : x;
};

function matMulInteger(call: NodeCall): Tensor {
  return ops.to(ops.matmul(centred(call, 0, 2), centred(call, 1, 3)), 'int32');
}

function qLinearMatMul(call: NodeCall): Tensor {
  const a = dequantized(call.input(0), call.input(1), call.input(2));
  const b = dequantized(call.input(3), call.input(4), call.input(5));
  return quantized(ops.matmul(a, b), call.input(6), call.input(7));
}

function convolved(call: NodeCall, x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const window = windowOf(call, weight.shape.slice(2), x.shape.slice(2));
  return convolve(padBy(x, padsOf(window.begins, window.ends)), weight, bias, window.strides, window.dilations, call.number('group', 1));
}

function convInteger(call: NodeCall): Tensor {
  const weight = centred(call, 1, 3, (zero) => along(zero, 0, call.value(1).shape.length));
  return ops.to(ops.round(convolved(call, centred(call, 0, 2), weight)), 'int32');
}

function qLinearConv(call: NodeCall): Tensor {
  const rank = call.value(3).shape.length;
  const x = dequantized(call.input(0), call.input(1), call.input(2));
  const weight = dequantized(call.input(3), along(call.input(4), 0, rank), along(call.input(5), 0, rank));
  // The bias is counted in steps of both scales.
  const bias = call.has(8) ? ops.mul(ops.to(call.input(8), 'float32'), ops.mul(call.input(1), call.input(4))) : undefined;
  return quantized(convolved(call, x, weight, bias), call.input(6), call.input(7));
}

export const quantizeOperators: OperatorTable = {
  ConvInteger: convInteger,
  DequantizeLinear: dequantizeLinear,
  DynamicQuantizeLinear: dynamicQuantizeLinear,
  MatMulInteger: matMulInteger,
  QLinearConv: qLinearConv,
  QLinearMatMul: qLinearMatMul,
  QuantizeLinear: quantizeLinear,
};
