// Places for what has none: thrown values that are no errors, and errors that came from outside of any cell.

const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Remembers where the last value that is no error was thrown. */
export class Thrown {
  #value: unknown;
  #stack = '';

  /** Called with what a `throw` of a cell is about to throw; gives it back. */
  note<T>(value: T): T {
    if (value instanceof Error) return value;
    this.#value = value;
    this.#stack = new Error().stack ?? '';
    return value;
  }

  /** The stack of the `throw`, when this is what was thrown last; else empty. */
  stackOf(value: unknown): string {
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
  let waits = false;
  try {
    waits = isObject(value) && typeof Reflect.get(value, 'then') === 'function';
  } catch {}
  return { value: waits ? await value : value };
}
