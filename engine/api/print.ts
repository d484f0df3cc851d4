// How values of tensors are written: nested brackets, long axes cut, one width of digits for all.

import type { DType, TypedArray } from './engine.ts';

// As PyTorch: up to this many elements all are shown, beyond that the first and last of each axis.
const MOST_ELEMENTS = 1000;
const EDGE = 3;

/** `[[1, 2], [3, 4]]`; in tensors of more than 1000 elements long axes show their first and last three elements. */
export function formatTensor(values: TypedArray, shape: readonly number[], dtype: DType): string {
  const isCut = values.length > MOST_ELEMENTS;
  const write = (axis: number, from: number, count: number): string => {
    if (axis === shape.length) return formatNumber(values[from] as number, dtype);
    const size = shape[axis] as number;
    const step = size === 0 ? 0 : count / size;
    const parts: string[] = [];
    for (let i = 0; i < size; i++) {
      if (isCut && size > 2 * EDGE && i === EDGE) {
        parts.push('...');
        i = size - EDGE - 1;
        continue;
      }
      parts.push(write(axis + 1, from + i * step, step));
    }
    return `[${parts.join(', ')}]`;
  };
  return write(0, 0, values.length);
}

/** A number with five significant digits, without trailing zeros; whole numbers in full; bools as words. */
export function formatNumber(value: number, dtype: DType = 'float32'): string {
  if (dtype === 'bool') return value ? 'true' : 'false';
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return Object.is(value, -0) ? '-0' : String(value);
  return String(Number(value.toPrecision(5)));
}
