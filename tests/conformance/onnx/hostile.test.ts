// Damaged and hostile ONNX bytes end in an OnnxError that names the byte: never in another error, an endless loop or an
// allocation that the file's own size does not justify.
import { expect, test } from 'vitest';
import { readModel } from '../../../engine/api/onnx/model.ts';
import { readTensor } from '../../../engine/api/onnx/tensor.ts';
import { OnnxError } from '../../../engine/api/onnx/wire.ts';
import { Draw } from '../tfjs/draw.ts';

// -- a few words of protobuf ---------------------------------------------------------------------------------------------

type Bytes = readonly number[];

function varint(value: number | bigint): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return bytes;
}
const integer = (field: number, value: number | bigint): number[] => [...varint(field * 8), ...varint(value)];
const bytes = (field: number, content: Bytes): number[] => [...varint(field * 8 + 2), ...varint(content.length), ...content];
const text = (field: number, content: string): number[] => bytes(field, Array.from(new TextEncoder().encode(content)));

const tensorOf = (dims: readonly (number | bigint)[], raw: Bytes, type = 1): number[] => [
  ...dims.flatMap((size) => integer(1, size)),
  ...integer(2, type),
  ...text(8, 'w'),
  ...bytes(9, raw),
];
const node = (...parts: Bytes[]): number[] => bytes(1, [...text(1, 'x'), ...text(2, 'y'), ...text(4, 'Relu'), ...parts.flat()]);
const value = (field: number, name: string): number[] =>
  bytes(field, [...text(1, name), ...bytes(2, bytes(1, [...integer(1, 1), ...bytes(2, bytes(1, integer(1, 3)))]))]);
const graph = (...parts: Bytes[]): number[] => [
  ...node(),
  ...text(2, 'g'),
  ...bytes(5, tensorOf([3], [0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64])),
  ...value(11, 'x'),
  ...value(12, 'y'),
  ...parts.flat(),
];
const model = (content: Bytes): Uint8Array => Uint8Array.from([...integer(1, 8), ...bytes(7, content), ...bytes(8, integer(2, 13))]);

const problemOf = (read: () => unknown): string => {
  try {
    read();
    return 'none';
  } catch (error) {
    return error instanceof OnnxError ? error.message : `not an OnnxError: ${error}`;
  }
};

test('a small model written by hand is read', () => {
  const read = readModel(model(graph()));
  expect(read.opsets).toEqual(new Map([['', 13]]));
  expect(read.graph.nodes).toEqual([{ op: 'Relu', domain: '', name: '', inputs: ['x'], outputs: ['y'], attributes: new Map() }]);
  expect(read.graph.constants.get('w')).toEqual({ name: 'w', type: 'float32', shape: [3], values: Float32Array.of(1, 2, 3) });
  expect(read.graph.inputs).toEqual([{ name: 'x', type: 'float32', shape: [3] }]);
});

test('whatever is left of a model after a cut is read or refused', () => {
  const whole = model(graph());
  for (let end = 0; end < whole.length; end++) {
    const problem = problemOf(() => readModel(whole.subarray(0, end)));
    expect(problem === 'none' || problem.startsWith('onnx: '), `cut at ${end}: ${problem}`).toBe(true);
  }
});

test('a model with changed bytes is read or refused', () => {
  const draw = new Draw(7);
  const whole = model(graph());
  for (let round = 0; round < 5000; round++) {
    const damaged = whole.slice();
    for (let i = draw.whole(1, 4); i > 0; i--) damaged[draw.whole(0, damaged.length - 1)] = draw.whole(0, 255);
    const problem = problemOf(() => readModel(damaged));
    expect(problem === 'none' || problem.startsWith('onnx: '), `round ${round}: ${problem}`).toBe(true);
  }
});

let deep: number[] = graph();
for (let i = 0; i < 40; i++) deep = graph(node(bytes(5, [...text(1, 'body'), ...bytes(6, deep)])));

test.each([
  ['nothing', () => readModel(new Uint8Array(0)), 'the file has no graph'],
  ['a length beyond the end', () => readModel(Uint8Array.of(0x3a, 0xff, 0xff, 0xff, 0x7f)), 'claims 268435455 bytes'],
  ['a length of nearly 2^64', () => readModel(Uint8Array.from([0x3a, ...varint(-1n)])), 'claims -1 bytes'],
  ['a number without end', () => readModel(Uint8Array.from([0x08, ...new Array(11).fill(0x80)])), 'longer than 64 bits'],
  ['field number 0', () => readModel(Uint8Array.of(0x00, 0x00)), 'not the start of a field'],
  ['a group', () => readModel(Uint8Array.of(0x0b)), 'wire type 3'],
  ['a graph that is a number', () => readModel(Uint8Array.from(integer(7, 1))), 'should be a message'],
  ['graphs in graphs without end', () => readModel(model(deep)), 'more than 32 deep'],
  ['a name that is not UTF-8', () => readModel(model(bytes(1, bytes(4, [0xff, 0xfe])))), 'not valid UTF-8'],
  ['a tensor larger than its bytes', () => readTensor(Uint8Array.from(tensorOf([2 ** 31, 2 ** 31], [1, 2, 3, 4]))), 'but 4 bytes came'],
  ['a tensor of a negative size', () => readTensor(Uint8Array.from(tensorOf([-1n], []))), 'size of -1'],
  ['a tensor of a huge size', () => readTensor(Uint8Array.from(tensorOf([2n ** 62n], []))), 'sizes go from 0 to 2^31'],
  ['a tensor of an unknown type', () => readTensor(Uint8Array.from(tensorOf([1], [0], 99))), 'unknown element type 99'],
  [
    'a tensor with values elsewhere',
    () => readTensor(Uint8Array.from([...tensorOf([1], [0, 0, 0, 0]), ...integer(14, 1)])),
    'in another file',
  ],
  [
    'too few listed values',
    () => readTensor(Uint8Array.from([...integer(1, 3), ...integer(2, 7), ...integer(7, 5)])),
    'needs 3 values, but 1 came',
  ],
  [
    'floats cut in the middle',
    () => readTensor(Uint8Array.from([...integer(1, 1), ...integer(2, 1), ...bytes(4, [0, 0, 0])])),
    'not a multiple of 4',
  ],
])('%s is refused with its reason', (_name, read, words) => {
  expect(problemOf(read)).toContain(words);
});

test('an empty tensor and one without axes are read', () => {
  expect(readTensor(Uint8Array.from(tensorOf([0, 5], []))).shape).toEqual([0, 5]);
  expect(readTensor(Uint8Array.from(tensorOf([], [0, 0, 128, 63]))).values).toEqual(Float32Array.of(1));
});
