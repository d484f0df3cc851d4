// How the page starts a kernel: messages between the page and the sandboxed frame, and the frame's first and only
// message to the worker. After that, page and worker talk over a private port (messages.ts).

/** Builds of the engine, the fastest first. */
export const FLAVOURS = ['relaxed-threads', 'relaxed', 'simd-threads', 'simd'] as const;
export type Flavour = (typeof FLAVOURS)[number];

export function hasThreads(flavour: Flavour): boolean {
  return flavour.endsWith('-threads');
}

/** In the stop flag: whatever runs must stop. Any other number there is the run that must stop; 0 is none. */
export const STOP_ALL = 0x7fffffff;

/** Places in the shared memory, as Int32. */
export const SHARED = { stop: 0, pause: 1, firstControl: 4 } as const;
/** Controls whose values stand in the shared memory, so that a loop that never gives way sees them move. */
export const SHARED_CONTROLS = 64;
/** A control's value is a float64: two places. */
export const SHARED_BYTES = 4 * (SHARED.firstControl + 2 * SHARED_CONTROLS);

/** In the pause place: run on; stand still; do one step, then stand still. */
export const PAUSE = { off: 0, on: 1, step: 2 } as const;

/** Where memory cannot be shared: signs that are taken down for one word, the first of them last, and the words as bits of the others. */
export const SIGN_ROW = 3;
/** `pause` and one of PAUSE. */
export const SIGN_WORDS = { stop: 0, pause: 1 } as const;

/** What the frame found out about the browser. */
export interface Capabilities {
  /** Shared memory is allowed. */
  readonly isIsolated: boolean;
  readonly hasSimd: boolean;
  readonly hasRelaxedSimd: boolean;
  readonly coreCount: number;
  /** False where threads of the engine were seen to hang now and then: Firefox up to 153 at least. */
  readonly areThreadsReliable: boolean;
}

/** Frame -> page, through window messages. The page must check that they come from its own frame. */
export type FrameEvent =
  | { readonly type: 'hello'; readonly capabilities: Capabilities }
  /** The frame is alive. Twice a second. */
  | { readonly type: 'heartbeat' }
  /** The kernel could not start or its worker broke. */
  | { readonly type: 'failed'; readonly message: string };

/** Page -> frame, through window messages. `start` comes with the kernel's port. */
export type FrameRequest =
  | {
      readonly type: 'start';
      readonly flavour: Flavour;
      readonly threads: number;
      /** Start of the random numbers. */
      readonly seed: number;
      readonly workerText: string;
      readonly glueText: string;
      readonly wasm: ArrayBuffer;
    }
  /** Reaches code that never gives way: sets the stop flag, or takes signs down. `value` is a run id or STOP_ALL. */
  | { readonly type: 'stop'; readonly value: number }
  /** The same for pausing: one of PAUSE. */
  | { readonly type: 'pause'; readonly value: number }
  /** And for the value of a control, by its place among the controls. */
  | { readonly type: 'control'; readonly slot: number; readonly value: number };

/** Frame -> worker; the port comes with it. */
export interface WorkerBoot {
  readonly flavour: Flavour;
  readonly threads: number;
  readonly seed: number;
  readonly glueText: string;
  /** Compiled once by the frame. */
  readonly module: WebAssemblyModule;
  /** SHARED_BYTES of shared memory, or null when memory cannot be shared. */
  readonly stopFlag: Int32Array | null;
  /** Where memory cannot be shared: addresses of empty scripts, in rows of SIGN_ROW, of which the frame revokes some for each Stop and Pause. */
  readonly signs: readonly string[];
}

// Stands for WebAssembly.Module, which is no type of the language's own library.
export type WebAssemblyModule = object;
