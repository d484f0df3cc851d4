// Gradbook, written as a learner writes it: layers, a loss, backward(), an optimizer.
import * as api from '../../engine/api/index.ts';
import { breath, drainMetrics, memoryUse, setHooks, warmUp } from '../../engine/api/host.ts';
import { time } from '../measure.mjs';
import { batchOf, convolutions, layersOf, numbers, ops as opWorks, parametersOf, products } from '../works.mjs';

const { capture, data, evaluate, fit, gradients, log, nn, noGrad, ops, optim, tensor } = { ...api };

let host;
let info;

export async function start(given, { threads }) {
  host = given;
  info = await host.startEngine(threads);
  setHooks({ datasets: host.datasets });
  return `Gradbook ${info.flavour}`;
}

const filled = (shape, seed) => tensor(numbers(shape, seed)).reshape(shape);

function modelOf(spec) {
  const { model, width, size } = spec;
  const made = {
    linear: () => nn.linear(1, 1),
    mlp: () => nn.sequential(nn.linear(784, width), nn.relu(), nn.linear(width, width / 2), nn.relu(), nn.linear(width / 2, 10)),
    lenet: () =>
      nn.sequential(
        nn.conv2d(1, 6, 5), nn.relu(), nn.maxPool2d(2),
        nn.conv2d(6, 16, 5), nn.relu(), nn.maxPool2d(2),
        nn.flatten(), nn.linear(256, 120), nn.relu(), nn.linear(120, 84), nn.relu(), nn.linear(84, 10),
      ),
    cnn: () =>
      nn.sequential(
        nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
        nn.conv2d(8, 16, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
        nn.flatten(), nn.linear(16 * (size >> 2) ** 2, 10),
      ),
  }[model]();
  const keys = Object.keys(made.stateDict());
  made.loadStateDict(Object.fromEntries(parametersOf(spec).map(({ shape, values }, i) => [keys[i], tensor(values).reshape(shape)])));
  return made;
}

function trainingOf(spec) {
  const model = modelOf(spec);
  const batch = batchOf(spec);
  const isLine = spec.model === 'linear';
  const x = isLine || spec.model === 'mlp' ? tensor(batch.features).reshape([spec.batch, -1]) : tensor(batch.features).reshape([spec.batch, 1, spec.size, spec.size]);
  const y = isLine ? tensor(batch.targets).reshape([spec.batch, 1]) : tensor(batch.classIds);
  const optimizer = isLine ? optim.sgd(model.parameters(), { lr: 0.1 }) : optim.adam(model.parameters(), { lr: 1e-3 });
  const lossOf = isLine ? nn.mse : nn.crossEntropy;
  const stepOn = (x, y) => {
    const logits = model(x);
    const loss = lossOf(logits, y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return { loss, logits };
  };
  return { model, x, y, stepOn, step: () => stepOn(x, y) };
}

/** Milliseconds and memory of one training step; `mode` is 'eager' or 'captured'. */
function prepareStep({ spec, mode = 'eager' }) {
  const { x, y, step, stepOn } = trainingOf(spec);
  if (mode === 'captured') {
    if (!capture) return undefined;
    const captured = capture((x, y) => stepOn(x, y).loss);
    let last;
    return { run: () => { last = captured(x, y); }, loss: () => last.item(), memory: peakOf, captured };
  }
  let last;
  return {
    run: () => { last = step().loss; },
    loss: () => last.item(),
    memory: peakOf,
  };
}

const peakOf = () => ({ peakBytes: memoryUse().peakBytes, heapBytes: memoryUse().heapBytes });

function prepareForward({ spec }) {
  const { model, x } = trainingOf(spec);
  model.eval?.();
  return { run: () => noGrad(() => model(x)) };
}

function prepareProduct({ work }) {
  const { size, transposed } = products[work];
  const [x, y] = [filled([size, size], 1), filled([size, size], 2)];
  const [a, b] = [transposed === 'a' ? x.transpose(0, 1) : x, transposed === 'b' ? y.transpose(0, 1) : y];
  return { run: () => noGrad(() => a.matmul(b).dispose()) };
}

/** Forward without a tape, or all gradients of one call, again and again. */
function directed(direction, inputs, call) {
  if (direction === 'forward') return { run: () => noGrad(() => call().dispose()) };
  for (const input of inputs) input.requiresGrad = true;
  const root = call();
  const upstream = filled(root.shape, 9);
  return {
    run: () => {
      for (const gradient of gradients(root, inputs, { upstream, retainGraph: true })) gradient?.dispose();
    },
  };
}

function prepareConvolution({ work, direction }) {
  const { batch, input, output, size, weight, stride, padding, dilation, groups, transposed } = convolutions[work];
  const x = filled([batch, input, size, size], 1);
  const w = filled(weight, 2);
  const b = filled([output], 3);
  const options = { stride, padding, dilation, groups };
  return directed(direction, [x, w, b], () => (transposed ? ops.convTranspose2d(x, w, b, options) : ops.conv2d(x, w, b, options)));
}

function prepareOp({ work, direction }) {
  const { op, shape, ...sizes } = opWorks[work];
  if (op === 'lstm') {
    const layer = nn.lstm(sizes.features, sizes.hidden);
    const x = filled([sizes.length, sizes.batch, sizes.features], 1);
    return directed(direction, [x, ...layer.parameters()], () => layer(x)[0]);
  }
  if (op === 'attention') {
    const [q, k, v] = [1, 2, 3].map((seed) => filled([sizes.batch, sizes.heads, sizes.length, sizes.features], seed));
    return directed(direction, [q, k, v], () => ops.scaledDotProductAttention(q, k, v));
  }
  if (op === 'multihead') {
    const layer = nn.multiheadAttention(sizes.features, sizes.heads);
    const x = filled([sizes.batch, sizes.length, sizes.features], 1);
    return directed(direction, [x, ...layer.parameters()], () => layer(x));
  }
  const x = filled(shape, 1);
  if (op === 'embedding') {
    const ids = tensor(Int32Array.from(numbers(sizes.ids, 4), (value) => Math.floor(((value + 1) / 2) * shape[0]))).reshape(sizes.ids);
    return directed(direction, [x], () => ops.embedding(ids, x));
  }
  const width = shape.at(-1);
  const [scale, shift] = [filled([op === 'batchNorm' ? shape[1] : width], 2), filled([op === 'batchNorm' ? shape[1] : width], 3)];
  const calls = {
    add: () => x.add(x),
    softmax: () => x.softmax(-1),
    layerNorm: () => ops.layerNorm(x, scale, shift),
    batchNorm: () => ops.batchNorm(x, null, null, scale, shift, { training: true }),
    maxPool: () => x.maxPool2d(2),
  };
  return directed(direction, op.endsWith('Norm') ? [x, scale, shift] : [x], calls[op] ?? (() => x[op]()));
}

/** Warms up as the kernel of a page does while nobody has asked for a run. */
async function rest() {
  for (const _ of warmUp()) await new Promise((resolve) => setTimeout(resolve));
}

/** MNIST's 60,000 images through the CNN, as one cell in a page at rest: model, training, exam. */
async function prepareEpoch({ examples = 60_000, epochs = 2 }) {
  await rest();
  const before = performance.now();
  const { train, test } = await data.mnist({ train: examples, test: 'all' });
  const loadSeconds = (performance.now() - before) / 1000;
  const cell = async () => {
    api.manualSeed(1);
    const model = nn.sequential(
      nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
      nn.conv2d(8, 16, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
      nn.flatten(), nn.linear(784, 10),
    );
    const optimizer = optim.adam(model.parameters(), { lr: 2e-3 });
    const started = performance.now();
    // From step to step: batch, step, log() and whatever else comes between.
    const times = [];
    let last = started;
    const onStep = () => {
      const now = performance.now();
      times.push(now - last);
      last = now;
    };
    await fit(model, train, { epochs, batchSize: 64, optimizer, onStep });
    const trained = performance.now();
    times.sort((a, b) => a - b);
    const { accuracy } = await evaluate(model, test);
    drainMetrics();
    return { seconds: (performance.now() - started) / 1000, trainSeconds: (trained - started) / 1000, accuracy, loadSeconds, stepMs: times[times.length >> 1], tenthMs: times[Math.floor(times.length / 10)], ...peakOf() };
  };
  return { once: cell };
}

/** Milliseconds per batch of the data path alone: 64 shuffled images as float32, with labels. */
async function prepareBatches() {
  const { train } = await data.mnist({ train: 10_000, test: 0 });
  let batches = train.batches(64, { epochs: Number.POSITIVE_INFINITY, shuffle: true, seed: 1 })[Symbol.iterator]();
  return {
    run: () => {
      const next = batches.next();
      if (next.done) batches = train.batches(64, { epochs: 1000, shuffle: true, seed: 1 })[Symbol.iterator]();
    },
  };
}

/** The first step, and how long the engine took to be ready: at once, or after the engine has warmed up as it does in a page at rest. */
async function prepareFirstStep({ spec, atRest }) {
  if (atRest) await rest();
  const { step } = trainingOf(spec);
  return {
    once: () => {
      const before = performance.now();
      step();
      return { first: performance.now() - before, compileMs: info.compileMs ?? 0, readyMs: info.readyMs ?? 0 };
    },
  };
}

/**
 * What log() and showing its numbers take of the time of steps, in percent. Timed inside the very steps: the difference between
 * steps with and without is far smaller than what other programs on the machine do to both.
 */
function prepareMetrics({ spec, seconds }) {
  const { y, step } = trainingOf(spec);
  const round = async (count) => {
    let logMs = 0;
    const before = performance.now();
    for (let i = 0; i < count; i++) {
      const { loss, logits } = step();
      const accuracy = api.accuracy(logits, y);
      const start = performance.now();
      log({ loss, accuracy });
      if (i % 16 === 0) drainMetrics();
      logMs += performance.now() - start;
      await breath();
    }
    return { logMs, allMs: performance.now() - before };
  };
  return {
    once: async () => {
      await round(200);
      const shares = [];
      for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
        const { logMs, allMs } = await round(64);
        shares.push(logMs / (allMs - logMs));
      }
      shares.sort((a, b) => a - b);
      return { percent: shares[shares.length >> 1] * 100 };
    },
  };
}

/** Each product of a model by itself, forward and backward. */
function prepareLayers({ spec }) {
  let side = spec.size;
  return {
    once: async () => {
      const layers = [];
      for (const [i, { kind, shape, padding }] of layersOf(spec).entries()) {
        const isConv = kind === 'conv';
        const x = filled(isConv ? [spec.batch, shape[1], side, side] : [spec.batch, shape[1]], 1);
        const [w, b] = [filled(shape, 2), filled([shape[0]], 3)];
        const call = () => (isConv ? ops.conv2d(x, w, b, { padding }) : ops.linear(x, w, b));
        const out = isConv ? side + 2 * padding - shape[2] + 1 : 1;
        const flops = 2 * spec.batch * w.elementCount * out * out;
        const forward = await time(directed('forward', [], call).run, 0.25);
        // The first layer's input needs no gradient.
        const backward = await time(directed('backward', i === 0 ? [w, b] : [x, w, b], call).run, 0.25);
        layers.push({
          layer: `${isConv ? 'conv' : 'linear'} ${shape[1]} -> ${shape[0]}${isConv ? `, ${shape[2]}x${shape[3]}, ${side} px` : ''}`,
          op: isConv ? 'conv2d' : 'linear',
          flops,
          forwardMs: forward.median,
          backwardFlops: flops * (i === 0 ? 1 : 2),
          backwardMs: backward.median,
        });
        side = out >> 1;
      }
      return { layers };
    },
  };
}

/** Each op's time in one training step, forward and backward. */
async function prepareProfile({ spec, steps = 200 }) {
  const { x, y, step, stepOn } = trainingOf(spec);
  for (let i = 0; i < steps; i++) step();
  return {
    once: async () => {
      const captured = capture?.((x, y) => stepOn(x, y).loss);
      if (captured) captured.timed = true;
      for (let i = 0; i < 4 + steps; i++) captured?.(x, y);
      const program = captured?.explain();
      const rows = await api.profile(() => {
        for (let i = 0; i < steps; i++) step();
      });
      return { steps, rows, program };
    },
  };
}

const preparers = {
  step: prepareStep,
  forward: prepareForward,
  matmul: prepareProduct,
  conv: prepareConvolution,
  op: prepareOp,
  epoch: prepareEpoch,
  batches: prepareBatches,
  firstStep: prepareFirstStep,
  metrics: prepareMetrics,
  layers: prepareLayers,
  profile: prepareProfile,
};
export const prepare = (job) => preparers[job.kind]?.(job);
