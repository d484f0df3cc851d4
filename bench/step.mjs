// `npm run bench -- step`: milliseconds per training step of small teaching models, Gradbook beside its peers on the same
// data and the same machine, in one run. Each library runs in a process of its own, in turns, so that none warms up another.
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { workloads } from './step/workloads.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const usage = `Usage: npm run bench -- step [--seconds N] [--rounds N] [--only NAME,...] [--json]
Times one training step (forward, backward, optimizer) of: ${Object.keys(workloads).join(', ')}.
  --seconds N  how long each library trains each workload in a round (default 2)
  --rounds N   how often the whole table is measured; the best median counts (default 2)
  --only A,B   these workloads only
  --json       one JSON line instead of the table`;

function option(name, fallback) {
  const i = process.argv.indexOf(`--${name}`);
  return i < 0 ? fallback : process.argv[i + 1];
}
if (process.argv.includes('--help')) {
  console.log(usage);
  process.exit(0);
}

const libraries = [
  { key: 'gradbook', title: 'Gradbook, 1 thread', threads: 1 },
  { key: 'gradbook', title: 'Gradbook, 2 threads', threads: 2 },
  { key: 'jax', title: 'jax-js wasm' },
  { key: 'tfjs', title: 'TensorFlow.js wasm' },
];
const seconds = Number(option('seconds', 2));
const rounds = Number(option('rounds', 2));
const names = option('only', Object.keys(workloads).join(',')).split(',');
for (const name of names)
  if (!workloads[name]) {
    console.error(`There is no workload "${name}".\n\n${usage}`);
    process.exit(2);
  }

const results = {};
for (let round = 0; round < rounds; round++)
  for (const name of names)
    for (const library of libraries) {
      if (!process.argv.includes('--json')) process.stderr.write(`\r\x1b[Kround ${round + 1} of ${rounds}: ${workloads[name].title} with ${library.title}`);
      const child = spawnSync(process.execPath, [path.join(here, 'step/one.mjs'), library.key, name, String(seconds), String(library.threads ?? 1)], {
        encoding: 'utf8',
        timeout: 120_000,
      });
      const line = child.stdout?.trim().split('\n').at(-1);
      const measured = line?.startsWith('{') ? JSON.parse(line) : { error: child.error ? 'ran past two minutes' : (child.stderr.trim().split('\n').at(-1) ?? 'no result') };
      const cell = ((results[name] ??= {})[library.title] ??= measured);
      if (measured.median < cell.median) results[name][library.title] = { ...measured, first: cell.first };
    }
if (!process.argv.includes('--json')) process.stderr.write('\r\x1b[K');

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ machine: os.cpus()[0].model, cores: os.cpus().length, node: process.version, step: results }));
} else {
  const digits = (ms) => (ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(2) : ms.toPrecision(2));
  const rows = [['work (ms per step, median; in brackets the first step)', ...libraries.map((l) => l.title)]];
  for (const name of names)
    rows.push([workloads[name].title, ...libraries.map((l) => results[name][l.title]).map((r) => (r.error ? 'cannot' : `${digits(r.median)} (${digits(r.first)})`))]);
  const widths = rows[0].map((_, i) => Math.max(...rows.map((r) => r[i].length)));
  console.log(`${os.cpus()[0].model}, ${os.cpus().length} cores, Node ${process.version}\n`);
  for (const row of rows) console.log(row.map((text, i) => (i ? text.padStart(widths[i]) : text.padEnd(widths[i]))).join('  '));
  const reasons = new Set(names.flatMap((n) => libraries.filter((l) => results[n][l.title].error).map((l) => `${l.title}, ${n}: ${results[n][l.title].error}`)));
  if (reasons.size) console.log(`\nCannot:\n${[...reasons].map((r) => `  ${r}`).join('\n')}`);
}
