// ModelProto and GraphProto: bytes of an .onnx file -> nodes, constants, names of inputs and results. Reads only;
// what an operator does is in operators.ts, running a graph in run.ts.

import { readTensor, type TensorData, typeOfCode } from './tensor.ts';
import { bytesOf, type Field, fields, float32, floats, integer, integers, message, OnnxError, text } from './wire.ts';

export interface Model {
  /** Version of each operator set that the model uses, by domain; '' is the ONNX standard. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly producer: string;
  readonly graph: Graph;
}

export interface Graph {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  /** Constants by name. */
  readonly constants: ReadonlyMap<string, TensorData>;
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

export interface GraphNode {
  /** Name of the operator, such as "Conv". */
  readonly op: string;
  readonly domain: string;
  readonly name: string;
  /** Names of values; '' where an optional one is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

export type AttributeValue = number | string | TensorData | Graph | readonly number[] | readonly string[];

export interface ValueInfo {
  readonly name: string;
  /** Element type of a tensor, or what the value is instead. */
  readonly type: string;
  /** Sizes that are fixed; undefined where any size fits. Undefined as a whole when the rank is open. */
  readonly shape: readonly (number | undefined)[] | undefined;
}

// A graph may hold graphs (branches, loop bodies); deeper than this is an attack, not a model.
const MAX_DEPTH = 32;

/** The model in the bytes of an .onnx file. Throws an OnnxError that names the byte where they are damaged. */
export function readModel(bytes: Uint8Array): Model {
  const opsets = new Map<string, number>();
  let producer = '';
  let graph: Graph | undefined;
  for (const field of fields(bytes)) {
    if (field.number === 2) producer = text(field);
    else if (field.number === 7) graph = readGraph(field, 0);
    else if (field.number === 8) {
      let domain = '';
      let version = 0;
      for (const part of message(field)) {
        if (part.number === 1) domain = text(part);
        else if (part.number === 2) version = integer(part);
      }
      opsets.set(domain === 'ai.onnx' ? '' : domain, version);
    }
  }
  if (!graph) throw new OnnxError('onnx: the file has no graph; is it an ONNX model?');
  return { opsets, producer, graph };
}

function readGraph(field: Field, depth: number): Graph {
  if (depth > MAX_DEPTH) throw new OnnxError(`onnx: graphs lie within graphs more than ${MAX_DEPTH} deep at byte ${field.at}`);
  let name = '';
  const nodes: GraphNode[] = [];
  const constants = new Map<string, TensorData>();
  const inputs: ValueInfo[] = [];
  const outputs: ValueInfo[] = [];
  for (const part of message(field)) {
    switch (part.number) {
      case 1:
        nodes.push(readNode(part, depth));
        break;
      case 2:
        name = text(part);
        break;
      case 5: {
        const constant = readTensor(bytesOf(part), part.at);
        constants.set(constant.name, constant);
        break;
      }
      case 11:
        inputs.push(readValueInfo(part));
        break;
      case 12:
        outputs.push(readValueInfo(part));
        break;
      case 15:
        throw new OnnxError(`onnx: the graph "${name}" has sparse constants at byte ${part.at}, which are not supported`);
    }
  }
  return { name, nodes, constants, inputs, outputs };
}

function readNode(field: Field, depth: number): GraphNode {
  let op = '';
  let domain = '';
  let name = '';
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, AttributeValue>();
  for (const part of message(field)) {
    switch (part.number) {
      case 1:
        inputs.push(text(part));
        break;
      case 2:
        outputs.push(text(part));
        break;
      case 3:
        name = text(part);
        break;
      case 4:
        op = text(part);
        break;
      case 5: {
        const [key, value] = readAttribute(part, depth);
        attributes.set(key, value);
        break;
      }
      case 7:
        domain = text(part);
        break;
    }
  }
  return { op, domain: domain === 'ai.onnx' ? '' : domain, name, inputs, outputs, attributes };
}

// AttributeProto.type
const FLOAT = 1;
const INTEGER = 2;
const TEXT = 3;
const FLOATS = 6;
const INTEGERS = 7;
const TEXTS = 8;

function readAttribute(field: Field, depth: number): [string, AttributeValue] {
  let name = '';
  let type = 0;
  let single: AttributeValue | undefined;
  const list: number[] = [];
  const texts: string[] = [];
  for (const part of message(field)) {
    switch (part.number) {
      case 1:
        name = text(part);
        break;
      case 2:
        single = float32(part);
        break;
      case 3:
        single = integer(part);
        break;
      case 4:
        single = text(part);
        break;
      case 5:
        single = readTensor(bytesOf(part), part.at);
        break;
      case 6:
        single = readGraph(part, depth + 1);
        break;
      case 7:
        floats(part, 4, list);
        break;
      case 8:
        integers(part, list);
        break;
      case 9:
        texts.push(text(part));
        break;
      case 14:
        single = 'type';
        break; // only optionals and sequences have one, and they are not run
      case 20:
        type = integer(part);
        break;
    }
  }
  // Writers leave out zeros, empty texts and empty lists; the type says what is meant.
  if (type === FLOATS || type === INTEGERS || (type === 0 && single === undefined && list.length > 0)) return [name, list];
  if (type === TEXTS || (type === 0 && single === undefined && texts.length > 0)) return [name, texts];
  single ??= type === FLOAT || type === INTEGER ? 0 : type === TEXT ? '' : undefined;
  if (single === undefined)
    throw new OnnxError(`onnx: attribute "${name}" at byte ${field.at} has type ${type} and no value that can be read`);
  return [name, single];
}

function readValueInfo(field: Field): ValueInfo {
  let name = '';
  let type = 'undefined';
  let shape: (number | undefined)[] | undefined;
  for (const part of message(field)) {
    if (part.number === 1) name = text(part);
    else if (part.number === 2) {
      for (const kind of message(part)) {
        if (kind.number === 4) type = 'sequence';
        else if (kind.number === 5) type = 'map';
        else if (kind.number === 8) type = 'sparse tensor';
        else if (kind.number === 9) type = 'optional';
        else if (kind.number === 1) {
          for (const inner of message(kind)) {
            if (inner.number === 1) type = typeOfCode(integer(inner), `value "${name}"`);
            else if (inner.number === 2) shape = readSizes(inner);
          }
        }
      }
    }
  }
  return { name, type, shape };
}

function readSizes(field: Field): (number | undefined)[] {
  const sizes: (number | undefined)[] = [];
  for (const axis of message(field)) {
    if (axis.number !== 1) continue;
    let size: number | undefined;
    for (const part of message(axis)) if (part.number === 1) size = integer(part);
    sizes.push(size);
  }
  return sizes;
}
