// ema: a second set of weights that follows those of a model slowly. It often predicts better than the last weights.

import { after } from './after.ts';
import { beforeChange } from './detective.ts';
import { ArgumentError } from './error.ts';
import { copyOf, loadStateDict, namedParameters, type StateDict } from './module.ts';
import { noGrad, requireTensor, type Tensor } from './tensor.ts';
import { describeValue } from './words.ts';

export interface EmaOptions {
  /** Share of the old average that stays at each update. Default 0.999. */
  readonly decay?: number;
  /** Let the first updates count more: the decay is at most (1 + updates) / (10 + updates). Default true. */
  readonly warmUp?: boolean;
}

/** Averages of the parameters of a model; made by nn.ema(model). */
export class ExponentialMovingAverage {
  readonly decay: number;
  readonly #model: unknown;
  readonly #warmUp: boolean;
  readonly #averages: Map<string, Tensor>;
  #updates = 0;

  constructor(model: unknown, options: EmaOptions = {}) {
    const { decay = 0.999, warmUp = true } = options;
    if (!(decay >= 0 && decay < 1)) throw new ArgumentError(`nn.ema: \`decay\` must be from 0 to below 1, got ${describeValue(decay)}`);
    this.decay = decay;
    this.#model = model;
    this.#warmUp = warmUp;
    this.#averages = new Map(namedParameters(model).map(([name, tensor]) => [name, copyOf(tensor).keep()]));
  }

  /** Moves the averages towards the parameters. Call it after optimizer.step(). */
  update(): void {
    beforeChange(this);
    this.#updates++;
    const decay = this.#warmUp ? Math.min(this.decay, (1 + this.#updates) / (10 + this.#updates)) : this.decay;
    noGrad(() => {
      for (const [name, tensor] of namedParameters(this.#model)) {
        const average = this.#averages.get(name);
        if (!average) throw new ArgumentError(`nn.ema: the model has a parameter ${name} that it had not when nn.ema(model) was called`);
        const moved = average.lerp(tensor.detach(), 1 - decay);
        average.copy_(moved);
        moved.dispose();
      }
    });
  }

  /** Updates so far. */
  get updates(): number {
    return this.#updates;
  }

  /** Runs `body` with the averages in place of the parameters, then puts the parameters back: `ema.use(() => evaluate(model, test))`. */
  use<Result>(body: () => Result): Result {
    const named = namedParameters(this.#model);
    const trained = new Map(named.map(([name, tensor]) => [name, copyOf(tensor).keep()]));
    const put = (values: ReadonlyMap<string, Tensor>): void => {
      for (const [name, tensor] of named) tensor.copy_(values.get(name) as Tensor);
    };
    const restore = (): void => {
      put(trained);
      for (const tensor of trained.values()) tensor.dispose();
    };
    put(this.#averages);
    return after(body, restore);
  }

  /** Overwrites the parameters of the model, or of another of the same build, with the averages. */
  copyTo(model: unknown = this.#model): void {
    loadStateDict(model, Object.fromEntries(this.#averages), { strict: false });
  }

  /** Copies of the averages by name, and the number of updates. */
  stateDict(): { readonly updates: number; readonly averages: StateDict } {
    return { updates: this.#updates, averages: Object.fromEntries([...this.#averages].map(([name, tensor]) => [name, copyOf(tensor).keep()])) };
  }

  /** Takes over what stateDict() gave. */
  loadStateDict(state: { readonly updates: number; readonly averages: Readonly<Record<string, Tensor>> }): void {
    for (const name of this.#averages.keys()) requireTensor(state.averages[name], 'nn.ema', name);
    for (const [name, average] of this.#averages) average.copy_(state.averages[name] as Tensor);
    this.#updates = state.updates;
  }
}

/** A slowly following average of a model's parameters: `const ema = nn.ema(model)`, and `ema.update()` after each optimizer.step(). */
export const ema = (model: unknown, options?: EmaOptions): ExponentialMovingAverage => new ExponentialMovingAverage(model, options);
