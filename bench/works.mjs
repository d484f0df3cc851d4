// The work of the benchmarks, described once: shapes, sizes, and the same numbers for every library.

/** Numbers in [0, 1) from a fixed seed, the same in every process. */
export function randomSource(seed = 1) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 16777216;
  };
}

const product = (sizes) => sizes.reduce((a, b) => a * b, 1);

/** `count` numbers in [-1, 1). */
export function numbers(shape, seed = 1) {
  const random = randomSource(seed);
  return Float32Array.from({ length: product(shape) }, () => 2 * random() - 1);
}

// -- training steps ----------------------------------------------------------------------------------------------------

/** Models whose training steps are timed. `width` is that of the first hidden layer, `size` the side of the images. */
export const steps = {
  'linear-b32': { title: 'linear regression, SGD, B=32', model: 'linear', batch: 32 },
  'mlp-b32': { title: 'MLP 784-256-128-10, Adam, B=32', model: 'mlp', batch: 32, width: 256 },
  'mlp-b128': { title: 'same, B=128', model: 'mlp', batch: 128, width: 256 },
  'mlp-b1000': { title: 'same, B=1000', model: 'mlp', batch: 1000, width: 256 },
  'lenet-b64': { title: 'LeNet (conv 6, conv 16, 120-84-10), Adam, B=64', model: 'lenet', batch: 64, size: 28 },
  'cnn8-16-b64': { title: 'CNN 8-16 (3x3, padding 1), Adam, B=64', model: 'cnn', batch: 64, size: 28 },
};

/** The same models without gradients: what libraries that only infer can do too. */
export const forwards = {
  'mlp-b128-forward': { title: 'MLP, B=128, forward only', model: 'mlp', batch: 128, width: 256 },
  'lenet-b64-forward': { title: 'LeNet, B=64, forward only', model: 'lenet', batch: 64, size: 28 },
};

/** How a step's cost grows: one size changes, the rest stays. */
export const growth = [
  { by: 'batch', title: 'MLP 784-256-128-10 by batch', values: [8, 32, 128, 512], spec: (batch) => ({ model: 'mlp', batch, width: 256 }) },
  { by: 'width', title: 'MLP 784-w-w/2-10, B=128, by width', values: [64, 128, 256, 512, 1024], spec: (width) => ({ model: 'mlp', batch: 128, width }) },
  { by: 'image size', title: 'CNN 8-16, B=64, by image size', values: [12, 20, 28, 56], spec: (size) => ({ model: 'cnn', batch: 64, size }) },
];

/** Layers of a model in order: {kind, shape of the weight, fan in}. Weights are [out, in] and [out, in, height, width]. */
export function layersOf({ model, width, size }) {
  const dense = (input, output) => ({ kind: 'dense', shape: [output, input], fanIn: input });
  const conv = (input, output, filter, padding) => ({ kind: 'conv', shape: [output, input, filter, filter], fanIn: input * filter * filter, padding });
  if (model === 'linear') return [dense(1, 1)];
  if (model === 'mlp') return [dense(784, width), dense(width, width / 2), dense(width / 2, 10)];
  if (model === 'lenet') return [conv(1, 6, 5, 0), conv(6, 16, 5, 0), dense(256, 120), dense(120, 84), dense(84, 10)];
  return [conv(1, 8, 3, 1), conv(8, 16, 3, 1), dense(16 * (size >> 2) ** 2, 10)];
}

/** Shape of one example. */
export const featuresOf = ({ model, size }) => (model === 'linear' ? [1] : model === 'mlp' ? [784] : [1, size, size]);

/** Multiplications and additions of one step: all products forward and backward, without the first layer's input gradient. */
export function flopsOf(spec) {
  let size = spec.size ?? 0;
  let flops = 0;
  layersOf(spec).forEach(({ kind, shape, padding }, i) => {
    let products = product(shape) * spec.batch;
    if (kind === 'conv') {
      const out = size + 2 * padding - shape[2] + 1;
      products *= out * out;
      size = out >> 1;
    }
    flops += 2 * products * (i === 0 ? 2 : 3);
  });
  return flops;
}

/** One batch: features uniform in [0, 1), class ids (or for `linear` targets on the line 3x + 2 with noise). */
export function batchOf(spec) {
  const random = randomSource(7);
  const features = Float32Array.from({ length: spec.batch * product(featuresOf(spec)) }, () => random());
  const classIds = Int32Array.from({ length: spec.batch }, () => Math.floor(random() * 10));
  const targets = Float32Array.from(features.slice(0, spec.batch), (x) => 3 * x + 2 + 0.1 * (random() - 0.5));
  return { features, classIds, targets };
}

/** Weight and bias of each layer, {shape, values}, uniform with PyTorch's default bound 1/sqrt(fan in). */
export function parametersOf(spec) {
  const random = randomSource(3);
  const drawn = (shape, fanIn) => ({ shape, values: Float32Array.from({ length: product(shape) }, () => (2 * random() - 1) / Math.sqrt(fanIn)) });
  return layersOf(spec).flatMap(({ shape, fanIn }) => [drawn(shape, fanIn), drawn([shape[0]], fanIn)]);
}

// -- products ----------------------------------------------------------------------------------------------------------

const square = (size, transposed = '') => ({ title: `matmul ${{ '': 'A B', a: 'A^T B', b: 'A B^T' }[transposed]}, ${size}`, size, transposed, flops: 2 * size ** 3 });
export const products = {
  'matmul-256': square(256),
  'matmul-512': square(512),
  'matmul-1024': square(1024),
  'matmul-at-512': square(512, 'a'),
  'matmul-bt-512': square(512, 'b'),
};

// -- convolutions ------------------------------------------------------------------------------------------------------

function convolution(title, batch, input, output, size, filter, options = {}) {
  const { stride = 1, padding = (filter - 1) >> 1, dilation = 1, groups = 1, transposed = false } = options;
  const reach = dilation * (filter - 1) + 1;
  const out = transposed ? (size - 1) * stride - 2 * padding + reach : Math.floor((size + 2 * padding - reach) / stride) + 1;
  const weight = transposed ? [input, output / groups, filter, filter] : [output, input / groups, filter, filter];
  // Each value of the smaller side of a stride meets every weight once.
  const flops = 2 * batch * product(weight) * (transposed ? size * size : out * out);
  return { title, batch, input, output, size, out, filter, stride, padding, dilation, groups, transposed, weight, flops };
}
export const convolutions = {
  'lenet-1': convolution('1 -> 6, 5x5, 28 px, no padding', 64, 1, 6, 28, 5, { padding: 0 }),
  'lenet-2': convolution('6 -> 16, 5x5, 12 px, no padding', 64, 6, 16, 12, 5, { padding: 0 }),
  'cnn-1': convolution('1 -> 8, 3x3, 28 px', 64, 1, 8, 28, 3),
  'cnn-2': convolution('8 -> 16, 3x3, 14 px', 64, 8, 16, 14, 3),
  'rgb': convolution('3 -> 32, 3x3, 32 px', 32, 3, 32, 32, 3),
  'deep': convolution('32 -> 64, 3x3, 16 px', 32, 32, 64, 16, 3),
  'pointwise': convolution('32 -> 64, 1x1, 14 px', 32, 32, 64, 14, 1),
  'strided': convolution('16 -> 32, 3x3, 28 px, stride 2', 32, 16, 32, 28, 3, { stride: 2 }),
  'dilated': convolution('16 -> 32, 3x3, 28 px, dilation 2', 32, 16, 32, 28, 3, { dilation: 2, padding: 2 }),
  'grouped': convolution('32 -> 32, 3x3, 14 px, 4 groups', 32, 32, 32, 14, 3, { groups: 4 }),
  'depthwise': convolution('32, 3x3, 28 px, depthwise', 32, 32, 32, 28, 3, { groups: 32 }),
  'transposed': convolution('32 -> 16, 4x4, 14 px, transposed, stride 2', 32, 32, 16, 14, 4, { stride: 2, padding: 1, transposed: true }),
};

// -- other ops ---------------------------------------------------------------------------------------------------------

const elementwise = (op) => ({ title: `${op} of 1M floats`, op, shape: [1024, 1024], directions: ['forward'] });
const lstm = { batch: 32, length: 32, features: 64, hidden: 128 };
const heads = { batch: 16, heads: 4, length: 64, features: 32 };
const block = { batch: 16, length: 64, features: 128, heads: 4 };
export const ops = {
  exp: elementwise('exp'),
  tanh: elementwise('tanh'),
  sigmoid: elementwise('sigmoid'),
  erf: elementwise('erf'),
  gelu: { ...elementwise('gelu'), directions: ['forward', 'backward'] },
  add: elementwise('add'),
  sum: elementwise('sum'),
  softmax: { title: 'softmax, 1024 x 1024', op: 'softmax', shape: [1024, 1024], directions: ['forward', 'backward'] },
  layerNorm: { title: 'layerNorm, 1024 x 1024', op: 'layerNorm', shape: [1024, 1024], directions: ['forward', 'backward'] },
  batchNorm: { title: 'batchNorm, 64 x 16 x 28 x 28', op: 'batchNorm', shape: [64, 16, 28, 28], directions: ['forward', 'backward'] },
  maxPool: { title: 'maxPool2d(2), 64 x 16 x 28 x 28', op: 'maxPool', shape: [64, 16, 28, 28], directions: ['forward', 'backward'] },
  embedding: { title: 'embedding, 64 x 64 of 5000 x 128', op: 'embedding', shape: [5000, 128], ids: [64, 64], directions: ['forward', 'backward'] },
  lstm: { title: 'LSTM, B=32, 32 steps, 64 -> 128', op: 'lstm', ...lstm, directions: ['forward', 'backward'], flops: 2 * lstm.batch * lstm.length * (lstm.features + lstm.hidden) * 4 * lstm.hidden },
  attention: { title: 'attention, B=16, 4 heads, 64 x 32', op: 'attention', ...heads, directions: ['forward', 'backward'], flops: 4 * heads.batch * heads.heads * heads.length ** 2 * heads.features },
  multihead: { title: 'multihead attention, B=16, 64 x 128, 4 heads', op: 'multihead', ...block, directions: ['forward', 'backward'], flops: 2 * block.batch * block.length * (4 * block.features ** 2 + 2 * block.length * block.features) },
};
