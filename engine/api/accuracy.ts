// How well predictions fit: numbers for people, not for gradients.

import { ShapeError } from './error.ts';
import { noGrad, requireTensor, type Tensor } from './tensor.ts';
import { shapeText } from './words.ts';

/**
 * Share of examples whose largest logit is that of the target, from 0 to 1, as a tensor with one element (item() gives the
 * number). `logits`: [size, classes], or [size] or [size, 1] for yes and no (above 0 is yes). `target`: class ids [size].
 */
export function accuracy(logits: Tensor, target: Tensor): Tensor {
  requireTensor(logits, 'accuracy', 'logits');
  requireTensor(target, 'accuracy', 'target');
  const examples = logits.shape[0];
  if (examples === undefined || target.elementCount !== examples) {
    const isOneHot = logits.shape.length === 2 && target.shape.join() === logits.shape.join();
    throw new ShapeError(
      `accuracy: needs logits [size, classes] and class ids [size], got ${shapeText(logits.shape)} and ${shapeText(target.shape)}${isOneHot ? ': are the targets one-hot rows? target.argmax(1) makes class ids of them' : ''}`,
    );
  }
  return noGrad(() => {
    const isBinary = logits.elementCount === examples;
    const predicted = isBinary ? logits.flatten().gt(0).to('int32') : logits.argmax(1);
    return predicted.eq(target.flatten()).to('float32').mean();
  });
}
