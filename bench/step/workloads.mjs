// The work of `npm run bench -- step`, described once: shapes, batch, optimizer, and the same synthetic data for every library.

/** Numbers in [0, 1) from a fixed seed, the same in every process. */
export function randomSource(seed = 1) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 16777216;
  };
}

const mlpLayers = [
  [784, 256],
  [256, 128],
  [128, 10],
];

/** name -> what is trained. `flops` counts multiply and add of all products of one step: forward, both gradients, without the first layer's input gradient. */
export const workloads = {
  linear: { title: 'linear regression, B=32, SGD', batch: 32, features: [1], classes: 0, flops: 0 },
  'mlp-32': { title: 'MLP 784-256-128-10, Adam, B=32', batch: 32, features: [784], classes: 10, layers: mlpLayers },
  mlp: { title: 'MLP 784-256-128-10, Adam, B=128', batch: 128, features: [784], classes: 10, layers: mlpLayers },
  lenet: { title: 'LeNet (conv 6, conv 16, 120-84-10), Adam, B=64', batch: 64, features: [1, 28, 28], classes: 10 },
  cnn: { title: 'CNN 8-16 (3x3, padding 1), Adam, B=64', batch: 64, features: [1, 28, 28], classes: 10 },
};

/** One batch: features uniform in [0, 1), class ids (or for `linear` targets on the line 3x + 2 with noise). */
export function batchOf(workload) {
  const random = randomSource(7);
  const count = workload.batch * workload.features.reduce((a, b) => a * b, 1);
  const features = Float32Array.from({ length: count }, () => random());
  const classIds = Int32Array.from({ length: workload.batch }, () => Math.floor(random() * 10));
  const targets = Float32Array.from(features.slice(0, workload.batch), (x) => 3 * x + 2 + 0.1 * (random() - 0.5));
  return { features, classIds, targets };
}

/** A weight tensor drawn uniformly with PyTorch's default bound 1/sqrt(fan in). */
export function weights(shape, fanIn, random) {
  const bound = 1 / Math.sqrt(fanIn);
  return Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => (2 * random() - 1) * bound);
}

/** Parameters of a workload in order, as {shape, values}; weights are [out, in] and [out, in, height, width]. */
export function parametersOf(name) {
  const random = randomSource(3);
  const pair = (shape, fanIn) => [
    { shape, values: weights(shape, fanIn, random) },
    { shape: [shape[0]], values: weights([shape[0]], fanIn, random) },
  ];
  if (name === 'linear') return pair([1, 1], 1);
  if (name.startsWith('mlp')) return mlpLayers.flatMap(([input, output]) => pair([output, input], input));
  if (name === 'lenet')
    return [pair([6, 1, 5, 5], 25), pair([16, 6, 5, 5], 150), pair([120, 256], 256), pair([84, 120], 120), pair([10, 84], 84)].flat();
  return [pair([8, 1, 3, 3], 9), pair([16, 8, 3, 3], 72), pair([10, 784], 784)].flat();
}
