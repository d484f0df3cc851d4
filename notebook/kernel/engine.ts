// What the kernel uses of the engine's TypeScript API, which is the door engine/api/host.ts. The session also runs
// without an engine, as a plain notebook of values; it never knows wasm.
import type * as host from '../../engine/api/host.ts';
import type { Tensor } from '../../engine/api/tensor.ts';

export type { Tensor };
export type TrainingMark = host.TrainingMark;
export type Settings = host.Settings;

/** A running engine. */
export type EngineLink = Pick<
  typeof host,
  'setHooks' | 'trainingFacts' | 'memoryUse' | 'drainMetrics' | 'isTensor' | 'imageOf' | 'readValues' | 'beginRun' | 'endRun' | 'forgetRun' | 'inspect'
> & {
  /** Everything that cells see as global names. */
  readonly globals: Readonly<Record<string, unknown>>;
  readonly info: host.EngineInfo;
};
