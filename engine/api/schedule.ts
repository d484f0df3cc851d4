// Learning rates that change while training, by PyTorch's rules in closed form: the rate is a function of the step number,
// so that resuming is setting a number. Call step() once per step or once per epoch, as you count.

import { beforeChange } from './detective.ts';
import { ArgumentError } from './error.ts';
import type { Optimizer } from './optim.ts';
import { describeValue, didYouMean } from './words.ts';

/** The learning rate at a step (from 0), for a group whose optimizer began with `base`. */
export type Rule = (step: number, base: number) => number;

export interface SchedulerState {
  readonly lastStep: number;
  readonly base: readonly number[];
  /** Of reduceLROnPlateau only. */
  readonly plateau?: { readonly best: number | null; readonly bad: number; readonly cooldown: number; readonly rates: readonly number[] };
}

// All schedulers of an optimizer start from the rates that it had before the first of them.
const bases = new WeakMap<Optimizer, readonly number[]>();

/** Changes an optimizer's learning rate by a rule. */
export class Scheduler {
  readonly optimizer: Optimizer;
  readonly rule: Rule;
  #base: readonly number[];
  #lastStep = 0;

  /** `rule` may also be one of your own: new rates from step number and first rate. */
  constructor(optimizer: Optimizer, rule: Rule) {
    this.optimizer = optimizer;
    this.rule = rule;
    this.#base = bases.get(optimizer) ?? Array.from({ length: optimizer.groupCount }, (_, group) => optimizer.get('lr', group) as number);
    bases.set(optimizer, this.#base);
    this.#apply();
  }

  /** One step on: sets the rate of every group. */
  step(): void {
    beforeChange(this);
    this.#lastStep++;
    this.#apply();
  }

  /** Steps taken. */
  get lastStep(): number {
    return this.#lastStep;
  }

  /** The rate now, of the first group. */
  get lr(): number {
    return this.optimizer.lr;
  }

  stateDict(): SchedulerState {
    return { lastStep: this.#lastStep, base: this.#base };
  }

  loadStateDict(state: SchedulerState): void {
    this.#lastStep = state.lastStep;
    this.#base = state.base;
    bases.set(this.optimizer, state.base);
    this.#apply();
  }

  #apply(): void {
    this.#base.forEach((base, group) => this.optimizer.set('lr', this.rule(this.#lastStep, base), group));
  }
}

type Numbers<Names extends string> = { readonly [Name in Names]: number };

/** Options with defaults; unknown and missing ones are refused. */
function settings<Names extends string>(
  user: string,
  options: unknown,
  defaults: { readonly [Name in Names]: number | undefined },
): Numbers<Names> {
  if (typeof options !== 'object' || options === null) {
    throw new ArgumentError(
      `optim.${user}: needs the optimizer and options, as in optim.${user}(optimizer, { ${Object.keys(defaults)[0]}: ... }), got ${describeValue(options)}`,
    );
  }
  const known = Object.keys(defaults);
  for (const key of Object.keys(options)) {
    if (!known.includes(key))
      throw new ArgumentError(`optim.${user}: unknown option "${key}"${didYouMean(key, known) || `; known: ${known.join(', ')}`}`);
  }
  const all = { ...defaults, ...options } as Record<string, unknown>;
  for (const key of known) {
    if (typeof all[key] !== 'number' || Number.isNaN(all[key]))
      throw new ArgumentError(`optim.${user}: \`${key}\` must be a number, got ${describeValue(all[key])}`);
  }
  return all as Numbers<Names>;
}

/** Multiplies the rate by `gamma` (0.1) every `stepSize` steps. */
export function stepLR(optimizer: Optimizer, options: { readonly stepSize: number; readonly gamma?: number }): Scheduler {
  const { stepSize, gamma } = settings('stepLR', options, { stepSize: undefined, gamma: 0.1 });
  return new Scheduler(optimizer, (step, base) => base * gamma ** Math.floor(step / stepSize));
}

/** Multiplies the rate by `gamma` (0.1) at each of the `milestones`. */
export function multiStepLR(optimizer: Optimizer, options: { readonly milestones: readonly number[]; readonly gamma?: number }): Scheduler {
  const { milestones, gamma = 0.1 } = options;
  if (!Array.isArray(milestones))
    throw new ArgumentError(`optim.multiStepLR: \`milestones\` must be a list of step numbers, got ${describeValue(milestones)}`);
  return new Scheduler(optimizer, (step, base) => base * gamma ** milestones.filter((milestone: number) => milestone <= step).length);
}

/** Multiplies the rate by `gamma` at every step. */
export function exponentialLR(optimizer: Optimizer, options: { readonly gamma: number }): Scheduler {
  const { gamma } = settings('exponentialLR', options, { gamma: undefined });
  return new Scheduler(optimizer, (step, base) => base * gamma ** step);
}

/** From the rate down to `etaMin` (0) along half a cosine of `tMax` steps. */
export function cosineAnnealingLR(optimizer: Optimizer, options: { readonly tMax: number; readonly etaMin?: number }): Scheduler {
  const { tMax, etaMin } = settings('cosineAnnealingLR', options, { tMax: undefined, etaMin: 0 });
  return new Scheduler(optimizer, (step, base) => etaMin + ((base - etaMin) * (1 + Math.cos((Math.PI * step) / tMax))) / 2);
}

/** From `startFactor` (1/3) of the rate to `endFactor` (1) of it in `totalIters` (5) equal steps: a warm-up. */
export function linearLR(
  optimizer: Optimizer,
  options: { readonly startFactor?: number; readonly endFactor?: number; readonly totalIters?: number } = {},
): Scheduler {
  const { startFactor, endFactor, totalIters } = settings('linearLR', options, { startFactor: 1 / 3, endFactor: 1, totalIters: 5 });
  return new Scheduler(
    optimizer,
    (step, base) => base * (startFactor + ((endFactor - startFactor) * Math.min(step, totalIters)) / totalIters),
  );
}

/** The rate times `factor(step)`. */
export function lambdaLR(optimizer: Optimizer, factor: (step: number) => number): Scheduler {
  if (typeof factor !== 'function')
    throw new ArgumentError(`optim.lambdaLR: needs a function of the step number, got ${describeValue(factor)}`);
  return new Scheduler(optimizer, (step, base) => base * factor(step));
}

/**
 * Up from maxLr / divFactor (25) to `maxLr` over the first `pctStart` (0.3) of `totalSteps`, then down to a ten-thousandth
 * (finalDivFactor) of where it began, both along half a cosine. The momentum stays as it is.
 */
export function oneCycleLR(
  optimizer: Optimizer,
  options: {
    readonly maxLr: number;
    readonly totalSteps: number;
    readonly pctStart?: number;
    readonly divFactor?: number;
    readonly finalDivFactor?: number;
  },
): Scheduler {
  const { maxLr, totalSteps, pctStart, divFactor, finalDivFactor } = settings('oneCycleLR', options, {
    maxLr: undefined,
    totalSteps: undefined,
    pctStart: 0.3,
    divFactor: 25,
    finalDivFactor: 1e4,
  });
  const first = maxLr / divFactor;
  const top = pctStart * totalSteps - 1;
  const between = (from: number, to: number, share: number): number => to + ((from - to) * (1 + Math.cos(Math.PI * share))) / 2;
  return new Scheduler(optimizer, (step) => {
    if (step <= top) return between(first, maxLr, step / top);
    return between(maxLr, first / finalDivFactor, Math.min(1, (step - top) / (totalSteps - 1 - top)));
  });
}

/** One scheduler after the other: the next begins, counting from 0, at each of the `milestones`. */
export function sequentialLR(optimizer: Optimizer, schedulers: readonly Scheduler[], milestones: readonly number[]): Scheduler {
  if (!Array.isArray(schedulers) || schedulers.length !== milestones.length + 1) {
    throw new ArgumentError(
      `optim.sequentialLR: needs one milestone less than schedulers, got ${schedulers.length} schedulers and ${milestones.length} milestones`,
    );
  }
  return new Scheduler(optimizer, (step, base) => {
    const at = milestones.filter((milestone) => milestone <= step).length;
    return (schedulers[at] as Scheduler).rule(step - (at === 0 ? 0 : (milestones[at - 1] as number)), base);
  });
}

export interface PlateauOptions {
  /** The rate is multiplied by this. Default 0.1. */
  readonly factor?: number;
  /** Steps without improvement that are tolerated. Default 10. */
  readonly patience?: number;
  /** An improvement must be larger than this share. Default 1e-4. */
  readonly threshold?: number;
  /** Steps to wait after a change. Default 0. */
  readonly cooldown?: number;
  /** The rate does not fall below. Default 0. */
  readonly minLr?: number;
  /** 'min' (default): the metric should fall; 'max': it should rise. */
  readonly mode?: 'min' | 'max';
}

/** Lowers the rate when a metric no longer improves: call step(metric). */
export class PlateauScheduler {
  readonly optimizer: Optimizer;
  readonly #options: Required<PlateauOptions>;
  #best: number;
  #bad = 0;
  #cooldown = 0;
  #lastStep = 0;

  constructor(optimizer: Optimizer, options: PlateauOptions) {
    const { mode = 'min', ...numbers } = options;
    const checked = settings('reduceLROnPlateau', numbers, { factor: 0.1, patience: 10, threshold: 1e-4, cooldown: 0, minLr: 0 });
    this.optimizer = optimizer;
    this.#options = { ...checked, mode };
    this.#best = mode === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  /** `metric`: the number to watch, such as the validation loss of this epoch. */
  step(metric: number): void {
    if (typeof metric !== 'number')
      throw new ArgumentError(`optim.reduceLROnPlateau: step(metric) needs a number, got ${describeValue(metric)}; use item()`);
    beforeChange(this);
    const { mode, threshold, patience, cooldown, factor, minLr } = this.#options;
    this.#lastStep++;
    const isBetter = mode === 'min' ? metric < this.#best * (1 - threshold) : metric > this.#best * (1 + threshold);
    if (isBetter) {
      this.#best = metric;
      this.#bad = 0;
    } else this.#bad++;
    if (this.#cooldown > 0) {
      this.#cooldown--;
      this.#bad = 0;
    }
    if (this.#bad <= patience) return;
    for (let group = 0; group < this.optimizer.groupCount; group++) {
      this.optimizer.set('lr', Math.max((this.optimizer.get('lr', group) as number) * factor, minLr), group);
    }
    this.#cooldown = cooldown;
    this.#bad = 0;
  }

  /** The rate now, of the first group. */
  get lr(): number {
    return this.optimizer.lr;
  }

  stateDict(): SchedulerState {
    const rates = Array.from({ length: this.optimizer.groupCount }, (_, group) => this.optimizer.get('lr', group) as number);
    return { lastStep: this.#lastStep, base: [], plateau: { best: this.#best, bad: this.#bad, cooldown: this.#cooldown, rates } };
  }

  loadStateDict({ lastStep, plateau }: SchedulerState): void {
    if (!plateau) throw new ArgumentError('optim.reduceLROnPlateau: the saved state is of another kind of scheduler');
    this.#lastStep = lastStep;
    // Infinity, before the first step, does not survive JSON.
    this.#best = plateau.best ?? (this.#options.mode === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY);
    this.#bad = plateau.bad;
    this.#cooldown = plateau.cooldown;
    plateau.rates.forEach((rate, group) => this.optimizer.set('lr', rate, group));
  }
}

/** Lowers the rate when a metric no longer improves: `scheduler.step(validationLoss)` after each epoch. */
export const reduceLROnPlateau = (optimizer: Optimizer, options: PlateauOptions = {}): PlateauScheduler =>
  new PlateauScheduler(optimizer, options);
