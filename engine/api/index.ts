// Every name that the engine gives to cells; the kernel puts them on globalThis, and npm users import them.
// How an engine is started, and what else its surroundings need, is in host.ts.

export { accuracy } from './accuracy.ts';
export {
  arange,
  eye,
  full,
  linspace,
  manualSeed,
  ones,
  onesLike,
  rand,
  randint,
  randn,
  randperm,
  tensor,
  zeros,
  zerosLike,
} from './create.ts';
/** Datasets: `data.mnist()`, `data.fromArrays(features, labels)`, generated ones such as `data.spiral()`. */
export * as data from './data.ts';
export { detectAnomaly, profile } from './debug.ts';
/** Tensors as bytes: `files.saveTensors(model.stateDict())`, `files.loadTensors(bytes)`, and checkpoints of a whole training. */
export * as files from './files.ts';
export { evaluate, fit, predict } from './fit.ts';
export { log } from './log.ts';
/** How well predictions fit: `metrics.confusionMatrix(logits, y)`, `metrics.classReport(...)`, `metrics.topKAccuracy(...)`, `metrics.r2(...)`. */
export * as metrics from './metrics.ts';
/** Layers (`nn.linear(784, 10)`), losses (`nn.crossEntropy(logits, y)`) and what models have in common. */
export * as nn from './nn.ts';
export { optim } from './optim.ts';
export { capture, type CapturedStep } from './program.ts';
export { concat, ops, stack, where } from './signature.ts';
export { gradients, noGrad, Tensor } from './tensor.ts';
