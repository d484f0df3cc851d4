// A module whose functions were given other places does what it did.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { leb, readModule, reorderFunctions } from '../../tools/build/module.mjs';
import { orderModule, similarOrder } from '../../tools/build/order.mjs';

const section = (id: number, ...content: number[]) => [id, ...leb(content.length), ...content];
const list = (...items: number[][]) => [...leb(items.length), ...items.flat()];
const text = (word: string) => [word.length, ...Buffer.from(word)];
const body = (...code: number[]) => {
  const whole = [0, ...code, 0x0b];
  return [...leb(whole.length), ...whole];
};
const I32 = 0x7f;
const CONST = 0x41;

/**
 * Function 0 is imported. 1: 10 and, through the table, what function 3 gives. 2: notes 7 (the start). 3: 32.
 * 4: what 1 gives, plus one, within a block, behind a vector, a branch table and constants that hold the bytes of a call.
 */
const small = Buffer.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, ...list([0x60, 0, 1, I32], [0x60, 1, I32, 0], [0x60, 0, 0])),
  ...section(2, ...list([...text('e'), ...text('note'), 0, 1])),
  ...section(3, ...list([0], [2], [0], [0])),
  ...section(4, ...list([0x70, 0, 4])),
  ...section(7, ...list([...text('sum'), 0, 4], [...text('first'), 0, 1])),
  ...section(8, 2),
  ...section(9, ...list([0, CONST, 1, 0x0b, 2, 3, 1])),
  ...section(
    10,
    ...list(
      body(CONST, 10, CONST, 1, 0x11, 0, 0, 0x6a),
      body(CONST, 7, 0x10, 0),
      body(CONST, 32),
      body(
        ...[0x02, I32, 0xfd, 12, ...Array.from({ length: 16 }, () => 0x10), 0x1a, 0x43, 0x10, 3, 0x10, 3, 0x1a],
        ...[0x10, 1, CONST, 0, 0x0e, 1, 0, 0, 0x0b, CONST, 1, 0x6a],
      ),
    ),
  ),
]);

async function answers(bytes: Uint8Array) {
  const notes: number[] = [];
  const { instance } = (await WebAssembly.instantiate(bytes, { e: { note: (n: number) => notes.push(n) } })) as unknown as WebAssembly.WebAssemblyInstantiatedSource;
  const { sum, first } = instance.exports as Record<string, () => number>;
  return { sum: sum!(), first: first!(), notes };
}

test.each([[[0, 1, 2, 3]], [[3, 2, 1, 0]], [[1, 3, 0, 2]], [[2, 0, 3, 1]]])('functions in the order %j', async (order) => {
  const moved = reorderFunctions(readModule(small), order);
  expect(moved.equals(small)).toBe(order.every((own, place) => own === place));
  expect(await answers(moved)).toEqual({ sum: 43, first: 42, notes: [7] });
});

test('an instruction that is not known stops the build', () => {
  const bad = Buffer.from(small);
  bad[bad.lastIndexOf(0x6a)] = 0xe0;
  expect(() => readModule(bad)).toThrow('unknown instruction 0xe0');
});

test('a module with names stays as it is', () => {
  const named = Buffer.concat([small, Buffer.from(section(0, ...text('name')))]);
  expect(orderModule(named)).toBe(named);
});

test.each(['relaxed', 'relaxed-threads'])('every function of the engine, %s, is there once', (flavour) => {
  const bytes = readFileSync(`build/engine/${flavour}.wasm`);
  const module = readModule(bytes);
  const same = module.bodies.map((_, at) => at);
  expect(reorderFunctions(module, same).equals(bytes)).toBe(true);
  const order = similarOrder(module);
  expect([...order].sort((a, b) => a - b)).toEqual(same);
  expect(WebAssembly.validate(reorderFunctions(module, order))).toBe(true);
});
