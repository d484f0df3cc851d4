// Protobuf's wire format: bytes -> numbered fields. Bounds are checked before every read, so hostile bytes end in an
// OnnxError that names the byte. What the field numbers mean is model.ts's business.

import { EngineError } from '../error.ts';

/** An ONNX file that cannot be read, or holds something that cannot be run. */
export class OnnxError extends EngineError {
  override name = 'OnnxError';
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** One field of a message. Read it with the function for its type; each checks that the wire has that type. */
export interface Field {
  readonly number: number;
  readonly wire: number;
  /** Offset of the field's value in the file, for error messages. */
  readonly at: number;
  /** Of a varint: its value, rounded beyond 2^53. Else 0. */
  readonly value: number;
  /** Of the other wire types: the bytes of the value. */
  readonly bytes: Uint8Array;
}

const none = new Uint8Array(0);
const decoder = new TextDecoder('utf-8', { fatal: true });

class Reader {
  position = 0;
  readonly bytes: Uint8Array;
  readonly base: number;

  constructor(bytes: Uint8Array, base: number) {
    this.bytes = bytes;
    this.base = base;
  }

  get at(): number {
    return this.base + this.position;
  }

  /** A 64 bit two's complement integer of 1 to 10 bytes. */
  varint(): number {
    const start = this.at;
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      const byte = this.bytes[this.position];
      if (byte === undefined) throw new OnnxError(`onnx: the number at byte ${start} is cut off at the end of its message`);
      this.position++;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high |= bits >> 4;
      } else if (i < 9) high |= bits << (7 * i - 32);
      else if (bits > 1) break;
      else high |= bits << 31;
      if (byte < 0x80) return high * 2 ** 32 + (low >>> 0);
    }
    throw new OnnxError(`onnx: the number at byte ${start} is longer than 64 bits`);
  }

  take(count: number): Uint8Array {
    if (!(count >= 0 && count <= this.bytes.length - this.position)) {
      throw new OnnxError(
        `onnx: the field at byte ${this.at} claims ${count} bytes, but its message has ${this.bytes.length - this.position} left`,
      );
    }
    const part = this.bytes.subarray(this.position, this.position + count);
    this.position += count;
    return part;
  }
}

/** The fields of a message in the order of the file. `base`: offset of `bytes` in the file. */
export function* fields(bytes: Uint8Array, base = 0): Generator<Field> {
  const reader = new Reader(bytes, base);
  while (reader.position < bytes.length) {
    const start = reader.at;
    const key = reader.varint();
    const number = Math.floor(key / 8);
    const wire = key % 8;
    if (number < 1 || number >= 2 ** 29)
      throw new OnnxError(`onnx: byte ${start} is not the start of a field; this is not an ONNX file, or it is damaged`);
    if (wire === VARINT) {
      const at = reader.at;
      yield { number, wire, at, value: reader.varint(), bytes: none };
      continue;
    }
    if (wire !== FIXED64 && wire !== BYTES && wire !== FIXED32)
      throw new OnnxError(`onnx: byte ${start} starts a field of wire type ${wire}, which ONNX does not use`);
    const count = wire === FIXED64 ? 8 : wire === FIXED32 ? 4 : reader.varint();
    const at = reader.at;
    yield { number, wire, at, value: 0, bytes: reader.take(count) };
  }
}

function require(field: Field, wire: number, what: string): void {
  if (field.wire !== wire)
    throw new OnnxError(`onnx: field ${field.number} at byte ${field.at} should be ${what}, but has wire type ${field.wire}`);
}

/** An integer field. */
export function integer(field: Field): number {
  require(field, VARINT, 'an integer');
  return field.value;
}

/** A float field of 32 bits. */
export function float32(field: Field): number {
  require(field, FIXED32, 'a float');
  return view(field.bytes).getFloat32(0, true);
}

/** A text field. */
export function text(field: Field): string {
  require(field, BYTES, 'a text');
  try {
    return decoder.decode(field.bytes);
  } catch {
    throw new OnnxError(`onnx: field ${field.number} at byte ${field.at} should be a text, but is not valid UTF-8`);
  }
}

/** The bytes of a bytes field. */
export function bytesOf(field: Field): Uint8Array {
  require(field, BYTES, 'bytes');
  return field.bytes;
}

/** The fields of a message within this field. */
export function message(field: Field): Generator<Field> {
  require(field, BYTES, 'a message');
  return fields(field.bytes, field.at);
}

/** Appends a repeated integer field, packed or not, to `into`. */
export function integers(field: Field, into: number[]): void {
  if (field.wire === VARINT) {
    into.push(field.value);
    return;
  }
  require(field, BYTES, 'integers');
  const reader = new Reader(field.bytes, field.at);
  while (reader.position < field.bytes.length) into.push(reader.varint());
}

/** Appends a repeated float field, packed or not, of `size` 4 or 8 bytes each, to `into`. */
export function floats(field: Field, size: 4 | 8, into: number[]): void {
  if (field.wire !== (size === 4 ? FIXED32 : FIXED64)) require(field, BYTES, 'floats');
  if (field.bytes.length % size !== 0)
    throw new OnnxError(`onnx: field ${field.number} at byte ${field.at} has ${field.bytes.length} bytes, not a multiple of ${size}`);
  const data = view(field.bytes);
  for (let i = 0; i < field.bytes.length; i += size) into.push(size === 4 ? data.getFloat32(i, true) : data.getFloat64(i, true));
}

/** Little-endian look at some bytes. */
export function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
