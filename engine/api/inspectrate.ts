// The learning-rate finder: the rate grows from step to step until the loss breaks away; weights and random numbers come back.

import { createRandom } from '../../datasets/random.ts';
import { breath } from './breath.ts';
import type { Dataset } from './dataset.ts';
import { engine } from './engine.ts';
import { ArgumentError } from './error.ts';
import { fitting } from './inspect.ts';
import { crossEntropy, mse } from './loss.ts';
import { loadStateDict, stateDict } from './module.ts';
import { optim, type Optimizer } from './optim.ts';
import type { Loss, Model } from './fit.ts';

export interface RateOptions {
  /** Kind of the optimizer; 'adam' unless given. */
  readonly optimizer?: string;
  readonly from?: number;
  readonly to?: number;
  readonly steps?: number;
  readonly batchSize?: number;
  readonly seed?: number;
  readonly loss?: Loss;
}

export interface RateCurve {
  readonly rates: Float64Array;
  /** Debiased average of the losses. */
  readonly losses: Float64Array;
  /** Rate where the loss falls fastest; null when it never falls. */
  readonly steepest: number | null;
  /** A tenth of the rate of the lowest loss. */
  readonly tenth: number | null;
  readonly note: string;
}

const KEEP = 0.9;
/** The search ends when the average is this many times its lowest. */
const BROKEN = 4;

export async function findRate(model: Model, dataset: Dataset, { optimizer = 'adam', from = 1e-6, to = 10, steps = 120, batchSize = 64, seed = 0, loss }: RateOptions = {}): Promise<RateCurve> {
  const make = (optim as unknown as Record<string, ((model: unknown, settings: { lr: number }) => Optimizer) | undefined>)[optimizer];
  if (typeof make !== 'function') throw new ArgumentError(`views.rateFinder: there is no optimizer "${optimizer}"`);
  if (!(from > 0 && to > from)) throw new ArgumentError('views.rateFinder: needs rates with 0 < from < to');
  const lossOf = loss ?? (dataset.labelType === 'int32' ? crossEntropy : mse);
  const kept = stateDict(model);
  const random = engine().randomState();
  const order = Int32Array.from({ length: dataset.length }, (_, i) => i);
  const shuffler = createRandom(seed);
  const rates: number[] = [];
  const losses: number[] = [];
  let average = 0;
  let weight = 0;
  let note = '';
  try {
    const trainer = make(model, { lr: from });
    for (let step = 0, place = dataset.length; step < steps; step++) {
      await breath();
      if (place >= dataset.length) {
        shuffler.shuffle(order);
        place = 0;
      }
      const [x, y] = dataset.pick(order.subarray(place, place + batchSize));
      place += batchSize;
      const rate = from * (to / from) ** (step / Math.max(1, steps - 1));
      trainer.lr = rate;
      const value = lossOf(fitting('views.rateFinder', model, x).output, y);
      const now = value.item();
      if (!Number.isFinite(now)) {
        note = `The loss is not finite from rate ${rate.toExponential(1)} on.`;
        break;
      }
      average = KEEP * average + (1 - KEEP) * now;
      weight = KEEP * weight + (1 - KEEP);
      rates.push(rate);
      losses.push(average / weight);
      if (losses.length > 10 && average / weight > BROKEN * Math.min(...losses)) {
        note = `Stopped: the loss is ${BROKEN} times its lowest.`;
        break;
      }
      trainer.zeroGrad();
      value.backward();
      trainer.stepQuietly();
    }
    trainer.zeroGrad();
  } finally {
    loadStateDict(model, kept);
    for (const tensor of Object.values(kept)) tensor.dispose();
    engine().setRandomState(random);
  }
  const lowest = losses.indexOf(Math.min(...losses));
  let steepest = -1;
  let slope = 0;
  for (let i = 5; i < lowest; i++) {
    const fall = (losses[i - 2] as number) - (losses[i + 2] ?? (losses[i] as number));
    if (fall > slope) {
      slope = fall;
      steepest = i;
    }
  }
  return { rates: Float64Array.from(rates), losses: Float64Array.from(losses), steepest: steepest < 0 ? null : (rates[steepest] as number), tenth: lowest > 5 ? (rates[lowest] as number) / 10 : null, note };
}
