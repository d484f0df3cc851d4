// The windows that convolutions and pools slide over the space axes: sizes, strides, dilations and padding of an ONNX node.

import type { NodeCall } from '../call.ts';

/** One entry per space axis. */
export interface Window {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly begins: readonly number[];
  readonly ends: readonly number[];
}

/** The window of a node over space axes of the sizes `space`. */
export function windowOf(call: NodeCall, sizes: readonly number[], space: readonly number[]): Window {
  const ones = space.map(() => 1);
  const strides = call.list('strides') ?? ones;
  const dilations = call.list('dilations') ?? ones;
  const mode = call.text('auto_pad', 'NOTSET');
  if (mode === 'VALID') return { sizes, strides, dilations, begins: space.map(() => 0), ends: space.map(() => 0) };
  if (mode === 'SAME_UPPER' || mode === 'SAME_LOWER') {
    // As many results as strides fit into the axis; an odd rest goes to the end, or to the start.
    const totals = space.map((size, i) => {
      const [stride, reach] = [strides[i] as number, reachOf(sizes[i] as number, dilations[i] as number)];
      return Math.max(0, (Math.ceil(size / stride) - 1) * stride + reach - size);
    });
    const small = totals.map((total) => Math.floor(total / 2));
    const large = totals.map((total) => Math.ceil(total / 2));
    return mode === 'SAME_UPPER'
      ? { sizes, strides, dilations, begins: small, ends: large }
      : { sizes, strides, dilations, begins: large, ends: small };
  }
  const pads = call.list('pads') ?? [...space, ...space].map(() => 0);
  return { sizes, strides, dilations, begins: pads.slice(0, space.length), ends: pads.slice(space.length) };
}

/** Elements from the first to the last one that a window covers. */
export function reachOf(size: number, dilation: number): number {
  return (size - 1) * dilation + 1;
}

/** Padding of the space axes as ONNX lists it for all axes: starts, then ends. */
export function padsOf(begins: readonly number[], ends: readonly number[]): number[] {
  return [0, 0, ...begins, 0, 0, ...ends];
}
