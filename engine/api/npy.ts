// npy and npz: arrays as numpy writes them. A .npy file is a short text that describes the array, and its elements; a .npz file is
// a zip archive of such files. Files may come from anybody, so every claim in them is checked before memory is taken for it.

import { unzipSync, zipSync } from 'fflate';
import { type DType, engine } from './engine.ts';
import { ArgumentError, EngineError, ValueError } from './error.ts';
import { handleOfTensor, requireTensor, Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';

const MOST_AXES = 8;
const MOST_HEADER = 65_536;
/** What deflate can make of a byte at most. */
const MOST_INFLATION = 1032;
const MOST_BYTES = 2 ** 31;

// -- element types -----------------------------------------------------------------------------------------------------------

type Numbers = Float32Array | Float64Array | Int32Array | Uint8Array;

interface ElementType {
  readonly size: number;
  readonly dtype: DType;
  readonly read: (view: DataView, at: number, little: boolean) => number;
}

const whole = (value: bigint): number => {
  if (value < -2147483648n || value > 2147483647n) throw new ValueError(`holds ${value}, which does not fit int32`);
  return Number(value);
};
const unsigned = (value: number): number => whole(BigInt(value));

const elementTypes: Readonly<Record<string, ElementType>> = {
  f2: { size: 2, dtype: 'float16', read: (view, at, little) => halfToNumber(view.getUint16(at, little)) },
  f4: { size: 4, dtype: 'float32', read: (view, at, little) => view.getFloat32(at, little) },
  f8: { size: 8, dtype: 'float64', read: (view, at, little) => view.getFloat64(at, little) },
  i1: { size: 1, dtype: 'int32', read: (view, at) => view.getInt8(at) },
  i2: { size: 2, dtype: 'int32', read: (view, at, little) => view.getInt16(at, little) },
  i4: { size: 4, dtype: 'int32', read: (view, at, little) => view.getInt32(at, little) },
  i8: { size: 8, dtype: 'int32', read: (view, at, little) => whole(view.getBigInt64(at, little)) },
  u1: { size: 1, dtype: 'uint8', read: (view, at) => view.getUint8(at) },
  u2: { size: 2, dtype: 'int32', read: (view, at, little) => view.getUint16(at, little) },
  u4: { size: 4, dtype: 'int32', read: (view, at, little) => unsigned(view.getUint32(at, little)) },
  u8: { size: 8, dtype: 'int32', read: (view, at, little) => whole(view.getBigUint64(at, little)) },
  b1: { size: 1, dtype: 'bool', read: (view, at) => (view.getUint8(at) === 0 ? 0 : 1) },
};

const written: Readonly<Record<DType, string>> = {
  float32: '<f4',
  float64: '<f8',
  int32: '<i4',
  uint8: '|u1',
  bool: '|b1',
  float16: '<f2',
};

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Requires a number that a half holds exactly. */
function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size === Number.POSITIVE_INFINITY) return sign | 0x7c00;
  const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
  return sign | (((exponent + 14) << 10) + size / 2 ** (exponent - 10));
}

function arrayOf(dtype: DType, count: number): Numbers {
  if (dtype === 'float64') return new Float64Array(count);
  if (dtype === 'int32') return new Int32Array(count);
  return dtype === 'uint8' || dtype === 'bool' ? new Uint8Array(count) : new Float32Array(count);
}

// -- the description ---------------------------------------------------------------------------------------------------------

interface Head {
  readonly type: ElementType;
  readonly isLittle: boolean;
  readonly isFortran: boolean;
  readonly shape: number[];
}

/** `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, in any order, each key once, and nothing else. */
function readHead(text: string): Head {
  const found: { descr?: string; fortran_order?: string; shape?: string } = {};
  const entry = /\s*'(descr|fortran_order|shape)'\s*:\s*('[^']*'|True|False|\([^()]*\))\s*(,|(?=\}))/y;
  const start = /^\s*\{/.exec(text);
  if (!start) throw new ValueError('its description is no dictionary');
  let at = start[0].length;
  for (;;) {
    entry.lastIndex = at;
    const match = entry.exec(text);
    if (!match) break;
    const key = match[1] as keyof typeof found;
    if (found[key] !== undefined) throw new ValueError(`its description has '${key}' twice`);
    found[key] = match[2] as string;
    at = entry.lastIndex;
  }
  if (!/^\s*\}\s*$/.test(text.slice(at))) throw new ValueError(`its description cannot be read from ${describeValue(text.slice(at, at + 30))} on`);
  const { descr, fortran_order: order, shape } = found;
  if (descr === undefined || order === undefined || shape === undefined) {
    throw new ValueError("its description lacks one of 'descr', 'fortran_order', 'shape'");
  }
  const letters = /^'([<>|=])([a-zA-Z]\d*)'$/.exec(descr);
  const type = letters ? elementTypes[letters[2] as string] : undefined;
  if (!type) throw new ValueError(`its elements are ${descr}, which is not supported; supported: ${Object.keys(elementTypes).join(', ')}`);
  if (order !== 'True' && order !== 'False') throw new ValueError(`'fortran_order' is ${order}`);
  return { type, isLittle: letters?.[1] !== '>', isFortran: order === 'True', shape: readShape(shape) };
}

function readShape(text: string): number[] {
  const inner = /^\(\s*((?:\d+\s*,\s*)*)(\d*)\s*\)$/.exec(text);
  if (!inner) throw new ValueError(`its shape ${text} cannot be read`);
  const sizes = `${inner[1]}${inner[2]}`.split(',').map((part) => part.trim()).filter((part) => part !== '');
  if (sizes.length === 1 && inner[1] === '') throw new ValueError(`its shape ${text} is no tuple`);
  if (sizes.length > MOST_AXES) throw new ValueError(`it has ${sizes.length} axes; a tensor has at most ${MOST_AXES}`);
  const shape = sizes.map(Number);
  for (const size of shape) if (size >= MOST_BYTES) throw new ValueError(`an axis of size ${size} is too large`);
  return shape;
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

function readNpy(bytes: Uint8Array): { readonly dtype: DType; readonly shape: number[]; readonly values: Numbers; readonly isFortran: boolean } {
  if (bytes.length < 10 || MAGIC.some((byte, i) => bytes[i] !== byte)) throw new ValueError('these bytes do not begin as a .npy file does');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = bytes[6] as number;
  if (version < 1 || version > 3) throw new ValueError(`its format has version ${version}; known are 1 to 3`);
  const start = version === 1 ? 10 : 12;
  const length = version === 1 ? view.getUint16(8, true) : bytes.length >= 12 ? view.getUint32(8, true) : 0;
  if (length > MOST_HEADER || start + length > bytes.length)
    throw new ValueError(`its description claims ${length} bytes, but the file has ${bytes.length}`);
  const { type, isLittle, isFortran, shape } = readHead(new TextDecoder('latin1').decode(bytes.subarray(start, start + length)));
  const count = shape.reduce((product, size) => product * size, 1);
  const wanted = count * type.size;
  const rest = bytes.length - start - length;
  if (wanted !== rest) throw new ValueError(`shape ${shapeText(shape)} needs ${wanted} bytes of elements, but the file has ${rest}`);
  const values = arrayOf(type.dtype, count);
  for (let i = 0, at = start + length; i < count; i++, at += type.size) values[i] = type.read(view, at, isLittle);
  return { dtype: type.dtype, shape, values, isFortran };
}

/** Puts the name of the function, and of the array in an archive, in front of what is wrong. */
function named<Result>(user: string, body: () => Result): Result {
  try {
    return body();
  } catch (error) {
    if (error instanceof EngineError) {
      error.message = `${user}: ${error.message}`;
      throw error;
    }
    // fflate, about an archive that is no archive.
    throw new ValueError(`${user}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toBytes(user: string, bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  throw new ArgumentError(`${user}: needs the bytes of a file, got ${describeValue(bytes)}`);
}

// -- for people --------------------------------------------------------------------------------------------------------------

/**
 * The array of a .npy file of numpy's. Its type stays where the engine has it; whole numbers of other sizes become int32 (and must
 * fit), bytes uint8.
 */
export function loadNpy(bytes: Uint8Array | ArrayBuffer): Tensor {
  const { dtype, shape, values, isFortran } = named('loadNpy', () => readNpy(toBytes('loadNpy', bytes)));
  if (!isFortran || shape.length < 2) return new Tensor(engine().createFrom(dtype, shape, values), 'loadNpy');
  // Columns first is row-major with all axes the other way round.
  const turned = new Tensor(engine().createFrom(dtype, [...shape].reverse(), values), 'loadNpy');
  return turned.permute(shape.map((_, i) => shape.length - 1 - i));
}

/** Bytes of a .npy file with the values of a tensor: numpy reads it with numpy.load. */
export function saveNpy(tensor: Tensor): Uint8Array {
  const { dtype, shape } = requireTensor(tensor, 'saveNpy', 'tensor');
  const values = engine().read(handleOfTensor(tensor, 'saveNpy'));
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;
  let head = `{'descr': '${written[dtype]}', 'fortran_order': False, 'shape': ${tuple}, }`;
  // The elements begin at a multiple of 64 bytes.
  head = `${head.padEnd(Math.ceil((10 + head.length + 1) / 64) * 64 - 11)}\n`;
  const data = dtype === 'float16' ? Uint16Array.from(values, halfBits) : values;
  const bytes = new Uint8Array(10 + head.length + data.byteLength);
  bytes.set([...MAGIC, 1, 0, head.length & 255, head.length >> 8]);
  bytes.set(new TextEncoder().encode(head), 10);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 10 + head.length);
  return bytes;
}

/** The arrays of a .npz file (numpy.savez, numpy.savez_compressed) by name. */
export function loadNpz(bytes: Uint8Array | ArrayBuffer): Record<string, Tensor> {
  const names = new Set<string>();
  const files = named('loadNpz', () =>
    unzipSync(toBytes('loadNpz', bytes), {
      filter({ name, size, originalSize, compression }) {
        if (names.has(name)) throw new ValueError(`the name ${describeValue(name)} comes twice`);
        names.add(name);
        const most = compression === 0 ? size : Math.min(size * MOST_INFLATION + 64, MOST_BYTES);
        if (originalSize > most) throw new ValueError(`${name} claims ${originalSize} bytes, which ${size} bytes cannot hold`);
        return true;
      },
    }),
  );
  const tensors: [string, Tensor][] = [];
  try {
    for (const [name, file] of Object.entries(files)) tensors.push([name.replace(/\.npy$/, ''), named(`loadNpz: ${name}`, () => loadNpy(file)).keep()]);
  } catch (error) {
    for (const [, tensor] of tensors) tensor.dispose();
    throw error;
  }
  return Object.fromEntries(tensors);
}

/** Bytes of a .npz file with these tensors: numpy reads it with numpy.load. `compress` makes it smaller and slower. */
export function saveNpz(tensors: Readonly<Record<string, Tensor>>, options: { readonly compress?: boolean } = {}): Uint8Array {
  const files = Object.entries(tensors).map(([name, tensor]) => [`${name}.npy`, saveNpy(requireTensor(tensor, 'saveNpz', name))] as const);
  // A fixed time: the same tensors give the same bytes.
  return zipSync(Object.fromEntries(files), { level: options.compress ? 6 : 0, mtime: '1980-01-01T00:00:00' });
}
