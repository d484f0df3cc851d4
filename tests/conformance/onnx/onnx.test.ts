// ONNX's own test data, where it is installed; `npm run conformance` fetches it and prints the score.
import { startNodeEngine } from '../../../engine/api/node.ts';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findOnnx } from '../../../tools/setup/onnx.mjs';
import { scoreSuite } from './score.ts';

await startNodeEngine();
const folder = findOnnx();

test.skipIf(!folder).each(['node', 'pytorch-converted', 'pytorch-operator', 'simple'])(
  'every ONNX case of the suite %s passes that is not skipped with a reason',
  (suite) => {
    const score = scoreSuite(join(folder as string, suite));
    expect(score.failures).toEqual([]);
    expect(score.applicable).toBeGreaterThan(0);
  },
  // 932 models take a few seconds, and many more on a machine that is busy.
  300_000,
);
