// Cases whose expected numbers come from another random generator are judged by the definition of their operator.

import type { Model } from '../../../engine/api/onnx/model.ts';
import type { TensorData } from '../../../engine/api/onnx/tensor.ts';
import type { Value } from '../../../engine/api/onnx/value.ts';

interface Judge {
  applies(model: Model, inputs: readonly TensorData[]): boolean;
  /** What is wrong with the results, or undefined. */
  problem(inputs: readonly TensorData[], results: readonly Value[], model: Model): string | undefined;
}

const numbers = (data: TensorData | undefined): number[] => Array.from((data?.values ?? []) as ArrayLike<number>);

/** Five standard deviations: a right generator fails once in two million draws, and ours is seeded. */
function isLikely(hits: number, count: number, p: number): boolean {
  return Math.abs(hits - count * p) <= 5 * Math.sqrt(count * p * (1 - p)) + 1e-9;
}

const dropout: Judge = {
  applies: (_model, inputs) => inputs.length === 3 && numbers(inputs[2])[0] === 1 && numbers(inputs[1])[0] !== 0,
  problem: (inputs, [y, mask]) => {
    const x = numbers(inputs[0]);
    const ratio = numbers(inputs[1])[0] ?? 0.5;
    const [got, kept] = [y?.numbers ?? [], mask?.numbers];
    if (y?.shape.join() !== inputs[0]?.shape.join()) return `shape [${y?.shape}] instead of [${inputs[0]?.shape}]`;
    if (mask && mask.tensor.dtype !== 'bool') return `the mask has dtype ${mask.tensor.dtype}`;
    const scale = 1 / (1 - ratio);
    for (const [i, value] of x.entries()) {
      const isKept = kept ? kept[i] !== 0 : got[i] !== 0;
      const wanted = isKept ? value * scale : 0;
      if (Math.abs((got[i] as number) - wanted) > 1e-5 * Math.abs(wanted)) return `element ${i} is ${got[i]} instead of ${wanted}`;
    }
    const hits = got.filter((value) => value !== 0).length;
    return isLikely(hits, x.length, 1 - ratio) ? undefined : `${hits} of ${x.length} elements are kept at ratio ${ratio}`;
  },
};

const bernoulli: Judge = {
  applies: () => true,
  problem: ([p], [y]) => {
    const chances = numbers(p);
    const got = y?.numbers ?? [];
    if (got.length !== chances.length || got.some((value) => value !== 0 && value !== 1))
      return 'the results are not zeros and ones, one per chance';
    const hits = got.reduce((a, b) => a + b, 0);
    const mean = chances.reduce((a, b) => a + b, 0) / chances.length;
    return isLikely(hits, got.length, mean) ? undefined : `${hits} of ${got.length} are one at a mean chance of ${mean}`;
  },
};

export const judges: Readonly<Record<string, Judge>> = { Bernoulli: bernoulli, Dropout: dropout };
