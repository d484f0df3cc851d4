// What the world around the engine may hook in: Stop, displays, bytes of datasets, and values that must not be let go of.
// Without a world (a plain Node program) the defaults below hold.

import type { DatasetHost } from '../../datasets/load.ts';

/** A bar that shows how far something has come. */
export interface ProgressBar {
  update(value: number): void;
  done(): void;
}

/** Settings of a training by name. */
export type Settings = Readonly<Record<string, string | number | boolean>>;

/** Something that happened at a step of a training, for the chart. */
export interface TrainingMark {
  readonly step: number;
  /** `tick`: a mark on the chart; `trial`: a new run begins within the cell (a sweep) and its steps count anew. */
  readonly kind: 'tick' | 'trial';
  readonly text: string;
  /** Settings of a trial. */
  readonly settings: Settings | null;
}

export interface Hooks {
  /** True when Stop was pressed. Asked before every operation, so it must be cheap. */
  shouldStop(): boolean;
  /** Asked by every breath(): what to wait for before the loop goes on, or null. For standing still between two steps. */
  pause(): Promise<void> | null;
  /** Called after each time that breath() gave the event loop a turn. */
  breathed(): void;
  /** Called after each step of an optimizer. */
  stepped(): void;
  /** Called by log() after it has written so many numbers or fewer. */
  logged(numbers: number): void;
  /** Called for every tick that the chart should show. */
  marked(mark: TrainingMark): void;
  /** Does the next optimizer steps in place of the optimizer, to measure what they change; null: nobody measures. */
  aroundStep: ((optimizer: object, step: () => void) => void) | null;
  /** Where data.mnist() gets its bytes. */
  datasets: DatasetHost;
  /** Draws a bar; total is null when the end is not known. */
  progress(label: string, total: number | null, unit: '' | 'bytes'): ProgressBar;
  /** The cell and line that run now, or null; asked for by each operation of a traced step. */
  place(): { readonly cellId: string; readonly line: number } | null;
  /** Values that hold tensors which must not be let go of: the variables of the notebook. */
  roots(): Iterable<unknown>;
}

/** The hooks in force. Read a field when it is needed; do not keep it. */
export const hooks: Hooks = {
  shouldStop: () => false,
  pause: () => null,
  breathed: () => {},
  stepped: () => {},
  logged: () => {},
  marked: () => {},
  aroundStep: null,
  datasets: {
    read() {
      throw new Error(
        'no place to read datasets from was given: call setHooks({ datasets }) first, in Node with nodeHost() of datasets/node.ts',
      );
    },
  },
  progress: () => ({ update: () => {}, done: () => {} }),
  place: () => null,
  roots: () => [],
};

/** Replaces the given hooks; the others stay. */
export function setHooks(changed: Partial<Hooks>): void {
  Object.assign(hooks, changed);
}
