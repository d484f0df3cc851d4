// fit, evaluate, predict: the loops that people would otherwise write again and again, built from what cells can use too.

import { accuracy } from './accuracy.ts';
import { Dataset } from './dataset.ts';
import { ArgumentError } from './error.ts';
import { log } from './log.ts';
import { crossEntropy, mse } from './loss.ts';
import type { ExponentialMovingAverage } from './ema.ts';
import { isTraining, loadStateDict, type StateDict, stateDict, train as setTraining } from './module.ts';
import { breath } from './breath.ts';
import { isOfOurLayers } from './dense.ts';
import { concat } from './signature.ts';
import { optim, type Optimizer } from './optim.ts';
import { PlateauScheduler, type Scheduler } from './schedule.ts';
import { capture, captureSure, releaseStep } from './program.ts';
import { noGrad, Tensor } from './tensor.ts';
import { describeValue, didYouMean } from './words.ts';

/** A model: anything that turns a batch of features into predictions. */
export type Model = (x: Tensor) => Tensor;
/** What is made small: a function of predictions and targets that gives one number. */
export type Loss = (prediction: Tensor, target: Tensor) => Tensor;

/** Where training stands. */
export interface TrainingState {
  /** From 1. */
  readonly epoch: number;
  /** Steps done in all epochs. */
  readonly step: number;
  /** Mean loss of this epoch so far. */
  readonly loss: number;
  /** Mean accuracy of this epoch so far; absent when targets are no classes. */
  readonly accuracy?: number;
  readonly validation?: Evaluation;
  /** One entry per finished epoch, this one included once it is done. */
  readonly history: History;
}

/** Loss, and for classes accuracy from 0 to 1, over a whole dataset. */
export interface Evaluation {
  readonly loss: number;
  /** Share of examples whose largest output is the target class. Reading it throws when targets are no class ids. */
  readonly accuracy: number;
}

export interface FitOptions {
  /** How often to go through all examples. Default 1. */
  readonly epochs?: number;
  /** Examples per step. Default 64. */
  readonly batchSize?: number;
  /** Default: optim.adam over the model's parameters. */
  readonly optimizer?: Optimizer;
  /** Learning rate of the default optimizer. Default 0.001. */
  readonly lr?: number;
  /** Default: crossEntropy when targets are class ids, else mse. */
  readonly loss?: Loss;
  /** Evaluated after each epoch. */
  readonly validation?: Dataset;
  /** Stops when the validation loss has not fallen for this many epochs. */
  readonly patience?: number;
  /** A fall of the validation loss by less than this does not count. Default 0. */
  readonly minDelta?: number;
  /** At the end put back the weights of the epoch with the lowest validation loss. Default false. */
  readonly restoreBest?: boolean;
  /** Steps after each epoch; one that watches a metric gets the validation loss, or without validation the loss. */
  readonly scheduler?: Scheduler | PlateauScheduler;
  /** Averaged weights, updated after each step; the validation uses them. */
  readonly ema?: ExponentialMovingAverage;
  /** Scales gradients so that their common norm is at most this. */
  readonly clipGradNorm?: number;
  /** What an earlier fit() returned, to go on from: its epochs count as done. */
  readonly history?: History;
  /** A new random order in each epoch. Default true. */
  readonly shuffle?: boolean;
  readonly seed?: number;
  /**
   * True runs the steps as a program (see capture()), false never. Default: a program when the model is made of nothing but
   * layers of nn, so that each step is sure to be the same, and the loss is the default one.
   */
  readonly capture?: boolean;
  /** False writes nothing to the live chart. Default true. */
  readonly log?: boolean;
  /** Called after each step; `false` ends the training. */
  readonly onStep?: (state: TrainingState) => unknown;
  /** Called after each epoch; `false` ends the training. */
  readonly onEpoch?: (state: TrainingState) => unknown;
}

/** One entry per epoch. */
export interface History {
  readonly loss: number[];
  /** Empty when targets are no classes. */
  readonly accuracy: number[];
  readonly validationLoss: number[];
  readonly validationAccuracy: number[];
  /** Steps done. */
  steps: number;
  /** True when a callback or `patience` ended the training before its last epoch. */
  stoppedEarly: boolean;
}

const optionNames = [
  'epochs',
  'batchSize',
  'optimizer',
  'lr',
  'loss',
  'validation',
  'patience',
  'minDelta',
  'restoreBest',
  'scheduler',
  'ema',
  'clipGradNorm',
  'history',
  'shuffle',
  'seed',
  'capture',
  'log',
  'onStep',
  'onEpoch',
];

/**
 * Trains a model on a dataset: the usual loop of forward, backward and step, with a live chart. Returns the history, one
 * entry per epoch. `await fit(model, train, { epochs: 3, validation: test })`
 */
export async function fit(model: Model, train: Dataset, options: FitOptions = {}): Promise<History> {
  checkModel('fit', model, train);
  for (const key of Object.keys(options)) {
    if (!optionNames.includes(key))
      throw new ArgumentError(`fit: unknown option "${key}"${didYouMean(key, optionNames) || `; known: ${optionNames.join(', ')}`}`);
  }
  const { epochs = 1, batchSize = 64, shuffle = true, patience = Number.POSITIVE_INFINITY } = options;
  const optimizer = options.optimizer ?? optim.adam(model, { lr: options.lr ?? 1e-3 });
  const isClassification = hasClasses(train);
  const lossOf = options.loss ?? (isClassification ? crossEntropy : mse);
  const history: History = options.history
    ? { ...structuredClone(options.history), stoppedEarly: false }
    : { loss: [], accuracy: [], validationLoss: [], validationAccuracy: [], steps: 0, stoppedEarly: false };
  const { seed, ema, minDelta = 0 } = options;
  let { best, epochsWithoutGain } = bestSoFar(history, minDelta);
  let bestWeights: StateDict | undefined;
  const asItStands = (x: Tensor, y: Tensor): { readonly loss: Tensor; readonly share: Tensor | undefined } => {
    const prediction = model(x);
    const loss = lossOf(prediction, y);
    optimizer.zeroGrad();
    loss.backward();
    if (options.clipGradNorm !== undefined) optim.clipGradNorm(optimizer.parameters(), options.clipGradNorm).dispose();
    optimizer.step();
    return { loss, share: isClassification ? accuracy(prediction, y) : undefined };
  };
  const isSure = isOfOurLayers(model) && (lossOf === crossEntropy || lossOf === mse);
  const step = (options.capture ?? isSure) ? (isSure ? captureSure : capture)(asItStands) : asItStands;

  for (let epoch = history.loss.length + 1; epoch <= epochs && !history.stoppedEarly; epoch++) {
    if (isModule(model)) setTraining(model);
    const sums = { loss: 0, correct: 0, examples: 0 };
    const stateNow = (): TrainingState => ({
      epoch,
      step: history.steps,
      loss: sums.loss / sums.examples,
      ...(isClassification && { accuracy: sums.correct / sums.examples }),
      history,
    });
    for await (const [x, y] of train.batches(batchSize, { shuffle, ...(seed !== undefined && { seed: seed + epoch - 1 }) })) {
      const { loss, share } = step(x, y);
      ema?.update();
      history.steps++;
      const size = y.shape[0] as number;
      sums.examples += size;
      sums.loss += loss.item() * size;
      if (share) sums.correct += share.item() * size;
      if (options.log ?? true) log(share ? { loss, accuracy: share } : { loss });
      if (options.onStep?.(stateNow()) === false) {
        history.stoppedEarly = true;
        break;
      }
    }
    let state = stateNow();
    history.loss.push(state.loss);
    if (state.accuracy !== undefined) history.accuracy.push(state.accuracy);
    if (options.validation) {
      const measure = (): Promise<Evaluation> => evaluate(model, options.validation as Dataset, { loss: lossOf });
      const validation = await (ema ? ema.use(measure) : measure());
      state = { ...state, validation };
      history.validationLoss.push(validation.loss);
      if (isClassification) history.validationAccuracy.push(validation.accuracy);
      if (options.log ?? true) {
        log(
          { validationLoss: validation.loss, ...(isClassification && { validationAccuracy: validation.accuracy }) },
          { step: log.step },
        );
      }
      if (validation.loss < best - minDelta) {
        [best, epochsWithoutGain] = [validation.loss, 0];
        if (options.restoreBest) bestWeights = replaced(bestWeights, ema ? ema.use(() => stateDict(model)) : stateDict(model));
      } else epochsWithoutGain++;
    }
    if (options.scheduler instanceof PlateauScheduler) options.scheduler.step(state.validation?.loss ?? state.loss);
    else options.scheduler?.step();
    if (options.onEpoch?.(state) === false || epochsWithoutGain >= patience) history.stoppedEarly ||= epoch < epochs;
  }
  if (bestWeights) loadStateDict(model, bestWeights);
  replaced(bestWeights, undefined);
  return history;
}

/** Lets go of the weights before. */
function replaced(before: StateDict | undefined, after: StateDict | undefined): StateDict | undefined {
  for (const tensor of Object.values(before ?? {})) tensor.dispose();
  return after;
}

/** The lowest validation loss of epochs that are done, and how many have come since. */
function bestSoFar({ validationLoss }: History, minDelta: number): { best: number; epochsWithoutGain: number } {
  let best = Number.POSITIVE_INFINITY;
  let epochsWithoutGain = 0;
  for (const loss of validationLoss) {
    if (loss < best - minDelta) [best, epochsWithoutGain] = [loss, 0];
    else epochsWithoutGain++;
  }
  return { best, epochsWithoutGain };
}

export interface EvaluateOptions {
  /** Examples per batch. Default 100. */
  readonly batchSize?: number;
  /** Default: crossEntropy when targets are class ids, else mse. */
  readonly loss?: Loss;
}

/**
 * Loss and accuracy of a model over a dataset, in evaluation mode and without gradients.
 * `const { accuracy } = await evaluate(model, test)`
 */
export async function evaluate(model: Model, dataset: Dataset, options: EvaluateOptions = {}): Promise<Evaluation> {
  checkModel('evaluate', model, dataset);
  const isClassification = hasClasses(dataset);
  const lossOf = options.loss ?? (isClassification ? crossEntropy : mse);
  let loss = 0;
  let correct = 0;
  const asItStands = (x: Tensor, y: Tensor): { readonly loss: Tensor; readonly share: Tensor | undefined } =>
    noGrad(() => {
      const prediction = model(x);
      return { loss: lossOf(prediction, y), share: isClassification ? accuracy(prediction, y) : undefined };
    });
  const isSure = isOfOurLayers(model) && (lossOf === crossEntropy || lossOf === mse);
  const measure = isSure ? captureSure(asItStands) : asItStands;
  const all = async (): Promise<void> => {
    for await (const [x, y] of dataset.batches(options.batchSize ?? 100)) {
      const measured = measure(x, y);
      const size = y.shape[0] as number;
      loss += measured.loss.item() * size;
      // The share is a float32; counting whole examples keeps 0.9817 from becoming 0.98170000017.
      if (measured.share) correct += Math.round(measured.share.item() * size);
    }
  };
  await inEvaluationMode(model, () => all().finally(() => releaseStep(measure)));
  const { length } = dataset;
  if (isClassification) return { loss: loss / length, accuracy: correct / length };
  return Object.defineProperty({ loss: loss / length }, 'accuracy', {
    enumerable: false,
    get: () => {
      throw new ArgumentError('evaluate: accuracy needs targets that are class ids (whole numbers, as int32); these are measurements, so look at loss');
    },
  }) as Evaluation;
}

/**
 * Predictions of a model for many examples, batch by batch, in evaluation mode and without gradients. Takes features
 * [n, ...] or a dataset; gives [n, ...].
 */
export async function predict(model: Model, features: Tensor | Dataset, options: { readonly batchSize?: number } = {}): Promise<Tensor> {
  if (typeof model !== 'function') throw new ArgumentError(`predict: needs a model, got ${describeValue(model)}`);
  const size = options.batchSize ?? 500;
  const parts: Tensor[] = [];
  await inEvaluationMode(model, async () => {
    if (features instanceof Dataset) {
      for await (const [x] of features.batches(size)) parts.push(noGrad(() => model(x)).keep());
    } else if (features instanceof Tensor) {
      const count = features.shape[0] ?? 0;
      for (let start = 0; start < count; start += size) {
        await breath();
        parts.push(noGrad(() => model(features.narrow(0, start, Math.min(size, count - start)))).keep());
      }
    } else throw new ArgumentError(`predict: needs features or a dataset, got ${describeValue(features)}`);
  });
  if (parts.length === 1) return parts[0] as Tensor;
  const all = noGrad(() => concat(parts, 0));
  for (const part of parts) part.dispose();
  return all;
}

function checkModel(user: string, model: unknown, dataset: unknown): void {
  if (typeof model !== 'function') throw new ArgumentError(`${user}: the first argument must be a model, got ${describeValue(model)}`);
  if (!(dataset instanceof Dataset)) {
    throw new ArgumentError(
      `${user}: the second argument must be a dataset, got ${describeValue(dataset)}; make one with data.fromArrays(features, labels)`,
    );
  }
  if (dataset.length === 0) throw new ArgumentError(`${user}: the dataset has no examples`);
}

function hasClasses(dataset: Dataset): boolean {
  return dataset.classes.length > 0 || dataset.labelType === 'int32';
}

const isModule = (model: unknown): boolean => typeof model === 'function' && 'training' in model;

async function inEvaluationMode(model: Model, body: () => Promise<void>): Promise<void> {
  if (!isModule(model)) return body();
  const before = isTraining(model);
  setTraining(model, false);
  try {
    await body();
  } finally {
    setTraining(model, before);
  }
}
