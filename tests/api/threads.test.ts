// The engine with threads: the same bits as with one. Each count runs in a process of its own, as one realm has one engine.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

const program = `
import { startNodeEngine } from './engine/api/node.ts';
import { manualSeed, nn, optim, rand, randint, randn } from './engine/api/index.ts';
const info = await startNodeEngine({ threads: Number(process.argv[1]) });
manualSeed(1);
const product = randn(300, 300).matmul(randn(300, 300)).sum().item();
const model = nn.sequential(nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.flatten(), nn.linear(8 * 14 * 14, 10));
const optimizer = optim.adam(model);
const [x, y] = [rand(64, 1, 28, 28), randint(0, 10, [64])];
const losses = [];
for (let i = 0; i < 3; i++) {
  const loss = nn.crossEntropy(model(x), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  losses.push(loss.item());
}
console.log(JSON.stringify({ threads: info.threads, product, losses }));
`;

const runWith = (threads: number) =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module-typescript', '-e', program, String(threads)], { encoding: 'utf8' })) as {
    threads: number;
    product: number;
    losses: number[];
  };

test.skipIf(!existsSync('build/engine/relaxed-threads.wasm') && !existsSync('build/engine/simd-threads.wasm'))(
  'one, two and three threads give the same bits, and the process ends by itself',
  () => {
    const [one, two, three] = [1, 2, 3].map(runWith);
    expect([one?.threads, two?.threads, three?.threads]).toEqual([1, 2, 3]);
    expect(two).toEqual({ ...one, threads: 2 });
    expect(three).toEqual({ ...one, threads: 3 });
  },
  240_000,
);
