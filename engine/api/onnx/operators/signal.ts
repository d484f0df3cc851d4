// ONNX windows and the discrete Fourier transform. Complex numbers are a last axis of size 2: real and imaginary parts.

import { arange, tensor } from '../../create.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, Operator, OperatorTable } from '../call.ts';

/** a0 - a1 cos(x) + a2 cos(2 x), with x from 0 to 2 pi over the period. */
function cosineWindow(a0: number, a1: number, a2: number): Operator {
  return (call) => {
    const size = call.scalar(0);
    const period = call.flag('periodic', true) ? size : size - 1;
    const x = ops.mul(arange(size), (2 * Math.PI) / period);
    const window = ops.sub(a0, ops.mul(ops.cos(x), a1));
    const result = a2 === 0 ? window : ops.add(window, ops.mul(ops.cos(ops.mul(x, 2)), a2));
    return ops.to(result, call.dtype('output_datatype', 'float32'));
  };
}

interface Transform {
  readonly axis: number;
  /** Of the transform; the axis is cut or, with zeros, filled to it. */
  readonly length: number;
  readonly isInverse: boolean;
  readonly isOneSided: boolean;
}

/** Row k of the matrices is cos and -sin of 2 pi k n / length. */
function transform(x: Tensor, { axis, length, isInverse, isOneSided }: Transform): Tensor {
  const count = isOneSided ? Math.floor(length / 2) + 1 : length;
  const used = Math.min(length, x.size(axis));
  const matrix = (f: (angle: number) => number): Tensor => {
    const values = new Float64Array(used * count);
    // k n is taken modulo the length first, which keeps the angles exact.
    for (let n = 0; n < used; n++) for (let k = 0; k < count; k++) values[n * count + k] = f((2 * Math.PI * ((k * n) % length)) / length);
    return ops.reshape(tensor(values, { dtype: x.dtype }), [used, count]);
  };
  const [cos, sin] = [matrix(Math.cos), matrix(isInverse ? (angle) => -Math.sin(angle) : Math.sin)];
  // The transformed axis moves to the end, the parts are taken apart.
  const last = x.rank - 2;
  const part = (i: number): Tensor => ops.transpose(ops.slice(ops.select(x, -1, i), 0, used, axis), axis, last);
  const real = part(0);
  let [re, im] = [ops.matmul(real, cos), ops.neg(ops.matmul(real, sin))];
  if (x.size(-1) === 2) {
    const imaginary = part(1);
    [re, im] = [ops.add(re, ops.matmul(imaginary, sin)), ops.add(im, ops.matmul(imaginary, cos))];
  }
  const result = ops.stack([ops.transpose(re, axis, last), ops.transpose(im, axis, last)], x.rank - 1);
  return isInverse ? ops.div(result, length) : result;
}

function dft(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.axis(call.number('axis', 1), x.rank);
  return transform(x, { axis, length: call.scalar(1, x.size(axis)), isInverse: call.flag('inverse'), isOneSided: call.flag('onesided') });
}

/** Spectra of frames of the signal (batch, time, parts), each `step` behind the last: (batch, frames, bins, 2). */
function stft(call: NodeCall): Tensor {
  const [signal, step] = [call.input(0), call.scalar(1)];
  const window = call.optional(2);
  const length = call.scalar(3, window?.size(0));
  const count = Math.floor((signal.size(1) - length) / step) + 1;
  const frames = ops.stack(
    Array.from({ length: count }, (_, i) => ops.narrow(signal, 1, i * step, length)),
    1,
  );
  const weighted = window ? ops.mul(frames, ops.reshape(window, [length, 1])) : frames;
  return transform(weighted, { axis: 2, length, isInverse: false, isOneSided: call.flag('onesided', true) });
}

export const signalOperators: OperatorTable = {
  BlackmanWindow: cosineWindow(0.42, 0.5, 0.08),
  DFT: dft,
  HammingWindow: cosineWindow(25 / 46, 21 / 46, 0),
  HannWindow: cosineWindow(0.5, 0.5, 0),
  STFT: stft,
};
