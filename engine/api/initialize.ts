// Filling parameters with their first values, by the engine's table of initializers.

import { engine, whenStarted } from './engine.ts';
import { StateError } from './error.ts';
import type { Initializers } from './ops.generated.d.ts';
import { writeAttribute } from './signature.ts';
import { handleOfTensor, requireTensor, type Tensor } from './tensor.ts';
import { didYouMean } from './words.ts';

/** Overwrites the values of a leaf by the initializer of this name; returns the leaf. Attributes left out take their defaults. */
export function initialize(name: string, target: Tensor, attributes: Readonly<Record<string, unknown>> = {}): Tensor {
  const e = engine();
  const number = e.description.initializers.findIndex((row) => row.name === name);
  const row = e.description.initializers[number];
  if (!row)
    throw new StateError(
      `the engine has no initializer "${name}"${didYouMean(
        name,
        e.description.initializers.map((each) => each.name),
      )}`,
    );
  for (const key of Object.keys(attributes)) {
    if (!row.params.some((param) => param.name === key))
      throw new StateError(
        `${name}: unknown option "${key}"${didYouMean(
          key,
          row.params.map((param) => param.name),
        )}`,
      );
  }
  const handle = handleOfTensor(target, name);
  e.begin(0);
  for (const param of row.params) writeAttribute(e, name, param, attributes[param.name]);
  e.initialize(number, handle);
  return target;
}

/** One function per initializer; each overwrites a parameter and returns it: nn.init.kaimingNormal(layer.weight). */
export const init = {} as { readonly [Name in keyof Initializers]: (target: Tensor, attributes?: Initializers[Name]) => Tensor };

whenStarted((started) => {
  for (const row of started.description.initializers) {
    const fill = (target: Tensor, attributes?: Readonly<Record<string, unknown>>): Tensor =>
      initialize(row.name, requireTensor(target, `init.${row.name}`, 'target'), attributes);
    Object.defineProperty(init, row.name, { value: fill, enumerable: true });
  }
});
