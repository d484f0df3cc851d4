// Counts the examples that training has seen, so that curves can be drawn over examples and epochs. A batch counts when an
// optimizer steps after it: batches of an evaluation do not.

let samples = 0;
let epochSize = 0;
let pending = 0;
let batchSize = 0;
let optimizer: Described | null = null;
let steps = 0;
let stepsWithoutZeroGrad = 0;
let isZeroed = false;
let pendingFrom: Counted | null = null;
let learnedFrom: Counted | null = null;
/** Layers that behaved as in training since the last step. */
let acted = new WeakSet<object>();
let hasActed = false;
let hasEverStepped = false;

/** A dataset, as far as counting goes. */
export interface Counted {
  readonly length: number;
}

/** A loop hands out a batch of `size` examples of a dataset. */
export function batchGiven(size: number, dataset: Counted): void {
  pending = size;
  pendingFrom = dataset;
}

/** An optimizer, as far as describing a training goes. */
export interface Described {
  readonly name: string;
  readonly lr: number;
  /** What it trains. */
  parameters(): readonly object[];
}

/** An optimizer has made a step: the last batch has been learned from. A second optimizer does not count it again. */
export function batchLearned(by: Described): void {
  optimizer = by;
  hasEverStepped = true;
  steps += 1;
  if (!isZeroed) stepsWithoutZeroGrad += 1;
  isZeroed = false;
  if (hasActed) {
    acted = new WeakSet();
    hasActed = false;
  }
  if (pending === 0) return;
  samples += pending;
  batchSize = Math.max(batchSize, pending);
  learnedFrom = pendingFrom;
  epochSize = learnedFrom?.length ?? 0;
  pending = 0;
}

/** Examples trained on in this run, and the number of examples in one epoch (0 when unknown). */
export function examplesSeen(): { readonly samples: number; readonly epochSize: number } {
  return { samples, epochSize };
}

/** The dataset that an optimizer learned from last, in any run; null before the first. */
export function lastLearnedFrom(): Counted | null {
  return learnedFrom;
}

/** The optimizer that did the last step of this run; null before the first. */
export function steppingOptimizer(): Described | null {
  return optimizer;
}

/** A run begins. */
export function restartClock(): void {
  samples = 0;
  pending = 0;
  epochSize = 0;
  batchSize = 0;
  optimizer = null;
  steps = 0;
  stepsWithoutZeroGrad = 0;
}

/** zeroGrad() of an optimizer was called. */
export function gradientsDropped(): void {
  isZeroed = true;
}

/** A layer that behaves otherwise while training (dropout, batchNorm) has just done so. */
export function actedInTraining(layer: object): void {
  acted.add(layer);
  hasActed = true;
}

/**
 * Whether a layer behaved as in training without a step that followed: somebody measures in training mode. Before the first step of all
 * a new model is being tried out, which is no fault.
 */
export function actedWithoutStep(layer: object): boolean {
  return hasEverStepped && acted.has(layer);
}

/** Steps of this run, and how many of them came without a zeroGrad() since the step before. */
export function loopFacts(): { readonly steps: number; readonly stepsWithoutZeroGrad: number } {
  return { steps, stepsWithoutZeroGrad };
}

/** What the training of this run was set to, as far as the optimizer and the batches tell. */
export function trainingFacts(): Record<string, string | number> {
  return {
    ...(optimizer && { optimizer: optimizer.name, lr: optimizer.lr }),
    ...(batchSize > 0 && { batchSize, examples: epochSize }),
  };
}

/** Goes on from a former place. */
export function setExamplesSeen(count: number): void {
  samples = count;
  pending = 0;
}
