// TensorFlow.js with its WebAssembly back end, written as its documentation teaches: variables, optimizer.minimize, tidy.
import { batchOf, convolutions, numbers, ops as opWorks, parametersOf, products } from '../works.mjs';

let tf;

export async function start(host) {
  const loaded = await host.load.tfjs();
  tf = loaded.tf;
  loaded.wasm.setWasmPaths(host.paths.tfjs);
  // Its pool does not start from bundled code in a worker; where it does, it takes half of the logical cores, here one.
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  await tf.setBackend('wasm');
  await tf.ready();
  return `TensorFlow.js ${tf.version_core ?? tf.version?.tfjs} wasm`;
}

const filled = (shape, seed) => tf.tensor(numbers(shape, seed), shape);

function modelOf(spec) {
  const { model, batch, size } = spec;
  const given = batchOf(spec);
  const p = parametersOf(spec).map(({ shape, values }) => tf.variable(tf.tensor(values, shape)));
  const dense = (x, i) => tf.add(tf.matMul(x, p[i], false, true), p[i + 1]);
  if (model === 'linear') {
    const x = tf.tensor(given.features, [batch, 1]);
    const y = tf.tensor(given.targets, [batch, 1]);
    return { logits: () => dense(x, 0), loss: () => tf.mean(tf.square(tf.sub(dense(x, 0), y))) };
  }
  const labels = tf.oneHot(tf.tensor1d(given.classIds, 'int32'), 10).toFloat();
  let logits;
  if (model === 'mlp') {
    const x = tf.tensor(given.features, [batch, 784]);
    logits = () => dense(tf.relu(dense(tf.relu(dense(x, 0)), 2)), 4);
  } else {
    // Its convolutions are channels-last with filters [height, width, in, out].
    const x = tf.transpose(tf.tensor(given.features, [batch, 1, size, size]), [0, 2, 3, 1]);
    const padding = model === 'lenet' ? 'valid' : 'same';
    const filters = [0, 2].map((i) => tf.variable(tf.transpose(p[i], [2, 3, 1, 0])));
    const convolved = (h, i) => tf.maxPool(tf.relu(tf.add(tf.conv2d(h, filters[i / 2], 1, padding), p[i + 1])), 2, 2, 'valid');
    const flat = () => tf.reshape(convolved(convolved(x, 0), 2), [batch, -1]);
    logits = model === 'lenet' ? () => dense(tf.relu(dense(tf.relu(dense(flat(), 4)), 6)), 8) : () => dense(flat(), 4);
  }
  return { logits, loss: () => tf.neg(tf.mean(tf.sum(tf.mul(labels, tf.logSoftmax(logits())), 1))) };
}

function prepareStep({ spec, mode = 'eager' }) {
  if (mode !== 'eager') return undefined;
  const { loss } = modelOf(spec);
  const optimizer = spec.model === 'linear' ? tf.train.sgd(0.1) : tf.train.adam(1e-3);
  return {
    run: () => tf.tidy(() => { optimizer.minimize(loss); }),
    loss: () => tf.tidy(() => loss().dataSync()[0]),
  };
}

const inTidy = (call) => ({ run: () => tf.tidy(() => { call(); }) });

function prepareProduct({ work }) {
  const { size, transposed } = products[work];
  const [a, b] = [filled([size, size], 1), filled([size, size], 2)];
  return inTidy(() => tf.matMul(a, b, transposed === 'a', transposed === 'b'));
}

function prepareConvolution({ work, direction }) {
  const { batch, input, size, weight, stride, padding, dilation, groups, transposed } = convolutions[work];
  // No groups, no transposed ones with these arguments; the filter's gradient is missing from its back end.
  if (direction !== 'forward' || transposed || (groups !== 1 && groups !== input)) return undefined;
  const x = filled([batch, size, size, input], 1);
  if (groups === input) {
    const w = filled([weight[2], weight[3], input, 1], 2);
    return inTidy(() => tf.depthwiseConv2d(x, w, stride, 'same'));
  }
  const w = filled([weight[2], weight[3], weight[1], weight[0]], 2);
  return inTidy(() => tf.conv2d(x, w, stride, padding ? 'same' : 'valid', 'NHWC', dilation));
}

function prepareOp({ work, direction }) {
  const { op, shape } = opWorks[work];
  if (direction !== 'forward' || !shape) return undefined;
  const calls = { exp: 'exp', tanh: 'tanh', sigmoid: 'sigmoid', erf: 'erf', sum: 'sum', softmax: 'softmax' };
  const x = filled(shape, 1);
  if (op === 'add') return inTidy(() => tf.add(x, x));
  return calls[op] && inTidy(() => tf[calls[op]](x));
}

const preparers = {
  step: prepareStep,
  forward: ({ spec }) => inTidy(modelOf(spec).logits),
  matmul: prepareProduct,
  conv: prepareConvolution,
  op: prepareOp,
};
export const prepare = (job) => preparers[job.kind]?.(job);
