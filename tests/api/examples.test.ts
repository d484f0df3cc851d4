import './start.ts';
import { expect, test } from 'vitest';
import { engine } from '../../engine/api/engine.ts';
import * as api from '../../engine/api/index.ts';
import { formatNumber, formatTensor } from '../../engine/api/print.ts';
import { run } from '../../engine/api/signature.ts';
import { wordsOfOperations } from '../../tools/reference/operations.mjs';

// Examples are written as in a cell: the names of the API, ops without a tensor in front as functions. Ops that only gradient
// rules use are no methods; here they are made some, so that their examples run too.
const rows = engine().description.ops;
const words = wordsOfOperations();
const names: Record<string, unknown> = Object.fromEntries(
  rows.filter((row) => !row.method).map((row) => [row.name, (...args: unknown[]) => run(row.name, ...args)]),
);
Object.assign(names, api);
for (const { name } of rows.filter((row) => row.internal)) {
  Object.defineProperty(api.Tensor.prototype, name, {
    value(...args: unknown[]) {
      return run(name, this, ...args);
    },
  });
}

const print = (value: unknown): string => {
  if (value instanceof api.Tensor) return formatTensor(value.values(), value.shape, value.dtype);
  return typeof value === 'number' ? formatNumber(value) : JSON.stringify(value);
};

test.each(rows.map((row) => [words[row.name]?.example ?? row.name, words[row.name]?.gives ?? '', row.name]))('%s gives %s', (example, gives) => {
  const value = new Function(...Object.keys(names), `return ${example}`)(...Object.values(names));
  expect(print(value)).toBe(gives);
});
