// ONNX operators of linear algebra.

import { ops } from '../../signature.ts';
import type { Tensor } from '../../tensor.ts';
import type { NodeCall, OperatorTable } from '../call.ts';

/** alpha A B + beta C, with A and B transposed where asked for. */
function gemm(call: NodeCall): Tensor {
  const a = call.flag('transA') ? ops.transpose(call.input(0)) : call.input(0);
  const b = call.flag('transB') ? ops.transpose(call.input(1)) : call.input(1);
  const [alpha, beta] = [call.number('alpha', 1), call.number('beta', 1)];
  const product = ops.matmul(a, b);
  const scaled = alpha === 1 ? product : ops.mul(product, alpha);
  const c = call.optional(2);
  if (!c) return scaled;
  return ops.add(scaled, beta === 1 ? c : ops.mul(c, beta));
}

export const linalgOperators: OperatorTable = {
  Det: (call) => ops.det(call.input(0)),
  Einsum: (call) => ops.einsum(call.inputs(), call.text('equation')),
  Gemm: gemm,
  MatMul: (call) => ops.matmul(call.input(0), call.input(1)),
};
