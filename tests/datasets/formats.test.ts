// The two file formats, SHA-256 and the random generator under them.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseIdx } from '../../datasets/idx.ts'
import { createRandom } from '../../datasets/random.ts'
import { plainSha256, sha256 } from '../../datasets/sha256.ts'
import { decodeShard, encodeShard, shardBytes } from '../../datasets/shard.ts'

describe('IDX', () => {
  const labels = new Uint8Array([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1])
  const images = new Uint8Array([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 10, 20, 30, 40])

  test('labels and images are read', () => {
    expect(parseIdx('labels', labels, 1)).toEqual({ sizes: [3], data: new Uint8Array([7, 2, 1]) })
    expect(parseIdx('images', images, 3)).toEqual({ sizes: [1, 2, 2], data: new Uint8Array([10, 20, 30, 40]) })
  })

  const huge = images.slice()
  huge.fill(0xff, 4, 16)
  test.each([
    ['cut', labels.subarray(0, 9), 1, 'its header says 3 bytes of data, so 11 bytes in all, the file has 9'],
    ['too long', new Uint8Array([...labels, 0]), 1, 'so 11 bytes in all, the file has 12'],
    ['without a whole header', labels.subarray(0, 5), 1, 'a header of 8 bytes was expected, the file has 5'],
    ['of another rank', labels, 3, 'a header of 16 bytes was expected, the file has 11'],
    ['of another kind', new Uint8Array([0, 0, 13, 1, 0, 0, 0, 0]), 1, 'it starts with 0x00000d01 where 0x00000801 was expected'],
    ['still compressed', new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 1, '(it is gzip-compressed: unpack it first)'],
    ['with sizes beyond reason', huge, 3, '4294967295 x 4294967295 x 4294967295 bytes of data'],
  ])('a file %s is refused', (_what, bytes, rank, message) => {
    expect(() => parseIdx('digits', bytes, rank)).toThrow('digits is not the IDX file it should be: ')
    expect(() => parseIdx('digits', bytes, rank)).toThrow(message)
  })
})

describe('shards', () => {
  const shard = {
    examples: 2,
    shape: [1, 2, 3] as const,
    classes: 4,
    labels: new Uint8Array([3, 0]),
    features: Uint8Array.from({ length: 12 }, (_, i) => i * 20),
  }
  const bytes = encodeShard(shard)
  const changed = (at: number, value: number): Uint8Array => {
    const copy = bytes.slice()
    copy[at] = value
    return copy
  }

  test('what is written is read back', () => {
    expect(bytes.length).toBe(shardBytes(2, [1, 2, 3]))
    expect(decodeShard('s', bytes)).toEqual(shard)
  })

  test.each([
    ['a cut file', bytes.subarray(0, 45), '2 examples of 1 x 2 x 3 take 46 bytes, 45 came (the file is cut)'],
    ['a padded file', new Uint8Array([...bytes, 0]), 'take 46 bytes, 47 came'],
    ['an empty file', new Uint8Array(), 'a header of 32 bytes was expected, 0 came'],
    ['a foreign file', changed(0, 0x58), 'it starts with "XBIMAGES" where "GBIMAGES" was expected'],
    ['a size beyond reason', changed(11, 0xff), '4278190082 examples'],
    ['no classes', changed(24, 0), '1 to 256 classes were expected, it says 0'],
    ['a label that is no class', changed(33, 9), 'label 9 of example 1 is not below the number of classes, 4'],
  ])('%s is refused', (_what, broken, message) => {
    expect(() => decodeShard('s.bin', broken)).toThrow('s.bin is damaged: ')
    expect(() => decodeShard('s.bin', broken)).toThrow(message)
  })

  test('parts that do not fit together are not written', () => {
    expect(() => encodeShard({ ...shard, labels: new Uint8Array(3) })).toThrow(
      'a shard of 2 examples of 1 x 2 x 3 needs 2 labels and 12 pixels, 3 and 12 came',
    )
  })
})

describe('SHA-256', () => {
  test('the plain version agrees with the platform at every length around a block', async () => {
    const random = createRandom(5)
    for (const length of [...Array(140).keys(), 1000, 100_003]) {
      const bytes = Uint8Array.from({ length }, () => random.below(256))
      const expected = createHash('sha256').update(bytes).digest('hex')
      expect(Buffer.from(plainSha256(bytes)).toString('hex')).toBe(expected)
      expect(await sha256(bytes)).toBe(expected)
    }
  })
})

describe('random numbers', () => {
  test('depend on the seed alone', () => {
    const draw = (seed: number) => Array.from({ length: 5 }, createRandom(seed).bits)
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
  })

  test('are spread as they should be', () => {
    const random = createRandom(1)
    const n = 200_000
    const uniform = Array.from({ length: n }, random.uniform)
    const normal = Array.from({ length: n }, random.normal)
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    expect(mean(uniform)).toBeCloseTo(0.5, 2)
    expect(uniform.every((value) => value >= 0 && value < 1)).toBe(true)
    expect(mean(normal)).toBeCloseTo(0, 2)
    expect(mean(normal.map((value) => value ** 2))).toBeCloseTo(1, 1)
    expect(mean(normal.map((value) => value ** 4))).toBeCloseTo(3, 0)
    const counts = [0, 0, 0]
    for (let i = 0; i < n; i++) counts[random.below(3)]! += 1
    for (const count of counts) expect(count / n).toBeCloseTo(1 / 3, 2)
  })

  test('shuffle keeps every item and favours no order', () => {
    const random = createRandom(2)
    const seen = new Map<string, number>()
    for (let i = 0; i < 60_000; i++) {
      const order = random.shuffle([1, 2, 3]).join('')
      seen.set(order, (seen.get(order) ?? 0) + 1)
    }
    expect([...seen.keys()].sort()).toEqual(['123', '132', '213', '231', '312', '321'])
    for (const count of seen.values()) expect(count / 60_000).toBeCloseTo(1 / 6, 2)
  })
})
