// summary(): what a model consists of, as text.

import { zeros } from './create.ts';
import { ArgumentError } from './error.ts';
import { flopsOf } from './flops.ts';
import { modulesOf, Module, observeCalls, parameters, train } from './module.ts';
import { runningLayer } from './places.ts';
import { observeOps } from './signature.ts';
import { noGrad, Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';

/**
 * A table of the layers of a model with their numbers of parameters; with an input shape, batch axis included, also the shape of
 * each result and the floating-point operations of a forward pass (a multiplication and an addition count as two):
 * `console.log(nn.summary(model, [1, 1, 28, 28]))`.
 */
export function summary(model: unknown, inputShape?: readonly number[]): string {
  const modules = modulesOf(model).filter(({ module }) => !modulesOf(module).some((inner) => inner.module !== module));
  if (modules.length === 0 && !(model instanceof Module))
    throw new ArgumentError(`summary: needs a model with layers, got ${describeValue(model)}`);
  const pass = inputShape ? forwardPass(model, inputShape) : undefined;
  const rows = modules.map(({ name, module }) => [
    name,
    String(module),
    pass?.shapes.get(module) ?? '',
    count(module),
    pass ? (pass.flops.get(module) ?? 0).toLocaleString('en') : '',
  ]);
  const header = ['', 'layer', pass ? 'result' : '', 'parameters', pass ? 'FLOPs' : ''];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] as string).length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column >= 3 ? cell.padStart(widths[column] as number) : cell.padEnd(widths[column] as number)))
      .filter((_, column) => (widths[column] as number) > 0)
      .join('  ')
      .trimEnd();
  // Also what the model computes between its layers.
  const flops = pass && [...pass.flops.values()].reduce((sum, each) => sum + each, 0);
  const total = `${count(model)} parameters${flops === undefined ? '' : `, ${flops.toLocaleString('en')} FLOPs`}`;
  return [line(header), ...rows.map(line), total].join('\n');
}

const count = (model: unknown): string =>
  parameters(model)
    .reduce((sum, tensor) => sum + tensor.elementCount, 0)
    .toLocaleString('en');

/** Runs the model once on zeros, without gradients and without changing its state of training. */
function forwardPass(
  model: unknown,
  inputShape: readonly number[],
): { readonly shapes: Map<unknown, string>; readonly flops: Map<unknown, number> } {
  if (typeof model !== 'function') throw new ArgumentError('summary: result shapes need a model that can be called');
  const shapes = new Map<unknown, string>();
  const flops = new Map<unknown, number>();
  const modes = modulesOf(model).map(({ module }) => [module, module.training] as const);
  train(model, false);
  try {
    observeOps(
      (op, tensors, result) => void flops.set(runningLayer(), (flops.get(runningLayer()) ?? 0) + flopsOf(op, tensors, result)),
      () =>
        observeCalls(
          (module, _, output) => {
            const result = Array.isArray(output) ? output[0] : output;
            if (result instanceof Tensor) shapes.set(module, shapeText(result.shape));
          },
          () => noGrad(() => model(zeros(inputShape))),
        ),
    );
  } finally {
    for (const [module, mode] of modes) module.training = mode;
  }
  return { shapes, flops };
}
