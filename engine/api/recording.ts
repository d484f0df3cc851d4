// The calls into the wasm module for captured steps; what is captured, and when, is in program.ts.

import type { Engine, EngineModule } from './wasm.ts';

export interface ProgramMemory {
  readonly text: string;
  readonly arenaBytes: number;
  /** The least that any plan could do with. */
  readonly largestLiveBytes: number;
}

/** In place of a handle: a value that no tensor has been made of. */
export const UNMADE = 0;

const encoder = new TextEncoder();

export class Programs {
  readonly #wasm: EngineModule;
  readonly #engine: Engine;
  /** True while a step is recorded. */
  isRecording = false;
  /** What JavaScript counts besides, of the step that is or was recorded last. */
  replays: (() => void)[] = [];

  constructor(wasm: EngineModule, engine: Engine) {
    this.#wasm = wasm;
    this.#engine = engine;
  }

  /** Records what runs from now on. `logStep` is the number that was logged last. */
  begin(inputs: readonly number[], logStep: number): void {
    this.#engine.handles(inputs);
    this.#engine.checked(this.#wasm._gb_program_begin(inputs.length, logStep));
    this.isRecording = true;
    this.replays = [];
  }

  /** Counts that an operation of the step makes in JavaScript: `count` is called again after each run of the program. */
  onReplay(count: () => void): void {
    if (this.isRecording) this.replays.push(count);
  }

  /** The step that is recorded cannot become a program. Does nothing outside of a recording. */
  refuse(reason: string): void {
    if (!this.isRecording) return;
    const bytes = encoder.encode(reason);
    this.#engine.writeBytes(bytes);
    this.#engine.checked(this.#wasm._gb_program_refuse(bytes.length));
  }

  /** Values are read in JavaScript. */
  refuseReading(): void {
    this.refuse('a value is read inside the step, as by item(), values() or printing');
  }

  /** Ends the recording; returns a trace. */
  end(results: readonly number[]): number {
    this.isRecording = false;
    this.#engine.handles(results);
    return this.#engine.checked(this.#wasm._gb_program_end(results.length));
  }

  abort(): void {
    this.isRecording = false;
    this.#wasm._gb_program_abort();
  }

  /** Why two traces cannot become one program; '' when they can. `isOtherStart`: gradients were there at the start of one only. */
  difference(before: number, now: number): { readonly text: string; readonly isOtherStart: boolean } {
    const kind = this.#engine.checked(this.#wasm._gb_program_difference(before, now));
    return { text: kind === 0 ? '' : this.#engine.lastText(), isOtherStart: kind === 2 };
  }

  releaseTrace(trace: number): void {
    this.#wasm._gb_program_release_trace(trace);
  }

  compile(trace: number): number {
    return this.#engine.checked(this.#wasm._gb_program_compile(trace));
  }

  release(program: number): void {
    this.#wasm._gb_program_release(program);
  }

  applies(program: number): boolean {
    return this.#engine.checked(this.#wasm._gb_program_applies(program)) === 1;
  }

  /**
   * Runs a program on the handles written since `engine.begin(count)`. Returns the number of results, which are read with
   * result(i) before the next call, or -2 when the program does not fit these arguments or the gradients there are now.
   */
  run(program: number, count: number, logStep: number): number {
    return this.#engine.checked(this.#wasm._gb_program_run(program, count, logStep));
  }

  /** Handle of a result; UNMADE: it is one float32, single(index, count), and there is no tensor of it yet. */
  result(index: number): number {
    const handle = this.#engine.intAt(index);
    return handle < 0 ? UNMADE : handle;
  }

  /** The value of a result of `count` that has no handle, as result() has just said. */
  single(index: number, count: number): number {
    return this.#engine.numberAt(((count + 1) >> 1) + index);
  }

  /** A tensor of one float32, and its handle. May be called while arguments are being written. */
  make(value: number, rank: number): number {
    const handle = this.#engine.checked(this.#wasm._gb_single(value, rank));
    this.#engine.refresh();
    return handle;
  }

  /** After a run that threw: was anything outside the program changed before? */
  changedAnything(program: number): boolean {
    return this.#wasm._gb_program_changed(program) === 1;
  }

  /** Runs are timed op by op from now on, or no more. */
  setTimed(program: number, isTimed: boolean): void {
    // A build of the engine from before there were times has none.
    this.#wasm._gb_program_timed?.(program, isTimed ? 1 : 0);
  }

  explain(program: number): ProgramMemory {
    this.#engine.checked(this.#wasm._gb_program_explain(program));
    this.#engine.refresh();
    const [arenaBytes, largestLiveBytes] = [this.#engine.numberAt(0), this.#engine.numberAt(1)];
    return { text: this.#engine.lastText(), arenaBytes, largestLiveBytes };
  }
}
