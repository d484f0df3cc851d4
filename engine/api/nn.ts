// nn: layers, losses and what models have in common. Each family has its own file; this one only gathers them.

export {
  celu,
  elu,
  gelu,
  hardsigmoid,
  hardswish,
  hardtanh,
  leakyRelu,
  logSigmoid,
  logSoftmax,
  mish,
  prelu,
  relu,
  relu6,
  selu,
  sigmoid,
  silu,
  softmax,
  softplus,
  softsign,
  tanh,
} from './activation.ts';
export { multiheadAttention, transformerEncoderLayer } from './attention.ts';
export { conv1d, conv2d, conv3d, convTranspose1d, convTranspose2d, convTranspose3d } from './convolution.ts';
export { dropout, dropout2d, embedding, flatten, linear, sequential } from './dense.ts';
export { init } from './initialize.ts';
export { ema, ExponentialMovingAverage } from './ema.ts';
export {
  bce,
  bceWithLogits,
  cosineEmbedding,
  crossEntropy,
  ctcLoss,
  hingeEmbedding,
  huber,
  klDiv,
  l1,
  marginRanking,
  mse,
  mse as mseLoss,
  multiMargin,
  nll,
  poissonNll,
  smoothL1,
  tripletMargin,
} from './loss.ts';
export {
  type BackwardHook,
  buffer,
  type ForwardHook,
  type ForwardPreHook,
  freeze,
  loadStateDict,
  Module,
  namedParameters,
  parameter,
  parameterCount,
  parameters,
  type StateDict,
  stateDict,
  train,
} from './module.ts';
export { batchNorm1d, batchNorm2d, groupNorm, instanceNorm1d, instanceNorm2d, layerNorm, rmsNorm } from './normalization.ts';
export { adaptiveAvgPool1d, adaptiveAvgPool2d, adaptiveMaxPool1d, adaptiveMaxPool2d, avgPool1d, avgPool2d, maxPool1d, maxPool2d, upsample } from './pooling.ts';
export { gru, gruCell, lstm, lstmCell, rnn, rnnCell } from './recurrent.ts';
export { summary } from './summary.ts';
export type { Loss, Model } from './fit.ts';

import { train } from './module.ts';

/** Sets evaluation mode on all modules in a model: nothing is dropped, batch normalisation uses its running numbers. Returns the model. */
function evalMode<Model>(model: Model): Model {
  return train(model, false);
}
export { evalMode as eval };
