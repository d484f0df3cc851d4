// Any value, in bounds: as a line, as a foldable tree, and as text for the console.
import { describe, expect, test } from 'vitest';
import { inspect, preview } from '../../notebook/kernel/preview.ts';

class Net {
  layers = 2;
}
const long = 'x'.repeat(3000);

describe('one line', () => {
  for (const [value, text] of [
    [undefined, 'undefined'],
    [null, 'null'],
    [-0, '-0'],
    [12n, '12n'],
    [Symbol('s'), 'Symbol(s)'],
    ['a\n"b"', '"a\\n\\"b\\""'],
    [[], '[]'],
    [{}, '{}'],
    [[1, [2, 'x']], '[1, [2, "x"]]'],
    [{ a: 1, 'b-c': undefined }, '{ a: 1, "b-c": undefined }'],
    [new Net(), 'Net { layers: 2 }'],
    [Net, 'class Net'],
    [function f() {}, 'function f'],
    [new Map([['a', 1]]), 'Map(1) { a: 1 }'],
    [new Map([[{ k: 1 }, 1]]), 'Map(1) { {…}: 1 }'],
    [new Set([1, 2]), 'Set(2) { 1, 2 }'],
    [Float32Array.of(1, 2.5), 'Float32Array(2) [1, 2.5]'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [/a/g, '/a/g'],
    [new RangeError('no'), 'RangeError: no'],
    [Promise.resolve(1), 'Promise'],
    [Object.create(null), '{}'],
    [Array.from({ length: 200 }, (_, i) => i), 'Array(200)'],
    [new Proxy({}, { ownKeys: () => { throw new Error('no'); } }), '[cannot be shown]'],
    [{ [Symbol.for('nodejs.util.inspect.custom')]: () => 'Tensor(1)' }, 'Tensor(1)'],
  ] as const) {
    test(text, () => expect(preview(value).text).toBe(text));
  }
});

describe('bounds', () => {
  test('a long list says how much was left out', () => {
    const { entries, more } = preview(Array.from({ length: 250 }, () => 0));
    expect([entries?.length, more]).toEqual([100, 150]);
  });

  test('a deep value is cut', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 50; i++) deep = { deep };
    expect(JSON.stringify(preview(deep)).length).toBeLessThan(2000);
  });

  test('a wide and deep value is cut', () => {
    const wide = (depth: number): unknown => (depth === 0 ? 1 : Array.from({ length: 60 }, () => wide(depth - 1)));
    expect(JSON.stringify(preview(wide(3))).length).toBeLessThan(300_000);
  });

  test('a long text is cut, inside of a value even more', () => {
    expect([preview(long).text.length, preview([long]).entries?.[0]?.value.text.length]).toEqual([2003, 203]);
  });
});

test('what does not fit on a line is written member by member', () => {
  const value = { name: 'a network', layers: [{ kind: 'linear', inputs: 784, outputs: 128 }, { kind: 'relu' }], list: [1, 2] };
  expect(inspect(value)).toBe(
    '{\n  name: "a network",\n  layers: [{ kind: "linear", inputs: 784, outputs: 128 }, { kind: "relu" }],\n  list: [1, 2]\n}',
  );
});
