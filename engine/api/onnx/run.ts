// Runs an ONNX graph, node by node in the order of the file, with operators from the table. Results are ordinary tensors
// of ours: where inputs require gradients, backward() goes through the whole model.

import { ops } from '../signature.ts';
import { Tensor } from '../tensor.ts';
import { NodeCall } from './call.ts';
import type { Graph, Model } from './model.ts';
import { operatorOf } from './operators.ts';
import type { TensorData } from './tensor.ts';
import { Value } from './value.ts';
import { OnnxError } from './wire.ts';

/** Names of values; a graph within a node sees those around it. */
class Scope {
  readonly #values = new Map<string, Value>();
  readonly #around: Scope | undefined;

  constructor(around?: Scope) {
    this.#around = around;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name) ?? this.#around?.get(name);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}

/**
 * The results of the model by name. Inputs are tensors or constants by name; those that the model has constants for may
 * be left out. Throws an OnnxError that names the node that could not be run.
 */
export function runModel(model: Model, inputs: ReadonlyMap<string, Tensor | TensorData>): Map<string, Value> {
  const scope = new Scope();
  const differentiated = new Set(
    model.graph.nodes.flatMap((node) => (node.op === 'Gradient' ? ((node.attributes.get('xs') as readonly string[]) ?? []) : [])),
  );
  for (const [name, given] of inputs) {
    const value = new Value(given);
    // What a Gradient node asks about must be a leaf from the start.
    scope.set(name, differentiated.has(name) ? new Value(value.tensor.detach().requiresGrad_()) : value);
  }
  for (const { name } of model.graph.inputs) {
    if (!inputs.has(name) && !model.graph.constants.has(name)) throw new OnnxError(`onnx: the model needs an input "${name}"`);
  }
  const results = runGraph(model, model.graph, scope);
  return new Map(model.graph.outputs.map(({ name }, i) => [name, results[i] as Value]));
}

function runGraph(model: Model, graph: Graph, scope: Scope): Value[] {
  for (const [name, constant] of graph.constants) if (!scope.get(name)) scope.set(name, new Value(constant));
  for (const node of graph.nodes) {
    const inputs = node.inputs.map((name) => {
      if (name === '') return undefined;
      return scope.get(name) ?? fail(`${node.op} "${node.name}" needs the value "${name}" before any node gives it`);
    });
    const within = (part: Graph, values: readonly Value[]): Value[] => {
      const inner = new Scope(scope);
      part.inputs.forEach(({ name }, i) => {
        const value = values[i];
        if (value) inner.set(name, value);
      });
      return runGraph(model, part, inner);
    };
    const call = new NodeCall(node, model.opsets.get(node.domain) ?? 1, inputs, within, (name) => scope.get(name));
    const results = operatorOf(node)(call);
    const list = Array.isArray(results) ? results : [results];
    node.outputs.forEach((name, i) => {
      const result = list[i];
      if (name === '') return;
      if (result === undefined) fail(`${node.op} "${node.name}" does not compute its result ${i}, "${name}"`);
      scope.set(name, result instanceof Tensor ? new Value(likeInputs(node.op, inputs, result)) : result);
    });
  }
  return graph.outputs.map(({ name }) => scope.get(name) ?? fail(`no node gives the result "${name}"`));
}

/** Operators whose results have a type of their own. */
const TYPED = new Set(['Cast', 'CastLike', 'DequantizeLinear']);

function likeInputs(op: string, inputs: readonly (Value | undefined)[], result: Tensor): Tensor {
  const isHalf = result.dtype === 'float32' && !TYPED.has(op) && inputs.some((input) => input?.isHalf);
  return isHalf ? ops.to(result, 'float16') : result;
}

function fail(problem: string): never {
  throw new OnnxError(`onnx: ${problem}`);
}
