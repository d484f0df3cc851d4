// `npm run docs`: the reference, as Markdown in docs/reference and beside the built page as HTML.
import { buildPreset, nodeForWasm } from './build/cmake.mjs';
import { buildTypes, collectEngine } from './build/site.mjs';
import { command, setup } from './setup.mjs';
import { run, say } from './setup/common.mjs';

const help = `npm run docs
Writes docs/reference/*.md from the op table and the documentation of engine/api; and dist/reference/*.html when the page is built.`;

await command(async (args) => {
  if (args.includes('--help') || args.includes('-h')) return say(help);
  await setup(['npm']);
  await buildTypes();
  await buildPreset('wasm-relaxed', ['engine']);
  collectEngine();
  return run(nodeForWasm(), ['--no-warnings', 'tools/reference.mjs'], { allowFailure: true });
});
