// The arguments of one PyTorch sample, decoded: tensors of ours, numbers, texts, lists. PyTorch takes most of them by
// place or by name, so they are asked for by both.

import { Tensor, tensor } from '../../../engine/api/index.ts';
import type { DType } from '../../../engine/api/engine.ts';
import type { Stored } from '../safetensors.ts';

export type Decoded = Tensor | number | boolean | string | null | undefined | Decoded[];

/** As written by tests/fixtures/generate.py. */
export type Encoded =
  | number
  | boolean
  | string
  | null
  | Encoded[]
  | { readonly tensor: string; readonly grad?: boolean }
  | { readonly number: string }
  | { readonly dtype: string };

export class Arguments {
  readonly #places: readonly Decoded[];
  readonly #names: Readonly<Record<string, Decoded>>;
  /** Tensors that want gradients, in the order of the arguments. */
  readonly leaves: readonly Tensor[];

  constructor(
    places: readonly Encoded[],
    names: Readonly<Record<string, Encoded>>,
    stored: ReadonlyMap<string, Stored>,
    floating: 'float32' | 'float64',
  ) {
    const leaves: Tensor[] = [];
    const decode = (value: Encoded): Decoded => {
      if (value === null || typeof value !== 'object') return value;
      if (Array.isArray(value)) return value.map(decode);
      if ('number' in value)
        return value.number === 'inf' ? Number.POSITIVE_INFINITY : value.number === '-inf' ? Number.NEGATIVE_INFINITY : Number.NaN;
      if ('dtype' in value) return value.dtype;
      const decoded = toTensor(stored.get(value.tensor) as Stored, floating);
      if (value.grad) {
        decoded.requiresGrad = true;
        leaves.push(decoded);
      }
      return decoded;
    };
    this.#places = places.map(decode);
    this.#names = Object.fromEntries(Object.entries(names).map(([name, value]) => [name, decode(value)]));
    this.leaves = leaves;
  }

  at(place: number, name = ''): Decoded {
    return place >= 0 && place < this.#places.length ? this.#places[place] : this.#names[name];
  }

  tensor(place: number, name = ''): Tensor {
    const value = this.at(place, name);
    if (!(value instanceof Tensor)) throw new Error(`argument ${place} (${name}) is no tensor`);
    return value;
  }

  optional(place: number, name = ''): Tensor | undefined {
    const value = this.at(place, name);
    return value instanceof Tensor ? value : undefined;
  }

  tensors(place: number, name = ''): Tensor[] {
    return (this.at(place, name) as Decoded[]).flat() as Tensor[];
  }

  number(place: number, name = '', missing?: number): number {
    const value = this.at(place, name) ?? missing;
    if (value instanceof Tensor) return value.item();
    if (typeof value !== 'number') throw new Error(`argument ${place} (${name}) is no number`);
    return value;
  }

  /** A number, or undefined when it is left out. */
  maybe(place: number, name = ''): number | undefined {
    return typeof this.at(place, name) === 'number' ? this.number(place, name) : undefined;
  }

  /** A tensor or a number, as ops of ours take both. */
  operand(place: number, name = ''): Tensor | number {
    const value = this.at(place, name);
    return value instanceof Tensor ? value : this.number(place, name);
  }

  flag(place: number, name = '', missing = false): boolean {
    const value = this.at(place, name) ?? missing;
    return value === true;
  }

  text(place: number, name: string, missing: string): string {
    const value = this.at(place, name);
    return typeof value === 'string' ? value : missing;
  }

  /** One number or a list of them; undefined when left out. */
  list(place: number, name = ''): number[] | undefined {
    const value = this.at(place, name);
    if (value === undefined || value === null) return undefined;
    return (Array.isArray(value) ? value : [value]) as number[];
  }

  /** Sizes from a place on, given as one list or one by one. */
  sizes(place: number): number[] {
    return this.#places.slice(place).flat() as number[];
  }

  /** As list, where an empty list means all axes. */
  axes(place: number, name = 'dim'): number[] | undefined {
    const axes = this.list(place, name);
    return axes?.length === 0 ? undefined : axes;
  }
}

/** A stored tensor in the engine; floats in the type of the replay. */
export function toTensor(stored: Stored, floating: 'float32' | 'float64'): Tensor {
  const dtypes: Record<Stored['dtype'], DType> = { F32: floating, F64: floating, I32: 'int32', U8: 'uint8', BOOL: 'bool' };
  const flat = tensor(stored.values, { dtype: dtypes[stored.dtype] });
  return stored.shape.length === 1 ? flat : flat.reshape([...stored.shape]).detach();
}
