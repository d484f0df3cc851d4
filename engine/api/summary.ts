// summary(): what a model consists of, as text.

import { zeros } from './create.ts';
import { ArgumentError } from './error.ts';
import { modulesOf, Module, observeCalls, parameters, train } from './module.ts';
import { noGrad, Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';

/**
 * A table of the layers of a model with their numbers of parameters; with an input shape, batch axis included, also the
 * shape of each result: `console.log(nn.summary(model, [1, 1, 28, 28]))`.
 */
export function summary(model: unknown, inputShape?: readonly number[]): string {
  const modules = modulesOf(model).filter(({ module }) => !modulesOf(module).some((inner) => inner.module !== module));
  if (modules.length === 0 && !(model instanceof Module))
    throw new ArgumentError(`summary: needs a model with layers, got ${describeValue(model)}`);
  const shapes = inputShape ? resultShapes(model, inputShape) : undefined;
  const rows = modules.map(({ name, module }) => [name, String(module), shapes?.get(module) ?? '', count(module)]);
  const header = ['', 'layer', shapes ? 'result' : '', 'parameters'];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] as string).length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 3 ? cell.padStart(widths[column] as number) : cell.padEnd(widths[column] as number)))
      .filter((_, column) => (widths[column] as number) > 0)
      .join('  ')
      .trimEnd();
  const total = `${count(model)} parameters`;
  return [line(header), ...rows.map(line), total].join('\n');
}

const count = (model: unknown): string =>
  parameters(model)
    .reduce((sum, tensor) => sum + tensor.elementCount, 0)
    .toLocaleString('en');

function resultShapes(model: unknown, inputShape: readonly number[]): Map<unknown, string> {
  if (typeof model !== 'function') throw new ArgumentError('summary: result shapes need a model that can be called');
  const shapes = new Map<unknown, string>();
  const modes = modulesOf(model).map(({ module }) => [module, module.training] as const);
  train(model, false);
  try {
    observeCalls(
      (module, _, output) => void (output instanceof Tensor && shapes.set(module, shapeText(output.shape))),
      () => noGrad(() => model(zeros(inputShape))),
    );
  } finally {
    for (const [module, mode] of modes) module.training = mode;
  }
  return shapes;
}
