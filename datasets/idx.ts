// Reads IDX, the format in which MNIST and its relatives are published: a magic
// number, big-endian sizes, then one unsigned byte per element. Only the build
// reads it; what the page loads is described in shard.ts.
import { DatasetError } from './error.ts'

/** An IDX file of unsigned bytes. `data` is a view into the bytes that were parsed. */
export interface Idx {
  readonly sizes: readonly number[]
  readonly data: Uint8Array
}

/**
 * Parses an IDX file of unsigned bytes with the given rank (labels 1, images 3).
 * `name` is used in messages. Throws a DatasetError when the bytes are anything else.
 */
export function parseIdx(name: string, bytes: Uint8Array, rank: number): Idx {
  const headerBytes = 4 + 4 * rank
  const damaged = (what: string): DatasetError => new DatasetError('damaged', `${name} is not the IDX file it should be: ${what}`)
  if (bytes.length < headerBytes) {
    throw damaged(`a header of ${headerBytes} bytes was expected, the file has ${bytes.length}`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const magic = view.getUint32(0)
  const expectedMagic = 0x0800 + rank // element kind 8 is "unsigned byte"
  if (magic !== expectedMagic) {
    const came = `0x${magic.toString(16).padStart(8, '0')}`
    const hint = bytes[0] === 0x1f && bytes[1] === 0x8b ? ' (it is gzip-compressed: unpack it first)' : ''
    throw damaged(`it starts with ${came} where 0x${expectedMagic.toString(16).padStart(8, '0')} was expected${hint}`)
  }
  const sizes = Array.from({ length: rank }, (_, axis) => view.getUint32(4 + 4 * axis))
  const expected = headerBytes + sizes.reduce((product, size) => product * size, 1)
  if (bytes.length !== expected) {
    throw damaged(`its header says ${sizes.join(' x ')} bytes of data, so ${expected} bytes in all, the file has ${bytes.length}`)
  }
  return { sizes, data: bytes.subarray(headerBytes) }
}
