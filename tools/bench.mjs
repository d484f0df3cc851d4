// `npm run bench -- [NAME]`: builds what the benchmarks need and runs them; bench/main.mjs has the options.
import { join } from 'node:path';
import { buildPreset, nodeForWasm } from './build/cmake.mjs';
import { buildBenchPage, buildData, buildPage, buildTypes, collectEngine } from './build/site.mjs';
import { command, setup } from './setup.mjs';
import { quietly, root, run } from './setup/common.mjs';

async function kernels(args) {
  await buildPreset('native', ['kernels_bench']);
  return run(join(root, 'build/native/kernels_bench'), args, { allowFailure: true });
}

async function kernelsWasm(args) {
  await setup(['npm']);
  await buildPreset('wasm-relaxed', ['kernels_bench']);
  return run(nodeForWasm(), [join(root, 'build/wasm-relaxed/kernels_bench.js'), ...args], { allowFailure: true });
}

/** Programs that measure the built page: `notebook`, `views`. */
async function page(name, args) {
  const build = async () => {
    await setup(['npm', 'chromium']);
    await buildTypes();
    for (const preset of ['wasm-relaxed-threads', 'wasm-relaxed']) await buildPreset(preset, ['engine']);
    collectEngine();
    await buildData();
    await buildPage();
  };
  await (args.includes('--json') ? quietly(build) : build());
  return run(nodeForWasm(), ['--no-warnings', `bench/notebook/${name}.mjs`, ...args], { allowFailure: true });
}

async function benches(args) {
  const isAsking = args.includes('--help') || args.includes('-h');
  const build = async () => {
    await setup(['npm']);
    await buildTypes();
    for (const preset of ['wasm-relaxed-threads', 'wasm-relaxed']) await buildPreset(preset, ['engine']);
    collectEngine();
    await buildData();
    if (args.includes('--browser')) {
      await setup(['chromium']);
      await buildBenchPage();
    }
  };
  // With --json the standard output is that one line.
  if (!isAsking) await (args.includes('--json') ? quietly(build) : build());
  return run(nodeForWasm(), ['--no-warnings', 'bench/main.mjs', ...args], { allowFailure: true });
}

await command(([name, ...rest]) => {
  if (name === 'kernels') return kernels(rest);
  if (name === 'kernels-wasm') return kernelsWasm(rest);
  if (name === 'notebook' || name === 'views') return page(name, rest);
  return benches(name === undefined ? [] : [name, ...rest]);
});
