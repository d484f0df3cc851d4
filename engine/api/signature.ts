// How a row of the op table becomes a call in TypeScript: one rule for all ops.
//
// The arguments fill the row's parameters from left to right, tensors and attributes alike; a plain object at the end
// gives attributes (and optional tensors) by name; where the only attribute is a list of integers its brackets may be
// left out. Here only kinds are checked; ranges, shapes and dtypes are checked in C++.

import type { OpRow, ParamRow } from './description.ts';
import { ABSENT, type DType, type Engine, engine, LITERAL, whenStarted } from './engine.ts';
import { ArgumentError, StateError } from './error.ts';
import type { Ops } from './ops.generated.d.ts';
import { handleOf, slotKey } from './scope.ts';
import { Tensor } from './tensor.ts';
import { describeValue, didYouMean } from './words.ts';

/** Every public op as a function; also those that are methods of Tensor: ops.maximum(a, b) is a.maximum(b). */
export const ops = {} as Ops;

interface Signature {
  readonly row: OpRow;
  readonly number: number;
  /** Positions of tensors come first among the params. */
  readonly tensorCount: number;
}

const signatures = new Map<string, Signature>();

whenStarted((started) => {
  started.description.ops.forEach((row, number) => {
    const tensorCount = row.params.filter((param) => param.kind === 'tensor').length;
    const signature = { row, number, tensorCount };
    signatures.set(row.name, signature);
    if (row.internal) return;
    Object.defineProperty(ops, row.name, { value: (...args: unknown[]) => call(signature, args), enumerable: true });
    if (!row.method) return;
    // What tensor.ts defines itself (grad, detach) is not replaced.
    if (Object.hasOwn(Tensor.prototype, row.name)) return;
    Object.defineProperty(Tensor.prototype, row.name, {
      value: function (this: Tensor, ...args: unknown[]) {
        args.unshift(this);
        return call(signature, args);
      },
      configurable: true,
      writable: true,
    });
  });
});

/** Runs an op by its name, internal ones too, with arguments by the rule above. */
export function run(name: string, ...args: unknown[]): Tensor {
  const signature = signatures.get(name);
  if (!signature) {
    engine();
    throw new StateError(`the engine has no op "${name}"${didYouMean(name, [...signatures.keys()])}`);
  }
  return call(signature, args);
}

/** Joins tensors along an axis that they have: concat([a, b], 1). All other sizes must be equal. */
export const concat = ((...args: unknown[]) => run('concat', ...args)) as Ops['concat'];
/** Joins tensors of one shape along a new axis: stack([a, b]) of two [3] is [2, 3]. */
export const stack = ((...args: unknown[]) => run('stack', ...args)) as Ops['stack'];
/** Elements of the first where the condition holds, else of the second: where(x.gt(0), x, 0). */
export const where = ((...args: unknown[]) => run('where', ...args)) as Ops['where'];

/** True when the engine has this op. */
export function hasOp(name: string): boolean {
  return signatures.has(name);
}

function call(signature: Signature, args: unknown[]): Tensor {
  const { row, number, tensorCount } = signature;
  const values = arrange(row, args);
  const e = engine();

  let inputCount = tensorCount;
  const last = tensorCount > 0 ? (row.params[tensorCount - 1] as ParamRow) : undefined;
  if (last?.list) inputCount += listOf(row, last, values[tensorCount - 1]).length - 1;

  e.begin(inputCount);
  let literals: number[] | undefined;
  const writeTensor = (value: unknown, param: ParamRow): void => {
    if (value instanceof Tensor) e.handle(handleOf(value[slotKey], row.name));
    else if (typeof value === 'number' || typeof value === 'boolean') {
      e.handle(LITERAL);
      literals ??= [];
      literals.push(Number(value));
    } else if (param.optional && (value === undefined || value === null)) e.handle(ABSENT);
    else throw wrongKind(row, param, value);
  };
  for (let i = 0; i < tensorCount; i++) {
    const param = row.params[i] as ParamRow;
    if (param.list) for (const item of values[i] as unknown[]) writeTensor(item, param);
    else writeTensor(values[i], param);
  }
  if (literals) for (const literal of literals) e.number(literal);

  // Attributes left out at the end are cut off; the engine fills them in.
  let end = row.params.length;
  while (end > tensorCount && values[end - 1] === undefined) end--;
  for (let i = tensorCount; i < end; i++) writeAttribute(e, row.name, row.params[i] as ParamRow, values[i]);
  for (let i = end; i < row.params.length; i++) {
    const param = row.params[i] as ParamRow;
    if (!param.optional && !('default' in param)) throw wrongKind(row, param, undefined);
  }
  const result = new Tensor(e.run(number, inputCount), row.name);
  if (observer) observer(row.name, values.slice(0, tensorCount).flat(), result);
  return result;
}

/** Told about every op that the API runs: its name, its tensors as they came, the result. */
export type OpObserver = (op: string, tensors: readonly unknown[], result: Tensor) => void;
let observer: OpObserver | undefined;

/** Tells `watch` of every op while `body` runs. */
export function observeOps<Result>(watch: OpObserver, body: () => Result): Result {
  const before = observer;
  observer = watch;
  try {
    return body();
  } finally {
    observer = before;
  }
}

/** The arguments in the order of the row's parameters; undefined where one is left out. */
function arrange(row: OpRow, args: unknown[]): unknown[] {
  const { params } = row;
  let count = args.length;
  // Most calls give tensors and numbers by position only.
  if (!row.spread && count <= params.length && !isOptions(args[count - 1])) return args;
  const values: unknown[] = new Array(params.length).fill(undefined);
  const options = count > 0 && isOptions(args[count - 1]) ? (args[--count] as Record<string, unknown>) : undefined;

  let taken = 0;
  for (let i = 0; i < params.length && taken < count; i++) {
    const param = params[i] as ParamRow;
    if (row.spread && param.kind === 'integers' && typeof args[taken] === 'number') {
      const list: unknown[] = [];
      while (taken < count && typeof args[taken] === 'number') list.push(args[taken++]);
      values[i] = list;
    } else values[i] = args[taken++];
  }
  if (taken < count) {
    const isMethod = row.method ? 1 : 0;
    throw new ArgumentError(
      `${row.name}: takes at most ${params.length - isMethod} arguments (${params
        .slice(isMethod)
        .map((param) => param.name)
        .join(', ')}), got ${count - isMethod}`,
    );
  }
  if (options) {
    for (const [key, value] of Object.entries(options)) {
      const at = params.findIndex((param) => param.name === key && (param.kind !== 'tensor' || param.optional));
      if (at < 0) {
        const known = params.filter((param) => param.kind !== 'tensor' || param.optional).map((param) => param.name);
        throw new ArgumentError(
          `${row.name}: unknown option "${key}"${didYouMean(key, known) || `; known: ${known.join(', ') || 'none'}`}`,
        );
      }
      if (values[at] !== undefined && value !== undefined)
        throw new ArgumentError(`${row.name}: \`${key}\` is given twice, by position and by name`);
      if (value !== undefined) values[at] = value;
    }
  }
  return values;
}

function isOptions(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Tensor) &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof Promise)
  );
}

function listOf(row: OpRow, param: ParamRow, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongKind(row, param, value);
}

/** Writes one attribute; also those of initializers. Undefined takes the default of the row. */
export function writeAttribute(e: Engine, user: string, param: ParamRow, value: unknown): void {
  if (value === undefined || (value === null && param.optional)) {
    if (!param.optional && !('default' in param)) throw wrongKind({ name: user }, param, value);
    e.leftOut();
    return;
  }
  switch (param.kind) {
    case 'integer':
    case 'number':
      if (typeof value === 'number') return e.number(value);
      break;
    case 'boolean':
      if (typeof value === 'boolean') return e.number(value ? 1 : 0);
      break;
    case 'integers':
    case 'numbers':
      if (typeof value === 'number') return e.list([value]);
      if (Array.isArray(value) || ArrayBuffer.isView(value)) {
        const list = value as ArrayLike<unknown>;
        for (let i = 0; i < list.length; i++) if (typeof list[i] !== 'number') throw wrongKind({ name: user }, param, list[i], `[${i}]`);
        return e.list(list as ArrayLike<number>);
      }
      break;
    case 'text':
      if (typeof value === 'string') return e.text(value);
      break;
    case 'dtype': {
      const code = e.description.dtypes.indexOf(value as DType);
      if (code >= 0) return e.number(code);
      if (typeof value === 'string') {
        throw new ArgumentError(
          `${user}: there is no dtype "${value}"${didYouMean(value, e.description.dtypes) || `; known: ${e.description.dtypes.join(', ')}`}`,
        );
      }
    }
  }
  throw wrongKind({ name: user }, param, value);
}

const kindWords: Readonly<Record<ParamRow['kind'], string>> = {
  tensor: 'a tensor or a number',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  integers: 'a list of whole numbers',
  numbers: 'a list of numbers',
  dtype: "the name of a dtype, such as 'float32'",
  text: 'a text',
};

function wrongKind(row: { readonly name: string }, param: ParamRow, value: unknown, place = ''): ArgumentError {
  const wanted = param.list && place === '' && !Array.isArray(value) ? 'an array of tensors' : kindWords[param.kind];
  return new ArgumentError(`${row.name}: \`${param.name}${place}\` must be ${wanted}, got ${describeValue(value)}`);
}
