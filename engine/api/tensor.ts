// class Tensor: what JavaScript holds of a tensor of the engine. Methods for ops are installed from the op table by
// signature.ts; making tensors is in create.ts; who frees them is in scope.ts.

import { noteChange } from './changes.ts';
import { gradientsDropped } from './clock.ts';
import { ABSENT, type DType, engine, type TypedArray } from './engine.ts';
import { ArgumentError, StateError, ValueError } from './error.ts';
import type { TensorOps } from './ops.generated.d.ts';
import { formatTensor } from './print.ts';
import { handleOf, isGone, look, newSlot, release, type Slot, slotKey, tick } from './scope.ts';
import { describeValue, shapeText } from './words.ts';

export type { DType, TypedArray };

/** Numbers in nested arrays, one level per axis. */
export type NestedNumbers = number | NestedNumbers[];

export interface BackwardOptions {
  /** Keep what a second backward() over the same operations needs. */
  readonly retainGraph?: boolean;
  /** Make the gradients differentiable themselves, for second derivatives. */
  readonly createGraph?: boolean;
}

export interface Tensor extends TensorOps {}

/**
 * Numbers in a grid of any number of axes, with what backward() needs to find gradients.
 *
 * Make tensors with `tensor`, `zeros`, `randn` and the like; every operation gives a new one. Memory is freed for you;
 * a tensor of an earlier round of a training loop stays when a variable of a cell holds it or when `keep()` was called.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: signature.ts installs the methods from the same table that the typings come from.
export class Tensor {
  /** The life of the handle; see scope.ts. */
  readonly [slotKey]: Slot;
  /** Set on images, so that a display may show pictures. */
  isImage = false;

  /** For the API itself: takes over a handle. `maker` is named when the tensor is used after it is gone. */
  constructor(handle: number, maker: string) {
    if (typeof handle !== 'number')
      throw new ArgumentError('new Tensor(...) is for the engine: make tensors with tensor([1, 2, 3]), zeros(2, 3) or randn(2, 3)');
    this[slotKey] = newSlot(this, handle, maker);
  }

  #handle(user: string): number {
    return handleOf(this[slotKey], user);
  }

  /** Sizes of all axes, for example [64, 10]; [] for a single number. */
  get shape(): readonly number[] {
    const slot = this[slotKey];
    if (!slot.shape) look(slot, 'shape');
    return slot.shape as readonly number[];
  }

  /** Type of the elements: 'float32', 'float64', 'int32', 'uint8' or 'bool'. */
  get dtype(): DType {
    const slot = this[slotKey];
    if (!slot.dtype) look(slot, 'dtype');
    return slot.dtype as DType;
  }

  /** Number of axes. */
  get rank(): number {
    return this.shape.length;
  }

  /** Number of elements: the product of the shape. */
  get elementCount(): number {
    const slot = this[slotKey];
    if (!slot.shape) look(slot, 'elementCount');
    return slot.elementCount;
  }

  /** Size of one axis; negative axes count from the end. */
  size(axis: number): number {
    const size = this.shape.at(axis);
    if (size === undefined) throw new ValueError(`size: axis ${axis} is out of range for shape ${shapeText(this.shape)}`);
    return size;
  }

  // -- values ------------------------------------------------------------------------------------------------------------

  /** The value of a tensor with exactly one element, as a JavaScript number. */
  item(): number {
    if (this.elementCount !== 1) {
      throw new ValueError(
        `item: needs a tensor with one element, got shape ${shapeText(this.shape)}; use mean() or sum() first, or toArray()`,
      );
    }
    return engine().read(this.#handle('item'))[0] as number;
  }

  /** A copy of the values in row-major order, as a typed array of the dtype (bool as bytes). */
  values(): TypedArray {
    return engine().read(this.#handle('values'));
  }

  /** A copy of the values as nested arrays, one level per axis; a plain number when there is no axis. */
  // biome-ignore lint/suspicious/noExplicitAny: the depth is known at run time only; `any` lets people write toArray()[0][1].
  toArray(): any {
    const values = this.values();
    const nest = (axis: number, from: number, count: number): NestedNumbers => {
      if (axis === this.rank) return values[from] as number;
      const size = this.shape[axis] as number;
      const step = size === 0 ? 0 : count / size;
      return Array.from({ length: size }, (_, i) => nest(axis + 1, from + i * step, step));
    };
    return nest(0, 0, values.length);
  }

  /** A bounded picture of the values with shape and dtype; long axes are cut in the middle. */
  toString(): string {
    if (isGone(this[slotKey])) return `Tensor(gone, made by ${this[slotKey].maker})`;
    const { shape, dtype } = this;
    const grad = this.requiresGrad ? ', requiresGrad' : '';
    return `Tensor(${formatTensor(this.values(), shape, dtype)}, shape ${shapeText(shape)}, ${dtype}${grad})`;
  }

  toJSON(): unknown {
    return this.toArray();
  }

  /** Lets `loss < 0.1` and \`${loss}\` work; refuses `a + b`, which would make a text. */
  [Symbol.toPrimitive](hint: string): number | string {
    if (hint === 'string') return this.toString();
    if (this.elementCount === 1) return this.item();
    throw new ArgumentError(
      `+, -, < and the like do not work on tensors of shape ${shapeText(this.shape)}: use a.add(b), a.sub(b), a.lt(b) and so on; for text use \`\${x}\``,
    );
  }

  /** How Node prints it. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  /** The parts along the first axis, so that `for (const row of x)` and `const [a, b] = x` work. */
  *[Symbol.iterator](): Generator<Tensor> {
    if (this.rank === 0) throw new ValueError('a tensor without axes has no parts to go through; use item()');
    const parts = this.shape[0] as number;
    for (let i = 0; i < parts; i++) yield this.select(0, i);
  }

  // -- gradients -----------------------------------------------------------------------------------------------------------

  /** True when gradients flow to this tensor: a leaf that asked for it, or a result of one. Set it on leaves. */
  get requiresGrad(): boolean {
    return engine().tensorInfo(this.#handle('requiresGrad')).requiresGrad;
  }

  set requiresGrad(value: boolean) {
    noteChange();
    engine().setRequiresGrad(this.#handle('requiresGrad'), value);
  }

  /** Sets requiresGrad and returns this tensor. */
  requiresGrad_(value = true): this {
    this.requiresGrad = value;
    return this;
  }

  /** True unless the tensor is the result of a recorded operation. */
  get isLeaf(): boolean {
    return engine().tensorInfo(this.#handle('isLeaf')).isLeaf;
  }

  /**
   * The gradient that backward() has summed up for this leaf, of the same shape; null before the first backward() and
   * after zeroGrad(). Set null to clear it.
   */
  get grad(): Tensor | null {
    const grad = engine().grad(this.#handle('grad'));
    return grad === ABSENT ? null : new Tensor(grad, 'grad');
  }

  set grad(value: Tensor | null) {
    if (value === null) gradientsDropped();
    engine().setGrad(this.#handle('grad'), value === null ? ABSENT : requireTensor(value, 'grad', 'grad').#handle('grad'));
  }

  /**
   * Finds d this / d leaf for every leaf that requires it and adds it to the leaf's `grad`, as PyTorch does: gradients
   * add up until zeroGrad(). Needs a tensor with one element, unless `upstream`, of this shape, is given. Lets go of
   * everything that the operations had kept for it.
   */
  backward(upstream?: Tensor | null, options: BackwardOptions = {}): void {
    const seed = upstream ? requireTensor(upstream, 'backward', 'upstream').#handle('backward') : ABSENT;
    engine().backward(this.#handle('backward'), seed, options.retainGraph ?? false, options.createGraph ?? false);
    tick('backward');
  }

  /** The same values without the history: no gradient flows through it. Shares the memory. */
  detach(): Tensor {
    const result = new Tensor(engine().detach(this.#handle('detach')), 'detach');
    result.isImage = this.isImage;
    return result;
  }

  /** Overwrites the values of this leaf with those of a tensor of the same shape; the dtype stays. Returns this tensor. */
  copy_(source: Tensor): this {
    engine().copyInto(this.#handle('copy_'), requireTensor(source, 'copy_', 'source').#handle('copy_'));
    return this;
  }

  // -- life ----------------------------------------------------------------------------------------------------------------

  /** Keeps the tensor alive over the rounds of training loops, as long as JavaScript holds it. Returns this tensor. */
  keep(): this {
    this.#handle('keep');
    this[slotKey].isKept = true;
    return this;
  }

  /** Frees the memory now, if nothing else needs it. Never necessary; for the curious, and for `using`. */
  dispose(): void {
    release(this[slotKey], 'dispose');
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

export function isTensor(value: unknown): value is Tensor {
  return value instanceof Tensor;
}

/** The handle for a use by `user`; throws when the tensor is gone. */
export function handleOfTensor(tensor: Tensor, user: string): number {
  return handleOf(tensor[slotKey], user);
}

/** `value` as a tensor; the error names `user`, its parameter and what came. */
export function requireTensor(value: unknown, user: string, parameter: string): Tensor {
  if (value instanceof Tensor) return value;
  throw new ArgumentError(`${user}: \`${parameter}\` must be a tensor, got ${describeValue(value)}`);
}

/**
 * Runs `body` without remembering operations for backward(): faster, and right for evaluation and for changing
 * parameters by hand. Returns what `body` returns; a promise is waited for.
 */
export function noGrad<Result>(body: () => Result): Result {
  if (typeof body !== 'function')
    throw new ArgumentError(`noGrad: needs a function, as in noGrad(() => model(x)), got ${describeValue(body)}`);
  const before = engine().gradMode(false);
  const restore = (): void => {
    engine().gradMode(before);
  };
  let result: Result;
  try {
    result = body();
  } catch (error) {
    restore();
    throw error;
  }
  if (result instanceof Promise) return result.finally(restore) as Result;
  restore();
  return result;
}

/**
 * Gradients of `root` with respect to `targets`, returned instead of added to `grad`; null where root does not depend
 * on the target. As torch.autograd.grad.
 */
export function gradients(
  root: Tensor,
  targets: readonly Tensor[],
  options: BackwardOptions & { readonly upstream?: Tensor } = {},
): (Tensor | null)[] {
  const handles = targets.map((target, i) => handleOfTensor(requireTensor(target, 'gradients', `targets[${i}]`), 'gradients'));
  const upstream = options.upstream ? handleOfTensor(options.upstream, 'gradients') : ABSENT;
  if (handles.length === 0) throw new StateError('gradients: needs at least one target');
  return engine()
    .gradients(
      handleOfTensor(requireTensor(root, 'gradients', 'root'), 'gradients'),
      handles,
      upstream,
      options.retainGraph ?? false,
      options.createGraph ?? false,
    )
    .map((handle) => (handle === ABSENT ? null : new Tensor(handle, 'gradients')));
}
