// What happens inside the layers: distributions of weights, gradients and activations, units that do nothing, sizes of updates.

import { fitting, histogram, looking, moments, share, uncounted, type Moments } from './inspect.ts';
import type { Model } from './fit.ts';
import { modulesOf, namedParameters, observeCalls, type Module } from './module.ts';
import type { Optimizer } from './optim.ts';
import { passing } from './scope.ts';
import { noGrad, Tensor } from './tensor.ts';

export const BINS = 40;

export interface Distribution extends Moments {
  readonly layer: string;
  readonly kind: 'weight' | 'gradient' | 'activation';
  readonly counts: Float64Array;
  readonly low: number;
  readonly high: number;
  /** Share of units that do nothing useful; null where the question makes no sense. */
  readonly idle: number | null;
  readonly idleWord: '' | 'dead' | 'saturated';
}

/** Modules without modules inside, by name. */
export function leafLayers(model: unknown): { readonly name: string; readonly module: Module }[] {
  return modulesOf(model).filter(({ module }) => !modulesOf(module).some((inner) => inner.module !== module));
}

/** Results of all leaf layers for a batch, in the order of the calls. */
export function activationsOf(user: string, model: Model, x: Tensor): { readonly layer: string; readonly module: Module; readonly output: Tensor }[] {
  const names = new Map<unknown, string>(leafLayers(model).map(({ name, module }) => [module, name]));
  return looking(model, () => {
    const { input } = fitting(user, model, x);
    const found: { layer: string; module: Module; output: Tensor }[] = [];
    observeCalls((module, _inputs, output) => {
      // Sequential lets go of what its next layer has used, so the values are copied.
      if (names.has(module) && output instanceof Tensor) found.push({ layer: `${names.get(module)} ${titleOf(module as unknown as Module)}`.trim(), module: module as unknown as Module, output: output.add(0) });
    }, () => model(input));
    return found;
  });
}

const titleOf = (module: Module): string => String(module).replace(/\(.*/s, '');

/** Weights, their gradients when there are any, and activations for a batch. */
export function distributions(user: string, model: Model, x: Tensor | null): Distribution[] {
  const rows: Distribution[] = [];
  for (const [name, weight] of namedParameters(model)) {
    if (weight.rank < 2) continue;
    rows.push(distribution(name, 'weight', weight));
    const grad = weight.grad;
    if (grad) rows.push(distribution(name, 'gradient', grad));
  }
  if (x) {
    for (const { layer, module, output } of activationsOf(user, model, x)) {
      if (!/flatten|pool|dropout/i.test(String(module))) rows.push({ ...distribution(layer, 'activation', output), ...idleUnits(module, output) });
      output.dispose();
    }
  }
  return rows;
}

function distribution(layer: string, kind: Distribution['kind'], values: Tensor): Distribution {
  const found = moments(values);
  const reach = Math.max(Math.abs(found.min), Math.abs(found.max)) || 1e-12;
  const [low, high] = kind === 'activation' && found.min >= 0 ? [0, found.max || 1e-12] : [-reach, reach];
  return { layer, kind, ...found, counts: histogram(values, BINS, low, high), low, high, idle: null, idleWord: '' };
}

/** Relu units that are zero for every example; tanh and sigmoid units at the ends of their range. */
export function idleUnits(module: Module, output: Tensor): { idle: number | null; idleWord: Distribution['idleWord'] } {
  const kind = titleOf(module).toLowerCase();
  return noGrad(() => {
    if (/relu|relu6/.test(kind) && output.rank >= 2) {
      const units = output.shape[1] as number;
      const perUnit = output.transpose(0, 1).reshape([units, -1]).abs().max(1);
      return { idle: share(perUnit.eq(0)), idleWord: 'dead' as const };
    }
    if (kind === 'tanh') return { idle: share(output.abs().gt(0.97)), idleWord: 'saturated' as const };
    if (kind === 'sigmoid') return { idle: share(output.sub(0.5).abs().gt(0.47)), idleWord: 'saturated' as const };
    return { idle: null, idleWord: '' as const };
  });
}

/** Runs one optimizer step and returns by how much it changed each weight: std(update) / std(weight). */
export function updateRatios(model: unknown, step: () => void): { readonly layer: string; readonly ratio: number }[] {
  const weights = namedParameters(model).filter(([, weight]) => weight.rank >= 2);
  const before = uncounted(() => noGrad(() => weights.map(([, weight]) => weight.detach().add(0))));
  step();
  return uncounted(() => passing(() => noGrad(() =>
    weights.map(([layer, weight], i) => {
      const old = before[i] as Tensor;
      const update = moments(weight.detach().sub(old)).std;
      const ratio = update / (moments(old).std || Number.NaN);
      old.dispose();
      return { layer, ratio };
    }),
  )));
}

export type StepWatcher = (optimizer: Optimizer, step: () => void) => void;
