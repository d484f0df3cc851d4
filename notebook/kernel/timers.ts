// Timers that belong to the cell that made them: they end when it runs again, is stopped or deleted, and what they
// print or throw counts as that cell's.
import type { Run } from './run.ts';

type Callback = (...values: unknown[]) => unknown;
type Timer = ReturnType<typeof setTimeout>;

/** The machine's own timers, taken before any cell ran. */
export interface RealTimers {
  setTimeout(task: () => void, ms?: number): unknown;
  clearTimeout(timer: unknown): void;
  setInterval(task: () => void, ms?: number): unknown;
  clearInterval(timer: unknown): void;
}

export function realTimers(): RealTimers {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  return {
    setTimeout: (task, ms) => setTimeout(task, ms),
    clearTimeout: (timer) => clearTimeout(timer as Timer),
    setInterval: (task, ms) => setInterval(task, ms),
    clearInterval: (timer) => clearInterval(timer as Timer),
  };
}

export class CellTimers {
  readonly #real: RealTimers;
  readonly #currentRun: () => Run;
  /** Runs a task in the name of a run and reports what it throws. */
  readonly #perform: (run: Run, task: () => unknown) => void;
  readonly #active = new Map<number, { readonly run: Run; readonly end: () => void }>();
  #next = 1;

  constructor(real: RealTimers, currentRun: () => Run, perform: (run: Run, task: () => unknown) => void) {
    this.#real = real;
    this.#currentRun = currentRun;
    this.#perform = perform;
  }

  /** The four functions as cells see them; timers are plain numbers, as in a browser. */
  globals(): Record<string, unknown> {
    const clear = (timer: number): void => this.#clear(timer);
    return {
      setTimeout: (task: Callback, ms?: number, ...values: unknown[]) => {
        const { run, id } = this.#open('setTimeout', task);
        const timer = this.#real.setTimeout(() => {
          this.#active.delete(id);
          this.#perform(run, () => task(...values));
        }, ms);
        this.#active.set(id, { run, end: () => this.#real.clearTimeout(timer) });
        return id;
      },
      setInterval: (task: Callback, ms?: number, ...values: unknown[]) => {
        const { run, id } = this.#open('setInterval', task);
        const timer = this.#real.setInterval(() => this.#perform(run, () => task(...values)), ms);
        this.#active.set(id, { run, end: () => this.#real.clearInterval(timer) });
        return id;
      },
      clearTimeout: clear,
      clearInterval: clear,
    };
  }

  /** Ends every timer that a run of this cell left. */
  endAll(isEnded: (run: Run) => boolean): void {
    for (const [id, { run }] of this.#active) if (isEnded(run)) this.#clear(id);
  }

  #open(name: string, task: unknown): { run: Run; id: number } {
    if (typeof task !== 'function') throw new TypeError(`${name}: expected a function, got ${typeof task}`);
    this.#next += 1;
    return { run: this.#currentRun(), id: this.#next };
  }

  #clear(id: number): void {
    this.#active.get(id)?.end();
    this.#active.delete(id);
  }
}
