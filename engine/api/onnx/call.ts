// NodeCall: what an operator sees of one node: its inputs, its attributes with their defaults, and how to run a graph
// within it. Errors name the node, so operators only say what is wrong.

import type { DType } from '../engine.ts';
import type { Tensor } from '../tensor.ts';
import type { AttributeValue, Graph, GraphNode } from './model.ts';
import type { TensorData } from './tensor.ts';
import { typeOfCode } from './tensor.ts';
import { dtypeOf, Value } from './value.ts';
import { OnnxError } from './wire.ts';

/** What an operator gives back: its results in order; undefined for an optional one that is not computed. */
export type Results = Tensor | Value | readonly (Tensor | Value | undefined)[];

/** What an ONNX operator means in ops of ours. */
export type Operator = (call: NodeCall) => Results;

export type OperatorTable = Readonly<Record<string, Operator>>;

export class NodeCall {
  readonly node: GraphNode;
  /** Version of the operator set that the model asks for. */
  readonly opset: number;
  readonly #inputs: readonly (Value | undefined)[];
  /** Runs a graph within this node; it sees the values of the graphs around it. */
  readonly runGraph: (graph: Graph, inputs: readonly Value[]) => Value[];
  /** A value by its name, for operators that name one in an attribute. */
  readonly find: (name: string) => Value | undefined;

  constructor(
    node: GraphNode,
    opset: number,
    inputs: readonly (Value | undefined)[],
    runGraph: NodeCall['runGraph'],
    find: NodeCall['find'],
  ) {
    this.node = node;
    this.opset = opset;
    this.#inputs = inputs;
    this.runGraph = runGraph;
    this.find = find;
  }

  fail(problem: string): never {
    throw new OnnxError(`onnx: ${this.node.op}${this.node.name ? ` "${this.node.name}"` : ''}: ${problem}`);
  }

  // -- inputs --------------------------------------------------------------------------------------------------------------

  get inputCount(): number {
    return this.#inputs.length;
  }

  has(i: number): boolean {
    return this.#inputs[i] !== undefined;
  }

  value(i: number): Value {
    return this.#inputs[i] ?? this.fail(`needs input ${i}`);
  }

  input(i: number): Tensor {
    return this.value(i).tensor;
  }

  optional(i: number): Tensor | undefined {
    return this.#inputs[i]?.tensor;
  }

  /** All inputs from `first` on. */
  inputs(first = 0): Tensor[] {
    return this.#inputs.slice(first).map((_, i) => this.input(first + i));
  }

  /** The numbers of an input that says how, not what: a shape, axes, a repeat count. */
  numbers(i: number): number[] {
    return this.value(i).numbers;
  }

  /** The one number of such an input. */
  scalar(i: number, missing?: number): number {
    if (!this.has(i) && missing !== undefined) return missing;
    const numbers = this.numbers(i);
    if (numbers.length !== 1) this.fail(`input ${i} should be one number, but has ${numbers.length}`);
    return numbers[0] as number;
  }

  // -- attributes ------------------------------------------------------------------------------------------------------------

  #attribute(name: string): AttributeValue | undefined {
    return this.node.attributes.get(name);
  }

  given(name: string): boolean {
    return this.#attribute(name) !== undefined;
  }

  number(name: string, missing?: number): number {
    const value = this.#attribute(name) ?? missing;
    if (typeof value === 'number') return value;
    return this.fail(`attribute "${name}" should be a number`);
  }

  flag(name: string, missing = false): boolean {
    return this.number(name, missing ? 1 : 0) !== 0;
  }

  text(name: string, missing?: string): string {
    const value = this.#attribute(name) ?? missing;
    if (typeof value === 'string') return value;
    return this.fail(`attribute "${name}" should be a text`);
  }

  /** A list of numbers, or undefined when it is left out. */
  list(name: string): number[] | undefined {
    const value = this.#attribute(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'number')) return value as number[];
    return this.fail(`attribute "${name}" should be a list of numbers`);
  }

  texts(name: string): string[] | undefined {
    const value = this.#attribute(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
    return this.fail(`attribute "${name}" should be a list of texts`);
  }

  constant(name: string): TensorData | undefined {
    const value = this.#attribute(name);
    return value !== undefined && typeof value === 'object' && 'values' in value && 'type' in value ? value : undefined;
  }

  graph(name: string): Graph {
    const value = this.#attribute(name);
    if (value !== undefined && typeof value === 'object' && 'nodes' in value) return value;
    return this.fail(`attribute "${name}" should be a graph`);
  }

  /** An element type by its code, as the engine's dtype. */
  dtype(name: string, missing?: DType): DType {
    if (missing !== undefined && !this.given(name)) return missing;
    return dtypeOf(typeOfCode(this.number(name), `attribute "${name}" of ${this.node.op}`));
  }

  // -- axes ------------------------------------------------------------------------------------------------------------------

  /** `axis` counted from the front. */
  axis(axis: number, rank: number): number {
    const counted = axis < 0 ? axis + rank : axis;
    if (!Number.isInteger(counted) || counted < 0 || counted >= Math.max(rank, 1)) this.fail(`axis ${axis} does not exist in ${rank} axes`);
    return counted;
  }

  /** Axes that older operator sets keep in attribute `axes` and newer ones in input `i`; undefined when left out. */
  axes(i: number, rank: number): number[] | undefined {
    const axes = this.list('axes') ?? (this.has(i) ? this.numbers(i) : undefined);
    return axes?.map((axis) => this.axis(axis, rank));
  }
}
