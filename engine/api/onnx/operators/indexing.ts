// ONNX operators that choose elements by indices or conditions, or sort them. Indices below zero count from the end.

import { full, tensor, zeros, zerosLike } from '../../create.ts';
import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';
import { OnnxError } from '../wire.ts';

const product = (sizes: readonly number[]): number => sizes.reduce((total, size) => total * size, 1);

/** Indices counted from the front. */
function fromFront(index: Tensor, size: number): Tensor {
  return ops.where(ops.lt(index, 0), ops.add(index, size), index);
}

function gather(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.axis(call.number('axis', 0), x.rank);
  const index = fromFront(call.input(1), x.size(axis));
  const chosen = ops.indexSelect(x, ops.reshape(index, [-1]), axis);
  return ops.reshape(chosen, [...x.shape.slice(0, axis), ...index.shape, ...x.shape.slice(axis + 1)]);
}

function gatherElements(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.axis(call.number('axis', 0), x.rank);
  return ops.gather(x, fromFront(call.input(1), x.size(axis)), axis);
}

/** Places of rows of indices [..., depth] in the flattened first `depth` axes of `sizes`. */
function places(index: Tensor, sizes: readonly number[]): Tensor {
  const depth = index.size(-1);
  if (depth > sizes.length) throw new OnnxError(`onnx: indices of ${depth} numbers do not fit ${sizes.length} axes`);
  let flat = zeros(index.shape.slice(0, -1), { dtype: 'int32' });
  for (let i = 0; i < depth; i++) {
    const size = sizes[i] as number;
    flat = ops.add(ops.mul(flat, size), fromFront(ops.select(index, -1, i), size));
  }
  return flat;
}

function gatherND(call: NodeCall): Tensor {
  const [x, index] = [call.input(0), call.input(1)];
  const batch = call.number('batch_dims', 0);
  const depth = index.size(-1);
  const sizes = x.shape.slice(batch, batch + depth);
  const rest = x.shape.slice(batch + depth);
  const batches = product(x.shape.slice(0, batch));
  const rows = product(sizes);
  // Every batch has its own block of rows.
  const inBatch = ops.reshape(places(index, sizes), [batches, -1]);
  const first = tensor(
    Float64Array.from({ length: batches }, (_, i) => i * rows),
    { dtype: 'int32' },
  );
  const flat = ops.reshape(ops.add(inBatch, ops.unsqueeze(first, 1)), [-1]);
  const chosen = ops.indexSelect(ops.reshape(x, [batches * rows, product(rest)]), flat, 0);
  return ops.reshape(chosen, [...index.shape.slice(0, -1), ...rest]);
}

function scatterElements(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.axis(call.number('axis', 0), x.rank);
  const index = fromFront(call.input(1), x.size(axis));
  const reduction = call.text('reduction', 'none');
  if (reduction === 'none') return ops.scatter(x, index, call.input(2), axis);
  if (reduction === 'add') return ops.scatterAdd(x, index, call.input(2), axis);
  return call.fail(`the reduction "${reduction}" is not supported`);
}

function scatterND(call: NodeCall): Tensor {
  const [x, index, updates] = [call.input(0), call.input(1), call.input(2)];
  const depth = index.size(-1);
  const sizes = x.shape.slice(0, depth);
  const rest = product(x.shape.slice(depth));
  const flat = ops.reshape(places(index, sizes), [-1, 1]);
  const wide = ops.expand(flat, [flat.size(0), rest]);
  const base = ops.reshape(x, [product(sizes), rest]);
  const source = ops.reshape(updates, [-1, rest]);
  const reduction = call.text('reduction', 'none');
  if (reduction === 'none') return ops.reshape(ops.scatter(base, wide, source, 0), x.shape);
  if (reduction === 'add') return ops.reshape(ops.scatterAdd(base, wide, source, 0), x.shape);
  if (reduction === 'mul') {
    // One update per row at a time, so that repeated places multiply.
    let result = base;
    for (let i = 0; i < flat.size(0); i++) {
      const row = ops.select(flat, 0, i);
      const changed = ops.mul(ops.indexSelect(result, row, 0), ops.select(source, 0, i));
      result = ops.scatter(result, ops.expand(ops.unsqueeze(row, 1), [1, rest]), changed, 0);
    }
    return ops.reshape(result, x.shape);
  }
  return call.fail(`the reduction "${reduction}" is not supported`);
}

function oneHot(call: NodeCall): Tensor {
  const [ids, depth] = [call.input(0), call.scalar(1)];
  const [off, on] = call.numbers(2) as [number, number];
  const rank = ids.rank + 1;
  const axis = call.axis(call.number('axis', -1), rank);
  const index = fromFront(ops.to(ids, 'int32'), depth);
  // Ids outside of 0 .. depth - 1 light no place, so they are compared instead of scattered.
  const steps = tensor(Int32Array.from({ length: depth }, (_, i) => i));
  const shape = Array.from({ length: rank }, (_, i) => (i === axis ? depth : 1));
  const lit = ops.eq(ops.unsqueeze(index, axis), ops.reshape(steps, shape));
  const { dtype } = call.input(2);
  return ops.where(lit, full([], on, { dtype }), full([], off, { dtype }));
}

function topK(call: NodeCall): Tensor[] {
  const x = call.input(0);
  const k = call.given('k') ? call.number('k') : call.scalar(1);
  const axis = call.axis(call.number('axis', -1), x.rank);
  const largest = call.flag('largest', true);
  return [ops.topk(x, k, axis, largest), ops.topkIndices(x, k, axis, largest)];
}

/** The places where a condition holds, read from the engine: their number gives the shape of the result. */
function compress(call: NodeCall): Tensor {
  const kept = call.numbers(1).flatMap((yes, i) => (yes ? [i] : []));
  const x = call.given('axis') ? call.input(0) : ops.reshape(call.input(0), [-1]);
  const axis = call.given('axis') ? call.axis(call.number('axis'), x.rank) : 0;
  return ops.indexSelect(x, tensor(Int32Array.from(kept)), axis);
}

function reverseSequence(call: NodeCall): Tensor {
  const x = call.input(0);
  const [time, batch] = [call.number('time_axis', 0), call.number('batch_axis', 1)];
  const lengths = call.numbers(1);
  const rows = lengths.map((length, i) => {
    const row = ops.narrow(x, batch, i, 1);
    return ops.concat([ops.flip(ops.slice(row, 0, length, time), [time]), ops.slice(row, length, x.size(time), time)], time);
  });
  return ops.concat(rows, batch);
}

interface Slot {
  readonly first: number;
  readonly key: string;
  readonly values: readonly number[];
  readonly places: number[];
}

/** Values (or slices along an axis) without repetition; first places, places of each input, counts. */
function unique(call: NodeCall): Tensor[] {
  const whole = call.input(0);
  const x = call.given('axis') ? whole : ops.reshape(whole, [-1]);
  const axis = call.given('axis') ? call.axis(call.number('axis'), x.rank) : 0;
  const count = x.size(axis);
  const rows = ops.reshape(ops.transpose(x, 0, axis), [count, -1]).values();
  const width = count === 0 ? 0 : rows.length / count;
  const found = new Map<string, Slot>();
  for (let i = 0; i < count; i++) {
    const values = Array.from(rows.slice(i * width, (i + 1) * width));
    const key = values.join(',');
    const slot = found.get(key);
    if (slot) slot.places.push(i);
    else found.set(key, { first: i, key, values, places: [i] });
  }
  const order = [...found.values()];
  if (call.flag('sorted', true)) order.sort((a, b) => compare(a.values, b.values));
  const inverse = new Int32Array(count);
  order.forEach((slot, at) => {
    for (const place of slot.places) inverse[place] = at;
  });
  const first = tensor(Int32Array.from(order, (slot) => slot.first));
  return [ops.indexSelect(x, first, axis), first, tensor(inverse), tensor(Int32Array.from(order, (slot) => slot.places.length))];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return 0;
}

/** Running sums, from the end with `reverse`, without the element itself with `exclusive`. */
function cumSum(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.axis(call.scalar(1), x.rank);
  const turned = call.flag('reverse') ? ops.flip(x, [axis]) : x;
  const total = ops.cumsum(turned, axis);
  const result = call.flag('exclusive') ? ops.sub(total, turned) : total;
  return call.flag('reverse') ? ops.flip(result, [axis]) : result;
}

function hardmax(call: NodeCall): Tensor {
  const x = call.input(0);
  const axis = call.axis(call.number('axis', call.opset < 13 ? 1 : -1), x.rank);
  const winner = ops.argmax(x, axis, true);
  return ops.scatter(zerosLike(x), winner, full(winner.shape, 1, { dtype: x.dtype }), axis);
}

export const indexingOperators: OperatorTable = {
  Compress: compress,
  CumSum: cumSum,
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherND,
  Hardmax: hardmax,
  NonZero: (call) => ops.transpose(ops.nonzero(call.input(0))),
  OneHot: oneHot,
  ReverseSequence: reverseSequence,
  Scatter: scatterElements,
  ScatterElements: scatterElements,
  ScatterND: scatterND,
  TopK: topK,
  Unique: unique,
};
