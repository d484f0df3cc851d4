// The one engine of this realm, and how it is started from the glue script of a flavour. Where glue and wasm bytes come from is
// left to the kernel worker and to node.ts.

import { StateError } from './error.ts';
import { Engine, type EngineInfo, type EngineModule } from './wasm.ts';

export {
  ABSENT,
  type DType,
  type Engine,
  type EngineInfo,
  LITERAL,
  type MemoryUse,
  MOST_POSITIONS,
  type ProfileRow,
  type TensorInfo,
  type TypedArray,
} from './wasm.ts';
export { UNMADE } from './recording.ts';

/** Defined by the glue script of a flavour. */
export type CreateEngine = (module: object) => Promise<unknown>;

export interface StartOptions {
  readonly createEngine: CreateEngine;
  /** Handed to createEngine: instantiateWasm or wasmBinary, mainScriptUrlOrBlob, poolSize. */
  readonly module: object;
  /** Name of the build, for displays. */
  readonly flavour: string;
  /** Threads asked for; more than 1 only with a flavour that has threads. */
  readonly threads: number;
}

// A pthread pool that cannot be made (no isolation, no memory) hangs without an error. One thread comes, however slow the machine is.
const START_TIMEOUT_MS = 5000;

let current: Engine | undefined;
const started: ((engine: Engine) => void)[] = [];

/** The engine of this realm. Throws before startEngine() is done. */
export function engine(): Engine {
  if (!current) throw new StateError('the engine has not been started: await startEngine(...) first');
  return current;
}

/** Calls back when the engine has started: what is built from its tables is installed then. */
export function whenStarted(callback: (engine: Engine) => void): void {
  if (current) callback(current);
  else started.push(callback);
}

/**
 * Starts the engine of this realm. Asked for threads, it gives up after 5 seconds without an answer, because a thread
 * pool that cannot be made says nothing: start again then with a flavour without threads.
 */
export async function startEngine(options: StartOptions): Promise<EngineInfo> {
  if (current) throw new StateError('the engine of this realm has been started already');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    if (options.threads <= 1) return;
    timer = setTimeout(
      () =>
        reject(
          new StateError(
            `the engine "${options.flavour}" with ${options.threads} threads did not start within ${START_TIMEOUT_MS / 1000} s; start a flavour without threads`,
          ),
        ),
      START_TIMEOUT_MS,
    );
  });
  try {
    const module = (await Promise.race([options.createEngine(options.module), late])) as EngineModule;
    current = new Engine(module, options.flavour, options.threads);
  } finally {
    clearTimeout(timer);
  }
  for (const callback of started.splice(0)) callback(current);
  return current.info;
}
