// What the build refuses to hand to the page.
import { expect, test } from 'vitest';
import { engineFault } from '../../tools/build/engine.mjs';

const module = (size: number) => {
  const bytes = Buffer.alloc(size);
  bytes.set([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  return bytes;
};

test.each([
  ['an empty module, as a failed link leaves it', module(8), 'it has 8 bytes, fewer than any engine'],
  ['a file that is no wasm', Buffer.from('not found'), 'it does not begin as a wasm module does'],
  ['a module as large as an engine', module(200_000), undefined],
])('%s', (_what, bytes, fault) => {
  expect(engineFault(bytes)).toBe(fault);
});
