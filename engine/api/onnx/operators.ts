// The table of ONNX operators: name -> function of a node. One file per family below operators/.

import type { Operator, OperatorTable } from './call.ts';
import type { GraphNode } from './model.ts';
import { controlOperators } from './operators/control.ts';
import { elementwiseOperators } from './operators/elementwise.ts';
import { indexingOperators } from './operators/indexing.ts';
import { linalgOperators } from './operators/linalg.ts';
import { lossOperators } from './operators/loss.ts';
import { movementOperators } from './operators/movement.ts';
import { networkOperators } from './operators/network.ts';
import { poolingOperators } from './operators/pooling.ts';
import { quantizeOperators } from './operators/quantize.ts';
import { recurrentOperators } from './operators/recurrent.ts';
import { reduceOperators } from './operators/reduce.ts';
import { resizeOperators } from './operators/resize.ts';
import { samplingOperators } from './operators/sampling.ts';
import { signalOperators } from './operators/signal.ts';
import { trainingOperators } from './operators/training.ts';
import { OnnxError } from './wire.ts';

const standard: OperatorTable = {
  ...elementwiseOperators,
  ...movementOperators,
  ...indexingOperators,
  ...reduceOperators,
  ...linalgOperators,
  ...networkOperators,
  ...poolingOperators,
  ...resizeOperators,
  ...recurrentOperators,
  ...lossOperators,
  ...controlOperators,
  ...quantizeOperators,
  ...signalOperators,
  ...samplingOperators,
};

const domains: Readonly<Record<string, OperatorTable>> = { '': standard, 'ai.onnx.preview.training': trainingOperators };

/** True when graphs with this operator can be run. */
export function hasOperator(op: string, domain = ''): boolean {
  return Object.hasOwn(domains, domain) && Object.hasOwn(domains[domain] as OperatorTable, op);
}

/** The operator of a node. */
export function operatorOf(node: GraphNode): Operator {
  if (!hasOperator(node.op, node.domain)) {
    throw new OnnxError(`onnx: the model uses the operator ${node.domain ? `${node.domain}.` : ''}${node.op}, which is not supported`);
  }
  return (domains[node.domain] as OperatorTable)[node.op] as Operator;
}
