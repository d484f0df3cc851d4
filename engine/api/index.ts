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
export * as data from './data.ts';
export { evaluate, fit, predict } from './fit.ts';
export { log } from './log.ts';
export * as nn from './nn.ts';
export { optim } from './optim.ts';
export { ops } from './signature.ts';
export { gradients, noGrad, Tensor } from './tensor.ts';
