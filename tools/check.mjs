// `npm run check`: what must hold before a commit. Types of every TypeScript project,
// lint, layers, and (when the native engine is built) fresh generated types.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildTypes } from './build/site.mjs';
import { command, setup } from './setup.mjs';
import { filesBelow, root, run, say, seconds } from './setup/common.mjs';
import { nodeForWasm } from './build/cmake.mjs';

const help = `npm run check -- [types lint layers generated]
Checks what must hold before a commit; without names all of it.`;

const skip = (path) => /\/(node_modules|build|dist|\.git)$/.test(path.replaceAll('\\', '/'));
const npmTool = (path, ...args) => run(nodeForWasm(), [`node_modules/${path}`, ...args], { quiet: true });

const checks = {
  async types() {
    const projects = filesBelow(root, skip).filter((path) => /tsconfig\.json$/.test(path));
    for (const project of projects) {
      const name = relative(root, project);
      // What was found right before is not looked at again unless it, or what it imports, has changed.
      const memory = join(root, 'build/check', `${name.replaceAll(/[\\/]/g, '-')}.tsbuildinfo`);
      await npmTool('typescript/bin/tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', memory, '-p', project);
      say(`  ${name}`);
    }
  },
  lint: () => npmTool('@biomejs/biome/bin/biome', 'lint', '--diagnostic-level=error', '.'),
  layers: () => npmTool('vitest/vitest.mjs', 'run', 'tests/layers.test.ts'),
  async generated() {
    const file = join(root, 'engine/api/ops.generated.d.ts');
    const before = existsSync(file) && readFileSync(file, 'utf8');
    await buildTypes();
    if (readFileSync(file, 'utf8') !== before) throw new Error('engine/api/ops.generated.d.ts was stale; it is written anew: commit it.');
  },
};

await command(async (args) => {
  if (args.includes('--help') || args.includes('-h')) return say(help);
  await setup(['npm']);
  let failed = 0;
  for (const [name, work] of Object.entries(checks)) {
    if (args.length && !args.includes(name)) continue;
    const start = Date.now();
    try {
      await work();
      say(`${name.padEnd(12)}ok, ${seconds(start)}`);
    } catch (error) {
      failed++;
      say(`${name.padEnd(12)}NOT OK: ${error.message}`);
    }
  }
  return failed ? 1 : 0;
});
