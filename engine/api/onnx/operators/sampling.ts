// ONNX GridSample: looks up places of an image that a grid names; gradients flow to the image and to the grid.

import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';

/** Everything about one space axis: how a place beyond its ends is brought back. */
interface Axis {
  readonly size: number;
  readonly padding: string;
  readonly isAligned: boolean;
}

/** A place in -1 .. 1 as a place among the elements: -1 is the first element (aligned) or its outer edge. */
function placeOf(grid: Tensor, { size, isAligned }: Axis): Tensor {
  const from = ops.add(grid, 1);
  return isAligned ? ops.mul(from, (size - 1) / 2) : ops.sub(ops.mul(from, size / 2), 0.5);
}

/** Places beyond the ends: held at the end, or mirrored; left alone when zeros lie there. */
function within(place: Tensor, { size, padding, isAligned }: Axis): Tensor {
  if (padding === 'zeros') return place;
  if (padding === 'border') return ops.clamp(place, 0, size - 1);
  const low = isAligned ? 0 : -0.5;
  const span = isAligned ? size - 1 : size;
  if (span === 0) return ops.mul(place, 0);
  const distance = ops.abs(ops.sub(place, low));
  const rest = ops.remainder(distance, span);
  const isTurned = ops.eq(ops.remainder(ops.floor(ops.div(distance, span)), 2), 1);
  return ops.clamp(ops.add(ops.where(isTurned, ops.sub(span, rest), rest), low), 0, size - 1);
}

/** Shares of the four neighbours of a place; Keys' cubic with a = -0.75. */
function cubic(part: Tensor): Tensor[] {
  const a = -0.75;
  const near = (t: Tensor): Tensor => ops.add(ops.mul(ops.mul(ops.sub(ops.mul(t, a + 2), a + 3), t), t), 1);
  const far = (t: Tensor): Tensor => ops.sub(ops.mul(ops.add(ops.mul(ops.sub(ops.mul(t, a), 5 * a), t), 8 * a), t), 4 * a);
  return [far(ops.add(part, 1)), near(part), near(ops.sub(1, part)), far(ops.sub(2, part))];
}

/** Offsets of the neighbours of a place from its floor, and their shares. */
function neighbours(mode: string, part: Tensor): { readonly offsets: readonly number[]; readonly shares: readonly Tensor[] } {
  if (mode === 'bicubic') return { offsets: [-1, 0, 1, 2], shares: cubic(part) };
  return { offsets: [0, 1], shares: [ops.sub(1, part), part] };
}

function gridSample(call: NodeCall): Tensor {
  const [x, grid] = [call.input(0), call.input(1)];
  const [mode, padding] = [call.text('mode', 'bilinear'), call.text('padding_mode', 'zeros')];
  const [n, c, height, width] = x.shape as [number, number, number, number];
  const [, rows, columns] = grid.shape as [number, number, number];
  const axes = [height, width].map((size): Axis => ({ size, padding, isAligned: call.flag('align_corners') })) as [Axis, Axis];
  const flat = ops.reshape(x, [n, c, height * width]);

  // Elements at whole places (batch, points): (batch, channels, points); zeros where they lie outside.
  const look = (y: Tensor, x: Tensor): Tensor => {
    const inside = [y, x].map((at, i) => ops.logicalAnd(ops.ge(at, 0), ops.le(at, (axes[i] as Axis).size - 1)));
    const index = ops.add(ops.mul(ops.clamp(y, 0, height - 1), width), ops.clamp(x, 0, width - 1));
    const found = ops.gather(flat, ops.expand(ops.unsqueeze(ops.to(index, 'int32'), 1), [n, c, rows * columns]), 2);
    return ops.mul(found, ops.unsqueeze(ops.to(ops.logicalAnd(inside[0] as Tensor, inside[1] as Tensor), flat.dtype), 1));
  };

  const [yPlace, xPlace] = [1, 0].map((part, i) => {
    const place = placeOf(ops.reshape(ops.select(grid, -1, part), [n, rows * columns]), axes[i] as Axis);
    // Cubic shares belong to the place itself; its neighbours are brought back one by one.
    return mode === 'bicubic' ? place : within(place, axes[i] as Axis);
  }) as [Tensor, Tensor];
  const shaped = (values: Tensor): Tensor => ops.reshape(values, [n, c, rows, columns]);
  if (mode === 'nearest') return shaped(look(ops.round(yPlace), ops.round(xPlace)));

  const [yFloor, xFloor] = [ops.floor(yPlace), ops.floor(xPlace)];
  const down = neighbours(mode, ops.sub(yPlace, yFloor));
  const right = neighbours(mode, ops.sub(xPlace, xFloor));
  const bring = (place: Tensor, axis: Axis): Tensor => (mode === 'bicubic' ? within(place, axis) : place);
  let total: Tensor | undefined;
  for (const [i, dy] of down.offsets.entries()) {
    for (const [k, dx] of right.offsets.entries()) {
      const found = look(bring(ops.add(yFloor, dy), axes[0]), bring(ops.add(xFloor, dx), axes[1]));
      const share = ops.unsqueeze(ops.mul(down.shares[i] as Tensor, right.shares[k] as Tensor), 1);
      const part = ops.mul(found, share);
      total = total ? ops.add(total, part) : part;
    }
  }
  return shaped(total as Tensor);
}

export const samplingOperators: OperatorTable = { GridSample: gridSample };
