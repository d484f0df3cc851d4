// Runs one request of measure.mjs in a Node process of its own: node node.mjs REQUEST. Prints one JSON line.
import { createRequire } from 'node:module';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import { nodeHost } from '../../datasets/node.ts';
import { measure } from '../measure.mjs';

const require = createRequire(import.meta.url);

const host = {
  async startEngine(threads) {
    const { startNodeEngine } = await import('../../engine/api/node.ts');
    const before = performance.now();
    const info = await startNodeEngine({ threads });
    return { ...info, readyMs: performance.now() - before };
  },
  datasets: nodeHost(),
  paths: {
    get tfjs() {
      return `${path.dirname(require.resolve('@tensorflow/tfjs-backend-wasm'))}/`;
    },
  },
  load: {
    tfjs: async () => ({ tf: require('@tensorflow/tfjs'), wasm: require('@tensorflow/tfjs-backend-wasm') }),
    jax: async () => {
      const file = path.join(path.dirname(require.resolve('@jax-js/jax')), '../package.json');
      return { jax: await import('@jax-js/jax'), version: JSON.parse(readFileSync(file, 'utf8')).version };
    },
    onnxruntime: () => import('onnxruntime-web'),
  },
};

const result = await measure(JSON.parse(process.argv[2]), host);
console.log(JSON.stringify(result));
process.exit(0);
