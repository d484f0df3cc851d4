import './start.ts';
import { expect, test } from 'vitest';
import { engine } from '../../engine/api/engine.ts';
import * as api from '../../engine/api/index.ts';
import { formatNumber, formatTensor } from '../../engine/api/print.ts';
import { run } from '../../engine/api/signature.ts';

// Examples are written as in a cell: the names of the API, and every op as a function.
const rows = engine().description.ops;
const names: Record<string, unknown> = Object.fromEntries(rows.map((row) => [row.name, (...args: unknown[]) => run(row.name, ...args)]));
Object.assign(names, api);

const print = (value: unknown): string => {
  if (value instanceof api.Tensor) return formatTensor(value.values(), value.shape, value.dtype);
  return typeof value === 'number' ? formatNumber(value) : JSON.stringify(value);
};

test.each(rows.map((row) => [row.example, row.gives, row.name]))('%s gives %s', (example, gives) => {
  const value = new Function(...Object.keys(names), `return ${example}`)(...Object.values(names));
  expect(print(value)).toBe(gives);
});
