// ONNX pools. Padding and rounding are done here, by padding; the engine's pools do the rest where it has one, and
// maxima or sums over shifted slices where it has none (three space axes, dilated averages, places of the maxima).

import { arange, onesLike, zeros } from '../../create.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';
import { isFloating } from './elementwise.ts';
import { padBy } from './movement.ts';
import { padsOf, reachOf, type Window, windowOf } from './window.ts';

/** The window, with ends long enough for every result; rounding up adds a result that starts within the padded axis. */
function poolWindow(call: NodeCall, x: Tensor): Window & { readonly counts: readonly number[] } {
  const space = x.shape.slice(2);
  const window = windowOf(call, call.list('kernel_shape') ?? call.fail('needs kernel_shape'), space);
  const isUp = call.flag('ceil_mode');
  const ends: number[] = [];
  const counts = space.map((size, i) => {
    const [stride, begin, end] = [window.strides[i] as number, window.begins[i] as number, window.ends[i] as number];
    const reach = reachOf(window.sizes[i] as number, window.dilations[i] as number);
    const steps = (size + begin + end - reach) / stride;
    let count = (isUp ? Math.ceil(steps) : Math.floor(steps)) + 1;
    if (isUp && (count - 1) * stride >= size + begin) count--;
    ends.push(Math.max(0, (count - 1) * stride + reach - size - begin));
    return count;
  });
  return { ...window, ends, counts };
}

/** The elements of the padded x that lie at one place of the window: one slice per axis. */
function* shifted(padded: Tensor, window: Window, counts: readonly number[]): Generator<Tensor> {
  const total = window.sizes.reduce((product, size) => product * size, 1);
  for (let place = 0; place < total; place++) {
    let rest = place;
    let part = padded;
    for (let i = window.sizes.length - 1; i >= 0; i--) {
      const size = window.sizes[i] as number;
      const start = (rest % size) * (window.dilations[i] as number);
      rest = Math.floor(rest / size);
      part = ops.slice(
        part,
        start,
        start + ((counts[i] as number) - 1) * (window.strides[i] as number) + 1,
        i + 2,
        window.strides[i] as number,
      );
    }
    yield part;
  }
}

const isPlain = (window: Window): boolean => window.dilations.every((dilation) => dilation === 1);

function maxPool(call: NodeCall): Tensor[] {
  const input = call.input(0);
  const x = isFloating(input.dtype) ? input : ops.to(input, 'float32');
  const window = poolWindow(call, x);
  const padded = padBy(x, padsOf(window.begins, window.ends), Number.NEGATIVE_INFINITY);
  if (call.node.outputs.length > 1) return maxPoolWithPlaces(call, padded, window);
  let result: Tensor;
  const options = { stride: [...window.strides] };
  if (isPlain(window) && window.sizes.length === 1) result = ops.maxPool1d(padded, [...window.sizes], options);
  else if (isPlain(window) && window.sizes.length === 2) result = ops.maxPool2d(padded, [...window.sizes], options);
  else result = [...shifted(padded, window, window.counts)].reduce((a, b) => ops.maximum(a, b));
  return [ops.to(result, input.dtype)];
}

/** Result 1: places of the maxima in the flattened input, counted along rows or (storage_order 1) along columns. */
function maxPoolWithPlaces(call: NodeCall, padded: Tensor, window: Window & { readonly counts: readonly number[] }): Tensor[] {
  const { shape } = call.input(0);
  const total = shape.reduce((product, size) => product * size, 1);
  let numbers = arange(total, { dtype: 'int32' });
  if (call.flag('storage_order')) {
    const space = shape.slice(2);
    numbers = ops.permute(ops.reshape(numbers, [shape[0] as number, shape[1] as number, ...space.reverse()]), [
      0,
      1,
      ...space.map((_, i) => 1 + space.length - i),
    ]);
  }
  const places = padBy(ops.reshape(numbers, shape), padsOf(window.begins, window.ends));
  const values = [...shifted(padded, window, window.counts)];
  const at = [...shifted(places, window, window.counts)];
  let [best, place] = [values[0] as Tensor, at[0] as Tensor];
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as Tensor;
    const isBetter = ops.gt(value, best);
    best = ops.where(isBetter, value, best);
    place = ops.where(isBetter, at[i] as Tensor, place);
  }
  return [best, place];
}

function averagePool(call: NodeCall): Tensor {
  const x = call.input(0);
  const window = poolWindow(call, x);
  const pads = padsOf(window.begins, window.ends);
  const total = (padded: Tensor): Tensor => {
    const options = { stride: [...window.strides] };
    const size = window.sizes.reduce((product, each) => product * each, 1);
    if (isPlain(window) && window.sizes.length === 1) return ops.mul(ops.avgPool1d(padded, [...window.sizes], options), size);
    if (isPlain(window) && window.sizes.length === 2) return ops.mul(ops.avgPool2d(padded, [...window.sizes], options), size);
    return [...shifted(padded, window, window.counts)].reduce((a, b) => ops.add(a, b));
  };
  // How many elements each window holds: padding counts only when asked for, and what rounding up added never does.
  const one = onesLike(ops.slice(ops.slice(x, 0, 1, 0), 0, 1, 1));
  const includesPadding = call.flag('count_include_pad');
  const given = windowOf(call, window.sizes, x.shape.slice(2));
  const counted = includesPadding ? padBy(one, padsOf(given.begins, given.ends), 1) : one;
  const added = includesPadding
    ? padsOf(
        window.begins.map(() => 0),
        window.ends.map((end, i) => end - (given.ends[i] as number)),
      )
    : pads;
  return ops.div(total(padBy(x, pads)), total(padBy(counted, added)));
}

/** Puts elements back to the places of result 1 of MaxPool; the rest is zero. */
function maxUnpool(call: NodeCall): Tensor {
  const [x, places] = [call.input(0), call.input(1)];
  const space = x.shape.slice(2);
  const window = windowOf(call, call.list('kernel_shape') ?? call.fail('needs kernel_shape'), space);
  const sizes = space.map(
    (size, i) =>
      (size - 1) * (window.strides[i] as number) + (window.sizes[i] as number) - (window.begins[i] as number) - (window.ends[i] as number),
  );
  const shape = [...x.shape.slice(0, 2), ...sizes];
  const flat = zeros([shape.reduce((product, size) => product * size, 1)], { dtype: x.dtype });
  const result = ops.reshape(ops.scatter(flat, ops.reshape(places, [-1]), ops.reshape(x, [-1]), 0), shape);
  if (!call.has(2)) return result;
  const wanted = call.numbers(2);
  return padBy(result, [...wanted.map(() => 0), ...wanted.map((size, i) => size - (shape[i] as number))]);
}

const spaceAxes = (x: Tensor): number[] => x.shape.map((_, i) => i).slice(2);

export const poolingOperators: OperatorTable = {
  AveragePool: averagePool,
  GlobalAveragePool: (call) => ops.mean(call.input(0), spaceAxes(call.input(0)), true),
  GlobalMaxPool: (call) => ops.max(call.input(0), spaceAxes(call.input(0)), true),
  MaxPool: maxPool,
  MaxUnpool: maxUnpool,
};
