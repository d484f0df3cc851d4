// Records everything that the API asks of the engine, with what it reads from it, so that another build of the engine can be
// asked the same: replay.cpp reads what this writes, and describes the records.

import { writeFileSync } from 'node:fs';
import type { EngineModule } from '../../../engine/api/wasm.ts';

/** Calls that hand out addresses, texts or the size of things, and those that say how many threads there are. */
const UNRECORDED = /^_gb_(block|block_size|describe|describe_size|error|error_size|error_code|text|text_size|memory|threads)$/;
/** Bytes of settings behind the handles, more than any row has. */
const SETTINGS = 512;

type Call = (...args: number[]) => number;

const padded = (ints: number): number => (ints * 4 + 7) & ~7;

/** How much of the block a call reads. */
function bytesRead(name: string, args: readonly number[]): number {
  const [first = 0, second = 0, third = 0] = args;
  switch (name) {
    case '_gb_run':
      return padded(second) + third;
    case '_gb_create':
    case '_gb_gradients':
      return second * 4;
    case '_gb_optimizer_create':
      return padded(second) + SETTINGS;
    case '_gb_initialize':
      return SETTINGS;
    case '_gb_clip_norm':
    case '_gb_clip_value':
      return first * 4;
    case '_gb_random_state':
      return 16;
    case '_gb_batch':
      return third * 4;
    default:
      return 0;
  }
}

export class Recorder {
  readonly #names: string[] = [];
  readonly #parts: Buffer[] = [];
  #module: EngineModule | undefined;
  #sizes: readonly number[] = [];
  /** A tensor that was made and not written yet, with the bytes that it takes. */
  #fresh = { handle: 0, bytes: 0 };
  /** Written since the last call: its values lie at the address. */
  #written: { readonly handle: number; readonly at: number; readonly bytes: number } | undefined;
  #info = { dtype: 0, count: 0 };

  /** To be put between the API and the module. */
  wrap = (module: EngineModule): EngineModule => {
    this.#module = module;
    const at = module._gb_describe() >>> 0;
    const { dtypes } = JSON.parse(Buffer.from(module.wasmMemory.buffer, at, module._gb_describe_size()).toString()) as { dtypes: string[] };
    const sizes: Readonly<Record<string, number>> = { float32: 4, float64: 8, int32: 4, uint8: 1, bool: 1, float16: 2 };
    this.#sizes = dtypes.map((name) => sizes[name] ?? Number.NaN);
    return new Proxy(module, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof name !== 'string' || !name.startsWith('_gb_') || UNRECORDED.test(name)) return value;
        return (...args: number[]) => this.#call(name, value as Call, args);
      },
    });
  };

  /** What the calls from here on belong to, and how far apart float32 values may lie, relative to the largest. */
  label(text: string, bound: number): void {
    this.#flush();
    const name = Buffer.from(text.slice(0, 200));
    const head = Buffer.alloc(13);
    head.writeUInt8(3);
    head.writeUInt32LE(name.length, 1);
    head.writeDoubleLE(bound, 5);
    this.#parts.push(head, name);
  }

  write(path: string): void {
    this.#flush();
    const names = this.#names.map((name) => name.slice(1));
    writeFileSync(path, Buffer.concat([Buffer.from(`${names.join(' ')}\n`), ...this.#parts]));
  }

  #memory(at: number, bytes: number): Buffer {
    return Buffer.from(Buffer.from((this.#module as EngineModule).wasmMemory.buffer, at, bytes));
  }

  #flush(): void {
    if (!this.#written) return;
    const { handle, at, bytes } = this.#written;
    this.#written = undefined;
    const head = Buffer.alloc(9);
    head.writeUInt8(1);
    head.writeInt32LE(handle, 1);
    head.writeUInt32LE(bytes, 5);
    this.#parts.push(head, this.#memory(at, bytes));
  }

  #call(name: string, call: Call, args: readonly number[]): number {
    this.#flush();
    if (name === '_gb_data') return this.#data(call, args[0] as number);
    const block = (this.#module as EngineModule)._gb_block() >>> 0;
    const read = this.#memory(block, bytesRead(name, args));
    const result = call(...args);
    let index = this.#names.indexOf(name);
    if (index < 0) index = this.#names.push(name) - 1;
    const head = Buffer.alloc(3 + args.length * 8 + 12);
    head.writeUInt8(0);
    head.writeUInt8(index, 1);
    head.writeUInt8(args.length, 2);
    args.forEach((value, i) => head.writeDoubleLE(value, 3 + i * 8));
    head.writeDoubleLE(result ?? 0, 3 + args.length * 8);
    head.writeUInt32LE(read.length, 11 + args.length * 8);
    this.#parts.push(head, read);
    if (name === '_gb_create') {
      const count = Array.from({ length: args[1] as number }, (_, i) => read.readInt32LE(i * 4)).reduce((all, size) => all * size, 1);
      this.#fresh = { handle: result, bytes: count * (this.#sizes[args[0] as number] as number) };
    } else if (name === '_gb_info') {
      const out = this.#memory(block, 20);
      this.#info = { dtype: out.readInt32LE(0), count: out.readInt32LE(16) };
    }
    return result;
  }

  /** The API asks where values lie in order to write those of a new tensor, or to read those of one that it has just asked about. */
  #data(call: Call, handle: number): number {
    const at = call(handle);
    if (handle === this.#fresh.handle) {
      this.#written = { ...this.#fresh, at: at >>> 0 };
      this.#fresh = { handle: 0, bytes: 0 };
      return at;
    }
    const { dtype, count } = this.#info;
    const head = Buffer.alloc(10);
    head.writeUInt8(2);
    head.writeInt32LE(handle, 1);
    head.writeUInt8(dtype, 5);
    head.writeUInt32LE(count, 6);
    this.#parts.push(head, this.#memory(at >>> 0, count * (this.#sizes[dtype] as number)));
    return at;
  }
}
