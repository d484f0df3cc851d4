// Seeded random numbers for building shards and for generated datasets. The
// engine has its own generator for tensors; the two are independent on purpose,
// so that data stay the same whatever a notebook draws.

/** A stream of random numbers that depends on its seed alone. */
export interface Random {
  /** 32 random bits as an unsigned integer. */
  bits(): number
  /** Uniform in [0, 1). */
  uniform(): number
  /** Normal with mean 0 and standard deviation 1. */
  normal(): number
  /** Uniform among 0 .. count - 1, without bias. Requires: 1 <= count <= 2^32. */
  below(count: number): number
  /** Reorders the items in place and returns them (Fisher and Yates). */
  shuffle<Items extends { length: number; [index: number]: unknown }>(items: Items): Items
}

const rotate = (value: number, count: number): number => (value << count) | (value >>> (32 - count))

/** xoshiro128++ (Blackman and Vigna, 2019), its state filled from the seed by splitmix32 steps. */
export function createRandom(seed: number): Random {
  let mix = Math.trunc(seed) | 0
  const fill = (): number => {
    mix = (mix + 0x9e3779b9) | 0
    let value = mix ^ (mix >>> 16)
    value = Math.imul(value, 0x21f0aaad)
    value ^= value >>> 15
    value = Math.imul(value, 0x735a2d97)
    return (value ^ (value >>> 15)) | 0
  }
  let a = fill()
  let b = fill()
  let c = fill()
  let d = fill()
  let spare: number | undefined

  const random: Random = {
    bits() {
      const result = (rotate((a + d) | 0, 7) + a) >>> 0
      const shifted = b << 9
      c ^= a
      d ^= b
      b ^= c
      a ^= d
      c ^= shifted
      d = rotate(d, 11)
      return result
    },
    uniform: () => random.bits() / 2 ** 32,
    normal() {
      if (spare !== undefined) {
        const value = spare
        spare = undefined
        return value
      }
      // Box and Muller: two normal numbers from two uniform ones. 1 - u is never 0.
      const radius = Math.sqrt(-2 * Math.log(1 - random.uniform()))
      const angle = 2 * Math.PI * random.uniform()
      spare = radius * Math.sin(angle)
      return radius * Math.cos(angle)
    },
    below(count) {
      // Draws above the largest multiple of count would favour small results.
      const limit = 2 ** 32 - (2 ** 32 % count)
      let value = random.bits()
      while (value >= limit) value = random.bits()
      return value % count
    },
    shuffle(items) {
      for (let last = items.length - 1; last > 0; last--) {
        const other = random.below(last + 1)
        const kept = items[last]
        items[last] = items[other]
        items[other] = kept
      }
      return items
    },
  }
  return random
}
