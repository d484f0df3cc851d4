// jax-js with its WebAssembly back end: the whole step, Adam included, under one jit. Every use of an array but the last takes .ref.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { batchOf, parametersOf, workloads } from './workloads.mjs';

const require = createRequire(import.meta.url);

export async function prepare(name) {
  const jax = await import('@jax-js/jax');
  const { numpy: np, nn, lax, jit, valueAndGrad, tree } = jax;
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  const workload = workloads[name];
  const batch = batchOf(workload);
  const array = (values, shape) => np.array(values, { shape });
  const params = parametersOf(name).map(({ shape, values }) => array(values, shape));

  const dense = (x, w, b) => np.matmul(x, np.transpose(w)).add(b);
  const block = (h, w, b, padding) => {
    const out = w.shape[0];
    return lax.reduceWindow(nn.relu(lax.conv(h, w, [1, 1], padding).add(b.reshape([1, out, 1, 1]))), np.max, [2, 2], [2, 2]);
  };
  const model = {
    linear: (p, x) => dense(x, p[0], p[1]),
    mlp: (p, x) => dense(nn.relu(dense(nn.relu(dense(x, p[0], p[1])), p[2], p[3])), p[4], p[5]),
    lenet: (p, x) => {
      const h = block(block(x, p[0], p[1], 'VALID'), p[2], p[3], 'VALID').reshape([workload.batch, 256]);
      return dense(nn.relu(dense(nn.relu(dense(h, p[4], p[5])), p[6], p[7])), p[8], p[9]);
    },
    cnn: (p, x) => dense(block(block(x, p[0], p[1], 'SAME'), p[2], p[3], 'SAME').reshape([workload.batch, 784]), p[4], p[5]),
  }[name.split('-')[0]];
  const lossOf =
    name === 'linear'
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

  const x = array(batch.features, [workload.batch, ...workload.features]);
  const y = name === 'linear' ? array(batch.targets, [32, 1]) : nn.oneHot(np.array(batch.classIds, { dtype: np.int32 }), 10);
  let state = { p: params, m: name === 'linear' ? [] : zeros(), v: name === 'linear' ? [] : zeros(), t: 0, loss: undefined };
  const pkg = JSON.parse(readFileSync(path.join(path.dirname(require.resolve('@jax-js/jax')), '../package.json'), 'utf8'));
  return {
    version: `jax-js ${pkg.version} wasm`,
    step: async () => {
      state.loss?.dispose();
      state.t++;
      if (name === 'linear') {
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
