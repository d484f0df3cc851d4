// Brings logged numbers from the engine's ring to the page and flags the first value that is not finite.
import type { EngineLink, Settings, TrainingMark } from './engine.ts';
import type { Outbox } from './outbox.ts';
import type { Run } from './run.ts';

/** So many numbers do not wait any longer: half of what the engine's ring has room for, which forgets the oldest when it is full. */
const MOST_HELD = 16_384;

export class Metrics {
  readonly #engine: EngineLink;
  readonly #outbox: Outbox;
  #held = 0;
  readonly #currentRun: () => Run | null;

  /** What the notebook's variables say about the training, and what the optimizer and the batches do. */
  readonly #settings: () => Settings;
  readonly #facts: () => Settings;
  /** A warning about a run: text for its console. */
  readonly #warn: (run: Run, text: string) => void;

  constructor(
    engine: EngineLink,
    outbox: Outbox,
    currentRun: () => Run | null,
    warn: (run: Run, text: string) => void,
    settings: () => Settings,
    facts: () => Settings,
  ) {
    this.#facts = facts;
    this.#settings = settings;
    this.#engine = engine;
    this.#outbox = outbox;
    this.#currentRun = currentRun;
    this.#warn = warn;
  }

  /** Numbers were logged. True: they are to leave now. */
  logged(numbers: number): boolean {
    this.#held += numbers;
    return this.#held > MOST_HELD;
  }

  /** Sends all that was logged since the last call. */
  drain(): void {
    this.#held = 0;
    const run = this.#currentRun();
    if (!run) return;
    for (const { names, steps, columns, times, samples, flops, epochSize } of this.#engine.drainMetrics()) {
      if (steps.length === 0) continue;
      this.#describe(run);
      run.step = steps.at(-1) ?? run.step;
      names.forEach((name, i) => this.#flag(run, name, steps, columns[i]));
      this.#outbox.send(
        { type: 'metrics', runId: run.runId, cellId: run.cellId, names, steps, columns, times, samples, flops, epochSize },
        [steps, times, samples, flops, ...columns].map((column) => column.buffer),
      );
    }
  }

  /** A tick on the chart of the running cell, after the rows that were logged before it. */
  mark({ step, kind, text, settings }: TrainingMark): void {
    const run = this.#currentRun();
    if (!run) return;
    this.drain();
    this.#outbox.send({ type: 'mark', runId: run.runId, cellId: run.cellId, step, kind, text, settings });
    if (kind !== 'trial') return;
    this.#withdraw(run);
    run.settings = null;
  }

  /** A run has ended: what it has changed was no setting of it. */
  ended(run: Run): void {
    this.#withdraw(run);
  }

  /** Says what a run was set to, as soon as it logs; and then what of it the training itself changes, as the steps that a cell counts. */
  #describe(run: Run): void {
    if (run.settings) return this.#withdraw(run);
    const facts = this.#facts();
    // What the optimizer says of the beginning holds, also when a schedule moves a variable of the same name.
    run.settings = Object.fromEntries(Object.entries(this.#settings()).filter(([name]) => !(name in facts)));
    this.#outbox.send({ type: 'mark', runId: run.runId, cellId: run.cellId, step: 0, kind: 'settings', text: '', settings: { ...run.settings, ...facts } });
  }

  #withdraw(run: Run): void {
    if (!run.settings) return;
    const now = this.#settings();
    const changed = Object.keys(run.settings).filter((name) => name in now && !Object.is(now[name], run.settings![name]));
    if (changed.length === 0) return;
    run.settings = Object.fromEntries(Object.entries(run.settings).filter(([name]) => !changed.includes(name)));
    this.#outbox.send({ type: 'mark', runId: run.runId, cellId: run.cellId, step: 0, kind: 'changed', text: '', settings: Object.fromEntries(changed.map((name) => [name, now[name]!])) });
  }

  #flag(run: Run, name: string, steps: Float64Array, column: Float64Array | undefined): void {
    if (!column || run.notFinite.has(name)) return;
    const at = column.findIndex((value) => !Number.isFinite(value));
    if (at < 0) return;
    run.notFinite.add(name);
    const value = column[at];
    const what = Number.isNaN(value) ? 'NaN (not a number)' : String(value);
    this.#warn(
      run,
      `${name} became ${what} at step ${steps[at]}. Its numbers are lost from here: ` +
        'try a smaller learning rate, or look for a division by zero or a logarithm of zero.\n',
    );
  }
}
