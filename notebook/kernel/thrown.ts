// Places for what has none: thrown values that are no errors, and errors that came from outside of any cell.

import { ask } from './ask.ts';

const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Remembers where values that are no errors were thrown: objects, and the last that is none. */
export class Thrown {
  readonly #stacks = new WeakMap<object, string>();
  #value: unknown;
  #stack = '';

  /** Called with what a `throw` of a cell is about to throw; gives it back. */
  note<T>(value: T): T {
    if (ask(() => value instanceof Error, false)) return value;
    const stack = new Error().stack ?? '';
    if (isObject(value)) this.#stacks.set(value, stack);
    else [this.#value, this.#stack] = [value, stack];
    return value;
  }

  /** The stack of the `throw`, when it is known; else empty. */
  stackOf(value: unknown): string {
    if (isObject(value)) return this.#stacks.get(value) ?? '';
    return Object.is(value, this.#value) ? this.#stack : '';
  }
}

/**
 * Imports a module for a cell. Throws when it lacks one of the names, as JavaScript does; an error that says nothing
 * of a cell gets the place of the import.
 */
export async function importFor(load: () => Promise<unknown>, specifier: string, names: readonly string[]): Promise<unknown> {
  const { stack } = new Error();
  let module: unknown;
  try {
    module = await load();
  } catch (error) {
    if (error instanceof Error && !/\bcell-[\w-]+\.\d+\.ts:/.test(String(error.stack))) Reflect.set(error, 'stack', `${error.stack}\n${stack}`);
    throw error;
  }
  const lacking = names.find((name) => !isObject(module) || !(name in module));
  if (lacking === undefined) return module;
  if (lacking === 'default') throw new SyntaxError(`import: '${specifier}' has no default export; name what you need: import { a } from '${specifier}', or import * as all`);
  const some = isObject(module) ? Object.keys(module).slice(0, 8).join(', ') : '';
  throw new SyntaxError(`import: '${specifier}' exports no '${lacking}'${some && `; it exports ${some}`}. A type is imported as \`type ${lacking}\``);
}

/** Waits for a value where it is a promise. A value that refuses to be asked is none. */
export async function settle(value: unknown): Promise<{ readonly value: unknown }> {
  const waits = ask(() => isObject(value) && typeof Reflect.get(value, 'then') === 'function', false);
  return { value: waits ? await value : value };
}
