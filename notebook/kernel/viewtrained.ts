// Which training changed which weights last: what a view of a model shows belongs to that run when runs are compared.
import { steppingOptimizer } from '../../engine/api/clock.ts';
import { namedParameters } from '../../engine/api/module.ts';

/** What a view asks of its surroundings. */
export interface ViewPlace {
  /** The training that a model is the result of, as `run.trial`; null for none, and for a model that was put back to an earlier step. */
  trainingOf(model: unknown): string | null;
  /** What a value is called in the notebook. */
  nameOf(value: unknown): string | null;
}

export class Trainings {
  #last = new WeakMap<object, string>();
  #optimizer: object | null = null;
  #runId = -1;
  #trial = 0;

  /** A step was logged in a run. */
  logged(runId: number): void {
    const optimizer = steppingOptimizer();
    if (!optimizer || (optimizer === this.#optimizer && runId === this.#runId)) return;
    if (runId !== this.#runId) this.#trial = 0;
    this.#runId = runId;
    this.#optimizer = optimizer;
    for (const weight of optimizer.parameters()) this.#last.set(weight, `${runId}.${this.#trial}`);
  }

  /** Another training begins within a run. */
  trial(runId: number): void {
    this.#trial = runId === this.#runId ? this.#trial + 1 : 1;
    this.#runId = runId;
    this.#optimizer = null;
  }

  /** A model stands at another step than its training left it at. */
  moved(): void {
    this.#last = new WeakMap();
    this.#optimizer = null;
  }

  of(model: unknown): string | null {
    for (const [, weight] of namedParameters(model)) {
      const found = this.#last.get(weight);
      if (found !== undefined) return found;
    }
    return null;
  }
}
