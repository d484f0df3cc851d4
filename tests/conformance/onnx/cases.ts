// The cases of ONNX's own test data: folders with a model, its inputs and the results that are expected of it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Graph, type Model, readModel } from '../../../engine/api/onnx/model.ts';
import { runModel } from '../../../engine/api/onnx/run.ts';
import { readTensor, type TensorData } from '../../../engine/api/onnx/tensor.ts';
import { dtypeOf, type Value } from '../../../engine/api/onnx/value.ts';
import { type Difference, difference, worse } from '../compare.ts';
import { judges } from './random.ts';
import { absentFor, absentOperators, absentTypes, wrongCases } from './skipped.ts';

export interface Case {
  readonly name: string;
  readonly folder: string;
  /** The operator that the case is about; " (expanded)" where it is written with other operators. */
  readonly operator: string;
}

export type Outcome =
  | { readonly state: 'passed'; readonly isTight: boolean }
  | { readonly state: 'skipped'; readonly reason: string }
  | { readonly state: 'failed'; readonly reason: string };

// ONNX's own bounds, and a tighter one that is only counted.
const BOUND = { relative: 1e-3, absolute: 1e-7 };
const TIGHT = { relative: 1e-5, absolute: 1e-7 };

/** All cases of a suite in the order of their names. */
export function casesIn(folder: string): Case[] {
  const names = readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, 'model.onnx')) && existsSync(join(folder, name, 'test_data_set_0')));
  return names.map((name) => {
    const base = name.replace(/_expanded$/, '');
    const isExpanded = base !== name && names.includes(base);
    const { graph } = readModel(readFileSync(join(folder, isExpanded ? base : name, 'model.onnx')));
    const operator = [...new Set(graph.nodes.map((node) => node.op))].join('+');
    return { name: name.replace(/^test_/, ''), folder: join(folder, name), operator: operator + (isExpanded ? ' (expanded)' : '') };
  });
}

/** Runs a case and compares its results. Never throws. */
export function runCase(given: Case): Outcome {
  try {
    const model = readModel(readFileSync(join(given.folder, 'model.onnx')));
    const reason = wrongCases[given.name] ?? reasonToSkip(model);
    if (reason) return { state: 'skipped', reason };
    const sets = readdirSync(given.folder).filter((name) => name.startsWith('test_data_set_'));
    let isTight = true;
    for (const set of sets) {
      const problem = runSet(model, join(given.folder, set), given);
      if (problem === 'loose') isTight = false;
      else if (problem) return { state: 'failed', reason: problem };
    }
    return { state: 'passed', isTight };
  } catch (error) {
    return { state: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

function reasonToSkip(model: Model): string | undefined {
  for (const { type } of [...model.graph.inputs, ...model.graph.outputs]) if (absentTypes[type]) return absentTypes[type];
  for (const { op } of model.graph.nodes) {
    const missing = model.graph.inputs.find(({ type }) => absentFor[op]?.includes(type));
    if (missing) return `the engine has no ${missing.type}, whose bits this is about`;
  }
  return absentIn(model.graph);
}

function absentIn(graph: Graph): string | undefined {
  for (const node of graph.nodes) {
    if (absentOperators[node.op]) return absentOperators[node.op];
    for (const value of node.attributes.values()) {
      const inner = typeof value === 'object' && 'nodes' in value ? absentIn(value) : undefined;
      if (inner) return inner;
    }
  }
  return undefined;
}

/** What is wrong; 'loose' when only the tight bound is missed. */
function runSet(model: Model, folder: string, given: Case): string | undefined {
  const read = (kind: string): TensorData[] => {
    const files = readdirSync(folder).filter((name) => name.startsWith(`${kind}_`));
    return files.map((_, i) => readTensor(readFileSync(join(folder, `${kind}_${i}.pb`))));
  };
  // Files are numbered as the inputs that are not constants of the graph.
  const names = model.graph.inputs.map(({ name }) => name).filter((name) => !model.graph.constants.has(name));
  const files = read('input');
  const inputs = new Map(files.map((data, i) => [names[i] ?? data.name, data]));
  const results = runModel(model, inputs);
  const judge = judges[given.operator.replace(' (expanded)', '')];
  if (judge && judge.applies(model, files)) return judge.problem(files, [...results.values()], model);
  let isTight = true;
  const expected = read('output');
  for (const [i, { name }] of model.graph.outputs.entries()) {
    const wanted = expected[i];
    if (!wanted) return `there is no expected result ${i}`;
    const found = compare(results.get(name) as Value, wanted);
    if (typeof found === 'string') return `${name}: ${found}`;
    if (worse(found, BOUND)) return `${name}: ${found.text}`;
    isTight &&= !worse(found, TIGHT);
  }
  return isTight ? undefined : 'loose';
}

function compare(value: Value, wanted: TensorData): Difference | string {
  if (value.shape.join() !== wanted.shape.join()) return `shape [${value.shape.join(', ')}] instead of [${wanted.shape.join(', ')}]`;
  const dtype = value.tensor.dtype;
  if (dtype !== dtypeOf(wanted.type)) return `dtype ${dtype} instead of ${dtypeOf(wanted.type)} for ${wanted.type}`;
  return difference(value.numbers, wanted.values as ArrayLike<number>, !dtype.startsWith('float'));
}
