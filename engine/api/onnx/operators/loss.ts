// ONNX losses over classes: scores (batch, classes, space...) and class ids (batch, space...).

import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';

// No class has this id, so nothing is ignored.
const NO_CLASS = -(2 ** 31);

function settings(call: NodeCall): { readonly reduction: string; readonly ignoreIndex: number } {
  return { reduction: call.text('reduction', 'mean'), ignoreIndex: call.number('ignore_index', NO_CLASS) };
}

/** Result 1 is the logarithm of the probabilities. */
function softmaxCrossEntropyLoss(call: NodeCall): Tensor[] {
  const logits = call.input(0);
  const loss = ops.crossEntropy(logits, call.input(1), call.optional(2), settings(call));
  return call.node.outputs.length > 1 ? [loss, ops.logSoftmax(logits, 1)] : [loss];
}

export const lossOperators: OperatorTable = {
  NegativeLogLikelihoodLoss: (call) => ops.nll(call.input(0), call.input(1), call.optional(2), settings(call)),
  SoftmaxCrossEntropyLoss: softmaxCrossEntropyLoss,
};
