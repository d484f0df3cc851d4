// Module: what all layers and models are. A module is called like a function, and its parameters are found by looking
// through its properties. Plain objects, arrays and classes that hold layers work with the functions of this file too.

import { noteChange } from './changes.ts';
import { type DType, engine } from './engine.ts';
import { ArgumentError, EngineError, ShapeError, StateError } from './error.ts';
import { enterLayer, leaveLayer } from './places.ts';
import { slotKey } from './scope.ts';
import { requireTensor, Tensor } from './tensor.ts';
import { describeValue, didYouMean, shapeText } from './words.ts';

/** Copies of parameters and buffers by name: `{ '0.weight': Tensor, '0.bias': Tensor }`. Names are PyTorch's. */
export type StateDict = Record<string, Tensor>;

export interface LoadOptions {
  /** False leaves out names that are missing or unknown. Default true: they are errors. */
  readonly strict?: boolean;
}

export interface Module<Inputs extends unknown[] = [Tensor], Output = Tensor> {
  /** Runs the model: calls forward(). */
  (...inputs: Inputs): Output;
}

/**
 * A layer or a model: a function of tensors that owns parameters.
 *
 * For a model of your own write a class and call its instances:
 * ```ts
 * class Net extends nn.Module {
 *   hidden = nn.linear(784, 128);
 *   out = nn.linear(128, 10);
 *   forward(x: Tensor) { return this.out(this.hidden(x).relu()); }
 * }
 * const model = new Net();
 * const logits = model(x);
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor returns a function, so instances can be called.
export class Module<Inputs extends unknown[] = [Tensor], Output = Tensor> {
  /**
   * How properties are called in stateDict(), where PyTorch has another name than ours: { runningMean: 'running_mean' }.
   * Saved weights travel both ways by these names.
   */
  static readonly stateNames: Readonly<Record<string, string>> = {};

  /** True while training: dropout drops and batch normalisation uses the batch. Changed by train() and eval(). */
  declare training: boolean;

  constructor() {
    const self = ((...inputs: Inputs) => callModule(self, inputs)) as Module<Inputs, Output>;
    Object.setPrototypeOf(self, new.target.prototype);
    // A function's own name and length would look like properties of the model.
    delete (self as unknown as { name?: string }).name;
    delete (self as unknown as { length?: number }).length;
    Object.defineProperty(self, 'training', { value: true, writable: true });
    // biome-ignore lint/correctness/noConstructorReturn: see above; fields of subclasses land on the function.
    return self;
  }

  /** Computes the result; write it in your own classes, and call the module itself, not forward. */
  forward(..._inputs: Inputs): Output {
    throw new StateError(`${this}: has no forward(); write forward(x) { ... } in the class`);
  }

  /** All trainable tensors, each once, in the order of the model. */
  parameters(): Tensor[] {
    return parameters(this);
  }

  /** Names and trainable tensors: ['0.weight', Tensor]. */
  namedParameters(): [string, Tensor][] {
    return namedParameters(this);
  }

  /** Copies of all parameters and buffers by name. Later training does not change them. */
  stateDict(): StateDict {
    return stateDict(this);
  }

  /** Copies saved values into parameters and buffers; names and shapes must fit. */
  loadStateDict(state: Readonly<Record<string, Tensor>>, options: LoadOptions = {}): void {
    loadStateDict(this, state, options);
  }

  /** Training mode (the default), or with false the same as eval(). Returns the model. */
  train(mode = true): this {
    return train(this, mode);
  }

  /** Evaluation mode: nothing is dropped, batch normalisation uses its running numbers. Returns the model. */
  eval(): this {
    return train(this, false);
  }

  /**
   * Calls `hook(module, inputs, output)` after each forward(), to look at activations; what it returns replaces the result.
   * Returns a function that removes the hook.
   */
  registerForwardHook(hook: ForwardHook): () => void {
    return addHook(this, 'after', hook);
  }

  /** Calls `hook(module, inputs)` before each forward(). Returns a function that removes the hook. */
  registerForwardPreHook(hook: ForwardPreHook): () => void {
    return addHook(this, 'before', hook);
  }

  /** Calls `hook(module, gradient of the result)` after each backward() through the module. Returns a function that removes the hook. */
  registerBackwardHook(hook: BackwardHook): () => void {
    return addHook(this, 'backward', hook);
  }

  /** How the layer is written: `linear(784, 10)`. */
  toString(): string {
    return this.constructor.name;
  }

  /** How errors call it: shorter than toString() for a model of many layers. */
  errorName(): string {
    return this.toString();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}
// Callable instances should have call, apply and bind.
Object.setPrototypeOf(Module.prototype, Function.prototype);

// -- calling -------------------------------------------------------------------------------------------------------------

/** Told about every call of a module: who, with what, and the result. */
export type CallObserver = (module: Module<never[], unknown>, inputs: readonly unknown[], output: unknown) => void;
const observers = new Set<CallObserver>();

/** Tells `observer` of every call of a module while `body` runs. */
export function observeCalls<Result>(observer: CallObserver, body: () => Result): Result {
  observers.add(observer);
  try {
    return body();
  } finally {
    observers.delete(observer);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a hook may be written for any kind of module.
type AnyModule = Module<any[], any>;
/** Sees a module's inputs and result; what it returns, unless undefined, replaces the result. */
export type ForwardHook = (module: AnyModule, inputs: readonly unknown[], output: Tensor) => unknown;
/** Sees a module's inputs before it runs. */
export type ForwardPreHook = (module: AnyModule, inputs: readonly unknown[]) => void;
/** Sees the gradient of a module's result after backward(). */
export type BackwardHook = (module: AnyModule, gradOutput: Tensor) => void;

interface Hooks {
  readonly before: Set<ForwardPreHook>;
  readonly after: Set<ForwardHook>;
  readonly backward: Set<BackwardHook>;
}
// Beside the module, not on it: what a module holds is its model.
const hooksOf = new WeakMap<object, Hooks>();

function addHook<Kind extends keyof Hooks>(module: object, kind: Kind, hook: unknown): () => void {
  if (typeof hook !== 'function') throw new ArgumentError(`${module}: a hook must be a function, got ${describeValue(hook)}`);
  const own = hooksOf.get(module) ?? { before: new Set(), after: new Set(), backward: new Set() };
  hooksOf.set(module, own);
  const list = own[kind] as Set<unknown>;
  list.add(hook);
  return () => {
    list.delete(hook);
    if (own.before.size + own.after.size + own.backward.size === 0) hooksOf.delete(module);
  };
}

function runForwardHooks<Output>(own: Hooks, module: AnyModule, inputs: readonly unknown[], result: Output): Output {
  let output = result;
  for (const hook of own.after) output = (hook(module, inputs, output as Tensor) as Output | undefined) ?? output;
  if (output instanceof Tensor && output.requiresGrad) {
    for (const hook of own.backward) output.registerHook((grad) => hook(module, grad));
  }
  return output;
}

const namedErrors = new WeakSet<Error>();

function callModule<Inputs extends unknown[], Output>(module: Module<Inputs, Output>, inputs: Inputs): Output {
  let output: Output;
  const own = hooksOf.get(module);
  enterLayer(module);
  try {
    if (own) for (const hook of own.before) hook(module, inputs);
    output = module.forward(...inputs);
    if (own) output = runForwardHooks(own, module, inputs, output);
  } catch (error) {
    // The innermost layer names itself; layers around it only say where it is (sequential).
    if (error instanceof EngineError && !namedErrors.has(error)) {
      namedErrors.add(error);
      const name = module.errorName();
      // A layer and its operation may have the same name: embedding(5, 2) and embedding.
      const word = `${name.split('(')[0]}: `;
      if (!error.message.startsWith(name)) error.message = `${name}: ${error.message.startsWith(word) ? error.message.slice(word.length) : error.message}`;
    }
    throw error;
  } finally {
    leaveLayer();
  }
  if (observers.size > 0) for (const observer of observers) observer(module as Module<never[], unknown>, inputs, output);
  return output;
}

// -- parameters ------------------------------------------------------------------------------------------------------------

const roles = new WeakMap<Tensor, 'parameter' | 'buffer'>();

/** Makes a leaf a parameter: it is trained, kept, and saved with the model. Returns it. */
export function parameter(values: Tensor): Tensor {
  requireTensor(values, 'parameter', 'values').requiresGrad = true;
  roles.set(values, 'parameter');
  return values.keep();
}

/** Makes a tensor a buffer: it is kept and saved with the model, but not trained (running averages). Returns it. */
export function buffer(values: Tensor): Tensor {
  roles.set(requireTensor(values, 'buffer', 'values'), 'buffer');
  return values.keep();
}

interface Member {
  readonly name: string;
  readonly tensor: Tensor;
  readonly role: 'parameter' | 'buffer';
}

/** Parameters and buffers in the order of properties; a tensor that stands in two places comes twice. */
function members(model: unknown): Member[] {
  const found: Member[] = [];
  visit(model, (name, value) => {
    if (!(value instanceof Tensor)) return;
    const role = roles.get(value) ?? (value.isLeaf && value.requiresGrad ? 'parameter' : undefined);
    if (role) found.push({ name, tensor: value, role });
  });
  return found;
}

/** All modules in a model with their names, the model itself first (with the name ''). */
export function modulesOf(model: unknown): { readonly name: string; readonly module: Module }[] {
  const found: { name: string; module: Module }[] = [];
  visit(model, (name, value) => {
    if (value instanceof Module) found.push({ name, module: value as Module });
  });
  return found;
}

/** Goes through a model and all that its properties hold, in order. */
function visit(model: unknown, meet: (name: string, value: unknown) => void): void {
  // On the way down a value is entered once, so that a loop of references ends.
  const open = new Set<unknown>();
  const enter = (value: unknown, name: string): void => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || open.has(value)) return;
    meet(name, value);
    if (value instanceof Tensor || ArrayBuffer.isView(value)) return;
    open.add(value);
    const at = name === '' ? '' : `${name}.`;
    const { stateNames } = value.constructor as { stateNames?: Readonly<Record<string, string>> };
    if (value instanceof Map) for (const [key, item] of value) enter(item, at + String(key));
    else for (const key of Object.keys(value)) enter((value as Record<string, unknown>)[key], at + (stateNames?.[key] ?? key));
    open.delete(value);
  };
  enter(model, '');
}

/** Names and trainable tensors of a layer, or of any object, array or class that holds layers. */
export function namedParameters(model: unknown): [string, Tensor][] {
  const seen = new Set<Tensor>();
  const named = members(model).filter(({ role, tensor }) => role === 'parameter' && !seen.has(tensor) && seen.add(tensor));
  if (named.length === 0) checkModel('parameters', model);
  return named.map(({ name, tensor }) => [name, tensor]);
}

/** All trainable tensors of a layer, or of any object, array or class that holds layers, each once. */
export function parameters(model: unknown): Tensor[] {
  return namedParameters(model).map(([, tensor]) => tensor);
}

/** Number of trainable values in a model. */
export function parameterCount(model: unknown): number {
  return parameters(model).reduce((sum, tensor) => sum + tensor.elementCount, 0);
}

/** Layers without parameters (relu) are models too; a function that hides its layers in a closure is not. */
function checkModel(user: string, model: unknown): void {
  if (model instanceof Module || (typeof model === 'object' && model !== null)) return;
  if (typeof model === 'function') {
    throw new ArgumentError(
      `${user}: cannot see the layers that a plain function uses; pass them as a list, nn.parameters([layer1, layer2]), or write a class that extends nn.Module`,
    );
  }
  throw new ArgumentError(`${user}: needs a model, got ${describeValue(model)}`);
}

// -- saved values ------------------------------------------------------------------------------------------------------------

/** Copies of all parameters and buffers of a model by name. Later training does not change them. */
export function stateDict(model: unknown): StateDict {
  checkModel('stateDict', model);
  const state: StateDict = {};
  for (const { name, tensor } of members(model)) state[name] = copyOf(tensor).keep();
  return state;
}

/** Copies saved values into the parameters and buffers of a model; names and shapes must fit. */
export function loadStateDict(model: unknown, state: Readonly<Record<string, Tensor>>, options: LoadOptions = {}): void {
  checkModel('loadStateDict', model);
  const wanted = members(model);
  if (options.strict ?? true) {
    const names = wanted.map(({ name }) => name);
    const missing = names.filter((name) => !(name in state));
    const unknown = Object.keys(state).filter((name) => !names.includes(name));
    if (missing.length > 0 || unknown.length > 0) {
      const parts = [
        missing.length > 0 ? `missing ${missing.join(', ')}` : '',
        unknown.length > 0 ? `unknown ${unknown.map((name) => name + didYouMean(name, missing)).join(', ')}` : '',
      ];
      throw new ArgumentError(
        `loadStateDict: names do not fit the model: ${parts.filter(Boolean).join('; ')}. { strict: false } leaves them out.`,
      );
    }
  }
  // All are checked before the first is changed.
  for (const { name, tensor } of wanted) {
    if (!(name in state)) continue;
    const saved = requireTensor(state[name], 'loadStateDict', name);
    if (saved.shape.join() !== tensor.shape.join()) {
      throw new ShapeError(`loadStateDict: ${name} has shape ${shapeText(tensor.shape)}, the saved one ${shapeText(saved.shape)}`);
    }
  }
  for (const { name, tensor } of wanted) if (name in state) tensor.copy_(state[name] as Tensor);
}

/** A copy with its own memory and without history. */
export function copyOf(tensor: Tensor): Tensor {
  return new Tensor(engine().createFrom(tensor.dtype as DType, tensor.shape, tensor.values()), 'copyOf');
}

// -- modes ---------------------------------------------------------------------------------------------------------------------

/** Sets training mode (or with false evaluation mode) on all modules in a model. Returns the model. */
export function train<Model>(model: Model, mode = true): Model {
  checkModel('train', model);
  for (const { module } of modulesOf(model)) {
    if (module.training !== mode) noteChange();
    module.training = mode;
  }
  return model;
}

/** Is the model in training mode? True when its first module with a mode is. */
export function isTraining(model: unknown): boolean {
  return modulesOf(model)[0]?.module.training ?? true;
}

/** Freezes parameters: backward() no longer computes their gradients. Undo with `freeze(model, false)`. Returns the model. */
export function freeze<Model>(model: Model, frozen = true): Model {
  for (const { tensor, role } of members(model)) if (role === 'parameter' && roles.has(tensor)) tensor.requiresGrad = !frozen;
  return model;
}

/** For sequential: may `value`, which a layer of ours made, be let go of once the next layer of ours has used it? */
export function isTransient(value: unknown): value is Tensor {
  return value instanceof Tensor && !value[slotKey].isKept;
}
