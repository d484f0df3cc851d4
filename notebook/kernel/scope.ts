// The names that cells share: accessors on the global object. Owns putting them there and taking them away again,
// with whatever stood there before; leaves the meaning of a binding to the cell's own closure.
import type { DeclaredName } from '../protocol/messages.ts';

/** Getter and, when other cells may assign, setter of one declared name. */
export type Accessor = readonly [get: () => unknown, set?: (value: unknown) => void];

interface Layer {
  readonly cellId: string;
  readonly descriptor: PropertyDescriptor;
}

/** Stands for the kernel where a cell id is wanted; no cell can have it. */
const OURS = '';

export class Scope {
  readonly #global: object;
  /** Descriptor that the global object had before us; undefined when it had none. */
  readonly #original = new Map<string, PropertyDescriptor | undefined>();
  /** Declarations of each name, the one in force last. */
  readonly #layers = new Map<string, Layer[]>();

  constructor(global: object) {
    this.#global = global;
  }

  /** Gives all cells a fixed name, such as `tensor`. Cells may declare it again but not assign it. */
  install(name: string, value: unknown): void {
    this.#define(name, OURS, { value, writable: false, configurable: true, enumerable: false });
  }

  /** Puts our own in the place of something the machine offers, such as `setTimeout`; it stays as assignable as it was. */
  replace(name: string, value: unknown): void {
    this.#define(name, OURS, { value, writable: true, configurable: true, enumerable: true });
  }

  /** The same for a value that depends on the moment. */
  installGetter(name: string, get: () => unknown): void {
    this.#define(name, OURS, { get, configurable: true, enumerable: false });
  }

  /** Replaces the names of a cell with those of its new run. `label` names the cell in messages: `cell 2`. */
  declare(cellId: string, label: string, names: readonly DeclaredName[], accessors: Record<string, Accessor>): void {
    const kept = new Set(names.map(({ name }) => name));
    this.#drop(cellId, (name) => !kept.has(name));
    for (const { name } of names) {
      const accessor = accessors[name];
      if (!accessor) throw new Error(`cell scope: no accessor for '${name}'`);
      const set =
        accessor[1] ??
        (() => {
          throw new TypeError(`Assignment to constant variable '${name}' (declared in ${label})`);
        });
      this.#define(name, cellId, { get: accessor[0], set, configurable: true, enumerable: true });
    }
  }

  /** After a run that failed: names that never got a value say so instead of the bare engine message. */
  explainMissing(cellId: string, label: string): void {
    for (const [name, layers] of this.#layers) {
      const layer = layers.find((candidate) => candidate.cellId === cellId);
      if (!layer || !isUninitialized(layer.descriptor)) continue;
      const get = () => {
        throw new ReferenceError(`'${name}' has no value: ${label} ended before it declared it`);
      };
      this.#define(name, cellId, { ...layer.descriptor, get });
    }
  }

  /** Takes the names of a cell away. A name that an earlier run of another cell declared comes back. */
  forget(cellId: string): void {
    this.#drop(cellId, () => true);
  }

  /** Names of all cells with the values that they stand for now; a name without a value is left out. */
  *names(): Iterable<readonly [name: string, value: unknown]> {
    for (const [name, layers] of this.#layers) {
      const layer = layers.at(-1);
      if (!layer || layer.cellId === OURS) continue;
      let value: unknown;
      try {
        value = layer.descriptor.get?.();
      } catch {
        continue;
      }
      yield [name, value];
    }
  }

  /** All names that cells may use, theirs and ours, whether or not they have a value. */
  *known(): Iterable<string> {
    for (const [name, layers] of this.#layers) if (layers.length > 0) yield name;
  }

  /** What a name holds for this cell: its own declaration, else the one in force. Null when there is none or it has no value yet. */
  lookUp(name: string, cellId: string): { readonly value: unknown } | null {
    const layers = (this.#layers.get(name) ?? []).filter((layer) => layer.cellId !== OURS);
    const layer = layers.find((each) => each.cellId === cellId) ?? layers.at(-1);
    if (!layer) return null;
    try {
      return { value: layer.descriptor.get?.() };
    } catch {
      return null;
    }
  }

  /** The values of all declared names that have one. */
  *values(): Iterable<unknown> {
    for (const [, value] of this.entries()) yield value;
  }

  /** What a value is called, or null. */
  nameOf(value: unknown): string | null {
    for (const [name, held] of this.entries()) if (held === value) return name;
    return null;
  }

  /** All declared names that have a value, with it. */
  *entries(): Iterable<readonly [name: string, value: unknown]> {
    for (const [name, layers] of this.#layers) {
      for (const { cellId, descriptor } of layers) {
        if (cellId === OURS) continue;
        let value: unknown;
        try {
          value = descriptor.get?.();
        } catch {
          continue;
        }
        yield [name, value];
      }
    }
  }

  /** Numbers, short texts and truth values that cells declared, by name: what a training may have been set to. At most 40. */
  settings(): Record<string, string | number | boolean> {
    const found: Record<string, string | number | boolean> = {};
    let count = 0;
    for (const [name, layers] of this.#layers) {
      const layer = layers.at(-1);
      if (!layer || layer.cellId === OURS || count >= 40) continue;
      let value: unknown;
      try {
        value = layer.descriptor.get?.();
      } catch {
        continue;
      }
      if (typeof value !== 'number' && typeof value !== 'boolean' && !(typeof value === 'string' && value.length <= 60)) continue;
      found[name] = value;
      count += 1;
    }
    return found;
  }

  /** Leaves the global object as it was found. */
  restore(): void {
    for (const [name, original] of this.#original) this.#put(name, original);
    this.#original.clear();
    this.#layers.clear();
  }

  #define(name: string, cellId: string, descriptor: PropertyDescriptor): void {
    this.#remember(name);
    const others = (this.#layers.get(name) ?? []).filter((layer) => layer.cellId !== cellId);
    this.#layers.set(name, [...others, { cellId, descriptor }]);
    this.#put(name, descriptor);
  }

  #drop(cellId: string, isDropped: (name: string) => boolean): void {
    for (const [name, layers] of this.#layers) {
      if (!isDropped(name) || !layers.some((layer) => layer.cellId === cellId)) continue;
      const rest = layers.filter((layer) => layer.cellId !== cellId);
      this.#layers.set(name, rest);
      this.#put(name, rest.at(-1)?.descriptor ?? this.#original.get(name));
    }
  }

  #remember(name: string): void {
    if (this.#original.has(name)) return;
    this.#original.set(name, Object.getOwnPropertyDescriptor(this.#global, name));
  }

  #put(name: string, descriptor: PropertyDescriptor | undefined): void {
    if (descriptor) Object.defineProperty(this.#global, name, descriptor);
    else Reflect.deleteProperty(this.#global, name);
  }
}

function isUninitialized(descriptor: PropertyDescriptor): boolean {
  try {
    descriptor.get?.();
    return false;
  } catch (error) {
    return error instanceof ReferenceError;
  }
}
