// Making tensors: from values, of one value, of random numbers. Ops on existing tensors come from the op table.

import { type DType, engine } from './engine.ts';
import { ArgumentError, ShapeError, ValueError } from './error.ts';
import { run } from './signature.ts';
import { Tensor } from './tensor.ts';
import { describeValue, didYouMean } from './words.ts';

export interface TensorOptions {
  /** Type of the elements. Default: 'float32'; `tensor` keeps the type of typed arrays and makes 'bool' of booleans. */
  readonly dtype?: DType;
  /** True for a tensor that is to be trained: backward() fills its `grad`. */
  readonly requiresGrad?: boolean;
}

/** Numbers (or booleans) in nested arrays, or typed arrays, one level per axis. */
export type TensorSource = number | boolean | ArrayLike<number> | readonly TensorSource[];

/** Sizes of all axes: `zeros(2, 3)` or `zeros([2, 3])`, with options after them. */
export type ShapeArguments =
  [...sizes: number[]] | [...sizes: number[], options: TensorOptions] | [shape: readonly number[], options?: TensorOptions];

/**
 * A tensor with these values: `tensor(3)`, `tensor([1, 2, 3])`, `tensor([[1, 2], [3, 4]])`. The nesting gives the shape.
 * Numbers become float32, booleans bool; typed arrays keep their type. Other types by `{ dtype: 'int32' }`.
 */
export function tensor(values: TensorSource, options: TensorOptions = {}): Tensor {
  if (values instanceof Tensor) throw new ArgumentError('tensor: got a tensor already; use x.detach() for the same values without history');
  const user = 'tensor';
  checkOptions(user, options);
  const shape = shapeOf(values);
  const count = shape.reduce((product, size) => product * size, 1);
  const found: Found = { dtype: undefined };
  const flat = isFlat(values) ? (noteType(values, found), values as ArrayLike<number>) : flatten(values, shape, count, found);
  const dtype = options.dtype ?? found.dtype ?? 'float32';
  checkRange(flat, dtype);
  return finish(engine().createFrom(dtype, shape, flat), user, options);
}

/** A tensor of zeros: `zeros(2, 3)` or `zeros([2, 3])`. */
export function zeros(...args: ShapeArguments): Tensor {
  const { shape, options } = shapeArguments('zeros', args);
  return finish(engine().create(options.dtype ?? 'float32', shape), 'zeros', options);
}

/** A tensor of ones: `ones(2, 3)` or `ones([2, 3])`. */
export function ones(...args: ShapeArguments): Tensor {
  const { shape, options } = shapeArguments('ones', args);
  return filled('ones', shape, 1, options);
}

/** A tensor whose elements all have this value: `full([2, 3], 0.5)`. */
export function full(shape: readonly number[] | number, value: number, options: TensorOptions = {}): Tensor {
  const sizes = checkShape('full', typeof shape === 'number' ? [shape] : shape);
  if (typeof value !== 'number') throw new ArgumentError(`full: \`value\` must be a number, got ${describeValue(value)}`);
  checkOptions('full', options);
  return filled('full', sizes, value, options);
}

/** Zeros of the shape and dtype of another tensor. */
export function zerosLike(other: Tensor, options: TensorOptions = {}): Tensor {
  return zeros(other.shape, { dtype: other.dtype, ...options });
}

/** Ones of the shape and dtype of another tensor. */
export function onesLike(other: Tensor, options: TensorOptions = {}): Tensor {
  return ones(other.shape, { dtype: other.dtype, ...options });
}

/**
 * Numbers from `start` up to, but not including, `end`: `arange(5)` is [0, 1, 2, 3, 4], `arange(1, 2, 0.25)` is
 * [1, 1.25, 1.5, 1.75]. Shape [ceil((end - start) / step)].
 */
export function arange(end: number, options?: TensorOptions): Tensor;
export function arange(start: number, end: number, options?: TensorOptions): Tensor;
export function arange(start: number, end: number, step: number, options?: TensorOptions): Tensor;
export function arange(...args: (number | TensorOptions | undefined)[]): Tensor {
  const { numbers, options } = numberArguments('arange', args);
  const [start, end, step] =
    numbers.length === 1 ? [0, numbers[0] as number, 1] : [numbers[0] as number, numbers[1] as number, numbers[2] ?? 1];
  if (numbers.length < 1 || numbers.length > 3)
    throw new ArgumentError(`arange: takes end, or start and end, or start, end and step; got ${numbers.length} numbers`);
  const count = Math.ceil((end - start) / step);
  if (step === 0 || !Number.isFinite(count)) throw new ValueError(`arange: cannot count from ${start} to ${end} in steps of ${step}`);
  if (count < 0) throw new ValueError(`arange: steps of ${step} lead away from ${end}; start is ${start}`);
  return fromFunction('arange', count, (i) => start + i * step, options);
}

/** `count` numbers at equal distances from `start` to `end`, both included: linspace(0, 1, 5) is [0, 0.25, 0.5, 0.75, 1]. */
export function linspace(start: number, end: number, count: number, options: TensorOptions = {}): Tensor {
  const { numbers } = numberArguments('linspace', [start, end, count]);
  if (numbers.length !== 3 || !Number.isInteger(count) || count < 0) {
    throw new ArgumentError(
      `linspace: needs start, end and the number of points, as in linspace(0, 1, 50); got ${[start, end, count].map(describeValue).join(', ')}`,
    );
  }
  checkOptions('linspace', options);
  const step = count > 1 ? (end - start) / (count - 1) : 0;
  // Counted from the nearer end, so that the last number is exactly `end`.
  return fromFunction('linspace', count, (i) => (i < count / 2 ? start + i * step : end - (count - 1 - i) * step), options);
}

/** The identity matrix: ones where row and column number are equal. Shape [rows, columns]. */
export function eye(rows: number, columns: number | TensorOptions = rows, options: TensorOptions = {}): Tensor {
  const width = typeof columns === 'number' ? columns : rows;
  const settings = typeof columns === 'number' ? options : columns;
  const [height, breadth] = checkShape('eye', [rows, width]) as [number, number];
  checkOptions('eye', settings);
  const values = new Float64Array(height * breadth);
  for (let i = 0; i < Math.min(height, breadth); i++) values[i * breadth + i] = 1;
  return finish(engine().createFrom(settings.dtype ?? 'float32', [height, breadth], values), 'eye', settings);
}

// -- random numbers ------------------------------------------------------------------------------------------------------

/** Starts the random numbers anew: the same seed gives the same initial weights, shuffles and dropouts on every machine. */
export function manualSeed(seed: number): void {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new ArgumentError(`manualSeed: needs a whole number from 0 to 2^53 - 1, got ${describeValue(seed)}`);
  engine().seed(seed);
}

/** Random numbers, uniform in [0, 1): `rand(2, 3)` or `rand([2, 3])`. */
export function rand(...args: ShapeArguments): Tensor {
  return random('rand', args);
}

/** Random numbers, normally distributed with mean 0 and standard deviation 1: `randn(2, 3)` or `randn([2, 3])`. */
export function randn(...args: ShapeArguments): Tensor {
  return random('randn', args);
}

/** Random whole numbers from `low` up to, but not including, `high`, as int32: `randint(0, 10, [5])`. */
export function randint(low: number, high: number, shape: readonly number[] | number): Tensor {
  return run('randint', low, high, shape);
}

/** The numbers 0 .. count - 1 in random order, as int32. */
export function randperm(count: number): Tensor {
  return run('randperm', count);
}

function random(user: string, args: readonly unknown[]): Tensor {
  const { shape, options } = shapeArguments(user, args);
  const result = run(user, shape, { dtype: options.dtype });
  if (options.requiresGrad) result.requiresGrad = true;
  return result;
}

// -- arguments -----------------------------------------------------------------------------------------------------------

function finish(handle: number, maker: string, options: TensorOptions): Tensor {
  const result = new Tensor(handle, maker);
  if (options.requiresGrad) result.requiresGrad = true;
  return result;
}

function filled(user: string, shape: readonly number[], value: number, options: TensorOptions): Tensor {
  const dtype = options.dtype ?? 'float32';
  checkRange([value], dtype);
  return finish(engine().createFrom(dtype, shape, value), user, options);
}

function fromFunction(user: string, count: number, value: (i: number) => number, options: TensorOptions): Tensor {
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = value(i);
  return finish(engine().createFrom(options.dtype ?? 'float32', [count], values), user, options);
}

const optionNames = ['dtype', 'requiresGrad'];

function checkOptions(user: string, options: TensorOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ArgumentError(`${user}: options must be an object such as { dtype: 'int32' }, got ${describeValue(options)}`);
  }
  for (const key of Object.keys(options)) {
    if (!optionNames.includes(key))
      throw new ArgumentError(`${user}: unknown option "${key}"${didYouMean(key, optionNames) || '; known: dtype, requiresGrad'}`);
  }
  const { dtypes } = engine().description;
  if (options.dtype !== undefined && !dtypes.includes(options.dtype)) {
    throw new ArgumentError(`${user}: there is no dtype ${describeValue(options.dtype)}; known: ${dtypes.join(', ')}`);
  }
}

/** Checks sizes and returns a plain array of them. */
export function checkShape(user: string, shape: unknown): number[] {
  if (!Array.isArray(shape))
    throw new ArgumentError(`${user}: a shape must be an array of sizes, such as [2, 3], got ${describeValue(shape)}`);
  for (const size of shape) {
    if (!Number.isInteger(size) || size < 0)
      throw new ArgumentError(
        `${user}: sizes must be whole numbers from 0 on, got ${describeValue(size)} in [${shape.map(String).join(', ')}]`,
      );
  }
  return [...shape];
}

function shapeArguments(user: string, args: readonly unknown[]): { shape: number[]; options: TensorOptions } {
  const last = args[args.length - 1];
  const hasOptions = typeof last === 'object' && last !== null && !Array.isArray(last);
  const sizes = hasOptions ? args.slice(0, -1) : args;
  const options = (hasOptions ? last : {}) as TensorOptions;
  checkOptions(user, options);
  return { shape: checkShape(user, sizes.length === 1 && Array.isArray(sizes[0]) ? sizes[0] : sizes), options };
}

function numberArguments(user: string, args: readonly unknown[]): { numbers: number[]; options: TensorOptions } {
  const given = args.filter((arg) => arg !== undefined);
  const last = given[given.length - 1];
  const options = (typeof last === 'object' && last !== null ? given.pop() : {}) as TensorOptions;
  checkOptions(user, options);
  for (const value of given)
    if (typeof value !== 'number' || Number.isNaN(value)) throw new ArgumentError(`${user}: needs numbers, got ${describeValue(value)}`);
  return { numbers: given as number[], options };
}

// -- nested values -------------------------------------------------------------------------------------------------------

interface Found {
  dtype: DType | undefined;
}

const isFlat = (values: unknown): boolean => ArrayBuffer.isView(values) && typeof (values as unknown as ArrayLike<unknown>)[0] !== 'bigint';

function lengthOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return (value as unknown as ArrayLike<number>).length;
  return undefined;
}

/** The shape by the first element of each level; flatten() checks the others. */
function shapeOf(values: unknown): number[] {
  const shape: number[] = [];
  for (let level = values, length = lengthOf(level); length !== undefined; length = lengthOf(level)) {
    shape.push(length);
    level = (level as ArrayLike<unknown>)[0];
  }
  return shape;
}

function flatten(values: unknown, shape: readonly number[], count: number, found: Found): Float64Array {
  const flat = new Float64Array(count);
  let next = 0;
  const visit = (value: unknown, axis: number, place: string): void => {
    const length = lengthOf(value);
    if (axis < shape.length && length !== undefined) {
      if (length !== shape[axis]) {
        const first = place.replace(/\d+\]$/, '0]');
        throw new ShapeError(`tensor: rows differ in length: values${first} has ${shape[axis]} elements, values${place} has ${length}`);
      }
      if (ArrayBuffer.isView(value)) noteType(value, found);
      for (let i = 0; i < length; i++) visit((value as ArrayLike<unknown>)[i], axis + 1, `${place}[${i}]`);
      return;
    }
    if (length !== undefined || axis < shape.length) {
      throw new ShapeError(
        `tensor: the nesting differs: values${place} is ${describeValue(value)}, expected ${axis < shape.length ? 'an array' : 'a number'} there, as in the rows before`,
      );
    }
    if (typeof value === 'boolean') found.dtype ??= 'bool';
    else if (typeof value === 'number') {
      if (found.dtype === undefined || found.dtype === 'bool') found.dtype = 'float32';
    } else if (typeof value !== 'bigint') {
      const hint = value instanceof Tensor ? '; to join tensors use stack([a, b]) or concat([a, b])' : '';
      throw new ArgumentError(`tensor: values${place} must be a number, got ${describeValue(value)}${hint}`);
    }
    flat[next++] = Number(value);
  };
  visit(values, 0, '');
  return flat;
}

/** Typed arrays keep their type; those that the engine lacks become the nearest one that holds all their values. */
function noteType(values: unknown, found: Found): void {
  if (values instanceof Float64Array) found.dtype = 'float64';
  else if (values instanceof Int32Array || values instanceof Int8Array || values instanceof Int16Array || values instanceof Uint16Array)
    found.dtype ??= 'int32';
  else if (values instanceof Uint8Array || values instanceof Uint8ClampedArray) found.dtype ??= 'uint8';
  else found.dtype ??= 'float32';
}

function checkRange(values: ArrayLike<number>, dtype: DType): void {
  if (dtype.startsWith('float')) return;
  const [low, high] = dtype === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : dtype === 'uint8' ? [0, 255] : [0, 1];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!(value >= low && value <= high)) {
      throw new ValueError(
        `tensor: ${dtype} holds whole numbers from ${low} to ${high}, got ${value}; choose another dtype, or convert with x.to('${dtype}')`,
      );
    }
  }
}
