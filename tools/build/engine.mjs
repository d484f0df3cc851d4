// What a built engine.wasm must look like before the page may have it.
const LEAST_BYTES = 100_000;
const MAGIC = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

/** Why these bytes cannot be the engine, or undefined. A link has been seen to leave an empty module and to report success. */
export function engineFault(bytes) {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) return 'it does not begin as a wasm module does';
  if (bytes.length < LEAST_BYTES) return `it has ${bytes.length} bytes, fewer than any engine`;
  return undefined;
}
