// Text of a tensor: nested brackets with aligned numbers; long axes keep their first and last three elements.
import type { EngineLink, Tensor } from './engine.ts';

const EDGE = 3;
/** Up to so many elements all are printed, as in PyTorch. */
const PRINT_ALL = 1000;
/** Up to so many elements the range is computed; above it would hold up the cell. */
export const RANGE_LIMIT = 1 << 22;

export interface TensorText {
  readonly text: string;
  readonly range: { readonly min: number; readonly max: number; readonly mean: number } | null;
  readonly nonFinite: number;
}

/** `float32 [2, 3]` */
export function typeText({ dtype, shape }: Tensor): string {
  return `${dtype} [${shape.join(', ')}]`;
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function printTensor(engine: EngineLink, tensor: Tensor): TensorText {
  const { shape, dtype } = tensor;
  const count = elementCount(shape);
  const isSummary = count > PRINT_ALL;
  const all = engine.readValues(tensor);
  const shown: number[] = [];
  forEachShown(shape, isSummary, (offset) => shown.push(all[offset] as number));
  const write = writer(shown, dtype);
  let next = 0;
  const text = bracket(shape, isSummary, () => write(shown[next++] as number), '');
  return { text, ...statistics(count <= RANGE_LIMIT ? all : null) };
}

export function statistics(values: ArrayLike<number> | null): Pick<TensorText, 'range' | 'nonFinite'> {
  if (!values) return { range: null, nonFinite: 0 };
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  let finite = 0;
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    if (!Number.isFinite(value)) continue;
    finite += 1;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { range: finite > 0 ? { min, max, mean: sum / finite } : null, nonFinite: values.length - finite };
}

/** Positions along one axis; -1 stands for the gap. */
function positions(size: number, isSummary: boolean): number[] {
  if (!isSummary || size <= 2 * EDGE) return Array.from({ length: size }, (_, i) => i);
  return [0, 1, 2, -1, size - 3, size - 2, size - 1];
}

function forEachShown(shape: readonly number[], isSummary: boolean, visit: (offset: number) => void): void {
  const walk = (axis: number, offset: number): void => {
    if (axis === shape.length) return visit(offset);
    const size = shape[axis] as number;
    for (const i of positions(size, isSummary)) if (i >= 0) walk(axis + 1, offset * size + i);
  };
  walk(0, 0);
}

function bracket(shape: readonly number[], isSummary: boolean, next: () => string, indent: string): string {
  const [size, ...rest] = shape;
  if (size === undefined) return next();
  const parts = positions(size, isSummary).map((i) => (i < 0 ? '...' : bracket(rest, isSummary, next, `${indent} `)));
  const separator = rest.length === 0 ? ', ' : `,${'\n'.repeat(rest.length)}${indent} `;
  return `[${parts.join(separator)}]`;
}

/** All numbers of one tensor get the same width and as many decimals as the widest range allows. */
function writer(shown: readonly number[], dtype: string): (value: number) => string {
  if (dtype === 'bool') return (value) => (value ? 'true' : 'false');
  const finite = shown.filter(Number.isFinite).map(Math.abs);
  const largest = Math.max(0, ...finite);
  const smallest = Math.min(...finite.filter((value) => value > 0), Infinity);
  const areWhole = finite.every(Number.isInteger);
  const isFloat = dtype.startsWith('float');
  const isScientific = isFloat && (largest >= 1e8 || (!areWhole && (smallest < 1e-4 || largest / smallest > 1e8)));
  const plain = (value: number): string => {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
    if (!isFloat) return String(value);
    if (isScientific) return value.toExponential(4);
    return areWhole ? `${value}.` : value.toFixed(4);
  };
  const width = Math.max(0, ...shown.map((value) => plain(value).length));
  return (value) => plain(value).padStart(width);
}
