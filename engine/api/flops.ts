// flops: floating-point operations of one op by its shapes, for summary(). A multiplication and an addition count as two; reading,
// choosing and moving values as nothing; every other op as one per element of its larger side.

import { Tensor } from './tensor.ts';

const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

type Shapes = readonly (readonly number[])[];
type Rule = (shapes: Shapes, result: readonly number[]) => number;

/** Every element of the result is a sum over the last axis of the first factor. */
const products: Rule = ([first = []], result) => 2 * product(result) * (first.at(-1) ?? 1);
/** Every element of the result is a sum over a filter [outChannels, channels / groups, ...]. */
const filters: Rule = ([, filter = []], result) => 2 * product(result) * product(filter.slice(1));
/** Every element of the input is spread by a filter [channels, outChannels / groups, ...]. */
const spreadFilters: Rule = ([input = [], filter = []]) => 2 * product(input) * product(filter.slice(1));
/** Every example meets every element of the weights, which follow the state. */
const cell =
  (states: number): Rule =>
  (shapes) =>
    2 * (shapes[0]?.[0] ?? 1) * (product(shapes[1 + states] ?? []) + product(shapes[2 + states] ?? []));
const elements: Rule = (shapes, result) => Math.max(product(result), ...shapes.map(product));
const nothing: Rule = () => 0;

const rules: Readonly<Record<string, Rule>> = {
  matmul: products,
  bmm: products,
  linear: products,
  dot: ([first = []]) => 2 * product(first),
  conv1d: filters,
  conv2d: filters,
  conv3d: filters,
  convTranspose1d: spreadFilters,
  convTranspose2d: spreadFilters,
  convTranspose3d: spreadFilters,
  // Scores of every query with every key, and as many sums of values.
  scaledDotProductAttention: ([query = [], key = [], value = []]) =>
    2 * product(query.slice(0, -1)) * (key.at(-2) ?? 1) * ((query.at(-1) ?? 1) + (value.at(-1) ?? 1)),
  // What the inputs add to the gates, times a row of the state's weights.
  recurrence: ([x = [], weight = []]) => 2 * product(x) * (weight.at(-1) ?? 1),
  rnnCell: cell(1),
  gruCell: cell(1),
  lstmCell: cell(2),
  ...Object.fromEntries(
    (
      'reshape view flatten unflatten squeeze unsqueeze permute transpose expand repeat tile repeatInterleave concat stack slice narrow ' +
      'select index gather scatter indexSelect takeAlong maskedFill maskedSelect pad flip roll unfold pixelShuffle pixelUnshuffle ' +
      'embedding oneHot contiguous to where diag tril triu dropout dropout2d'
    )
      .split(' ')
      .map((name) => [name, nothing]),
  ),
};

/** Floating-point operations of one call of an op. `tensors` as they came: tensors, numbers, or nothing. */
export function flopsOf(op: string, tensors: readonly unknown[], result: Tensor): number {
  const shapes = tensors.map((each) => (each instanceof Tensor ? each.shape : []));
  return (rules[op] ?? elements)(shapes, result.shape);
}
