// TensorProto: constants, inputs and expected results of ONNX models as plain typed arrays, checked against their shape.

import { bytesOf, type Field, fields, floats, integer, integers, OnnxError, text, view } from './wire.ts';

/** Element types of ONNX, at the place of their code. */
const types = [
  'undefined',
  'float32',
  'uint8',
  'int8',
  'uint16',
  'int16',
  'int32',
  'int64',
  'string',
  'bool',
  'float16',
  'float64',
  'uint32',
  'uint64',
  'complex64',
  'complex128',
  'bfloat16',
  'float8e4m3fn',
  'float8e4m3fnuz',
  'float8e5m2',
  'float8e5m2fnuz',
  'uint4',
  'int4',
] as const;
export type OnnxType = (typeof types)[number];

/** Values of one tensor in row-major order. Integers of 64 bits are rounded beyond 2^53; float16 and bfloat16 are widened. */
export interface TensorData {
  readonly name: string;
  readonly type: OnnxType;
  readonly shape: readonly number[];
  /** Float64Array for 64 bit types and uint32, else the narrowest that holds the type; texts for 'string'. */
  readonly values: Float32Array | Float64Array | Int32Array | Uint8Array | readonly string[];
}

/** The name of an element type by its code in files. */
export function typeOfCode(code: number, at: string): OnnxType {
  const type = types[code];
  if (!type) throw new OnnxError(`onnx: ${at} has the unknown element type ${code}`);
  return type;
}

/** The tensor in the bytes of a TensorProto. `base`: offset of the bytes in the file. */
export function readTensor(bytes: Uint8Array, base = 0): TensorData {
  const shape: number[] = [];
  let code = 0;
  let name = '';
  let raw: Field | undefined;
  let external = false;
  const floatData: number[] = [];
  const doubleData: number[] = [];
  const integerData: number[] = [];
  const texts: string[] = [];
  for (const field of fields(bytes, base)) {
    switch (field.number) {
      case 1:
        integers(field, shape);
        break;
      case 2:
        code = integer(field);
        break;
      case 4:
        floats(field, 4, floatData);
        break;
      case 5:
      case 7:
      case 11:
        integers(field, integerData);
        break;
      case 6:
        texts.push(text(field));
        break;
      case 8:
        name = text(field);
        break;
      case 9:
        bytesOf(field);
        raw = field;
        break;
      case 10:
        floats(field, 8, doubleData);
        break;
      case 13:
        external = true;
        break;
      case 14:
        external ||= integer(field) === 1;
        break;
    }
  }
  const what = `tensor "${name}" at byte ${base}`;
  const type = typeOfCode(code, what);
  for (const size of shape)
    if (size < 0 || size > 2 ** 31) throw new OnnxError(`onnx: ${what} has a size of ${size}; sizes go from 0 to 2^31`);
  if (external)
    throw new OnnxError(`onnx: ${what} keeps its values in another file, which is not supported; save the model with its values inside`);
  const count = shape.reduce((product, size) => product * size, 1);
  const values = raw ? fromRaw(type, raw.bytes, count, what) : fromLists(type, { floatData, doubleData, integerData, texts }, what);
  if (values.length !== count)
    throw new OnnxError(`onnx: ${what} has shape [${shape.join(', ')}], which needs ${count} values, but ${values.length} came`);
  return { name, type, shape, values };
}

const bytesPerElement: Partial<Record<OnnxType, number>> = {
  float32: 4,
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  int32: 4,
  int64: 8,
  bool: 1,
  float16: 2,
  float64: 8,
  uint32: 4,
  uint64: 8,
  bfloat16: 2,
};

function fromRaw(type: OnnxType, raw: Uint8Array, count: number, what: string): TensorData['values'] {
  const size = bytesPerElement[type];
  if (!size) throw new OnnxError(`onnx: ${what} has elements of type ${type}, which cannot be read`);
  // Before anything is allocated: a shape must not promise more than the file has.
  if (raw.length !== count * size)
    throw new OnnxError(`onnx: ${what} needs ${count} elements of ${size} bytes, but ${raw.length} bytes came`);
  const data = view(raw);
  const each = <List extends Float32Array | Float64Array | Int32Array | Uint8Array>(list: List, read: (at: number) => number): List => {
    for (let i = 0; i < count; i++) list[i] = read(i * size);
    return list;
  };
  switch (type) {
    case 'float32':
      return each(new Float32Array(count), (at) => data.getFloat32(at, true));
    case 'float64':
      return each(new Float64Array(count), (at) => data.getFloat64(at, true));
    case 'float16':
      return each(new Float32Array(count), (at) => halfToNumber(data.getUint16(at, true)));
    case 'bfloat16':
      return each(new Float32Array(count), (at) => brainToNumber(data.getUint16(at, true)));
    case 'int8':
      return each(new Int32Array(count), (at) => data.getInt8(at));
    case 'int16':
      return each(new Int32Array(count), (at) => data.getInt16(at, true));
    case 'uint16':
      return each(new Int32Array(count), (at) => data.getUint16(at, true));
    case 'int32':
      return each(new Int32Array(count), (at) => data.getInt32(at, true));
    case 'uint32':
      return each(new Float64Array(count), (at) => data.getUint32(at, true));
    case 'int64':
      return each(new Float64Array(count), (at) => Number(data.getBigInt64(at, true)));
    case 'uint64':
      return each(new Float64Array(count), (at) => Number(data.getBigUint64(at, true)));
    default:
      return new Uint8Array(raw);
  }
}

interface Lists {
  readonly floatData: number[];
  readonly doubleData: number[];
  readonly integerData: number[];
  readonly texts: string[];
}

function fromLists(type: OnnxType, lists: Lists, what: string): TensorData['values'] {
  const whole = lists.integerData;
  switch (type) {
    case 'float32':
      return Float32Array.from(lists.floatData);
    case 'float64':
      return Float64Array.from(lists.doubleData);
    case 'float16':
      return Float32Array.from(whole, halfToNumber);
    case 'bfloat16':
      return Float32Array.from(whole, brainToNumber);
    case 'int8':
    case 'int16':
    case 'uint16':
    case 'int32':
      return Int32Array.from(whole);
    case 'uint8':
    case 'bool':
      return Uint8Array.from(whole);
    case 'uint32':
    case 'int64':
      return Float64Array.from(whole);
    case 'uint64':
      return Float64Array.from(whole, (value) => (value < 0 ? value + 2 ** 64 : value));
    case 'string':
      return lists.texts;
    default:
      throw new OnnxError(`onnx: ${what} has elements of type ${type}, which cannot be read`);
  }
}

/** IEEE 754 binary16: 1 sign, 5 exponent, 10 mantissa bits. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

const word = new DataView(new ArrayBuffer(4));

/** bfloat16 is the upper half of a float32. */
function brainToNumber(bits: number): number {
  word.setUint32(0, (bits & 0xffff) * 0x10000);
  return word.getFloat32(0);
}
