// Replays PyTorch's samples: results and gradients of ours against those that PyTorch computed in float64.

import { readFileSync } from 'node:fs';
import { gradients, ops, Tensor } from '../../../engine/api/index.ts';
import { difference } from '../compare.ts';
import { readSafetensors, type Stored } from '../safetensors.ts';
import { Arguments, type Encoded, toTensor } from './arguments.ts';
import { notOurs, table } from './table.ts';

export interface Sample {
  readonly op: string;
  readonly args: readonly Encoded[];
  readonly kwargs?: Readonly<Record<string, Encoded>>;
  readonly results: readonly string[];
  readonly upstream?: readonly (string | null)[];
  readonly gradients?: readonly (string | null)[];
  /** How far PyTorch's own float32 is from its float64, where that is more than 3e-6. */
  readonly float32Error?: number;
}

export type Floating = 'float32' | 'float64';
export type Replay =
  | { readonly state: 'passed' }
  | { readonly state: 'skipped'; readonly reason: string }
  | { readonly state: 'failed'; readonly reason: string };

// Relative to the largest expected number of the tensor.
const BOUNDS: Readonly<Record<Floating, number>> = { float32: 1e-5, float64: 1e-10 };
// Below this the numbers of a tensor are as good as zero: upstream gradients are of size 1.
const SMALLEST = 1e-3;
// Beyond this error of PyTorch's own float32 a sample says nothing about ours.
const ILL = 1e-4;

/** Operators whose gradient PyTorch computes with a constant in float32 even for float64 (1/6, alpha): their own bound. */
const SINGLE: Readonly<Record<string, number>> = { 'nn.functional.hardsigmoid': 1e-7, 'nn.functional.celu': 1e-7 };

const folder = new URL('../../fixtures/', import.meta.url);

export function readSamples(): { readonly samples: readonly Sample[]; readonly stored: ReadonlyMap<string, Stored> } {
  const { cases } = JSON.parse(readFileSync(new URL('operators.json', folder), 'utf8')) as { cases: Sample[] };
  return { samples: cases, stored: readSafetensors(new URL('operators.safetensors', folder).pathname) };
}

/** Replays one sample in one type. Never throws. */
export function replay(sample: Sample, stored: ReadonlyMap<string, Stored>, floating: Floating): Replay {
  const row = table[sample.op];
  if (!row) return { state: 'failed', reason: 'the table has no row for it' };
  const own = sample.float32Error ?? 0;
  if (floating === 'float32' && own > ILL) return { state: 'skipped', reason: `PyTorch's own float32 is off by ${own}` };
  const bound = floating === 'float32' ? Math.max(BOUNDS.float32, 4 * own) : (SINGLE[sample.op] ?? BOUNDS.float64);
  try {
    const args = new Arguments(sample.args, sample.kwargs ?? {}, stored, floating);
    const found = row(args);
    if (typeof found === 'string') return { state: 'skipped', reason: found };
    const results = found instanceof Tensor ? [found] : found;
    for (const [i, name] of sample.results.entries()) {
      const problem = results[i] === notOurs ? undefined : compare(results[i] as Tensor | undefined, stored.get(name) as Stored, bound);
      if (problem) return { state: 'failed', reason: `result ${i}: ${problem}` };
    }
    const got = backwards(results, sample, args, stored, floating);
    for (const [i, name] of (sample.gradients ?? []).entries()) {
      if (name === null) continue;
      const problem = compare(got[i] ?? undefined, stored.get(name) as Stored, bound);
      if (problem) return { state: 'failed', reason: `gradient ${i}: ${problem}` };
    }
    return { state: 'passed' };
  } catch (error) {
    return { state: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

function backwards(
  results: readonly (Tensor | typeof notOurs)[],
  sample: Sample,
  args: Arguments,
  stored: ReadonlyMap<string, Stored>,
  floating: Floating,
): (Tensor | null)[] {
  const seeds = (sample.upstream ?? []).flatMap((name, i) => {
    const result = results[i];
    return name === null || !(result instanceof Tensor) ? [] : [{ result, upstream: toTensor(stored.get(name) as Stored, floating) }];
  });
  const [first] = seeds;
  // Nothing depends on an empty tensor.
  if (!first || args.leaves.every((leaf) => leaf.elementCount === 0)) return args.leaves.map((leaf) => leaf.detach());
  if (seeds.length === 1) return gradients(first.result, args.leaves, { upstream: first.upstream });
  // Several results: the gradient of the sum of each times its upstream gradient.
  const total = seeds.map(({ result, upstream }) => ops.sum(ops.mul(result, upstream))).reduce((a, b) => ops.add(a, b));
  return gradients(total, args.leaves);
}

function compare(got: Tensor | undefined, wanted: Stored, bound: number): string | undefined {
  if (!got) return 'there is none';
  if (got.shape.join() !== wanted.shape.join()) return `shape [${got.shape.join(', ')}] instead of [${wanted.shape.join(', ')}]`;
  const isFloating = wanted.dtype === 'F64';
  if (isFloating !== (got.dtype === 'float32' || got.dtype === 'float64')) return `dtype ${got.dtype} instead of one like ${wanted.dtype}`;
  const found = difference(got.values(), wanted.values, !isFloating);
  if (found.isBroken) return found.text;
  const largest = Array.from(wanted.values).reduce(
    (most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most),
    SMALLEST,
  );
  const worst = found.pairs.reduce((most, [a, b]) => Math.max(most, Math.abs(a - b)), 0);
  return worst > bound * largest
    ? `${found.text}: ${(worst / largest).toExponential(1)} of the largest, bound ${bound.toExponential(1)}`
    : undefined;
}
