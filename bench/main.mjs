// `npm run bench -- NAME`: measures Gradbook beside its peers on the same work, on this machine, in one run.
import { parseArgs } from 'node:util';
import { benches } from './benches.mjs';
import { browserRunner, nodeRunner, torchRunner } from './hosts/runners.mjs';
import { printJson, printTables } from './report.mjs';
import { profileStep } from './profile.mjs';
import { forwards, steps } from './works.mjs';

const usage = `npm run bench -- [NAME] [options]

Names (without one: all of them, one after the other):
${Object.entries(benches).map(([name, { title }]) => `  ${name.padEnd(8)}${title}`).join('\n')}
  kernels  the C++ kernels without the API, native (kernels-wasm: as WebAssembly under Node)
  notebook the page with 10, 60 and 200 cells in headless Chromium
  views   what watching costs a training: frames, layout shift, memory, pace (headless Chromium; --seconds N of it)

Options:
  --browser      in headless Chromium on an isolated page, instead of Node ${process.versions.node.split('.')[0]}
  --threads N    threads of Gradbook and of the peers that obey (default 2)
  --seconds N    how long each library does each work in a round (default: each bench has its own)
  --rounds N     how often everything is measured; the best median counts (default 2)
  --only A,B     these works only
  --peers A,B    these peers only: pytorch, jax-js, tfjs, onnxruntime-web, or none
  --json         one line of JSON for each bench instead of tables
  --profile WORK of step: each op's time in one step of WORK (${Object.keys(steps).slice(3).join(', ')}, ...), against the ceiling
  --help         this text`;

function fail(message) {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}

function options() {
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        browser: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        threads: { type: 'string', default: '2' },
        seconds: { type: 'string' },
        rounds: { type: 'string', default: '2' },
        only: { type: 'string' },
        peers: { type: 'string' },
        profile: { type: 'string' },
      },
    });
  } catch (error) {
    fail(error.message);
  }
  const { values, positionals } = parsed;
  for (const name of positionals) if (!benches[name]) fail(`There is no benchmark "${name}".`);
  for (const key of ['threads', 'rounds', 'seconds']) {
    if (values[key] === undefined) continue;
    values[key] = Number(values[key]);
    if (!(values[key] > 0) || (key !== 'seconds' && !Number.isInteger(values[key]))) fail(`--${key} needs a number above 0.`);
  }
  if (values.profile && !{ ...steps, ...forwards }[values.profile]) fail(`--profile: there is no work "${values.profile}". Works: ${Object.keys(steps).join(', ')}`);
  return { ...values, names: positionals, only: values.only?.split(','), peers: values.peers?.split(',') };
}

const chosen = options();
if (chosen.help) {
  console.log(usage);
  process.exit(0);
}
const names = chosen.names.length ? chosen.names : Object.keys(benches);
if (chosen.only) {
  const known = names.flatMap((name) => benches[name].works);
  for (const work of chosen.only) if (!known.includes(work)) fail(`There is no work "${work}" in ${names.join(', ')}. Works: ${known.join(', ')}`);
}

const runner = chosen.browser ? await browserRunner() : nodeRunner();
const wantsTorch = !chosen.peers || chosen.peers.includes('pytorch');
const torch = wantsTorch ? await torchRunner() : undefined;
const note = chosen.json || !process.stderr.isTTY ? () => {} : (text) => process.stderr.write(`\r\x1b[K${text}`);
try {
  const context = { ...chosen, runner, torch, note };
  if (chosen.profile) {
    await profileStep(chosen.profile, context);
  } else {
    for (const name of names) {
      const bench = benches[name];
      if (chosen.only && !bench.works.some((work) => chosen.only.includes(work))) continue;
      const result = await bench.run(context);
      note('');
      (chosen.json ? printJson : printTables)(name, bench.title, result, context);
    }
  }
} finally {
  await runner.close();
}
