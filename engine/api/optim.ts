// Optimizers: one class over the rows of the engine's table, one function per row. Formulas are in engine/train.

import { batchLearned, gradientsDropped } from './clock.ts';
import { zeros } from './create.ts';
import type { OptimizerParamRow, OptimizerRow } from './description.ts';
import { ABSENT, engine, whenStarted } from './engine.ts';
import { beforeStep } from './detective.ts';
import { ArgumentError, StateError } from './error.ts';
import { hooks } from './hooks.ts';
import { copyOf, parameters as parametersOf } from './module.ts';
import type { Optimizers } from './ops.generated.d.ts';
import * as schedules from './schedule.ts';
import { tick } from './scope.ts';
import { handleOfTensor, requireTensor, Tensor } from './tensor.ts';
import { describeValue, didYouMean } from './words.ts';

/** Settings by name, as in the optimizer's row: { lr: 1e-3, weightDecay: 0.01 }. */
export type Settings = Readonly<Record<string, number | boolean | readonly number[] | undefined>>;

/** Parameters with settings of their own; settings left out are those of the optimizer. */
export type ParameterGroup = { readonly params: Iterable<Tensor> } & { readonly [setting: string]: unknown };

/** What an optimizer trains: model.parameters(), a list of tensors, a model, or groups with settings of their own. */
export type Trainable = Iterable<Tensor> | readonly ParameterGroup[] | object;

/** Everything an optimizer knows, by PyTorch's layout: state of each parameter by its number, and the groups. */
export interface OptimizerState {
  readonly name: string;
  readonly state: readonly { readonly step: number; readonly slots: Readonly<Record<string, Tensor>> }[];
  readonly groups: readonly Settings[];
}

interface Group {
  readonly id: number;
  readonly params: readonly Tensor[];
}

const finished = new FinalizationRegistry<readonly number[]>((ids) => {
  for (const id of ids) engine().optimizerRelease(id);
});

/** Changes parameters step by step so that the loss falls. Made by optim.sgd, optim.adam and so on. */
export class Optimizer {
  readonly #row: OptimizerRow;
  readonly #groups: readonly Group[];

  /** For optim: `row` is the optimizer's row in the engine's table. */
  constructor(row: OptimizerRow, trainable: Trainable, settings: Settings) {
    this.#row = row;
    const user = `optim.${row.name}`;
    checkSettings(user, row, settings);
    const number = engine().description.optimizers.indexOf(row);
    this.#groups = groupsOf(user, trainable).map((group) => {
      const { params, ...own } = group;
      checkSettings(user, row, own);
      const list = [...params].map((param, i) => requireParameter(user, param, i));
      const handles = list.map((param) => handleOfTensor(param.keep(), user));
      return { id: engine().optimizerCreate(number, handles, flatSettings(row, { ...settings, ...(own as Settings) })), params: list };
    });
    finished.register(
      this,
      this.#groups.map((group) => group.id),
      this,
    );
  }

  /** One update of every parameter that has a gradient. Call it after loss.backward(). */
  step(): void {
    beforeStep(this);
    const step = (): void => {
      for (const group of this.#groups) engine().optimizerStep(group.id);
    };
    if (hooks.aroundStep) hooks.aroundStep(this, step);
    else step();
    const count = (): void => {
      batchLearned(this);
      hooks.stepped();
    };
    count();
    engine().programs.onReplay(count);
    tick(this);
  }

  /** A step that counts for nobody: for checks that put everything back. */
  stepQuietly(): void {
    for (const group of this.#groups) engine().optimizerStep(group.id);
  }

  /** For loops of ours: lets go of its state now, not when somebody collects it. It cannot be used again. */
  release(): void {
    finished.unregister(this);
    for (const group of this.#groups) engine().optimizerRelease(group.id);
  }

  /** Drops the gradients of all parameters. Without it gradients of several backward() add up, as in PyTorch. */
  zeroGrad(): void {
    gradientsDropped();
    engine().programs.onReplay(gradientsDropped);
    for (const group of this.#groups) engine().optimizerZeroGrad(group.id);
  }

  /** Name of the kind of optimizer: 'sgd', 'adam'. */
  get name(): string {
    return this.#row.name;
  }

  /** The learning rate (of the first group). Set it at any time, also while a loop runs; it holds for all groups. */
  get lr(): number {
    return this.get('lr') as number;
  }

  set lr(value: number) {
    this.set('lr', value);
  }

  /** The value of a setting, of the first group unless another is named. */
  get(name: string, group = 0): number | boolean | number[] {
    const param = this.#param(name);
    const { id } = this.#group(group);
    if (Array.isArray(param.default)) return param.default.map((_, i) => engine().optimizerGet(id, param.at + i));
    const value = engine().optimizerGet(id, param.at);
    return param.kind === 'boolean' ? value !== 0 : value;
  }

  /** Changes a setting, of all groups unless one is named. */
  set(name: string, value: number | boolean | readonly number[], group?: number): void {
    const param = this.#param(name);
    const flat = flatValue(`optim.${this.#row.name}`, param, value);
    for (const { id } of group === undefined ? this.#groups : [this.#group(group)]) {
      flat.forEach((each, i) => void engine().optimizerSet(id, param.at + i, each));
    }
  }

  /** Number of groups. */
  get groupCount(): number {
    return this.#groups.length;
  }

  /** All parameters, group by group. */
  parameters(): Tensor[] {
    return this.#groups.flatMap((group) => group.params);
  }

  /** A copy of everything: settings, steps and state of each parameter. Resuming from it equals not having stopped. */
  stateDict(): OptimizerState {
    const state = this.#groups.flatMap((group) =>
      group.params.map((_, parameter) => {
        const slots: Record<string, Tensor> = {};
        this.#row.slots.forEach((slot, number) => {
          const handle = engine().optimizerState(group.id, parameter, number);
          if (handle === ABSENT) return;
          const live = new Tensor(handle, 'stateDict');
          slots[slot] = copyOf(live).keep();
          live.dispose();
        });
        return { step: engine().optimizerSteps(group.id, parameter), slots };
      }),
    );
    const groups = this.#groups.map((_, i) => Object.fromEntries(this.#row.params.map((param) => [param.name, this.get(param.name, i)])));
    return { name: this.#row.name, state, groups };
  }

  /** Takes over what stateDict() of an optimizer of the same kind over the same parameters gave. */
  loadStateDict(saved: OptimizerState): void {
    const count = this.parameters().length;
    if (saved.name !== this.#row.name)
      throw new ArgumentError(`loadStateDict: this is ${this.#row.name}, the saved state is of ${saved.name}`);
    if (saved.state.length !== count || saved.groups.length !== this.#groups.length) {
      throw new ArgumentError(
        `loadStateDict: the saved state has ${saved.state.length} parameters in ${saved.groups.length} groups, this optimizer ${count} in ${this.#groups.length}`,
      );
    }
    let next = 0;
    this.#groups.forEach((group, i) => {
      for (const [name, value] of Object.entries(saved.groups[i] as Settings)) if (value !== undefined) this.set(name, value, i);
      group.params.forEach((_, parameter) => {
        const { step, slots } = saved.state[next++] as OptimizerState['state'][number];
        for (const [name, tensor] of Object.entries(slots)) {
          const slot = this.#row.slots.indexOf(name);
          if (slot < 0) throw new ArgumentError(`loadStateDict: ${this.#row.name} has no state "${name}"`);
          engine().optimizerSetState(
            group.id,
            parameter,
            slot,
            handleOfTensor(requireTensor(tensor, 'loadStateDict', name), 'loadStateDict'),
          );
        }
        // What was not there yet when the state was saved has been nothing.
        this.#row.slots.forEach((slot, number) => {
          const handle = slot in slots ? ABSENT : engine().optimizerState(group.id, parameter, number);
          if (handle === ABSENT) return;
          const live = new Tensor(handle, 'loadStateDict');
          const nothing = zeros(live.shape, { dtype: live.dtype });
          engine().optimizerSetState(group.id, parameter, number, handleOfTensor(nothing, 'loadStateDict'));
          live.dispose();
        });
        engine().optimizerSteps(group.id, parameter, step);
      });
    });
  }

  toString(): string {
    const settings = this.#row.params.map((param) => `${param.name}: ${JSON.stringify(this.get(param.name))}`);
    return `optim.${this.#row.name}(${this.parameters().length} parameters, { ${settings.join(', ')} })`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #param(name: string): OptimizerParamRow {
    const param = this.#row.params.find((each) => each.name === name);
    if (param) return param;
    throw new ArgumentError(
      `optim.${this.#row.name}: there is no setting "${name}"${didYouMean(
        name,
        this.#row.params.map((each) => each.name),
      )}`,
    );
  }

  #group(index: number): Group {
    const group = this.#groups[index];
    if (group) return group;
    throw new StateError(`optim.${this.#row.name}: there is no group ${index}; there are ${this.#groups.length}`);
  }
}

function groupsOf(user: string, trainable: Trainable): ParameterGroup[] {
  if (trainable instanceof Tensor) return [{ params: [trainable] }];
  const isIterable = typeof (trainable as Iterable<unknown> | undefined)?.[Symbol.iterator] === 'function';
  const list = isIterable ? [...(trainable as Iterable<unknown>)] : undefined;
  if (list?.length === 0)
    throw new ArgumentError(`${user}: got no parameters; was model.parameters() called on a model without trainable layers?`);
  const isGroup = (item: unknown): boolean => typeof item === 'object' && item !== null && 'params' in item && !(item instanceof Tensor);
  if (list?.every((item) => item instanceof Tensor)) return [{ params: list as Tensor[] }];
  if (list?.some(isGroup)) {
    return list.map((item, i) => {
      if (!isGroup(item))
        throw new ArgumentError(`${user}: item ${i} must be a group { params: ... } as the others, got ${describeValue(item)}`);
      return item as ParameterGroup;
    });
  }
  const params = parametersOf(trainable);
  if (params.length === 0) throw new ArgumentError(`${user}: got no parameters in ${describeValue(trainable)}`);
  return [{ params }];
}

function requireParameter(user: string, value: unknown, index: number): Tensor {
  return requireTensor(value, user, `parameters[${index}]`);
}

function checkSettings(user: string, row: OptimizerRow, settings: unknown): void {
  if (typeof settings === 'number')
    throw new ArgumentError(`${user}: settings are an object; write ${user}(parameters, { lr: ${settings} })`);
  if (typeof settings !== 'object' || settings === null)
    throw new ArgumentError(`${user}: settings must be an object such as { lr: 0.01 }, got ${describeValue(settings)}`);
  for (const key of Object.keys(settings)) {
    const known = row.params.map((param) => param.name);
    if (!known.includes(key))
      throw new ArgumentError(`${user}: there is no setting "${key}"${didYouMean(key, known) || `; known: ${known.join(', ')}`}`);
  }
}

function flatSettings(row: OptimizerRow, settings: Settings): number[] {
  return row.params.flatMap((param) => flatValue(`optim.${row.name}`, param, settings[param.name] ?? param.default));
}

function flatValue(user: string, param: OptimizerParamRow, value: unknown): number[] {
  if (Array.isArray(param.default)) {
    if (Array.isArray(value) && value.length === param.default.length && value.every((each) => typeof each === 'number'))
      return value as number[];
    throw new ArgumentError(
      `${user}: \`${param.name}\` must be ${param.default.length} numbers, such as ${JSON.stringify(param.default)}, got ${describeValue(value)}`,
    );
  }
  if (param.kind === 'boolean' ? typeof value === 'boolean' : typeof value === 'number') return [Number(value)];
  throw new ArgumentError(
    `${user}: \`${param.name}\` must be ${param.kind === 'boolean' ? 'true or false' : 'a number'}, got ${describeValue(value)}`,
  );
}

/** One function per optimizer: optim.adam(model.parameters(), { lr: 1e-3 }). */
export const optim = {} as Optimizers & typeof clipping & typeof schedules;

const clipping = {
  /**
   * Scales the gradients of all parameters so that their common norm is at most `maxNorm`. Returns the norm before, as a
   * tensor with one number. Call it between backward() and step().
   */
  clipGradNorm(parameters: Iterable<Tensor>, maxNorm: number, normType = 2): Tensor {
    const handles = [...parameters].map((param, i) => handleOfTensor(requireParameter('clipGradNorm', param, i), 'clipGradNorm'));
    return new Tensor(engine().clipNorm(handles, maxNorm, normType), 'clipGradNorm');
  },
  /** Cuts every gradient value of all parameters to -clipValue..clipValue. */
  clipGradValue(parameters: Iterable<Tensor>, clipValue: number): void {
    const handles = [...parameters].map((param, i) => handleOfTensor(requireParameter('clipGradValue', param, i), 'clipGradValue'));
    engine().clipValue(handles, clipValue);
  },
};

whenStarted((started) => {
  Object.assign(optim, clipping, schedules);
  for (const row of started.description.optimizers) {
    const make = (trainable: Trainable, settings: Settings = {}): Optimizer => new Optimizer(row, trainable, settings);
    Object.defineProperty(optim, row.name, { value: make, enumerable: true });
  }
});
