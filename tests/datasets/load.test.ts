// How loading behaves: what is read, what progress says, and what a person is
// told when a file is missing, cut, changed or not the file at all.
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DatasetError } from '../../datasets/error.ts'
import { type DatasetFile, findDataset, findFile } from '../../datasets/index.ts'
import { type DatasetHost, loadDataset, type LoadOptions, type LoadProgress, unpackFile } from '../../datasets/load.ts'
import { nodeHost } from '../../datasets/node.ts'

const disk = nodeHost()
const file = findFile('mnist-train-1k.bin.gz') as DatasetFile
const packed = await disk.read(file, () => {})

/** The disk, with the bytes of every file changed on the way. */
const changing = (change: (bytes: Uint8Array) => Uint8Array): DatasetHost => ({
  read: async (each, onProgress, signal) => change(await disk.read(each, onProgress, signal)),
})

const failure = async (work: Promise<unknown>): Promise<{ code: string; message: string }> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(DatasetError)
  const { code, message } = error as DatasetError
  return { code, message }
}

describe('what is read', () => {
  test.each<[LoadOptions, string[]]>([
    [{ train: 1, test: 0 }, ['mnist-train-1k']],
    [{ train: 1_000, test: 10 }, ['mnist-train-1k', 'mnist-test-10k']],
    [{ train: 1_001, test: 0 }, ['mnist-train-10k']],
    [{}, ['mnist-train-10k', 'mnist-test-10k']],
    [{ train: 0, test: 0 }, []],
  ])('%j reads %j', async (options, expected) => {
    const read: string[] = []
    const { train, test } = await loadDataset('mnist', options, {
      read: (each, ...rest) => {
        read.push(each.name)
        return disk.read(each, ...rest)
      },
    })
    expect(read).toEqual(expected)
    expect(train.examples).toBe(options.train ?? 10_000)
    expect(test.examples).toBe(options.test ?? 10_000)
    for (const split of [train, test]) {
      expect(split.features.length).toBe(split.examples * 784)
      expect(split.labels.length).toBe(split.examples)
    }
  })

  test('bytes that the server has already decompressed are taken as they are', async () => {
    const { train } = await loadDataset('mnist', { train: 5, test: 0 }, changing((bytes) => gunzipSync(bytes)))
    const same = await loadDataset('mnist', { train: 5, test: 0 }, disk)
    expect(train).toEqual(same.train)
  })
})

describe('progress', () => {
  test('never falls, ends at 1 and says what is loaded', async () => {
    const seen: LoadProgress[] = []
    const host: DatasetHost = {
      async read(each, onProgress) {
        const bytes = await disk.read(each, () => {})
        for (const part of [0.1, 0.5, 0.4, 1]) onProgress(part * bytes.length, part === 0.5 ? 0 : bytes.length)
        return bytes
      },
    }
    await loadDataset('mnist', { onProgress: (progress) => seen.push(progress) }, host)
    const fractions = seen.map((progress) => progress.fraction)
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b))
    expect(fractions.at(-1)).toBe(1)
    expect(seen.at(-1)?.text).toBe('MNIST: 3.2 of 3.2 MB')
  })

  test('a host that counts decompressed bytes does not pass 1', async () => {
    const fractions: number[] = []
    const host: DatasetHost = {
      async read(each, onProgress) {
        onProgress(each.bytes, 0)
        return disk.read(each, () => {})
      },
    }
    await loadDataset('mnist', { train: 1, test: 0, onProgress: ({ fraction }) => fractions.push(fraction) }, host)
    expect(Math.max(...fractions)).toBe(1)
  })
})

describe('requests that cannot be met', () => {
  test('an unknown name lists the names there are', async () => {
    expect(await failure(loadDataset('minst', {}, disk))).toEqual({
      code: 'unknown',
      message: 'there is no dataset "minst"; there are: mnist, fashionMnist',
    })
  })

  test.each([-1, 1.5, 60_001, Number.NaN, '10' as unknown as number])('train: %s is refused', async (train) => {
    expect(await failure(loadDataset('mnist', { train }, disk))).toEqual({
      code: 'request',
      message: `MNIST has 60000 train examples: "train" must be a whole number from 0 to 60000 or 'all', got ${train}`,
    })
  })
})

describe('files that are not right', () => {
  const load = (change: (bytes: Uint8Array) => Uint8Array) => failure(loadDataset('mnist', { train: 1, test: 0 }, changing(change)))

  test('a cut file says how much came and how much was expected', async () => {
    const { code, message } = await load((bytes) => bytes.subarray(0, 100_000))
    expect(code).toBe('damaged')
    expect(message).toMatch(/^mnist-train-1k\.bin\.gz is damaged: it cannot be decompressed \(100000 bytes came, about \d+ were expected; \d+ of 785032 bytes could be unpacked\)/)
    expect(message).toMatch(/Load it again; if that does not help, build it again\.$/)
  })

  test('a cut file that was decompressed on the way says so too', async () => {
    expect(await load((bytes) => gunzipSync(bytes).subarray(0, 1000))).toEqual({
      code: 'damaged',
      message: 'mnist-train-1k.bin.gz is damaged: 785032 bytes were expected, 1000 came. Load it again; if that does not help, build it again.',
    })
  })

  test('an empty answer is a damaged file', async () => {
    expect((await load(() => new Uint8Array())).message).toContain('785032 bytes were expected, 0 came')
  })

  test('one changed pixel is found by the hash', async () => {
    const { code, message } = await load((bytes) => {
      const plain = gunzipSync(bytes)
      plain[5000]! ^= 1
      return gzipSync(plain)
    })
    expect(code).toBe('damaged')
    expect(message).toMatch(new RegExp(`its SHA-256 is [0-9a-f]{64}, expected was ${file.sha256}`))
  })

  test('a web page in place of the file is recognised', async () => {
    const { code, message } = await load(() => new TextEncoder().encode('<!doctype html><title>Gradbook</title>'))
    expect(code).toBe('missing')
    expect(message).toContain('the server answered with a web page instead of the file')
  })

  test('a file that unpacks to far too much is stopped early', async () => {
    const { message } = await load(() => gzipSync(new Uint8Array(300_000_000), { level: 1 }))
    expect(message).toContain('it unpacks to more than the 785032 bytes that were expected')
  })

  test('a file of another name is found by its size', async () => {
    const other = await disk.read(findFile('mnist-test-10k.bin.gz') as DatasetFile, () => {})
    expect((await failure(unpackFile(file, other))).code).toBe('damaged')
  })

  test('a host that cannot read is quoted, with what to do', async () => {
    const offline: DatasetHost = { read: () => Promise.reject(new TypeError('Failed to fetch')) }
    expect(await failure(loadDataset('mnist', { train: 1, test: 0 }, offline))).toEqual({
      code: 'missing',
      message: 'cannot read mnist-train-1k.bin.gz of MNIST: Failed to fetch. Check the connection and run the cell again.',
    })
    const { obtain } = findDataset('fashionMnist')
    expect((await failure(loadDataset('fashionMnist', { train: 1, test: 0 }, offline))).message).toContain(
      `Fashion-MNIST may not be part of this build. ${obtain}`,
    )
  })

  test('a folder without the files says which command makes them', async () => {
    const { message } = await failure(loadDataset('mnist', { train: 1, test: 0 }, nodeHost('/nowhere')))
    expect(message).toContain('/nowhere/mnist-train-1k.bin.gz does not exist; `node datasets/build.mjs` makes it')
  })

  test('stopping while loading passes the reason through', async () => {
    const reason = new Error('stopped')
    const work = loadDataset('mnist', { signal: AbortSignal.abort(reason) }, {
      read: (_file, _onProgress, signal) => Promise.reject(signal?.reason),
    })
    await expect(work).rejects.toBe(reason)
  })

  test('the plain file passes', async () => {
    expect((await unpackFile(file, packed)).length).toBe(file.bytes)
  })
})
