// `npm run bench -- NAME`: builds what a benchmark needs and runs it.
import { join } from 'node:path';
import { buildPreset, nodeForWasm } from './build/cmake.mjs';
import { buildTypes, collectEngine } from './build/site.mjs';
import { command, setup } from './setup.mjs';
import { root, run, say, SetupError } from './setup/common.mjs';

const help = `npm run bench -- NAME [options]

  step             milliseconds per training step beside other libraries (step --help)
  kernels          the kernels, on this machine (kernels [group] [threads])
  kernels-wasm     the same as WebAssembly under Node, one thread`;

const benchmarks = {
  async step(args) {
    await setup(['npm']);
    if (!args.includes('--help')) {
      await buildTypes();
      for (const preset of ['wasm-relaxed-threads', 'wasm-relaxed']) await buildPreset(preset, ['engine']);
      collectEngine();
    }
    return run(nodeForWasm(), ['--no-warnings', 'bench/step.mjs', ...args], { allowFailure: true });
  },
  async kernels(args) {
    await buildPreset('native', ['kernels_bench']);
    return run(join(root, 'build/native/kernels_bench'), args, { allowFailure: true });
  },
  async 'kernels-wasm'(args) {
    await setup(['npm']);
    await buildPreset('wasm-relaxed', ['kernels_bench']);
    return run(nodeForWasm(), [join(root, 'build/wasm-relaxed/kernels_bench.js'), ...args], { allowFailure: true });
  },
};

await command((args) => {
  const [name, ...rest] = args;
  if (!name || name === '--help' || name === '-h') return say(help);
  if (!benchmarks[name]) throw new SetupError(`There is no benchmark ${name}.\n${help}`);
  return benchmarks[name](rest);
});
