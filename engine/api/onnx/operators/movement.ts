// ONNX operators that only move elements: shapes, slices, joins, padding, repetition, and constants of a shape.

import { arange, full, zeros, zerosLike } from '../../create.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';
import { Value } from '../value.ts';

const product = (sizes: readonly number[]): number => sizes.reduce((total, size) => total * size, 1);

function reshape(call: NodeCall): Tensor {
  const x = call.input(0);
  const wanted = call.list('shape') ?? call.numbers(1);
  if (!call.flag('allowzero'))
    return ops.reshape(
      x,
      wanted.map((size, i) => (size === 0 ? (x.shape[i] as number) : size)),
    );
  return ops.reshape(x, wanted);
}

/** Always two axes: those before `axis` and those from it on. */
function flatten(call: NodeCall): Tensor {
  const x = call.input(0);
  const at = call.number('axis', 1);
  const axis = at < 0 ? at + x.rank : at;
  return ops.reshape(x, [product(x.shape.slice(0, axis)), product(x.shape.slice(axis))]);
}

function squeeze(call: NodeCall): Tensor {
  const x = call.input(0);
  return ops.squeeze(x, call.axes(1, x.rank));
}

function unsqueeze(call: NodeCall): Tensor {
  const x = call.input(0);
  const added = call.list('axes') ?? call.numbers(1);
  const axes = call.axes(1, x.rank + added.length) as number[];
  const shape: number[] = [];
  let next = 0;
  for (let i = 0; i < x.rank + axes.length; i++) shape.push(axes.includes(i) ? 1 : (x.shape[next++] as number));
  return ops.reshape(x, shape);
}

function transpose(call: NodeCall): Tensor {
  const x = call.input(0);
  return ops.permute(x, call.list('perm') ?? x.shape.map((_, i) => x.rank - 1 - i));
}

function slice(call: NodeCall): Tensor {
  let x = call.input(0);
  const starts = call.list('starts') ?? call.numbers(1);
  const ends = call.list('ends') ?? call.numbers(2);
  const axes = call.list('axes') ?? (call.has(3) ? call.numbers(3) : starts.map((_, i) => i));
  const steps = call.has(4) ? call.numbers(4) : starts.map(() => 1);
  starts.forEach((start, i) => {
    x = sliceAxis(x, call.axis(axes[i] as number, x.rank), start, ends[i] as number, steps[i] as number);
  });
  return x;
}

/** Python's slice: negative steps go backwards, places outside are cut off. */
function sliceAxis(x: Tensor, axis: number, start: number, end: number, step: number): Tensor {
  const size = x.size(axis);
  const place = (at: number, low: number, high: number): number => Math.min(Math.max(at < 0 ? at + size : at, low), high);
  if (step > 0) {
    const first = place(start, 0, size);
    return ops.slice(x, first, Math.max(first, place(end, 0, size)), axis, step);
  }
  // Backwards over x is forwards over the flipped x.
  const first = size - 1 - place(start, -1, size - 1);
  const last = size - 1 - place(end, -1, size - 1);
  return ops.slice(ops.flip(x, [axis]), first, Math.max(first, last), axis, -step);
}

function split(call: NodeCall): Tensor[] {
  const x = call.input(0);
  const axis = call.axis(call.number('axis', 0), x.rank);
  const count = call.node.outputs.length;
  const part = Math.ceil(x.size(axis) / count);
  const sizes =
    call.list('split') ??
    (call.has(1) ? call.numbers(1) : Array.from({ length: count }, (_, i) => Math.min(part, x.size(axis) - i * part)));
  let from = 0;
  return sizes.map((size) => {
    from += size;
    return ops.slice(x, from - size, from, axis);
  });
}

function pad(call: NodeCall): Tensor {
  const x = call.input(0);
  const pads = call.list('pads') ?? call.numbers(1);
  const mode = call.text('mode', 'constant');
  const value = call.given('value') ? call.number('value') : call.scalar(2, 0);
  return padBy(x, pads, value, mode === 'edge' ? 'replicate' : mode === 'wrap' ? 'circular' : mode);
}

/** ONNX lists all starts, then all ends, first axis first; ours are pairs, last axis first. Negative numbers cut off. */
export function padBy(x: Tensor, pads: readonly number[], value = 0, mode = 'constant'): Tensor {
  const pairs: number[] = [];
  let used = 0;
  for (let axis = x.rank - 1; axis >= 0; axis--) {
    const [before, after] = [pads[axis] as number, pads[axis + x.rank] as number];
    pairs.push(before, after);
    if (before !== 0 || after !== 0) used = pairs.length;
  }
  return used === 0 ? x : ops.pad(x, pairs.slice(0, used), mode, value);
}

function expand(call: NodeCall): Tensor {
  const x = call.input(0);
  const wanted = call.numbers(1);
  // Broadcasting in both directions: sizes of 1 in the wanted shape keep those of x.
  const rank = Math.max(x.rank, wanted.length);
  const sizes = Array.from({ length: rank }, (_, i) => {
    const own = x.shape[i - rank + x.rank] ?? 1;
    const other = wanted[i - rank + wanted.length] ?? 1;
    return own === 1 ? other : own;
  });
  return ops.expand(x, sizes);
}

/** Moves blocks of channels into space; DCR and CRD differ in which axis of the channels is the block. */
function depthToSpace(call: NodeCall): Tensor {
  const x = call.input(0);
  const block = call.number('blocksize');
  const [n, c, h, w] = x.shape as [number, number, number, number];
  const left = c / block ** 2;
  const ordered =
    call.text('mode', 'DCR') === 'DCR'
      ? ops.permute(ops.reshape(x, [n, block, block, left, h, w]), [0, 3, 4, 1, 5, 2])
      : ops.permute(ops.reshape(x, [n, left, block, block, h, w]), [0, 1, 4, 2, 5, 3]);
  return ops.reshape(ordered, [n, left, h * block, w * block]);
}

function spaceToDepth(call: NodeCall): Tensor {
  const x = call.input(0);
  const block = call.number('blocksize');
  const [n, c, h, w] = x.shape as [number, number, number, number];
  const parts = ops.reshape(x, [n, c, h / block, block, w / block, block]);
  return ops.reshape(ops.permute(parts, [0, 3, 5, 1, 2, 4]), [n, c * block ** 2, h / block, w / block]);
}

function shape(call: NodeCall): Value {
  const sizes = call.value(0).shape;
  const end = call.given('end') ? call.number('end') : sizes.length;
  return Value.integers(sizes.slice(call.number('start', 0), end));
}

function constant(call: NodeCall): Value {
  const tensor = call.constant('value');
  if (tensor) return new Value(tensor);
  for (const [name, type] of [
    ['value_float', 'float32'],
    ['value_floats', 'float32'],
    ['value_int', 'int64'],
    ['value_ints', 'int64'],
  ] as const) {
    if (!call.given(name)) continue;
    const values = name.endsWith('s') ? (call.list(name) as number[]) : [call.number(name)];
    const sizes = name.endsWith('s') ? [values.length] : [];
    return new Value({ name, type, shape: sizes, values: type === 'int64' ? Float64Array.from(values) : Float32Array.from(values) });
  }
  return call.fail('has no constant of numbers');
}

function constantOfShape(call: NodeCall): Tensor {
  const sizes = call.numbers(0);
  const value = call.constant('value');
  return value ? full(sizes, value.values[0] as number, { dtype: new Value(value).tensor.dtype }) : zeros(sizes);
}

function range(call: NodeCall): Tensor {
  const { dtype } = call.input(0);
  return arange(call.scalar(0), call.scalar(1), call.scalar(2), { dtype });
}

function eyeLike(call: NodeCall): Tensor {
  const [rows, columns] = call.value(0).shape as [number, number];
  const dtype = call.dtype('dtype', call.input(0).dtype);
  const distance = ops.sub(arange(columns, { dtype: 'int32' }), ops.unsqueeze(arange(rows, { dtype: 'int32' }), 1));
  return ops.to(ops.eq(distance, call.number('k', 0)), dtype);
}

function trilu(call: NodeCall): Tensor {
  const x = call.input(0);
  const k = call.scalar(1, 0);
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const distance = ops.sub(arange(columns, { dtype: 'int32' }), ops.unsqueeze(arange(rows, { dtype: 'int32' }), 1));
  const kept = call.flag('upper', true) ? ops.ge(distance, k) : ops.le(distance, k);
  return ops.where(kept, x, zerosLike(x));
}

export const movementOperators: OperatorTable = {
  Concat: (call) => ops.concat(call.inputs(), call.axis(call.number('axis'), call.value(0).shape.length)),
  Constant: constant,
  ConstantOfShape: constantOfShape,
  DepthToSpace: depthToSpace,
  Expand: expand,
  EyeLike: eyeLike,
  Flatten: flatten,
  Pad: pad,
  Range: range,
  Reshape: reshape,
  Shape: shape,
  Size: (call) => Value.integers([product(call.value(0).shape)], []),
  Slice: slice,
  SpaceToDepth: spaceToDepth,
  Split: split,
  Squeeze: squeeze,
  Tile: (call) => ops.tile(call.input(0), call.numbers(1)),
  Transpose: transpose,
  Trilu: trilu,
  Unsqueeze: unsqueeze,
};
