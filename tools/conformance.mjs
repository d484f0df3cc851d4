// `npm run conformance`: builds the engine for Node, fetches ONNX's test data and prints the scores.
import { buildPreset, nodeForWasm } from './build/cmake.mjs';
import { buildTypes, collectEngine } from './build/site.mjs';
import { command, setup } from './setup.mjs';
import { findOnnx, setupOnnx } from './setup/onnx.mjs';
import { run, say } from './setup/common.mjs';

const help = `npm run conformance [-- --only NAME] [--json]

  ONNX's node cases, PyTorch's operator samples and training runs, on the engine as WebAssembly in Node.
  --only NAME   operators or cases whose name holds NAME
  --json        the last line is {"onnx": {"passed", "applicable", "total", ...}, ...} and nothing else is said of cases
  The exit code is 1 when a case fails that is not skipped with a reason.`;

await command(async (args) => {
  if (args.includes('--help') || args.includes('-h')) return say(help);
  await setup(['npm']);
  await buildTypes();
  await buildPreset('wasm-relaxed', ['engine']);
  collectEngine();
  if (!findOnnx()) say(`onnx            ${await setupOnnx()}`);
  return run(nodeForWasm(), ['--no-warnings', 'tests/conformance/main.ts', ...args], { allowFailure: true });
});
