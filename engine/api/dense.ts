// Layers around matrix products and single values: linear, embedding, dropout, flatten, and sequential, which joins layers.

import { actedInTraining } from './clock.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { initialize } from './initialize.ts';
import { isTransient, Module, modulesOf, parameter } from './module.ts';
import { ops } from './signature.ts';
import { passOn, slotKey } from './scope.ts';
import { requireTensor, Tensor } from './tensor.ts';
import { zeros } from './create.ts';
import { describeValue, didYouMean, shapeText } from './words.ts';

/** Throws unless options are an object with known names only. */
export function checkLayerOptions(layer: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ArgumentError(`${layer}: options must be an object such as { ${known[0]}: ... }, got ${describeValue(options)}`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key))
      throw new ArgumentError(`${layer}: unknown option "${key}"${didYouMean(key, known) || `; known: ${known.join(', ')}`}`);
  }
}

/** Throws unless the value is a whole number from 1 on. */
export function checkCount(layer: string, name: string, value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  throw new ArgumentError(`${layer}: \`${name}\` must be a whole number from 1 on, got ${describeValue(value)}`);
}

/** A parameter of this shape, uniform between -bound and bound. */
export function uniformParameter(shape: readonly number[], bound: number): Tensor {
  return parameter(initialize('uniform', zeros(shape), { low: -bound, high: bound }));
}

// -- linear --------------------------------------------------------------------------------------------------------------

export interface LinearOptions {
  /** False leaves out the bias. Default true. */
  readonly bias?: boolean;
}

/** y = x W^T + b. */
export class Linear extends Module {
  /** [outFeatures, inFeatures] */
  readonly weight: Tensor;
  /** [outFeatures] */
  declare readonly bias?: Tensor;

  constructor(inFeatures: number, outFeatures: number, options: LinearOptions = {}) {
    super();
    checkLayerOptions('linear', options, ['bias']);
    checkCount('linear', 'inFeatures', inFeatures);
    checkCount('linear', 'outFeatures', outFeatures);
    // PyTorch's default: Kaiming uniform with a = sqrt(5), which comes to this bound for weight and bias alike.
    const bound = 1 / Math.sqrt(inFeatures);
    this.weight = uniformParameter([outFeatures, inFeatures], bound);
    if (options.bias ?? true) this.bias = uniformParameter([outFeatures], bound);
  }

  override forward(x: Tensor): Tensor {
    const [outFeatures, inFeatures] = this.weight.shape as [number, number];
    const { shape } = requireTensor(x, String(this), 'x');
    if (shape.at(-1) !== inFeatures) {
      const rest = shape.slice(1).reduce((product, size) => product * size, 1);
      let hint = '';
      if (shape.length > 2 && rest === inFeatures) hint = ': did you forget flatten()?';
      else if (shape.length > 2)
        hint = `: flatten() would give ${rest} features, so it would take flatten() and linear(${rest}, ${outFeatures})`;
      else if (shape.length === 2) hint = `: linear(${shape[1]}, ${outFeatures}) would fit`;
      throw new ShapeError(`${this}: needs inputs of shape [..., ${inFeatures}], got ${shapeText(shape)}${hint}`);
    }
    return ops.linear(x, this.weight, this.bias);
  }

  override toString(): string {
    const [outFeatures, inFeatures] = this.weight.shape;
    return `linear(${inFeatures}, ${outFeatures}${this.bias ? '' : ', { bias: false }'})`;
  }
}

/**
 * A fully connected layer, y = x W^T + b: inputs [..., inFeatures], results [..., outFeatures]. `weight` is
 * [outFeatures, inFeatures] and starts as in PyTorch: uniform within 1 / sqrt(inFeatures), the bias too.
 */
export const linear = (inFeatures: number, outFeatures: number, options?: LinearOptions): Linear =>
  new Linear(inFeatures, outFeatures, options);

// -- embedding -----------------------------------------------------------------------------------------------------------

/** Rows of a table, chosen by class ids. */
export class Embedding extends Module {
  /** [count, size] */
  readonly weight: Tensor;

  constructor(count: number, size: number) {
    super();
    checkCount('embedding', 'count', count);
    checkCount('embedding', 'size', size);
    this.weight = parameter(initialize('normal', zeros(count, size), { mean: 0, std: 1 }));
  }

  override forward(ids: Tensor): Tensor {
    return ops.embedding(ids, this.weight);
  }

  override toString(): string {
    return `embedding(${this.weight.shape.join(', ')})`;
  }
}

/** A table of `count` vectors of `size` numbers: class ids [...] in, vectors [..., size] out. Starts normally distributed. */
export const embedding = (count: number, size: number): Embedding => new Embedding(count, size);

// -- dropout -------------------------------------------------------------------------------------------------------------

/** Zeroes values at random while training. */
export class Dropout extends Module {
  readonly p: number;
  readonly #op: 'dropout' | 'dropout2d';

  constructor(op: 'dropout' | 'dropout2d', p = 0.5) {
    super();
    if (!(p >= 0 && p < 1)) throw new ArgumentError(`${op}: \`p\` must be from 0 to below 1, got ${describeValue(p)}`);
    this.#op = op;
    this.p = p;
  }

  override forward(x: Tensor): Tensor {
    if (!this.training || this.p === 0) return requireTensor(x, String(this), 'x');
    actedInTraining(this);
    return ops[this.#op](x, this.p);
  }

  override toString(): string {
    return `${this.#op}(${this.p})`;
  }
}

/** While training, replaces each value with zero with probability `p` and scales the rest by 1 / (1 - p). Does nothing after eval(). */
export const dropout = (p?: number): Dropout => new Dropout('dropout', p);
/** As dropout, for whole channels of images. */
export const dropout2d = (p?: number): Dropout => new Dropout('dropout2d', p);

// -- flatten ---------------------------------------------------------------------------------------------------------------

/** Joins axes into one. */
export class Flatten extends Module {
  readonly startAxis: number;
  readonly endAxis: number;

  constructor(startAxis = 1, endAxis = -1) {
    super();
    this.startAxis = startAxis;
    this.endAxis = endAxis;
  }

  override forward(x: Tensor): Tensor {
    return requireTensor(x, String(this), 'x').flatten(this.startAxis, this.endAxis);
  }

  override toString(): string {
    return this.startAxis === 1 && this.endAxis === -1 ? 'flatten()' : `flatten(${this.startAxis}, ${this.endAxis})`;
  }
}

/** Joins all axes but the first: [64, 8, 14, 14] becomes [64, 1568]. Needed between convolutions and linear layers. */
export const flatten = (startAxis?: number, endAxis?: number): Flatten => new Flatten(startAxis, endAxis);

// -- sequential ------------------------------------------------------------------------------------------------------------

/** What sequential joins: layers, and plain functions such as x => x.relu(). */
export type Step = Module | ((x: Tensor) => Tensor);

/** Layers one after the other. */
export class Sequential extends Module {
  readonly [position: number]: Step;
  declare readonly length: number;

  constructor(steps: readonly Step[]) {
    super();
    steps.forEach((step, i) => {
      if (typeof step === 'function') {
        Object.defineProperty(this, i, { value: step, enumerable: true });
        return;
      }
      const hint =
        (step as unknown) instanceof Tensor ? '; was a layer called already?' : Array.isArray(step) ? '; write ...layers for a list' : '';
      throw new ArgumentError(`sequential: item ${i} must be a layer or a function, got ${describeValue(step)}${hint}`);
    });
    Object.defineProperty(this, 'length', { value: steps.length });
  }

  override forward(x: Tensor): Tensor {
    let value = x;
    for (let i = 0; i < this.length; i++) {
      const step = this[i] as Step;
      let next: Tensor;
      try {
        next = step(value);
      } catch (error) {
        if (error instanceof Error && !error.message.includes(' (layer '))
          error.message += ` (layer ${i} of ${this.length} in sequential, counted from 0)`;
        throw error;
      }
      if (!(next instanceof Tensor))
        throw new ArgumentError(
          `sequential: layer ${i} must give a tensor, got ${describeValue(next)}${next === undefined ? '; is a `return` missing?' : ''}`,
        );
      // A value between two layers of ours is seen by nobody else: its handle can go, and the engine keeps what backward() needs.
      if (i > 0 && next !== value && value !== x && isTransient(value) && isOurs(this[i - 1]) && isOurs(step)) passOn(value[slotKey]);
      value = next;
    }
    return value;
  }

  [Symbol.iterator](): IterableIterator<Step> {
    return Array.from({ length: this.length }, (_, i) => this[i] as Step).values();
  }

  override errorName(): string {
    return 'sequential';
  }

  override toString(): string {
    return `sequential(${[...this].map((step) => (step instanceof Module ? String(step) : step.name || 'function')).join(', ')})`;
  }
}

const ours = new WeakSet<object>();

/** Declares that layers of this class do not hold on to what they are given or give. */
export function declareOurs(layer: { readonly prototype: object }): void {
  ours.add(layer.prototype);
}

const isOurs = (step: Step | undefined): boolean => step !== undefined && ours.has(Object.getPrototypeOf(step));

/** True for a model of nothing but our own layers: its forward pass is the same operations each time, whatever else happens. */
export function isOfOurLayers(model: unknown): boolean {
  const modules = modulesOf(model);
  const isOur = ({ module }: { readonly module: Module }): boolean =>
    isOurs(module) && !(module instanceof Sequential && [...module].some((step) => !(step instanceof Module)));
  return model instanceof Module && modules.every(isOur);
}

for (const layer of [Linear, Embedding, Dropout, Flatten, Sequential]) declareOurs(layer);

/**
 * A model that passes its input through layers in order. Layers are found as model[0], model[1]; parameters are named
 * '0.weight', '0.bias' as in PyTorch. Plain functions may stand between layers.
 */
export const sequential = (...steps: Step[]): Sequential => new Sequential(steps);
