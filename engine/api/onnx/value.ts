// What flows along the edges of an ONNX graph: a tensor of the engine, or constants of the file that are only handed to
// the engine when an operator computes with them. Sizes and axes are read from the constants and stay exact.

import { type DType, engine } from '../engine.ts';
import { Tensor } from '../tensor.ts';
import type { OnnxType, TensorData } from './tensor.ts';
import { OnnxError } from './wire.ts';

// The engine has no 64 bit, 16 bit or signed 8 bit integers: they are held as int32, if they fit.
const dtypes: Partial<Record<OnnxType, DType>> = {
  float32: 'float32',
  float64: 'float64',
  float16: 'float16',
  bfloat16: 'float32',
  bool: 'bool',
  uint8: 'uint8',
  int8: 'int32',
  int16: 'int32',
  int32: 'int32',
  int64: 'int32',
  uint16: 'int32',
  uint32: 'int32',
  uint64: 'int32',
};

/** The engine's type for values of an ONNX type. */
export function dtypeOf(type: OnnxType): DType {
  const dtype = dtypes[type];
  if (!dtype) throw new OnnxError(`onnx: the engine has no type for elements of type ${type}`);
  return dtype;
}

export class Value {
  #tensor: Tensor | undefined;
  readonly #data: TensorData | undefined;

  constructor(from: Tensor | TensorData) {
    if (from instanceof Tensor) this.#tensor = from;
    else this.#data = from;
  }

  /** Whole numbers that the engine need not see, such as a shape. */
  static integers(values: readonly number[], shape: readonly number[] = [values.length]): Value {
    return new Value({ name: '', type: 'int64', shape, values: Float64Array.from(values) });
  }

  /** Halves of the file or of the engine: operators compute with them in float32, and their results are halves again. */
  get isHalf(): boolean {
    return this.#data ? this.#data.type === 'float16' : (this.#tensor as Tensor).dtype === 'float16';
  }

  get shape(): readonly number[] {
    return this.#data?.shape ?? (this.#tensor as Tensor).shape;
  }

  get tensor(): Tensor {
    this.#tensor ??= toTensor(this.#data as TensorData);
    return this.#tensor;
  }

  /** The numbers in row-major order. */
  get numbers(): number[] {
    const values = this.#data?.values ?? (this.#tensor as Tensor).values();
    if (typeof values[0] === 'string') throw new OnnxError('onnx: numbers are needed here, but texts came');
    return Array.from(values as ArrayLike<number>);
  }
}

function toTensor(data: TensorData): Tensor {
  const dtype = dtypeOf(data.type);
  const values = data.values as ArrayLike<number>;
  if (dtype === 'int32') {
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (value !== (value | 0))
        throw new OnnxError(`onnx: the ${data.type} value ${value} of "${data.name}" does not fit the engine's int32`);
    }
  }
  return new Tensor(engine().createFrom(dtype, data.shape, values), 'onnx');
}
