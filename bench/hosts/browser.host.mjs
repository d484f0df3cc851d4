// What measure.mjs needs of its surroundings in Chromium. Engine, data and the peers' wasm files lie beside the page.

const at = (path) => new URL(path, self.location.origin).href;
const fetched = async (path) => {
  const answer = await fetch(at(path));
  if (!answer.ok) throw new Error(`${path} did not load: ${answer.status}`);
  return answer;
};

// f32x4.relaxed_madd in the smallest module that has it.
const RELAXED = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11,
];

/** As the kernel worker does it; {info, bytesMs, compileMs, readyMs} says where the time went. */
async function startEngine(threads) {
  const { startEngine } = await import('../../engine/api/engine.ts');
  const flavour = `${WebAssembly.validate(Uint8Array.from(RELAXED)) ? 'relaxed' : 'simd'}${threads > 1 ? '-threads' : ''}`;
  const glueUrl = at(`engine/${flavour}.js`);
  const glue = await (await fetched(`engine/${flavour}.js`)).text();
  const bytes = await (await fetched(`engine/${flavour}.wasm`)).arrayBuffer();
  const arrived = performance.now();
  const module = await WebAssembly.compile(bytes);
  const compiled = performance.now();
  // The glue is a classic script, and this worker a module.
  const createEngine = new Function(`${glue}\nreturn createEngine;`)();
  const info = await startEngine({
    createEngine,
    flavour,
    threads,
    module: {
      mainScriptUrlOrBlob: glueUrl,
      poolSize: threads - 1,
      instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
        return {};
      },
    },
  });
  return { ...info, compileMs: compiled - arrived, readyMs: performance.now() - arrived };
}

export const host = {
  startEngine,
  datasets: { read: async (file) => new Uint8Array(await (await fetched(`data/${file.path}`)).arrayBuffer()) },
  paths: { tfjs: at('tfjs/') },
  load: {
    tfjs: async () => ({ tf: await import('@tensorflow/tfjs'), wasm: await import('@tensorflow/tfjs-backend-wasm') }),
    jax: async () => ({ jax: await import('@jax-js/jax'), version: __JAX_VERSION__ }),
    onnxruntime: () => import('onnxruntime-web/wasm'),
  },
};
