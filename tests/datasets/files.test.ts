// What the built data files hold. The facts about MNIST and Fashion-MNIST are
// published ones; the loop runs for every row of the table that was built.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { datasets, findFile } from '../../datasets/index.ts'
import { type DatasetSplit, loadDataset, unpackFile } from '../../datasets/load.ts'
import { dataFolder, nodeHost } from '../../datasets/node.ts'

const countLabels = (split: DatasetSplit, from = 0, to = split.examples): number[] => {
  const counts = split.info.classes.map(() => 0)
  for (const label of split.labels.subarray(from, to)) counts[label] = (counts[label] ?? 0) + 1
  return counts
}

const meanAndStd = (pixels: Uint8Array): { mean: number; std: number } => {
  let sum = 0
  let squares = 0
  for (const pixel of pixels) {
    sum += pixel
    squares += pixel * pixel
  }
  const mean = sum / pixels.length
  return { mean: mean / 255, std: Math.sqrt(squares / pixels.length - mean * mean) / 255 }
}

/** One hash per image, so that sets of images can be compared. */
const fingerprints = (split: DatasetSplit): string[] => {
  const pixels = split.features.length / split.examples
  return Array.from({ length: split.examples }, (_, i) =>
    createHash('md5').update(split.features.subarray(i * pixels, (i + 1) * pixels)).digest('hex'),
  )
}

describe.each(datasets.map((info) => [info.name, info] as const))('%s', (name, info) => {
  const isBuilt = info.files.every((file) => existsSync(join(dataFolder, file.path)))
  const testBuilt = test.skipIf(info.optional && !isBuilt)

  test('every row of the table is complete', () => {
    for (const text of [info.title, info.summary, info.licence, info.source, info.obtain]) expect(text).not.toBe('')
    for (const file of info.files) {
      expect(file.sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(file.bytes).toBeGreaterThan(file.examples)
      expect(findFile(file.path)).toBe(file)
    }
  })

  testBuilt('the first ten thousand training examples hold each class once in every ten', async () => {
    const { train } = await loadDataset(name, { train: 10_000, test: 0 }, nodeHost())
    for (let i = 0; i < 10_000; i += 10) expect(countLabels(train, i, i + 10)).toEqual(info.classes.map(() => 1))
  })

  testBuilt('small training files are the beginning of large ones', async () => {
    const [small, middle, large] = await Promise.all(
      [1_000, 10_000, 60_000].map(async (train) => (await loadDataset(name, { train, test: 0 }, nodeHost())).train),
    )
    expect(Buffer.compare(small!.features, middle!.features.subarray(0, small!.features.length))).toBe(0)
    expect(Buffer.compare(middle!.features, large!.features.subarray(0, middle!.features.length))).toBe(0)
    expect(large!.labels.subarray(0, 10_000)).toEqual(middle!.labels)
  }, 60_000)

  testBuilt('mean and standard deviation of the training pixels are those of the table', async () => {
    const { train } = await loadDataset(name, { train: 'all', test: 0 }, nodeHost())
    const { mean, std } = meanAndStd(train.features)
    expect(mean).toBeCloseTo(info.mean, 3)
    expect(std).toBeCloseTo(info.std, 3)
  }, 60_000)

  testBuilt('no test image is a training image', async () => {
    const { train, test } = await loadDataset(name, { train: 'all', test: 'all' }, nodeHost())
    const known = new Set(fingerprints(train))
    const shared = fingerprints(test).filter((print) => known.has(print))
    expect(shared.length).toBe(0)
  }, 60_000)
})

describe('MNIST as it was published', () => {
  test('each digit occurs as often as it should', async () => {
    const { train, test } = await loadDataset('mnist', { train: 'all', test: 'all' }, nodeHost())
    expect(countLabels(train)).toEqual([5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949])
    expect(countLabels(test)).toEqual([980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009])
  }, 60_000)

  test('the test set begins with 7, 2, 1, 0, 4 and the sum of its first image is known', async () => {
    const { test } = await loadDataset('mnist', { train: 0 }, nodeHost())
    expect([...test.labels.subarray(0, 10)]).toEqual([7, 2, 1, 0, 4, 1, 4, 9, 5, 9])
    expect(test.features.subarray(0, 784).reduce((sum, pixel) => sum + pixel, 0)).toBe(18_454)
  })

  test('a part of the test set is spread over all of it', async () => {
    const all = (await loadDataset('mnist', { train: 0 }, nodeHost())).test
    const some = (await loadDataset('mnist', { train: 0, test: 2_500 }, nodeHost())).test
    expect([...some.labels]).toEqual(Array.from({ length: 2_500 }, (_, i) => all.labels[i * 4]))
    expect([...some.features.subarray(784, 1568)]).toEqual([...all.features.subarray(4 * 784, 5 * 784)])
  })

  test('nearest class mean, trained on all images, gets 8203 of 10000 test digits right', async () => {
    // A published baseline that only comes out when every image keeps its own label.
    const { train, test } = await loadDataset('mnist', { train: 'all' }, nodeHost())
    const counts = countLabels(train)
    const means = new Float64Array(10 * 784)
    train.labels.forEach((label, i) => {
      for (let p = 0; p < 784; p++) means[label * 784 + p]! += train.features[i * 784 + p]! / counts[label]!
    })
    let right = 0
    test.labels.forEach((label, i) => {
      const distances = Array.from({ length: 10 }, (_, digit) => {
        let sum = 0
        for (let p = 0; p < 784; p++) sum += (test.features[i * 784 + p]! - means[digit * 784 + p]!) ** 2
        return sum
      })
      if (distances.indexOf(Math.min(...distances)) === label) right++
    })
    expect(right).toBe(8203)
  }, 60_000)

  test('the files on disk unpack to the committed hashes', async () => {
    const host = nodeHost()
    for (const file of datasets[0]!.files) {
      const plain = await unpackFile(file, await host.read(file, () => {}))
      expect(createHash('sha256').update(plain).digest('hex')).toBe(file.sha256)
    }
  }, 60_000)
})
