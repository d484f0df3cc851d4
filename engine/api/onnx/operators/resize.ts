// ONNX Resize and Upsample. Every mode is linear along each axis, so each axis is one matrix product (nearest: one
// choice of indices), and gradients flow through all of them.

import { full, tensor } from '../../create.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';

interface Axis {
  readonly from: number;
  readonly scale: number;
  /** Part of the axis that tf_crop_and_resize looks at. */
  readonly start: number;
  readonly end: number;
}

function resize(call: NodeCall): Tensor {
  const x = call.input(0);
  const old = call.opset < 11;
  const [regionAt, scalesAt, sizesAt] = old ? [-1, 1, -1] : [1, 2, 3];
  const sizes = call.has(sizesAt) ? call.numbers(sizesAt) : undefined;
  const scales = call.list('scales') ?? (call.has(scalesAt) ? call.numbers(scalesAt) : []);
  const region = call.has(regionAt) ? call.numbers(regionAt) : [];
  const mode = call.text('mode', 'nearest');
  const transform = call.text('coordinate_transformation_mode', old ? 'asymmetric' : 'half_pixel');
  let result = x;
  let outside: Tensor | undefined;
  x.shape.forEach((from, i) => {
    const to = sizes?.length ? (sizes[i] as number) : Math.floor(from * (scales[i] as number));
    const scale = sizes?.length ? to / from : (scales[i] as number);
    const axis = { from, scale, start: region[i] ?? 0, end: region[i + x.rank] ?? 1 };
    if (to === from && scale === 1 && transform !== 'tf_crop_and_resize') return;
    const places = Array.from({ length: to }, (_, j) => placeOf(j, axis, transform));
    result = mode === 'nearest' ? nearest(call, result, i, places, old) : weighted(call, result, i, places, mode);
    if (transform !== 'tf_crop_and_resize') return;
    const isOutside = tensor(places.map((place) => place < 0 || place > from - 1));
    const shaped = ops.reshape(
      isOutside,
      x.shape.map((_, k) => (k === i ? -1 : 1)),
    );
    outside = outside ? ops.logicalOr(outside, shaped) : shaped;
  });
  return outside ? ops.where(outside, full([], call.number('extrapolation_value', 0), { dtype: x.dtype }), result) : result;
}

/** Where result j lies on the axis of x. */
function placeOf(j: number, axis: Axis, transform: string): number {
  const { from, scale, start, end } = axis;
  // The length that the scale asks for, before it was rounded down.
  const to = from * scale;
  switch (transform) {
    case 'align_corners':
      return to > 1 ? (j * (from - 1)) / (to - 1) : 0;
    case 'asymmetric':
      return j / scale;
    case 'pytorch_half_pixel':
      return to > 1 ? (j + 0.5) / scale - 0.5 : 0;
    case 'tf_half_pixel_for_nn':
      return (j + 0.5) / scale;
    case 'tf_crop_and_resize':
      return to > 1 ? start * (from - 1) + (j * (end - start) * (from - 1)) / (to - 1) : 0.5 * (start + end) * (from - 1);
    default:
      return (j + 0.5) / scale - 0.5;
  }
}

function nearest(call: NodeCall, x: Tensor, axis: number, places: readonly number[], old: boolean): Tensor {
  const rounding = call.text('nearest_mode', old ? 'floor' : 'round_prefer_floor');
  const round: Record<string, (place: number) => number> = {
    floor: Math.floor,
    ceil: Math.ceil,
    round_prefer_ceil: (place) => Math.floor(place + 0.5),
    round_prefer_floor: (place) => Math.ceil(place - 0.5),
  };
  const apply = round[rounding] ?? call.fail(`the nearest_mode "${rounding}" is not supported`);
  const last = x.size(axis) - 1;
  return ops.indexSelect(x, tensor(Int32Array.from(places, (place) => Math.min(Math.max(apply(place), 0), last))), axis);
}

/** Multiplies one axis by a matrix of shares, (results, elements). */
function weighted(call: NodeCall, x: Tensor, axis: number, places: readonly number[], mode: string): Tensor {
  const size = x.size(axis);
  const shares = new Float64Array(places.length * size);
  places.forEach((place, j) => {
    const first = Math.floor(place);
    const part = place - first;
    const weights =
      mode === 'cubic'
        ? cubic(part, call.number('cubic_coeff_a', -0.75))
        : mode === 'linear'
          ? [0, 1 - part, part, 0]
          : call.fail(`the mode "${mode}" is not supported`);
    const kept = weights.map((weight, k) => {
      const at = first - 1 + k;
      return call.flag('exclude_outside') && (at < 0 || at >= size) ? 0 : weight;
    });
    const total = kept.reduce((a, b) => a + b, 0);
    kept.forEach((weight, k) => {
      // Beyond the ends the last element goes on.
      const at = Math.min(Math.max(first - 1 + k, 0), size - 1);
      shares[j * size + at] = (shares[j * size + at] as number) + weight / total;
    });
  });
  const matrix = ops.reshape(tensor(shares, { dtype: x.dtype }), [places.length, size]);
  const moved = ops.transpose(x, axis, x.rank - 1);
  return ops.transpose(ops.matmul(moved, ops.transpose(matrix)), axis, x.rank - 1);
}

/** Shares of the four neighbours of a place `part` behind the second; Keys' cubic with parameter a. */
function cubic(part: number, a: number): number[] {
  const near = (t: number): number => ((a + 2) * t - (a + 3)) * t * t + 1;
  const far = (t: number): number => ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return [far(part + 1), near(part), near(1 - part), far(2 - part)];
}

export const resizeOperators: OperatorTable = { Resize: resize, Upsample: resize };
