// The format of our own data files: images of unsigned bytes with one class id
// each. Compression and hashes are left to load.ts.
//
//   offset  size            what
//   0       8               "GBIMAGES"
//   8       5 x uint32      little-endian: examples, channels, rows, columns, classes
//   28      4               zero
//   32      examples        class ids, one byte each, below classes
//   ...     examples*C*H*W  pixels 0..255, example by example, row by row
import { DatasetError } from './error.ts'

/** Images with labels. `features` holds examples * channels * rows * columns bytes. */
export interface Shard {
  readonly examples: number
  /** Of one example: channels, rows, columns. */
  readonly shape: readonly [number, number, number]
  readonly classes: number
  readonly labels: Uint8Array
  readonly features: Uint8Array
}

const magic = 'GBIMAGES'
const headerBytes = 32

/** Size in bytes of a shard file. */
export function shardBytes(examples: number, shape: readonly [number, number, number]): number {
  return headerBytes + examples * (1 + shape[0] * shape[1] * shape[2])
}

/** The bytes of a shard file. Throws a DatasetError when the parts do not fit together. */
export function encodeShard(shard: Shard): Uint8Array<ArrayBuffer> {
  const { examples, shape, classes, labels, features } = shard
  const pixels = shape[0] * shape[1] * shape[2]
  if (labels.length !== examples || features.length !== examples * pixels) {
    throw new DatasetError(
      'request',
      `a shard of ${examples} examples of ${shape.join(' x ')} needs ${examples} labels and ${examples * pixels} pixels, ` +
        `${labels.length} and ${features.length} came`,
    )
  }
  const bytes = new Uint8Array(shardBytes(examples, shape))
  for (let i = 0; i < magic.length; i++) bytes[i] = magic.charCodeAt(i)
  const view = new DataView(bytes.buffer)
  const numbers = [examples, ...shape, classes]
  numbers.forEach((number, i) => {
    view.setUint32(8 + 4 * i, number, true)
  })
  bytes.set(labels, headerBytes)
  bytes.set(features, headerBytes + examples)
  return bytes
}

/**
 * Reads a shard file. Labels and features are views into `bytes`.
 * `name` is used in messages. Throws a DatasetError on a cut, padded or foreign file.
 */
export function decodeShard(name: string, bytes: Uint8Array): Shard {
  const damaged = (what: string): DatasetError => new DatasetError('damaged', `${name} is damaged: ${what}`)
  if (bytes.length < headerBytes) throw damaged(`a header of ${headerBytes} bytes was expected, ${bytes.length} came`)
  const start = String.fromCharCode(...bytes.subarray(0, 8))
  if (start !== magic) throw damaged(`it starts with ${JSON.stringify(start)} where "${magic}" was expected`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [examples, channels, rows, columns, classes] = Array.from({ length: 5 }, (_, i) =>
    view.getUint32(8 + 4 * i, true),
  ) as [number, number, number, number, number]
  const shape = [channels, rows, columns] as const
  const expected = shardBytes(examples, shape)
  if (bytes.length !== expected) {
    throw damaged(
      `${examples} examples of ${shape.join(' x ')} take ${expected} bytes, ${bytes.length} came` +
        (bytes.length < expected ? ' (the file is cut)' : ''),
    )
  }
  if (classes < 1 || classes > 256) throw damaged(`1 to 256 classes were expected, it says ${classes}`)
  const labels = bytes.subarray(headerBytes, headerBytes + examples)
  const wrong = labels.findIndex((label) => label >= classes)
  if (wrong >= 0) throw damaged(`label ${labels[wrong]} of example ${wrong} is not below the number of classes, ${classes}`)
  return { examples, shape, classes, labels, features: bytes.subarray(headerBytes + examples) }
}
