// Loads a dataset: chooses its files, has the host read them, unpacks, checks
// and cuts them to what was asked for. Where bytes come from (network, browser
// storage, disk) is the host's part; tensors and batches are the engine API's.
import { DatasetError, reasonOf } from './error.ts'
import { type DatasetFile, type DatasetInfo, findDataset, type Split } from './index.ts'
import { sha256 } from './sha256.ts'
import { decodeShard } from './shard.ts'

/** Where the bytes of data files come from. */
export interface DatasetHost {
  /**
   * The bytes of a file, compressed or not. Calls `onProgress` as they arrive,
   * with totalBytes 0 when the total is not known. Throws when it cannot read the file.
   */
  read(
    file: DatasetFile,
    onProgress: (loadedBytes: number, totalBytes: number) => void,
    signal?: AbortSignal,
  ): Promise<Uint8Array>
}

/** One split of a loaded dataset, as plain arrays that belong to the caller. */
export interface DatasetSplit {
  readonly info: DatasetInfo
  readonly split: Split
  readonly examples: number
  /** Of one example: channels, rows, columns. */
  readonly shape: readonly [number, number, number]
  /** examples * channels * rows * columns pixels, 0..255. */
  readonly features: Uint8Array
  /** One class id per example. */
  readonly labels: Uint8Array
}

export interface LoadProgress {
  readonly loadedBytes: number
  readonly totalBytes: number
  /** 0 to 1. Never falls. */
  readonly fraction: number
  /** For people: "MNIST: 1.2 of 3.3 MB". */
  readonly text: string
}

export interface LoadOptions {
  /** Number of training examples, or 'all'. Default 10,000, which is a small download. */
  readonly train?: number | 'all'
  /** Number of test examples, or 'all', the default. */
  readonly test?: number | 'all'
  readonly onProgress?: (progress: LoadProgress) => void
  readonly signal?: AbortSignal
}

export interface LoadedDataset {
  readonly info: DatasetInfo
  readonly train: DatasetSplit
  readonly test: DatasetSplit
}

/**
 * Loads the splits of a dataset.
 *
 * `train: n` gives the first n examples of the published order of index.ts, out
 * of the smallest file that holds them. `test: n` gives n examples spread evenly
 * over the test set, because the first half of MNIST's test set is easier than
 * the second. Nothing is read for a split of 0 examples.
 *
 * Throws a DatasetError: unknown name, impossible number of examples, file not
 * readable, or file damaged. When `signal` is aborted the host's error passes through.
 */
export async function loadDataset(name: string, options: LoadOptions, host: DatasetHost): Promise<LoadedDataset> {
  const info = findDataset(name)
  const wanted = {
    train: exampleCount(info, 'train', options.train ?? Math.min(10_000, largest(info, 'train').examples)),
    test: exampleCount(info, 'test', options.test ?? 'all'),
  }
  const files = (['train', 'test'] as const).flatMap((split) =>
    wanted[split] === 0 ? [] : [smallestHolding(info, split, wanted[split])],
  )
  const report = progressOf(info, files, options.onProgress)
  const shards = await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(info, file, host, (loaded, total) => report(file, loaded, total), options.signal)
      const shard = decodeShard(file.path, await unpackFile(file, bytes))
      if (shard.examples !== file.examples || shard.shape.join() !== info.shape.join()) {
        throw new DatasetError(
          'damaged',
          `${file.path} holds ${shard.examples} examples of ${shard.shape.join(' x ')}, ` +
            `${file.examples} of ${info.shape.join(' x ')} were expected`,
        )
      }
      report(file, 1, 1)
      return { file, shard }
    }),
  )
  const pixels = info.shape[0] * info.shape[1] * info.shape[2]
  const cut = (split: Split): DatasetSplit => {
    const examples = wanted[split]
    const shard = shards.find(({ file }) => file.split === split)?.shard
    const features = new Uint8Array(examples * pixels)
    const labels = new Uint8Array(examples)
    for (let i = 0; shard && i < examples; i++) {
      const from = split === 'test' ? Math.floor((i * shard.examples) / examples) : i
      labels[i] = shard.labels[from] as number
      features.set(shard.features.subarray(from * pixels, (from + 1) * pixels), i * pixels)
    }
    return { info, split, examples, shape: info.shape, features, labels }
  }
  return { info, train: cut('train'), test: cut('test') }
}

/**
 * The decompressed bytes of a file, checked against its size and SHA-256.
 * Takes compressed and plain bytes alike, because some servers decompress `.gz`
 * files on the way and some do not. Throws a DatasetError when they are not the file.
 */
export async function unpackFile(file: DatasetFile, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const damaged = (what: string, cause?: unknown): DatasetError =>
    new DatasetError('damaged', `${file.path} is damaged: ${what}. Load it again; if that does not help, build it again.`, { cause })

  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  if (!isCompressed && bytes[0] === 0x3c) {
    throw new DatasetError(
      'missing',
      `${file.path}: the server answered with a web page instead of the file. Is the folder "data" missing on the server?`,
    )
  }
  let plain: Uint8Array<ArrayBuffer>
  if (isCompressed) {
    const unpacked = new Uint8Array(file.bytes)
    let filled = 0
    try {
      const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'))
      const reader = stream.getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (filled + part.value.length > file.bytes) {
          await reader.cancel()
          throw damaged(`it unpacks to more than the ${file.bytes} bytes that were expected`)
        }
        unpacked.set(part.value, filled)
        filled += part.value.length
      }
    } catch (error) {
      if (error instanceof DatasetError) throw error
      throw damaged(
        `it cannot be decompressed (${bytes.length} bytes came, about ${file.compressedBytes} were expected; ` +
          `${filled} of ${file.bytes} bytes could be unpacked): ${reasonOf(error)}`,
        error,
      )
    }
    plain = unpacked.subarray(0, filled)
  } else {
    plain = bytes as Uint8Array<ArrayBuffer>
  }
  if (plain.length !== file.bytes) throw damaged(`${file.bytes} bytes were expected, ${plain.length} came`)
  const hash = await sha256(plain)
  if (hash !== file.sha256) throw damaged(`its SHA-256 is ${hash}, expected was ${file.sha256}`)
  return plain
}

const largest = (info: DatasetInfo, split: Split): DatasetFile =>
  info.files.filter((file) => file.split === split).at(-1) as DatasetFile

const smallestHolding = (info: DatasetInfo, split: Split, examples: number): DatasetFile =>
  info.files.find((file) => file.split === split && file.examples >= examples) as DatasetFile

function exampleCount(info: DatasetInfo, split: Split, wanted: number | 'all'): number {
  const most = largest(info, split).examples
  if (wanted === 'all') return most
  if (Number.isInteger(wanted) && wanted >= 0 && wanted <= most) return wanted
  throw new DatasetError(
    'request',
    `${info.title} has ${most} ${split} examples: "${split}" must be a whole number from 0 to ${most} or 'all', got ${String(wanted)}`,
  )
}

async function readFile(
  info: DatasetInfo,
  file: DatasetFile,
  host: DatasetHost,
  onProgress: (loadedBytes: number, totalBytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  if (file.sha256 === '') {
    throw new DatasetError('missing', `${info.title} is not part of this build (${file.path}). ${info.obtain}`)
  }
  try {
    return await host.read(file, onProgress, signal)
  } catch (error) {
    if (signal?.aborted) throw error
    if (error instanceof DatasetError && error.code === 'damaged') throw error
    const why = info.optional ? `${info.title} may not be part of this build. ${info.obtain}` : 'Check the connection and run the cell again.'
    throw new DatasetError('missing', `cannot read ${file.path} of ${info.title}: ${reasonOf(error)}. ${why}`, { cause: error })
  }
}

/** Adds up the progress of several files, weighted by their size to download. */
function progressOf(info: DatasetInfo, files: readonly DatasetFile[], onProgress: LoadOptions['onProgress']) {
  const fractions = new Map<DatasetFile, number>(files.map((file) => [file, 0]))
  const totalBytes = files.reduce((sum, file) => sum + file.compressedBytes, 0)
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
  return (file: DatasetFile, loaded: number, total: number): void => {
    if (!onProgress) return
    const fraction = Math.min(1, loaded / Math.max(total || file.compressedBytes, 1))
    fractions.set(file, Math.max(fraction, fractions.get(file) ?? 0))
    let loadedBytes = 0
    for (const [each, part] of fractions) loadedBytes += part * each.compressedBytes
    loadedBytes = Math.round(loadedBytes)
    onProgress({
      loadedBytes,
      totalBytes,
      fraction: totalBytes === 0 ? 1 : loadedBytes / totalBytes,
      text: `${info.title}: ${megabytes(loadedBytes)} of ${megabytes(totalBytes)} MB`,
    })
  }
}
