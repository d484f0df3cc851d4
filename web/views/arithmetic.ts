// How one number of a feature map comes about: the patch of the picture under the kernel, times the kernel, plus the bias.
import type { MapsData } from '../../notebook/protocol/views.ts';
import { formatValue } from '../charts/numbers.ts';
import { h } from '../dom.ts';

export type Kernels = NonNullable<MapsData['kernels']>;

/** A wider kernel is not written out: nobody reads a hundred numbers. */
const WIDEST = 7;

/** The numbers under kernel `map` at a place of its map, zeros outside of the picture, and their sum with the bias. */
export function sumAt({ input, inputWidth, inputHeight, weights, bias, width, height, top, left }: Kernels, map: number, row: number, column: number) {
  const kernel = weights.subarray(map * width * height, (map + 1) * width * height);
  const patch = Float32Array.from(kernel, (_, i) => {
    const y = row - top + Math.floor(i / width);
    const x = column - left + (i % width);
    return y >= 0 && y < inputHeight && x >= 0 && x < inputWidth ? input[y * inputWidth + x]! : 0;
  });
  return { patch, kernel, bias: bias[map]!, sum: patch.reduce((sum, each, i) => sum + each * kernel[i]!, bias[map]!) };
}

/** Two small tables and the sum, as they stand under the maps. */
export function arithmeticOf(kernels: Kernels, map: number, row: number, column: number): HTMLElement {
  const { patch, kernel, bias, sum } = sumAt(kernels, map, row, column);
  const grid = (name: string, values: Float32Array) => h('table', { class: 'figures', 'aria-label': name },
    h('caption', null, name),
    h('tbody', null, Array.from({ length: kernels.height }, (_, y) => h('tr', null, Array.from({ length: kernels.width }, (_, x) => h('td', null, values[y * kernels.width + x]!.toFixed(2).replace('-', '\u2212')))))));
  const isShort = kernels.width <= WIDEST && kernels.height <= WIDEST;
  return h('div', { class: 'arithmetic', data: { sum: String(sum) } },
    isShort ? [grid('patch', patch), h('b', { 'aria-label': 'times' }, '×'), grid('kernel', kernel)] : null,
    h('p', { class: 'figures' }, `products ${formatValue(sum - bias)} + bias ${formatValue(bias)} = `, h('b', null, formatValue(sum))));
}
