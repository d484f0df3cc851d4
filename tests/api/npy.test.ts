import './start.ts';
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { createRandom } from '../../datasets/random.ts';
import { files, tensor, type Tensor } from '../../engine/api/index.ts';

const view = (x: Tensor) => ({ dtype: x.dtype, shape: x.shape, values: x.toArray() });
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

/** A .npy file of version 1 with this description and these bytes. */
function npy(head: string, data: readonly number[] = [], version = 1): Uint8Array {
  const length = version === 1 ? [head.length & 255, head.length >> 8] : [head.length & 255, head.length >> 8, 0, 0];
  return Uint8Array.from([0x93, ...bytesOf('NUMPY'), version, 0, ...length, ...bytesOf(head), ...data]);
}
const head = (descr: string, shape: string, order = 'False'): string => `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`;

test('tensors of every dtype and rank come back from a .npy file', () => {
  const all = [
    tensor([
      [1.5, -2, 0],
      [3, 4, -0.25],
    ]),
    tensor(new Float64Array([Math.PI, -0])),
    tensor([1, -2, 3], { dtype: 'int32' }),
    tensor(new Uint8Array([0, 255])),
    tensor([true, false]),
    tensor([1, -0.5, 65504, 2 ** -24, 2 ** -14, Number.POSITIVE_INFINITY, Number.NaN, 0.1], { dtype: 'float16' }),
    tensor(7),
    tensor([]),
  ];
  for (const x of all) expect(view(files.loadNpy(files.saveNpy(x)))).toEqual(view(x));
});

test('a file that numpy wrote is read: its bytes, its padding, its versions', () => {
  // numpy.save of numpy.array([[1, 2], [3, 4]], dtype="<i2")
  const text = `${head('<i2', '(2, 2)').padEnd(117)}\n`;
  const file = npy(text, [1, 0, 2, 0, 3, 0, 4, 0]);
  expect(file.length - 8).toBe(128);
  expect(view(files.loadNpy(file))).toEqual({ dtype: 'int32', shape: [2, 2], values: [[1, 2], [3, 4]] });
  expect(view(files.loadNpy(npy(head('|u1', '(3,)'), [1, 2, 3], 2)))).toEqual({ dtype: 'uint8', shape: [3], values: [1, 2, 3] });
  expect(files.saveNpy(tensor([1, 2])).length).toBe(128 + 8);
});

test('columns first, and bytes from large to small, are put right', () => {
  const columns = npy(head('|i1', '(2, 3)', 'True'), [1, 4, 2, 5, 3, 255]);
  expect(files.loadNpy(columns).toArray()).toEqual([[1, 2, 3], [4, 5, -1]]);
  expect(files.loadNpy(npy(head('>i4', '()'), [0, 0, 1, 2])).item()).toBe(258);
  expect(files.loadNpy(npy(head('<f2', '(4,)'), [0, 0x3c, 0, 0xc0, 1, 0, 0x55, 0x35])).toArray()).toEqual([1, -2, 2 ** -24, 0.333251953125]);
});

test('archives keep names, stored or compressed, and the same tensors give the same bytes', () => {
  const tensors = { 'layer.weight': tensor([[1, 2]]), ids: tensor([3], { dtype: 'int32' }) };
  for (const compress of [false, true]) {
    const file = files.saveNpz(tensors, { compress });
    const back = files.loadNpz(file);
    expect(Object.fromEntries(Object.entries(back).map(([name, x]) => [name, view(x)]))).toEqual({
      'layer.weight': view(tensors['layer.weight']),
      ids: view(tensors.ids),
    });
    expect(files.saveNpz(tensors, { compress })).toEqual(file);
  }
});

const eight = new Array<number>(8).fill(0);
const hostile: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ['nothing', new Uint8Array(), /do not begin as a \.npy file/],
  ['other bytes', bytesOf('PK\x03\x04 something else'), /do not begin as a \.npy file/],
  ['a future version', npy(head('<f4', '(2,)'), eight, 9), /version 9/],
  ['a description longer than the file', npy(head('<f4', '(2,)'), eight).slice(0, 30), /claims \d+ bytes, but the file has 30/],
  ['no dictionary', npy('[1, 2]', eight), /no dictionary/],
  ['no shape', npy("{'descr': '<f4', 'fortran_order': False, }", eight), /lacks one of/],
  ['a key twice', npy("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", eight), /'descr' twice/],
  ['an unknown key', npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", eight), /cannot be read from/],
  ['code in place of a shape', npy(head('<f4', '(__import__("os"),)'), eight), /cannot be read/],
  ['a number in place of a tuple', npy(head('<f4', '(2)'), eight), /is no tuple/],
  ['a negative size', npy(head('<f4', '(-2,)'), eight), /cannot be read/],
  ['a huge size', npy(head('<f4', '(99999999999999999999,)'), eight), /is too large/],
  ['a product that overflows', npy(head('<f4', '(2147483647, 2147483647)'), eight), /needs 1844674405\d+ bytes of elements, but the file has 8/],
  ['too many axes', npy(head('<f4', '(1, 1, 1, 1, 1, 1, 1, 1, 2)'), eight), /has 9 axes/],
  ['too few bytes', npy(head('<f4', '(3,)'), eight), /needs 12 bytes of elements, but the file has 8/],
  ['too many bytes', npy(head('<f4', '(1,)'), eight), /needs 4 bytes of elements, but the file has 8/],
  ['objects, which only Python could read', npy(head('|O', '(1,)'), eight), /elements are '\|O', which is not supported/],
  ['records', npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", eight), /cannot be read from/],
  ['whole numbers beyond int32', npy(head('<i8', '(1,)'), [0, 0, 0, 0, 1, 0, 0, 0]), /holds 4294967296, which does not fit int32/],
];
test.each(hostile)('a .npy file with %s is refused', (_, file, message) => {
  expect(() => files.loadNpy(file)).toThrow(message);
  expect(() => files.loadNpy(file)).toThrow(/^loadNpy: /);
});

test('archives with claims that cannot be true are refused before memory is taken', () => {
  const file = files.saveNpz({ x: tensor([1, 2, 3]) });
  expect(() => files.loadNpz(file.slice(0, 40))).toThrow(/^loadNpz: /);
  expect(() => files.loadNpz('x' as never)).toThrow('loadNpz: needs the bytes of a file, got text "x"');
  // The directory at the end says how large x.npy is: now 4 GB.
  const claim = file.slice();
  const directory = Buffer.from(claim.buffer).indexOf('PK\x01\x02', 0, 'latin1');
  claim.set([0xff, 0xff, 0xff, 0xef], directory + 24);
  expect(() => files.loadNpz(claim)).toThrow(/x\.npy claims 4026531839 bytes/);
  const twice = files.saveNpz({ ab: tensor([1]), ac: tensor([2]) });
  const names = Buffer.from(twice.buffer);
  for (let at = names.indexOf('ac.npy'); at >= 0; at = names.indexOf('ac.npy', at)) names.write('ab.npy', at);
  expect(() => files.loadNpz(twice)).toThrow(/the name text "ab\.npy" comes twice/);
});

test('changed bytes of .npy, .npz and safetensors files give tensors or an error of ours, never anything else', () => {
  const random = createRandom(20);
  const tensors = { w: tensor([[1, 2], [3, 4]]), ids: tensor([5, 6], { dtype: 'int32' }) };
  const kinds: readonly (readonly [Uint8Array, (bytes: Uint8Array) => unknown])[] = [
    [files.saveNpy(tensors.w), files.loadNpy],
    [files.saveNpz(tensors), files.loadNpz],
    [files.saveNpz(tensors, { compress: true }), files.loadNpz],
    [files.saveTensors(tensors, { note: 'x' }), files.loadTensors],
  ];
  for (const [good, load] of kinds) {
    let accepted = 0;
    for (let round = 0; round < 500; round++) {
      let file = Uint8Array.from(good);
      for (let changes = 1 + random.below(4); changes > 0; changes--) {
        const at = random.below(file.length);
        const kind = random.below(4);
        if (kind === 0) file[at] = random.below(256);
        else if (kind === 1) file[at] = (file[at] as number) ^ (1 << random.below(8));
        else if (kind === 2) file = file.slice(0, Math.max(at, 1));
        else file = Uint8Array.from([...file.subarray(0, at), random.below(256), ...file.subarray(at)]);
      }
      try {
        load(file);
        accepted++;
      } catch (error) {
        expect((error as Error).name, String((error as Error).stack)).toMatch(/^(Value|Shape|DType|Argument|Engine)Error$/);
      }
    }
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(500);
  }
});
