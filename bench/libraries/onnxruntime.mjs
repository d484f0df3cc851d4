// onnxruntime-web: forward only, since it no longer trains.
import { batchOf, convolutions, featuresOf, layersOf, numbers, ops as opWorks, parametersOf, products } from '../works.mjs';
import { onnxModel } from './onnx.mjs';

let ort;

export async function start(host, { threads }) {
  ort = await host.load.onnxruntime();
  ort.env.wasm.numThreads = threads;
  ort.env.wasm.proxy = false;
  ort.env.logLevel = 'error';
  return `onnxruntime-web ${ort.env.versions?.web ?? ort.env.versions?.common ?? ''}`.trim();
}

async function session(model, inputs) {
  const made = await ort.InferenceSession.create(onnxModel(model), { executionProviders: ['wasm'] });
  const feeds = Object.fromEntries(Object.entries(inputs).map(([name, { shape, values }]) => [name, new ort.Tensor('float32', values, shape)]));
  return { run: async () => void (await made.run(feeds)) };
}
const drawn = (shape, seed) => ({ shape, values: numbers(shape, seed) });
const run = (nodes, inputs, weights) => session({ nodes, inputs: Object.fromEntries(Object.entries(inputs).map(([name, { shape }]) => [name, shape])), weights }, inputs);

function prepareForward({ spec }) {
  const weights = Object.fromEntries(parametersOf(spec).map((tensor, i) => [`p${i}`, tensor]));
  const layers = layersOf(spec);
  const nodes = [];
  let at = 'x';
  const add = (op, extra = [], attributes = {}) => {
    const output = `h${nodes.length}`;
    nodes.push({ op, inputs: [at, ...extra], output, attributes });
    at = output;
  };
  layers.forEach(({ kind, padding }, i) => {
    const pair = [`p${2 * i}`, `p${2 * i + 1}`];
    if (kind === 'conv') {
      add('Conv', pair, { pads: [padding, padding, padding, padding] });
      add('Relu');
      add('MaxPool', [], { kernel_shape: [2, 2], strides: [2, 2] });
      if (layers[i + 1].kind === 'dense') add('Flatten');
    } else {
      add('Gemm', pair, { transB: 1 });
      if (i < layers.length - 1) add('Relu');
    }
  });
  nodes.at(-1).output = 'y';
  return run(nodes, { x: { shape: [spec.batch, ...featuresOf(spec)], values: batchOf(spec).features } }, weights);
}

function prepareProduct({ work }) {
  const { size, transposed } = products[work];
  const inputs = { a: drawn([size, size], 1), b: drawn([size, size], 2) };
  return run([{ op: 'Gemm', inputs: ['a', 'b'], output: 'y', attributes: { transA: transposed === 'a' ? 1 : 0, transB: transposed === 'b' ? 1 : 0 } }], inputs);
}

function prepareConvolution({ work, direction }) {
  if (direction !== 'forward') return undefined;
  const { batch, input, output, size, weight, stride, padding, dilation, groups, transposed } = convolutions[work];
  const weights = { w: drawn(weight, 2), b: drawn([output], 3) };
  const attributes = { pads: [padding, padding, padding, padding], strides: [stride, stride], dilations: [dilation, dilation], group: groups };
  return run([{ op: transposed ? 'ConvTranspose' : 'Conv', inputs: ['x', 'w', 'b'], output: 'y', attributes }], { x: drawn([batch, input, size, size], 1) }, weights);
}

function prepareOp({ work, direction }) {
  const { op, shape } = opWorks[work];
  const names = { exp: 'Exp', tanh: 'Tanh', sigmoid: 'Sigmoid', erf: 'Erf', softmax: 'Softmax', add: 'Add', maxPool: 'MaxPool' };
  if (direction !== 'forward' || !names[op]) return undefined;
  const attributes = op === 'maxPool' ? { kernel_shape: [2, 2], strides: [2, 2] } : {};
  return run([{ op: names[op], inputs: op === 'add' ? ['x', 'x'] : ['x'], output: 'y', attributes }], { x: drawn(shape, 1) });
}

const preparers = { forward: prepareForward, matmul: prepareProduct, conv: prepareConvolution, op: prepareOp };
export const prepare = (job) => preparers[job.kind]?.(job);
