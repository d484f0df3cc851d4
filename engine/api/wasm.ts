// class Engine: the calls into the wasm module. Handles, numbers and bytes only; tensors are made of them in tensor.ts, and
// engine.ts starts the module. No view of wasm memory leaves this file: growth of the memory detaches views.

import type { Description } from './description.ts';
import { errorOf, Interrupted, ValueError } from './error.ts';
import { hooks } from './hooks.ts';
import { Programs } from './recording.ts';
import type { DType, EngineInfo, EngineModule, MemoryUse, ProfileRow, SafetensorsContents, TensorInfo, TypedArray } from './exports.ts';

export type { DType, EngineInfo, EngineModule, MemoryUse, ProfileRow, SafetensorsContents, TensorInfo, TypedArray };

/** No tensor, where one is optional. */
export const ABSENT = -1;
/** A number literal among the tensors of an op; its value follows with the attributes. */
export const LITERAL = -2;

// Results at or below this are failures: -(100 + code).
const FAILED = -100;
/** As many as the block of the engine takes. */
export const MOST_POSITIONS = 16_384;

type Six<T> = [T, T, T, T, T, T];

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class Engine {
  readonly description: Description;
  readonly info: EngineInfo;
  /** Position of each op in the description. */
  readonly opNumbers: ReadonlyMap<string, number>;
  /** Captured steps. */
  readonly programs: Programs;
  readonly #wasm: EngineModule;
  readonly #block: number;
  /** What gradMode() was told last. */
  isRecordingGradients = true;
  /** True while a profile runs, anomalies are looked for or a step is traced: operations are watched one by one then. */
  get isWatched(): boolean {
    return this.#anomalies || this.#profiling || this.#isTracing;
  }
  /** Index in the float64 view just behind the block. */
  readonly #blockEnd: number;
  #buffer: ArrayBufferLike;
  #bytes: Uint8Array;
  #int32: Int32Array;
  #float64: Float64Array;
  // Absolute positions in the views, moved by the writers below.
  #nextInt = 0;
  #nextFloat = 0;
  #isTracing = false;
  /** Places in cells, in the order of the numbers that the engine's trace has for them. */
  readonly #places = new Map<string, number>();
  /** While set, every recorded op carries the number that it gives. */
  #placer: (() => number) | undefined;
  #anomalies = false;
  #profiling = false;

  constructor(module: EngineModule, flavour: string, threads: number) {
    this.#wasm = module;
    this.programs = new Programs(module, this);
    this.#buffer = module.wasmMemory.buffer;
    this.#bytes = new Uint8Array(this.#buffer);
    this.#int32 = new Int32Array(this.#buffer);
    this.#float64 = new Float64Array(this.#buffer);
    const at = this.#pointer(module._gb_describe());
    this.description = JSON.parse(this.#text(at, module._gb_describe_size())) as Description;
    this.#block = this.#pointer(module._gb_block());
    this.#blockEnd = (this.#block + module._gb_block_size()) >> 3;
    this.opNumbers = new Map(this.description.ops.map((row, number) => [row.name, number]));
    const used = this.checked(module._gb_threads(Math.max(1, Math.floor(threads))));
    this.info = { flavour: flavour || this.description.flavour, simd: this.description.simd, threads: used };
  }

  // -- running an op ---------------------------------------------------------------------------------------------------
  // begin(n), handle() n times, then number() for each literal, then attributes, then run(). Nothing is kept between ops,
  // so a throw in the middle leaves nothing to clean up.

  /** Starts an argument list of `inputCount` handles. */
  begin(inputCount: number): void {
    // Views of memory that has grown are empty; shared memory keeps them, and the block stays where it is.
    if (this.#int32.length === 0) this.refresh();
    this.#nextInt = this.#block >> 2;
    this.#nextFloat = (this.#block >> 3) + ((inputCount + 1) >> 1);
    this.#makeRoom(0);
  }

  /** Beyond the block lies other memory. */
  #makeRoom(count: number): void {
    if (this.#nextFloat + count > this.#blockEnd) {
      throw new ValueError(
        `too many arguments for one operation: they take more than ${this.#wasm._gb_block_size() / 1024} kB; join lists of tensors in parts`,
      );
    }
  }

  handle(handle: number): void {
    this.#int32[this.#nextInt++] = handle;
  }

  number(value: number): void {
    this.#makeRoom(1);
    this.#float64[this.#nextFloat++] = value;
  }

  /** An attribute that takes the default of its row. */
  leftOut(): void {
    this.#makeRoom(1);
    const at = this.#nextFloat++ * 2;
    this.#int32[at] = -1;
    this.#int32[at + 1] = -1;
  }

  list(values: ArrayLike<number>): void {
    this.#makeRoom(values.length + 1);
    this.#float64[this.#nextFloat++] = values.length;
    for (let i = 0; i < values.length; i++) this.#float64[this.#nextFloat++] = values[i] as number;
  }

  text(value: string): void {
    this.#makeRoom(value.length + 1);
    this.#float64[this.#nextFloat++] = value.length;
    for (let i = 0; i < value.length; i++) this.#float64[this.#nextFloat++] = value.charCodeAt(i);
  }

  /** Runs the op with the arguments written since begin(inputCount). Returns the handle of the result. */
  run(op: number, inputCount: number): number {
    if (hooks.shouldStop()) throw new Interrupted();
    if (this.#isTracing) this.#markPlace();
    if (this.#placer) this.#wasm._gb_place(this.#placer());
    const first = (this.#block >> 3) + ((inputCount + 1) >> 1);
    return this.checked(this.#wasm._gb_run(op, inputCount, (this.#nextFloat - first) * 8));
  }

  // -- tensors ---------------------------------------------------------------------------------------------------------

  /** A new tensor of zeros. */
  create(dtype: DType, shape: readonly number[]): number {
    this.begin(shape.length);
    for (const size of shape) this.handle(size);
    return this.checked(this.#wasm._gb_create(this.#dtypeCode(dtype), shape.length));
  }

  /** A new tensor with these values in row-major order, or with one value everywhere. Requires: as many values as elements. */
  createFrom(dtype: DType, shape: readonly number[], values: ArrayLike<number> | number): number {
    if (dtype === 'float16') {
      const wide = this.createFrom('float32', shape, values);
      try {
        return this.#converted(wide, dtype);
      } finally {
        this.release(wide);
      }
    }
    const handle = this.create(dtype, shape);
    const count = typeof values === 'number' ? shape.reduce((product, size) => product * size, 1) : values.length;
    if (count === 0) return handle;
    const at = this.#pointer(this.#wasm._gb_data(handle));
    this.refresh();
    const view = this.#view(dtype, at, count);
    if (typeof values === 'number') view.fill(values);
    else view.set(values);
    return handle;
  }

  /** The values in row-major order, copied; those of float16 as float32. */
  read(handle: number): TypedArray {
    this.programs.refuseReading();
    const { dtype, elementCount } = this.tensorInfo(handle);
    if (dtype === 'float16') {
      const wide = this.#converted(handle, 'float32');
      try {
        return this.read(wide);
      } finally {
        this.release(wide);
      }
    }
    const at = elementCount === 0 ? 0 : this.#pointer(this.#wasm._gb_data(handle));
    this.refresh();
    return this.#view(dtype, at, elementCount).slice();
  }

  tensorInfo(handle: number): TensorInfo {
    this.checked(this.#wasm._gb_info(handle));
    this.refresh();
    const ints = this.#int32;
    let at = this.#block >> 2;
    const dtype = this.description.dtypes[ints[at++] as number] as DType;
    const shape: number[] = [];
    const rank = ints[at++] as number;
    const requiresGrad = ints[at++] !== 0;
    const isLeaf = ints[at++] !== 0;
    const elementCount = ints[at++] as number;
    for (let i = 0; i < rank; i++) shape.push(ints[at + i] as number);
    return { dtype, shape, requiresGrad, isLeaf, elementCount };
  }

  /** Rows of a dataset at these positions, at most MOST_POSITIONS: features as float32(value) * scale + shift, labels as they are. */
  batch(features: number, labels: number, positions: Int32Array, scale: number, shift: number): [x: number, y: number] {
    this.refresh();
    this.#int32.set(positions, this.#block >> 2);
    const x = this.checked(this.#wasm._gb_batch(features, labels, positions.length, scale, shift));
    this.refresh();
    return [x, this.#int32[this.#block >> 2] as number];
  }

  release(handle: number): void {
    this.#wasm._gb_release(handle);
  }

  share(handle: number): number {
    return this.checked(this.#wasm._gb_share(handle));
  }

  copyInto(target: number, source: number): void {
    this.checked(this.#wasm._gb_copy_into(target, source));
  }

  // -- gradients -------------------------------------------------------------------------------------------------------

  setRequiresGrad(handle: number, value: boolean): void {
    this.checked(this.#wasm._gb_set_requires_grad(handle, value ? 1 : 0));
  }

  backward(handle: number, upstream: number, retainGraph: boolean, createGraph: boolean): void {
    if (this.#isTracing) this.#markPlace();
    this.checked(this.#wasm._gb_backward(handle, upstream, (retainGraph ? 1 : 0) | (createGraph ? 2 : 0)));
  }

  /** Gradients of `root` with respect to `targets`; ABSENT where it does not depend on one. */
  gradients(root: number, targets: readonly number[], upstream: number, retainGraph: boolean, createGraph: boolean): number[] {
    this.begin(targets.length);
    for (const target of targets) this.handle(target);
    this.checked(this.#wasm._gb_gradients(root, targets.length, upstream, (retainGraph ? 1 : 0) | (createGraph ? 2 : 0)));
    return this.#ints(targets.length).map((handle) => (handle < 0 ? ABSENT : handle));
  }

  /** A new handle of the gradient, or ABSENT. */
  grad(handle: number): number {
    const grad = this.checked(this.#wasm._gb_grad(handle));
    return grad < 0 ? ABSENT : grad;
  }

  setGrad(handle: number, grad: number): void {
    this.checked(this.#wasm._gb_set_grad(handle, grad));
  }

  detach(handle: number): number {
    return this.checked(this.#wasm._gb_detach(handle));
  }

  /** Returns the former mode. */
  gradMode(enabled: boolean): boolean {
    this.isRecordingGradients = enabled;
    return this.#wasm._gb_grad_mode(enabled ? 1 : 0) !== 0;
  }

  /** Scales gradients in place so that their common norm is at most `maxNorm`; returns a handle of the norm before. */
  clipNorm(handles: readonly number[], maxNorm: number, normType: number): number {
    this.begin(handles.length);
    for (const handle of handles) this.handle(handle);
    return this.checked(this.#wasm._gb_clip_norm(handles.length, maxNorm, normType));
  }

  clipValue(handles: readonly number[], value: number): void {
    this.begin(handles.length);
    for (const handle of handles) this.handle(handle);
    this.checked(this.#wasm._gb_clip_value(handles.length, value));
  }

  // -- random numbers --------------------------------------------------------------------------------------------------

  /** Starts the random stream anew. */
  seed(seed: number): void {
    this.checked(this.#wasm._gb_seed(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0));
  }

  /** The place in the random stream: four 32 bit words. */
  randomState(): number[] {
    this.checked(this.#wasm._gb_random_state(0));
    return this.#ints(4).map((word) => word >>> 0);
  }

  setRandomState(words: readonly number[]): void {
    this.programs.refuse('the state of the random numbers is set inside the step');
    this.begin(4);
    for (const word of words) this.handle(word | 0);
    this.checked(this.#wasm._gb_random_state(1));
  }

  /** Fills a leaf by an initializer; its attributes were written since begin(0). */
  initialize(initializer: number, handle: number): void {
    this.programs.refuse('a tensor is initialized inside the step');
    this.checked(this.#wasm._gb_initialize(initializer, handle));
  }

  // -- optimizers ------------------------------------------------------------------------------------------------------

  optimizerCreate(row: number, handles: readonly number[], attributes: readonly number[]): number {
    this.programs.refuse('an optimizer is made inside the step');
    this.begin(handles.length);
    for (const handle of handles) this.handle(handle);
    for (const attribute of attributes) this.number(attribute);
    return this.checked(this.#wasm._gb_optimizer_create(row, handles.length));
  }

  optimizerStep(id: number): void {
    if (hooks.shouldStop()) throw new Interrupted();
    if (this.#isTracing) this.#markPlace();
    this.checked(this.#wasm._gb_optimizer_step(id));
    if (this.#isTracing) this.#isTracing = this.#wasm._gb_trace(-1) === 1;
  }

  optimizerZeroGrad(id: number): void {
    this.checked(this.#wasm._gb_optimizer_zero_grad(id));
  }

  optimizerSet(id: number, attribute: number, value: number): void {
    this.programs.refuse('a setting of an optimizer is changed inside the step, perhaps by a scheduler; do it before or after the step');
    this.checked(this.#wasm._gb_optimizer_set(id, attribute, value));
  }

  optimizerGet(id: number, attribute: number): number {
    const value = this.#wasm._gb_optimizer_get(id, attribute);
    if (this.#wasm._gb_error_code() !== 0) this.#fail(this.#wasm._gb_error_code());
    return value;
  }

  optimizerRelease(id: number): void {
    this.#wasm._gb_optimizer_release(id);
  }

  /** A new handle of a state tensor, or ABSENT when there is none yet. */
  optimizerState(id: number, parameter: number, slot: number): number {
    this.programs.refuse('the state of an optimizer is read inside the step');
    const handle = this.checked(this.#wasm._gb_optimizer_state(id, parameter, slot));
    return handle < 0 ? ABSENT : handle;
  }

  optimizerSetState(id: number, parameter: number, slot: number, handle: number): void {
    this.programs.refuse('the state of an optimizer is set inside the step');
    this.checked(this.#wasm._gb_optimizer_state_set(id, parameter, slot, handle));
  }

  /** Steps that this parameter has taken; with a count, sets it. */
  optimizerSteps(id: number, parameter: number, count = -1): number {
    this.programs.refuse("an optimizer's count of steps is used inside the step");
    return this.checked(this.#wasm._gb_optimizer_steps(id, parameter, count));
  }

  // -- metrics ---------------------------------------------------------------------------------------------------------

  /** The number of a metric's name; the same for the same name. */
  metricId(name: string): number {
    this.refresh();
    const bytes = encoder.encode(name.slice(0, 200));
    this.#bytes.set(bytes, this.#block);
    return this.checked(this.#wasm._gb_metrics_name(bytes.length));
  }

  /** Writes one step; where `handles` has ABSENT, `values` counts. */
  /** True when a value that was not finite waits for takeTrouble(). */
  logMetrics(step: number, ids: readonly number[], handles: readonly number[], values: readonly number[]): boolean {
    this.begin(ids.length * 2);
    for (const id of ids) this.handle(id);
    for (const handle of handles) this.handle(handle);
    for (const value of values) this.number(value);
    return this.checked(this.#wasm._gb_metrics_log(step, ids.length)) === 1;
  }

  /** Takes up to `max` records out of the ring; each is step, metric number, value, time in ms, FLOPs so far. */
  drainMetrics(max: number): Float64Array {
    const count = this.checked(this.#wasm._gb_metrics_drain(max));
    this.refresh();
    return this.#float64.slice(this.#block >> 3, (this.#block >> 3) + count * 5);
  }

  /** The first logged value since the last call that was not finite; null when there was none. */
  takeTrouble(): { readonly step: number; readonly metric: number; readonly value: number } | null {
    if (this.checked(this.#wasm._gb_metrics_trouble()) === 0) return null;
    this.refresh();
    return { step: this.numberAt(0), metric: this.numberAt(1), value: this.numberAt(2) };
  }

  /** Floating-point operations counted so far; with a count, goes on from there. Gives what it was. */
  readonly flops = (count = -1): number => this.#wasm._gb_flops(count);

  // -- the inspector ---------------------------------------------------------------------------------------------------

  /** Handles made from now on belong to this owner. */
  setOwner(owner: number): void {
    this.#wasm._gb_owner(owner);
  }

  /** 1 watches the next step, 0 ends a trace that has begun (as when its cell has ended), 2: a run begins, and shows a step of its own. */
  trace(wanted: 0 | 1 | 2): void {
    if (wanted !== 0 || this.#isTracing) this.#isTracing = this.checked(this.#wasm._gb_trace(wanted)) === 1;
  }

  /** With true the following operations are left out of traces. Gives the former state. */
  readonly pauseTrace = (paused: boolean): boolean => this.#wasm._gb_trace_pause(paused ? 1 : 0) === 1;

  clearTraced(): void {
    this.checked(this.#wasm._gb_trace_clear());
  }

  /** Notes about traced places, for snapshot(). */
  placeNotes(): string {
    return [...this.#places.keys()].map((place) => `place\t${place}\n`).join('');
  }

  /** The engine's state as bytes; see engine/inspect/collect.h, and exports.h for the notes. */
  snapshot(notes: string, selected: number, from: number, isRunning: boolean, allowance: number): Uint8Array<ArrayBuffer> {
    const bytes = encoder.encode(notes);
    const handle = this.createFrom('uint8', [bytes.length], bytes);
    try {
      const size = this.checked(this.#wasm._gb_snapshot(handle, selected, from, isRunning ? 1 : 0, allowance));
      const at = this.#pointer(this.#wasm._gb_snapshot_data());
      this.refresh();
      return new Uint8Array(this.#bytes.subarray(at, at + size));
    } finally {
      this.release(handle);
    }
  }

  #markPlace(): void {
    const place = hooks.place();
    const key = place ? `${place.cellId}\t${place.line}` : '';
    if (key && !this.#places.has(key)) this.#places.set(key, this.#places.size);
    this.#wasm._gb_trace_place(this.#places.get(key) ?? -1);
  }

  // -- looking in -------------------------------------------------------------------------------------------------------

  /** Makes backward() leave the gradient of a result too. */
  retainGrad(handle: number): void {
    this.checked(this.#wasm._gb_retain_grad(handle));
  }

  /** Gives ops that are recorded from now on a number each, from `next`; undefined ends it. */
  markPlaces(next: (() => number) | undefined): void {
    this.#placer = next;
    if (!next) this.#wasm._gb_place(0);
  }

  /** The number of the recorded op whose gradient made the last backward() fail, or 0. */
  failedPlace(): number {
    return this.#wasm._gb_failed_place();
  }

  /** 1 makes ops fail whose result is the first that is not finite. Returns the former mode. */
  detectAnomaly(enabled: boolean): boolean {
    this.#anomalies = enabled;
    return this.#wasm._gb_detect_anomaly(enabled ? 1 : 0) !== 0;
  }

  /** Begins or ends a profile of all ops. Returns the former mode. */
  profile(enabled: boolean): boolean {
    this.#profiling = enabled;
    return this.#wasm._gb_profile(enabled ? 1 : 0) !== 0;
  }

  /** What the profile has counted so far. */
  profileRows(): ProfileRow[] {
    const count = this.checked(this.#wasm._gb_profile_rows());
    this.refresh();
    return Array.from({ length: count }, (_, i) => {
      const at = (this.#block >> 3) + i * 4;
      const [op, isGradient, calls, elapsedMs] = this.#float64.subarray(at, at + 4) as unknown as [number, number, number, number];
      return {
        op: op < 0 ? 'optimizer step' : (this.description.ops[op]?.name ?? `op ${op}`),
        isGradient: isGradient !== 0,
        calls,
        elapsedMs,
      };
    });
  }

  // -- files -------------------------------------------------------------------------------------------------------------

  /** Tensors (as new handles) and texts of a safetensors file whose bytes are in a uint8 tensor. */
  readSafetensors(file: number): SafetensorsContents {
    this.programs.refuse('a file is read inside the step');
    this.checked(this.#wasm._gb_safetensors_read(file));
    return JSON.parse(this.lastText()) as SafetensorsContents;
  }

  /** A handle of a uint8 tensor with the bytes of a safetensors file. */
  writeSafetensors(contents: SafetensorsContents): number {
    const text = encoder.encode(JSON.stringify(contents));
    const description = this.createFrom('uint8', [text.length], text);
    try {
      return this.checked(this.#wasm._gb_safetensors_write(description));
    } finally {
      this.release(description);
    }
  }

  /** Most bytes that tensors may take together before calls fail with MemoryError; 0: what the system gives. */
  setMemoryLimit(bytes: number): void {
    this.checked(this.#wasm._gb_memory_limit(bytes));
  }

  // -- the rest --------------------------------------------------------------------------------------------------------

  memoryUse(): MemoryUse {
    this.checked(this.#wasm._gb_memory());
    this.refresh();
    const at = this.#block >> 3;
    const [liveBytes, peakBytes, tensorCount, handleCount, recordCount, heapBytes] = this.#float64.subarray(at, at + 6) as unknown as Six<number>;
    return { liveBytes, peakBytes, tensorCount, handleCount, recordCount, heapBytes };
  }

  /** A new handle of the values in another dtype. */
  #converted(handle: number, dtype: DType): number {
    this.begin(1);
    this.handle(handle);
    this.number(this.#dtypeCode(dtype));
    return this.checked(this.#wasm._gb_run(this.opNumbers.get('to') as number, 1, 8));
  }

  #dtypeCode(dtype: DType): number {
    return this.description.dtypes.indexOf(dtype);
  }

  // For recording.ts, which calls into the module too.

  /** Starts an argument list of these handles. */
  handles(handles: readonly number[]): void {
    this.begin(handles.length);
    for (const handle of handles) this.handle(handle);
  }

  /** Puts bytes at the start of the block. */
  writeBytes(bytes: Uint8Array): void {
    this.refresh();
    this.#bytes.set(bytes, this.#block);
  }

  /** An int of the block. */
  intAt(index: number): number {
    if (this.#int32.length === 0) this.refresh();
    return this.#int32[(this.#block >> 2) + index] as number;
  }

  /** A number of the block; refresh() or intAt() must have come since the last call. */
  numberAt(index: number): number {
    return this.#float64[(this.#block >> 3) + index] as number;
  }

  /** The text that the last call made. */
  lastText(): string {
    return this.#text(this.#pointer(this.#wasm._gb_text()), this.#wasm._gb_text_size());
  }

  /** A result of an exported function; throws when it stands for a failure. */
  checked(result: number): number {
    if (result <= FAILED) this.#fail(FAILED - result);
    return result;
  }

  #fail(code: number): never {
    const at = this.#pointer(this.#wasm._gb_error());
    throw errorOf(code, this.#text(at, this.#wasm._gb_error_size()));
  }

  /** An address as an unsigned number. 0 stands for a failure that has left a message. */
  #pointer(address: number): number {
    if (address === 0) throw errorOf(this.#wasm._gb_error_code(), this.#text(this.#wasm._gb_error() >>> 0, this.#wasm._gb_error_size()));
    return address >>> 0;
  }

  /** Must be called after every engine call that may have grown the memory, before a view is used. */
  refresh(): void {
    const buffer = this.#wasm.wasmMemory.buffer;
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#bytes = new Uint8Array(buffer);
    this.#int32 = new Int32Array(buffer);
    this.#float64 = new Float64Array(buffer);
  }

  #text(address: number, byteCount: number): string {
    this.refresh();
    // slice: TextDecoder refuses shared memory.
    return decoder.decode(this.#bytes.slice(address, address + byteCount));
  }

  #ints(count: number): number[] {
    this.refresh();
    return Array.from(this.#int32.subarray(this.#block >> 2, (this.#block >> 2) + count));
  }

  #view(dtype: DType, address: number, length: number): TypedArray {
    if (dtype === 'float32') return new Float32Array(this.#buffer, address, length);
    if (dtype === 'float64') return new Float64Array(this.#buffer, address, length);
    if (dtype === 'int32') return new Int32Array(this.#buffer, address, length);
    return new Uint8Array(this.#buffer, address, length);
  }
}
