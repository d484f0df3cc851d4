// The door for whoever runs the engine: the notebook's kernel, a Node program, a test. Cells see index.ts instead.

import { restartSteps } from './log.ts';
import * as scope from './scope.ts';
import { engine, type EngineInfo, type MemoryUse, type TypedArray } from './engine.ts';
import { ownTensors } from './snapshot.ts';
import { handleOfTensor, type Tensor } from './tensor.ts';

export { breath } from './breath.ts';
export { type CreateEngine, type EngineInfo, type MemoryUse, type StartOptions, startEngine } from './engine.ts';
export { Interrupted } from './error.ts';
export { type Hooks, setHooks } from './hooks.ts';
export { trainingFacts } from './clock.ts';
export type { Settings, TrainingMark } from './hooks.ts';
export { inspect, type InspectRequest } from './snapshot.ts';
export { drainMetrics, type MetricsBatch } from './log.ts';
export { isTensor } from './tensor.ts';
export { warmUp } from './warm.ts';

/** Which build runs, and on how many threads. */
export function engineInfo(): EngineInfo {
  return engine().info;
}

/** Bytes and counts of the engine now. */
export function memoryUse(): MemoryUse {
  return engine().memoryUse();
}

/** A copy of `count` values from `start` on, in row-major order; all of them when no range is given. */
export function readValues(tensor: Tensor, start = 0, count?: number): TypedArray {
  const values = engine().read(handleOfTensor(tensor, 'readValues'));
  return start === 0 && count === undefined ? values : values.slice(start, count === undefined ? undefined : start + count);
}

/** True when the tensor holds pictures of an image dataset. */
export function imageOf(tensor: Tensor): boolean {
  return tensor.isImage;
}

/** A run of the cell `owner` begins: what its former run made may be let go of, and log() counts from 1. */
export function beginRun(owner: string): void {
  restartSteps();
  ownTensors(owner);
  scope.beginRun(owner);
}

/** The run has ended; `keep` are the values of its variables and its result. */
export function endRun(keep: Iterable<unknown> = []): void {
  scope.endRun(keep);
}

/** The cell `owner` is gone. */
export function forgetRun(owner: string): void {
  scope.forgetRun(owner);
}
