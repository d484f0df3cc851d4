// The suites of `npm test`: what each builds first and how it runs. Each run returns
// counts of test cases, or throws when the suite could not run.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreset, nodeForWasm } from '../build/cmake.mjs';
import { buildData, buildPage, buildTypes, collectEngine } from '../build/site.mjs';
import { build } from '../build.mjs';
import { findChromium } from '../setup/chromium.mjs';
import { root, run, say, SetupError } from '../setup/common.mjs';
import { setup } from '../setup.mjs';
import { gtestCounts, vitestCounts } from './report.mjs';

const reports = join(root, 'build/reports');

function freshReport(name) {
  mkdirSync(reports, { recursive: true });
  const path = join(reports, `${name}.json`);
  rmSync(path, { force: true });
  return path;
}

const engineTests = (preset) => async () => {
  await buildPreset(preset, ['engine_tests']);
  const wasm = preset.startsWith('wasm');
  const program = join(root, 'build', preset, wasm ? 'engine_tests.js' : 'engine_tests');
  const report = freshReport(preset);
  const args = ['--gtest_brief=1', `--gtest_output=json:${report}`];
  const env = { ASAN_OPTIONS: 'detect_stack_use_after_return=1', UBSAN_OPTIONS: 'print_stacktrace=1' };
  const code = await (wasm
    ? run(nodeForWasm(), [program, ...args], { allowFailure: true, env })
    : run(program, args, { allowFailure: true, env }));
  return complete(gtestCounts(report), code, preset);
};

/** A run that ended badly although no test case failed (a crash, a leak) is a failure of its own. */
function complete(counts, code, name) {
  if (!counts) throw new SetupError(`${name}: the tests ended with code ${code} before they were done.`);
  if (code !== 0 && counts.failed === 0) return { ...counts, failed: 1, failures: [`${name} ended with code ${code}`] };
  return counts;
}

async function vitest(name, paths, options = []) {
  const present = paths.filter((path) => existsSync(join(root, path)));
  if (!present.length) throw new SetupError(`${name}: there are no tests in ${paths.join(', ')}.`);
  const report = freshReport(name);
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...options,
    ...present,
  ];
  const code = await run(nodeForWasm(), args, { allowFailure: true, env: { CHROMIUM: findChromium() ?? '' } });
  return complete(vitestCounts(report), code, name);
}

const sum = (list) =>
  list.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
  }));

/** Tests under Node use the engine with and without threads: their wasm must be there. */
async function forNode() {
  await setup(['npm']);
  // Where the ONNX models cannot be had, their tests say that they are skipped.
  await setup(['onnx']).catch((error) => say(error.message));
  await buildTypes();
  for (const preset of ['wasm-relaxed', 'wasm-relaxed-threads']) await buildPreset(preset, ['engine']);
  collectEngine();
  // The native build is asked what the WebAssembly build was asked.
  await buildPreset('native', ['engine_replay']);
  await buildData();
}

/** Folders of TypeScript tests that need no browser; new ones are found by themselves. */
const nodeFolders = () =>
  readdirSync(join(root, 'tests'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['engine', 'web', 'lessons', 'fixtures'].includes(entry.name))
    .map((entry) => `tests/${entry.name}/`);

export const suites = {
  native: { text: 'the engine, on this machine', run: engineTests('native') },
  asan: { text: 'the same with address and undefined-behaviour sanitizers', run: engineTests('native-asan') },
  wasm: {
    text: 'the same as WebAssembly under Node, relaxed and plain SIMD',
    run: async () => (await setup(['npm']), sum([await engineTests('wasm-relaxed')(), await engineTests('wasm-simd')()])),
  },
  layers: { text: 'who may import whom', run: async () => (await setup(['npm']), vitest('layers', ['tests/layers.test.ts'])) },
  notebook: {
    text: 'the TypeScript API, notebook and data sets, under Node',
    run: async () => (await forNode(), vitest('notebook', nodeFolders())),
  },
  lessons: {
    text: 'every lesson from first to last cell, under Node',
    run: async () => (await forNode(), vitest('lessons', ['tests/lessons/'])),
  },
  browser: {
    text: 'the built page in Chromium',
    run: async () => {
      await setup(['npm', 'chromium']);
      await build(['types', 'wasm', 'ui', 'data']);
      await buildPage();
      // Two pages that train at once on a small machine would wait for each other past every time limit.
      // One that did not answer in time is tried once more.
      return vitest('browser', ['tests/web/'], ['--no-file-parallelism', '--retry=1']);
    },
  },
};
