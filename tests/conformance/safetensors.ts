// Reads our own fixtures: safetensors files as typed arrays by name. Trusts the file; the checked reader is the engine's.

import { readFileSync } from 'node:fs';

export interface Stored {
  readonly dtype: 'F32' | 'F64' | 'I32' | 'U8' | 'BOOL';
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array | Int32Array | Uint8Array;
}

const kinds = { F32: Float32Array, F64: Float64Array, I32: Int32Array, U8: Uint8Array, BOOL: Uint8Array };

export function readSafetensors(path: string): Map<string, Stored> {
  const file = readFileSync(path);
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<
    string,
    { dtype: Stored['dtype']; shape: number[]; data_offsets: [number, number] }
  >;
  const tensors = new Map<string, Stored>();
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [from, to],
    },
  ] of Object.entries(header)) {
    const Kind = kinds[dtype];
    // A copy, since the values need not lie at a multiple of their size.
    const bytes = new Uint8Array(file.subarray(8 + length + from, 8 + length + to));
    tensors.set(name, { dtype, shape, values: new Kind(bytes.buffer, 0, bytes.length / Kind.BYTES_PER_ELEMENT) });
  }
  return tensors;
}
