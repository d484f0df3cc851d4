// The engine with threads: the same bits as with one. Each count runs in a process of its own, as one realm has one engine.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

const program = `
import { startNodeEngine } from './engine/api/node.ts';
import { trainEverything } from './tests/api/same.ts';
const info = await startNodeEngine({ threads: Number(process.argv[1]) });
console.log(JSON.stringify({ threads: info.threads, parts: trainEverything() }));
`;

const runWith = (threads: number) =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module-typescript', '-e', program, String(threads)], { encoding: 'utf8' })) as {
    threads: number;
    parts: { name: string; losses: number[]; bits: number }[];
  };

test.skipIf(!existsSync('build/engine/relaxed-threads.wasm') && !existsSync('build/engine/simd-threads.wasm'))(
  'every kind of training gives the same bits on one, two and three threads and when it is run again, and the process ends by itself',
  () => {
    const [one, again, two, three] = [1, 1, 2, 3].map(runWith);
    expect([one?.threads, two?.threads, three?.threads]).toEqual([1, 2, 3]);
    expect(one?.parts.map(({ name }) => name)).toEqual(['mlp', 'convolution', 'lstm', 'attention', 'operations', 'checkpoint']);
    expect(one?.parts.flatMap(({ losses }) => losses).every(Number.isFinite)).toBe(true);
    expect(again?.parts).toEqual(one?.parts);
    expect(two?.parts).toEqual(one?.parts);
    expect(three?.parts).toEqual(one?.parts);
  },
  240_000,
);
