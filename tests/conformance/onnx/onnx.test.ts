// ONNX's own test data, where it is installed; `npm run conformance` fetches it and prints the score.
import { startNodeEngine } from '../../../engine/api/node.ts';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findOnnx } from '../../../tools/setup/onnx.mjs';
import { scoreSuite } from './score.ts';

await startNodeEngine();
const folder = findOnnx();

test.skipIf(!folder)('every ONNX case passes that is not skipped with a reason', () => {
  const score = scoreSuite(join(folder as string, 'node'));
  expect(score.failures).toEqual([]);
  expect(score.passed / score.applicable).toBeGreaterThanOrEqual(0.98);
});
