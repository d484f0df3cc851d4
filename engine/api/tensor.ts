// class Tensor: what JavaScript holds of a tensor of the engine. Methods for ops are installed from the op table by
// signature.ts; making tensors is in create.ts; who frees them is in scope.ts.

import { after } from './after.ts';
import { aboutToOverwrite, noteChange } from './changes.ts';
import { gradientsDropped } from './clock.ts';
import { ABSENT, type DType, engine, type TypedArray, UNMADE } from './engine.ts';
import { ArgumentError, StateError, ValueError } from './error.ts';
import type { TensorOps } from './ops.generated.d.ts';
import { formatTensor } from './print.ts';
import { withPlaces } from './places.ts';
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

  /** Type of the elements: 'float32', 'float64', 'int32', 'uint8', 'bool' or 'float16', which only holds values. */
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
    const slot = this[slotKey];
    if (slot.handle !== UNMADE) return engine().read(this.#handle('item'))[0] as number;
    engine().programs.refuseReading();
    return slot.value;
  }

  /** A copy of the values in row-major order, as a typed array of the dtype (bool as bytes, float16 as float32). */
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
   * after zeroGrad(). Results of operations have one after retainGrad(). Set null to clear it.
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
    const handle = this.#handle('backward');
    withPlaces(() => engine().backward(handle, seed, options.retainGraph ?? false, options.createGraph ?? false));
    tick('backward');
    runGradientHooks();
  }

  /** Makes backward() leave the gradient of this tensor in `grad` too, though an operation made it. Returns this tensor. */
  retainGrad(): this {
    engine().retainGrad(this.#handle('retainGrad'));
    return this;
  }

  /** Calls `hook` with the gradient of this tensor after each backward() that reaches it. Returns a function that removes it. */
  registerHook(hook: (grad: Tensor) => void): () => void {
    if (typeof hook !== 'function') throw new ArgumentError(`registerHook: needs a function of the gradient, got ${describeValue(hook)}`);
    const { isLeaf } = this;
    // A result must live until its gradient comes, though nobody else may hold it.
    if (!isLeaf) this.retainGrad().keep();
    const entry = { tensor: isLeaf ? new WeakRef<Tensor>(this) : { deref: () => this }, isLeaf, hook };
    gradientHooks.add(entry);
    if (gradientHooks.size > MOST_HOOKS) gradientHooks.delete(gradientHooks.values().next().value as GradientHook);
    return () => void gradientHooks.delete(entry);
  }

  /** The same values without the history: no gradient flows through it. Shares the memory. */
  detach(): Tensor {
    const result = new Tensor(engine().detach(this.#handle('detach')), 'detach');
    result.isImage = this.isImage;
    return result;
  }

  /** Overwrites the values of this leaf with those of a tensor of the same shape; the dtype stays. Returns this tensor. */
  copy_(source: Tensor): this {
    aboutToOverwrite(this);
    engine().copyInto(this.#handle('copy_'), requireTensor(source, 'copy_', 'source').#handle('copy_'));
    return this;
  }

  // -- parts ---------------------------------------------------------------------------------------------------------------

  /** Parts along an axis: of `size` each, the last may be smaller, or of the sizes in a list. They are views. */
  split(size: number | readonly number[], axis = 0): Tensor[] {
    const whole = this.size(axis);
    const sizes = typeof size === 'number' ? Array.from({ length: Math.max(Math.ceil(whole / size), 1) }, (_, i) => Math.min(size, whole - i * size)) : size;
    const total = sizes.reduce((sum, each) => sum + each, 0);
    if (!sizes.every((each) => Number.isInteger(each) && each >= 0) || total !== whole || size === 0) {
      throw new ValueError(`split: needs a size from 1 on, or sizes that add up to the ${whole} of axis ${axis}, got ${describeValue(size)} for shape ${shapeText(this.shape)}`);
    }
    let from = 0;
    return sizes.map((each) => this.narrow(axis, (from += each) - each, each));
  }

  /** At most `count` parts of equal size along an axis; the last may be smaller. They are views. */
  chunk(count: number, axis = 0): Tensor[] {
    if (!Number.isInteger(count) || count < 1) throw new ValueError(`chunk: needs a whole number of parts from 1 on, got ${describeValue(count)}`);
    return this.split(Math.max(Math.ceil(this.size(axis) / count), 1), axis);
  }

  /** The parts along an axis without that axis: unbind() of [2, 3] gives two tensors [3]. */
  unbind(axis = 0): Tensor[] {
    return Array.from({ length: this.size(axis) }, (_, i) => this.select(axis, i));
  }

  /** Matrices as the product of Q, whose columns are orthonormal, and R, which is upper triangular. Each alone: qrQ(), qrR(). */
  qr(): [q: Tensor, r: Tensor] {
    return [this.qrQ(), this.qrR()];
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

interface GradientHook {
  readonly tensor: { deref(): Tensor | undefined };
  readonly isLeaf: boolean;
  readonly hook: (grad: Tensor) => void;
}
const gradientHooks = new Set<GradientHook>();
/** Results whose backward() never came are let go of beyond this. */
const MOST_HOOKS = 1000;

/** After backward(): tells the hooks of tensors that have a gradient now. Those of results are told once, since a result has one pass. */
function runGradientHooks(): void {
  for (const entry of [...gradientHooks]) {
    const tensor = entry.tensor.deref();
    if (!tensor || isGone(tensor[slotKey])) {
      gradientHooks.delete(entry);
      continue;
    }
    const { grad } = tensor;
    if (!grad) continue;
    if (!entry.isLeaf) gradientHooks.delete(entry);
    entry.hook(grad);
  }
}

/** For captured steps: a tensor of one float32, of which the engine has only the value. */
export function singleTensor(value: number, shape: readonly number[], maker: string): Tensor {
  const tensor = new Tensor(UNMADE, maker);
  const slot = tensor[slotKey];
  slot.value = value;
  slot.shape = shape;
  slot.dtype = 'float32';
  slot.elementCount = 1;
  return tensor;
}

// `t[0]` would be undefined without a word. As accessors of the prototype these cost other properties nothing.
const MOST_INDEXES = 100;
for (let index = 0; index < MOST_INDEXES; index++) {
  Object.defineProperty(Tensor.prototype, index, {
    configurable: true,
    get() {
      throw new ArgumentError(`a tensor has no [${index}]: write t.select(0, ${index}) for a part of it, or t.toArray()[${index}] for its numbers`);
    },
    set() {
      throw new ArgumentError(`[${index}] of a tensor cannot be assigned: change its numbers as an array before you make it, tensor(numbers)`);
    },
  });
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
  return after(body, () => void engine().gradMode(before));
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
