// The gradient check of the health panel: the gradients of backward() against differences, both in float64. The model's tensors
// are exchanged for doubles meanwhile, and put back.

import { tensor } from './create.ts';
import { fitting, inEvaluation } from './inspect.ts';
import type { Loss, Model } from './fit.ts';
import { modulesOf, namedParameters } from './module.ts';
import { gradients, noGrad, Tensor } from './tensor.ts';

export interface GradientCheck {
  /** Largest relative error of an element looked at. */
  readonly worst: number;
  /** The parameter it belongs to. */
  readonly name: string;
  /** Elements looked at. */
  readonly count: number;
}

/** Elements looked at per parameter: those with the largest gradient, and some in between. */
const PER_PARAMETER = 4;
const STEP = 1e-6;

/**
 * Compares gradients with central differences in float64. Null when the model cannot be computed in doubles: it holds tensors
 * where nobody finds them.
 */
export function checkGradients(model: Model, lossOf: Loss, x: Tensor, y: Tensor): GradientCheck | null {
  const restore = toDoubles(model);
  if (!restore) return null;
  try {
    const input = x.dtype === 'float32' ? x.to('float64') : x;
    const target = y.dtype === 'float32' ? y.to('float64') : y;
    const lossNow = () => inEvaluation(model, () => lossOf(fitting('views.health', model, input).output, target));
    const named = namedParameters(model).filter(([, weight]) => weight.requiresGrad);
    const loss = lossNow();
    if (loss.dtype !== 'float64') return null;
    const grads = gradients(loss, named.map(([, weight]) => weight));
    const largest = Math.max(...grads.map((grad) => (grad ? noGrad(() => grad.abs().max().item()) : 0)));
    let found: GradientCheck = { worst: 0, name: '', count: 0 };
    named.forEach(([name, weight], i) => {
      const grad = grads[i] ? (grads[i] as Tensor).values() : null;
      const values = weight.values() as Float64Array;
      for (const at of chosen(grad, values.length)) {
        const lossAt = (by: number) => {
          const moved = values.slice();
          moved[at] = (moved[at] as number) + by;
          noGrad(() => void weight.copy_(tensor(moved).reshape([...weight.shape])));
          return noGrad(() => lossNow().item());
        };
        const slope = (lossAt(STEP) - lossAt(-STEP)) / (2 * STEP);
        const claimed = (grad?.[at] as number) ?? 0;
        // What is small beside the largest gradient may be rounding.
        const error = Math.abs(slope - claimed) / Math.max(Math.abs(slope), Math.abs(claimed), 1e-4 * largest, 1e-12);
        found = { worst: Math.max(found.worst, error), name: error > found.worst ? name : found.name, count: found.count + 1 };
      }
      noGrad(() => void weight.copy_(tensor(values).reshape([...weight.shape])));
    });
    return found;
  } finally {
    restore();
  }
}

/** Places of the largest gradients, and evenly spread ones. */
function chosen(grad: ArrayLike<number> | null, length: number): number[] {
  const spread = Array.from({ length: PER_PARAMETER }, (_, i) => Math.floor(((i + 0.5) * length) / PER_PARAMETER));
  let largest = 0;
  for (let i = 1; grad && i < length; i++) if (Math.abs(grad[i] as number) > Math.abs(grad[largest] as number)) largest = i;
  return [...new Set([largest, ...spread])].filter((at) => at < length);
}

/** Exchanges the float32 tensors of all modules for doubles. Returns how to put them back; null when a parameter was not found. */
function toDoubles(model: Model): (() => void) | null {
  const before: { readonly owner: Record<string, unknown>; readonly key: string; readonly value: unknown }[] = [];
  const wanted = new Set<Tensor>(namedParameters(model).map(([, weight]) => weight));
  const doubles = new Map<Tensor, Tensor>();
  const exchange = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.some((each) => each instanceof Tensor) ? value.map(exchange) : value;
    if (!(value instanceof Tensor) || value.dtype !== 'float32') return value;
    let double = doubles.get(value);
    if (!double) {
      const plain = noGrad(() => value.detach().to('float64'));
      double = value.requiresGrad ? plain.requiresGrad_() : plain;
      doubles.set(value, double);
    }
    wanted.delete(value);
    return double;
  };
  const restore = (): void => {
    for (const { owner, key, value } of before) owner[key] = value;
    for (const double of doubles.values()) double.dispose();
  };
  for (const { module } of modulesOf(model)) {
    const owner = module as unknown as Record<string, unknown>;
    for (const key of Object.keys(owner)) {
      const property = Object.getOwnPropertyDescriptor(owner, key);
      if (!property?.writable || !('value' in property)) continue;
      const now = exchange(property.value);
      if (now === property.value) continue;
      before.push({ owner, key, value: property.value });
      owner[key] = now;
    }
  }
  if (wanted.size === 0) return restore;
  restore();
  return null;
}
