// jax-js with its WebAssembly back end: the whole step, Adam included, under one jit. Every use of an array but the last takes .ref.
import { batchOf, convolutions, featuresOf, numbers, ops as opWorks, parametersOf, products } from '../works.mjs';

let jax;

export async function start(host) {
  const loaded = await host.load.jax();
  jax = loaded.jax;
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  return `jax-js ${loaded.version} wasm`;
}

const array = (values, shape) => jax.numpy.array(values, { shape });
const filled = (shape, seed) => array(numbers(shape, seed), shape);

function modelOf(spec) {
  const { numpy: np, nn, lax } = jax;
  const dense = (x, w, b) => np.matmul(x, np.transpose(w)).add(b);
  const block = (h, w, b, padding) =>
    lax.reduceWindow(nn.relu(lax.conv(h, w, [1, 1], padding).add(b.reshape([1, w.shape[0], 1, 1]))), np.max, [2, 2], [2, 2]);
  return {
    linear: (p, x) => dense(x, p[0], p[1]),
    mlp: (p, x) => dense(nn.relu(dense(nn.relu(dense(x, p[0], p[1])), p[2], p[3])), p[4], p[5]),
    lenet: (p, x) => {
      const h = block(block(x, p[0], p[1], 'VALID'), p[2], p[3], 'VALID').reshape([spec.batch, 256]);
      return dense(nn.relu(dense(nn.relu(dense(h, p[4], p[5])), p[6], p[7])), p[8], p[9]);
    },
    cnn: (p, x) => dense(block(block(x, p[0], p[1], 'SAME'), p[2], p[3], 'SAME').reshape([spec.batch, 16 * (spec.size >> 2) ** 2]), p[4], p[5]),
  }[spec.model];
}

const inputsOf = (spec) => array(batchOf(spec).features, [spec.batch, ...featuresOf(spec)]);
const paramsOf = (spec) => parametersOf(spec).map(({ shape, values }) => array(values, shape));

function prepareStep({ spec, mode = 'eager' }) {
  if (mode !== 'eager') return undefined;
  const { numpy: np, nn, jit, valueAndGrad, tree } = jax;
  const batch = batchOf(spec);
  const params = paramsOf(spec);
  const model = modelOf(spec);
  const isLine = spec.model === 'linear';
  const lossOf = isLine
    ? (p, x, y) => np.mean(np.square(model(p, x).sub(y)))
    : (p, x, y) => np.mean(np.sum(nn.logSoftmax(model(p, x)).mul(y), 1)).mul(-1);

  const zeros = () => params.map((p) => np.zeros(p.shape));
  const adam = jit((p, m, v, correction1, correction2, x, y) => {
    const [loss, g] = valueAndGrad(lossOf)(tree.ref(p), x, y);
    const m1 = m.map((mi, i) => mi.mul(0.9).add(g[i].ref.mul(0.1)));
    const v1 = v.map((vi, i) => vi.mul(0.999).add(np.square(g[i]).mul(0.001)));
    const p1 = p.map((pi, i) => pi.sub(m1[i].ref.mul(correction1.ref).mul(1e-3).div(np.sqrt(v1[i].ref.mul(correction2.ref)).add(1e-8))));
    correction1.dispose?.();
    correction2.dispose?.();
    return [loss, p1, m1, v1];
  });
  const sgd = jit((p, x, y) => {
    const [loss, g] = valueAndGrad(lossOf)(tree.ref(p), x, y);
    return [loss, p.map((pi, i) => pi.sub(g[i].mul(0.1)))];
  });

  const x = inputsOf(spec);
  const y = isLine ? array(batch.targets, [spec.batch, 1]) : nn.oneHot(np.array(batch.classIds, { dtype: np.int32 }), 10);
  let state = { p: params, m: isLine ? [] : zeros(), v: isLine ? [] : zeros(), t: 0, loss: undefined };
  return {
    run: async () => {
      state.loss?.dispose();
      state.t++;
      if (isLine) {
        const [loss, p] = sgd(state.p, x.ref, y.ref);
        state = { ...state, p, loss };
      } else {
        const [loss, p, m, v] = adam(state.p, state.m, state.v, np.array(1 / (1 - 0.9 ** state.t)), np.array(1 / (1 - 0.999 ** state.t)), x.ref, y.ref);
        state = { p, m, v, t: state.t, loss };
      }
      await jax.blockUntilReady(state.p);
    },
    loss: () => state.loss.ref.js(),
  };
}

/** Calls a jitted function of arrays, which keep being ours. */
function jitted(call, inputs) {
  const compiled = jax.jit(call);
  return {
    run: async () => {
      const result = compiled(...inputs.map((input) => input.ref));
      await jax.blockUntilReady(result);
      result.dispose();
    },
  };
}

function prepareForward({ spec }) {
  const model = modelOf(spec);
  const params = paramsOf(spec);
  return jitted((x, ...p) => model(p, x), [inputsOf(spec), ...params]);
}

function prepareProduct({ work }) {
  const { numpy: np } = jax;
  const { size, transposed } = products[work];
  const calls = { '': (a, b) => np.matmul(a, b), a: (a, b) => np.matmul(np.transpose(a), b), b: (a, b) => np.matmul(a, np.transpose(b)) };
  return jitted(calls[transposed], [filled([size, size], 1), filled([size, size], 2)]);
}

function prepareConvolution({ work, direction }) {
  const { batch, input, size, weight, stride, padding, dilation, groups, transposed } = convolutions[work];
  if (direction !== 'forward' || transposed) return undefined;
  const pads = [[padding, padding], [padding, padding]];
  const options = { rhsDilation: [dilation, dilation], featureGroupCount: groups };
  return jitted((x, w) => jax.lax.convGeneralDilated(x, w, [stride, stride], pads, options), [filled([batch, input, size, size], 1), filled(weight, 2)]);
}

function prepareOp({ work, direction }) {
  const { numpy: np, nn } = jax;
  const { op, shape } = opWorks[work];
  if (direction !== 'forward' || !shape) return undefined;
  const calls = { exp: np.exp, tanh: np.tanh, sigmoid: nn.sigmoid, erf: jax.lax.erf, gelu: nn.gelu, sum: np.sum, softmax: nn.softmax };
  if (op === 'add') return jitted((x) => x.ref.add(x), [filled(shape, 1)]);
  return calls[op] && jitted((x) => calls[op](x), [filled(shape, 1)]);
}

const preparers = { step: prepareStep, forward: prepareForward, matmul: prepareProduct, conv: prepareConvolution, op: prepareOp };
export const prepare = (job) => preparers[job.kind]?.(job);
