// TensorFlow.js with its WebAssembly back end, written as its documentation teaches: variables, optimizer.minimize, tidy.
import { createRequire } from 'node:module';
import path from 'node:path';
import { batchOf, parametersOf, workloads } from './workloads.mjs';

const require = createRequire(import.meta.url);
const version = require('@tensorflow/tfjs/package.json').version;

export async function prepare(name) {
  const tf = require('@tensorflow/tfjs');
  const wasm = require('@tensorflow/tfjs-backend-wasm');
  wasm.setWasmPaths(`${path.dirname(require.resolve('@tensorflow/tfjs-backend-wasm'))}/`);
  await tf.setBackend('wasm');
  await tf.ready();
  const workload = workloads[name];
  const batch = batchOf(workload);
  const p = parametersOf(name).map(({ shape, values }) => tf.variable(tf.tensor(values, shape)));
  const dense = (x, i) => tf.add(tf.matMul(x, p[i], false, true), p[i + 1]);
  let loss;
  if (name === 'linear') {
    const x = tf.tensor(batch.features, [32, 1]);
    const y = tf.tensor(batch.targets, [32, 1]);
    loss = () => tf.mean(tf.square(tf.sub(dense(x, 0), y)));
  } else {
    const labels = tf.oneHot(tf.tensor1d(batch.classIds, 'int32'), 10).toFloat();
    const entropy = (logits) => tf.neg(tf.mean(tf.sum(tf.mul(labels, tf.logSoftmax(logits)), 1)));
    if (name.startsWith('mlp')) {
      const x = tf.tensor(batch.features, [workload.batch, 784]);
      loss = () => entropy(dense(tf.relu(dense(tf.relu(dense(x, 0)), 2)), 4));
    } else {
      // Its convolutions are channels-last with filters [height, width, in, out].
      const x = tf.transpose(tf.tensor(batch.features, [workload.batch, 1, 28, 28]), [0, 2, 3, 1]);
      const padding = name === 'lenet' ? 'valid' : 'same';
      const filters = [0, 2].map((i) => tf.variable(tf.transpose(p[i], [2, 3, 1, 0])));
      const block = (h, i) => tf.maxPool(tf.relu(tf.add(tf.conv2d(h, filters[i / 2], 1, padding), p[i + 1])), 2, 2, 'valid');
      const flat = () => tf.reshape(block(block(x, 0), 2), [workload.batch, -1]);
      loss = name === 'lenet' ? () => entropy(dense(tf.relu(dense(tf.relu(dense(flat(), 4)), 6)), 8)) : () => entropy(dense(flat(), 4));
    }
  }
  const optimizer = name === 'linear' ? tf.train.sgd(0.1) : tf.train.adam(1e-3);
  return {
    version: `TensorFlow.js ${version} wasm`,
    step: () => tf.tidy(() => { optimizer.minimize(loss); }),
    loss: () => tf.tidy(() => loss().dataSync()[0]),
  };
}
