// SHA-256 of bytes, everywhere. The platform's own is used where it exists; a
// page opened over plain http from another machine, and the workers inside it,
// have none, so the plain version below serves there.

/** The SHA-256 of the bytes as 64 lower-case hexadecimal digits. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined
  return hexOf(subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : plainSha256(bytes))
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** FIPS 180-4, section 6.2, on whole bytes. Returns the 32 bytes of the digest. */
export function plainSha256(bytes: Uint8Array): Uint8Array {
  const constants = roundConstants()
  const state = new Int32Array([
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  ])
  const schedule = new Int32Array(64)
  const wholeBlocks = Math.floor(bytes.length / 64)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let block = 0; block < wholeBlocks; block++) absorb(state, schedule, constants, view, block * 64)

  // The rest, a single 1 bit, zeros, and the length in bits fill one or two more blocks.
  const rest = bytes.subarray(wholeBlocks * 64)
  const tail = new Uint8Array(rest.length < 56 ? 64 : 128)
  tail.set(rest)
  tail[rest.length] = 0x80
  const tailView = new DataView(tail.buffer)
  tailView.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29))
  tailView.setUint32(tail.length - 4, (bytes.length << 3) >>> 0)
  for (let offset = 0; offset < tail.length; offset += 64) absorb(state, schedule, constants, tailView, offset)

  const digest = new Uint8Array(32)
  const digestView = new DataView(digest.buffer)
  state.forEach((word, index) => {
    digestView.setInt32(index * 4, word)
  })
  return digest
}

function absorb(state: Int32Array, w: Int32Array, constants: Int32Array, view: DataView, offset: number): void {
  const turn = (value: number, count: number): number => (value >>> count) | (value << (32 - count))
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number
    const y = w[i - 2] as number
    const small0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
    const small1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
    w[i] = ((w[i - 16] as number) + small0 + (w[i - 7] as number) + small1) | 0
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const big1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const first = (h + big1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + (w[i] as number)) | 0
    const big0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = ((state[i] as number) + (added[i] as number)) | 0
}

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
function roundConstants(): Int32Array {
  const constants = new Int32Array(64)
  let found = 0
  for (let candidate = 2; found < 64; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false
    if (isPrime) constants[found++] = ((Math.cbrt(candidate) % 1) * 2 ** 32) | 0
  }
  return constants
}
