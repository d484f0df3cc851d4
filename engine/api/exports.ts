// What the wasm module exports, and what its calls give. What the exports do is said in engine/bind.

/** Name of an element type. `bool` holds 0 or 1 in a byte; `float16` only holds values, operations compute with it as float32. */
export type DType = 'float32' | 'float64' | 'int32' | 'uint8' | 'bool' | 'float16';
/** A typed array that holds the elements of a tensor. */
export type TypedArray = Float32Array | Float64Array | Int32Array | Uint8Array;

type Call = (...numbers: number[]) => number;
type ExportName =
  | 'backward'
  | 'batch'
  | 'block'
  | 'block_size'
  | 'clip_norm'
  | 'clip_value'
  | 'copy_into'
  | 'create'
  | 'data'
  | 'describe'
  | 'describe_size'
  | 'detach'
  | 'detect_anomaly'
  | 'error'
  | 'error_code'
  | 'error_size'
  | 'failed_place'
  | 'flops'
  | 'grad'
  | 'grad_mode'
  | 'gradients'
  | 'info'
  | 'initialize'
  | 'memory'
  | 'memory_limit'
  | 'metrics_drain'
  | 'metrics_log'
  | 'metrics_name'
  | 'metrics_trouble'
  | 'optimizer_create'
  | 'optimizer_get'
  | 'optimizer_release'
  | 'optimizer_set'
  | 'optimizer_state'
  | 'optimizer_state_set'
  | 'optimizer_step'
  | 'optimizer_steps'
  | 'optimizer_zero_grad'
  | 'owner'
  | 'place'
  | 'profile'
  | 'profile_rows'
  | 'program_abort'
  | 'program_applies'
  | 'program_begin'
  | 'program_changed'
  | 'program_compile'
  | 'program_difference'
  | 'program_end'
  | 'program_explain'
  | 'program_refuse'
  | 'program_release'
  | 'program_release_trace'
  | 'program_run'
  | 'program_timed'
  | 'random_state'
  | 'release'
  | 'retain_grad'
  | 'run'
  | 'safetensors_read'
  | 'safetensors_write'
  | 'seed'
  | 'set_grad'
  | 'set_requires_grad'
  | 'share'
  | 'single'
  | 'snapshot'
  | 'snapshot_data'
  | 'text'
  | 'text_size'
  | 'threads'
  | 'trace'
  | 'trace_clear'
  | 'trace_pause'
  | 'trace_place';

/** Emscripten's module object, as far as it is used here. What the exports do is said in engine/bind. */
export type EngineModule = { readonly wasmMemory: WebAssembly.Memory } & { readonly [Name in `_gb_${ExportName}`]: Call };

export interface EngineInfo {
  readonly flavour: string;
  readonly simd: string;
  /** Threads in use. */
  readonly threads: number;
}

/** Bytes and counts, as the engine states them. */
export interface MemoryUse {
  /** Bytes of all tensors alive. */
  readonly liveBytes: number;
  /** The most that liveBytes has been. */
  readonly peakBytes: number;
  readonly tensorCount: number;
  /** Handles held by JavaScript. */
  readonly handleCount: number;
  /** Operations remembered for backward(). */
  readonly recordCount: number;
  /** Size of the wasm memory; it never shrinks. */
  readonly heapBytes: number;
}

/** Calls of one op, forward or gradient, and their time in all. */
export interface ProfileRow {
  readonly op: string;
  readonly isGradient: boolean;
  readonly calls: number;
  readonly elapsedMs: number;
}

export interface SafetensorsContents {
  readonly tensors: readonly (readonly [name: string, handle: number])[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface TensorInfo {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly requiresGrad: boolean;
  readonly isLeaf: boolean;
  readonly elementCount: number;
}
