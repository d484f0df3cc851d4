// What the kernel asks of the engine's TypeScript API (engine/api/host.ts). The session also runs without an engine,
// as a plain notebook of values; it never knows wasm.
import type { DatasetHost } from '../../datasets/load.ts';
import type { MemoryUse } from '../protocol/messages.ts';

/** The part of a tensor that a display needs. */
export interface TensorLike {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly requiresGrad: boolean;
}

export interface MetricsBatch {
  readonly names: readonly string[];
  readonly steps: Float64Array<ArrayBuffer>;
  /** One per name; NaN and infinities are what was logged. */
  readonly columns: readonly Float64Array<ArrayBuffer>[];
}

/** What the engine asks of the kernel while it works. */
export interface EngineHooks {
  /** Cheap. True: the engine throws `Interrupted` at its next step. */
  shouldStop(): boolean;
  /** After each time an engine loop gave way to the event loop. */
  breathed(): void;
  /** After each `log(...)`. */
  logged(): void;
  readonly datasets: DatasetHost;
  /** Draws a progress bar under the running cell. */
  progress(label: string, total: number | null, unit: '' | 'bytes'): ProgressHandle;
  /** The variables of the notebook: what they hold must not be let go of. */
  roots(): Iterable<unknown>;
}

export interface ProgressHandle {
  update(value: number): void;
  done(): void;
}

export interface EngineLink {
  /** Everything that cells see as global names. */
  readonly globals: Readonly<Record<string, unknown>>;
  readonly info: { readonly flavour: string; readonly threads: number };
  setHooks(hooks: EngineHooks): void;
  memoryUse(): MemoryUse;
  /** A run of a cell begins: steps count from 1, and what the cell's former run made may be let go of. */
  beginRun(cellId: string): void;
  /** The run has ended; tensors that `keep` holds stay. */
  endRun(keep: Iterable<unknown>): void;
  forgetRun(cellId: string): void;
  /** All that was logged since the last call, one batch per set of names logged together. */
  drainMetrics(): readonly MetricsBatch[];
  isTensor(value: unknown): value is TensorLike;
  /** A copy of `count` values from `start` on, in row-major order. */
  readValues(tensor: TensorLike, start?: number, count?: number): ArrayLike<number>;
}
