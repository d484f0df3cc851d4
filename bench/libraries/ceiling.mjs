// The ceiling of 128-bit wasm: multiplications and additions that never leave the registers, in a module written byte by byte.

const V128 = 0x7b;
const F32 = 0x7d;
const SUMS = 12;
const STEPS = 400;

const section = (id, ...content) => [id, ...leb(content.length), ...content];
function leb(value) {
  const bytes = [];
  for (; value > 127; value >>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}
const name = (text) => [text.length, ...new TextEncoder().encode(text)];
const get = (i) => [0x20, i];
const set = (i) => [0x21, i];
const simd = (...opcode) => [0xfd, ...opcode];

/** A module with run(a, b): STEPS rounds of SUMS independent sum = sum * a + b on four lanes. */
function moduleBytes(isRelaxed) {
  // Locals: 0 a, 1 b, 2 the counter, then a and b as vectors, then the sums.
  const [counter, x, y, first] = [2, 3, 4, 5];
  const madd = isRelaxed ? simd(0x85, 0x02) : [...simd(0xe6, 0x01), ...get(y), ...simd(0xe4, 0x01)];
  const sums = Array.from({ length: SUMS }, (_, i) => first + i);
  const round = sums.flatMap((sum) => [...get(sum), ...get(x), ...(isRelaxed ? get(y) : []), ...madd, ...set(sum)]);
  const body = [
    ...get(0), ...simd(0x13), ...set(x), ...get(1), ...simd(0x13), ...set(y),
    ...sums.flatMap((sum, i) => [...get(i % 2), ...simd(0x13), ...set(sum)]),
    0x03, 0x40, ...round,
    ...get(counter), 0x41, 1, 0x6a, 0x22, counter, 0x41, ...[(STEPS & 127) | 128, STEPS >> 7], 0x48, 0x0d, 0, 0x0b,
    ...get(first), ...sums.slice(1).flatMap((sum) => [...get(sum), ...simd(0xe4, 0x01)]), ...simd(0x1f, 0), 0x0b,
  ];
  const code = [2, 1, 0x7f, SUMS + 2, V128, ...body];
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 1, 0x60, 2, F32, F32, 1, F32),
    ...section(3, 1, 0),
    ...section(7, 1, ...name('run'), 0, 0),
    ...section(10, 1, ...leb(code.length), ...code),
  ]);
}

let compute;

export async function start() {
  const isRelaxed = WebAssembly.validate(moduleBytes(true));
  const { instance } = await WebAssembly.instantiate(moduleBytes(isRelaxed));
  compute = instance.exports.run;
  return isRelaxed ? 'relaxed fused multiply-add' : 'multiply and add';
}

/** Flops of one call of run(). V8 compiles well what is called often, so a call is short and there are many. */
const CALLS = 100;
export const flops = 2 * 4 * SUMS * STEPS * CALLS;
export const prepare = () => ({
  run: () => {
    for (let i = 0; i < CALLS; i++) compute(0.5, 0.25);
  },
});
