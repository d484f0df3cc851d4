// The benches: what each measures and in which order. A bench gives {ceiling, rows, growth?, versions, errors}.
import { gzipSync } from 'node:zlib';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, best, contestants, measureCeiling, Results, rowOf } from './contest.mjs';
import { convolutions, flopsOf, forwards, growth, ops, products, steps } from './works.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const wanted = (works, { only }) => Object.keys(works).filter((work) => !only || only.includes(work));
const isWanted = (work, { only }) => !only || only.includes(work);

async function stepBench(context) {
  const { note, seconds = 0.6, rounds, threads } = context;
  const results = new Results();
  const names = wanted(steps, context);
  const forwardNames = wanted(forwards, context);
  let ceiling;
  for (let round = 1; round <= rounds; round++) {
    ceiling = best(ceiling, await measureCeiling(context));
    for (const work of names)
      for (const contestant of contestants(context, { modes: ['captured', 'eager'] })) {
        note(`step, round ${round} of ${rounds}: ${steps[work].title}, ${contestant.title}`);
        const answer = await ask(context, contestant, [{ kind: 'step', spec: steps[work], mode: contestant.mode, seconds }]);
        results.addAnswer(answer, contestant, [work]);
      }
    if (forwardNames.length)
      for (const contestant of contestants(context, { withOnnx: true })) {
        note(`step, round ${round} of ${rounds}: forward only, ${contestant.title}`);
        const answer = await ask(context, contestant, forwardNames.map((work) => ({ kind: 'forward', spec: forwards[work], seconds: seconds / 3 })));
        results.addAnswer(answer, contestant, forwardNames);
      }
  }
  const rows = [...names, ...forwardNames].map((work) => rowOf(work, { ...steps, ...forwards }[work].title, 'ms', results.of(work), context));
  for (const row of rows) {
    const spec = steps[row.work];
    if (spec && flopsOf(spec) > 1e6)
      for (const times of [row, row.tenth]) if (times.ours1t) times.share1t = Number((flopsOf(spec) / times.ours1t / 1e6 / ceiling.ceiling).toFixed(3));
  }
  const memory = ['captured', 'eager'].map((mode) => results.of('lenet-b64')[`${mode}-${threads}`]?.peakBytes).find(Boolean);
  if (memory) rows.push({ work: 'lenet-b64-memory', title: 'LeNet step, most bytes in use at once', unit: 'MB', ours: Number((memory / 1e6).toFixed(2)), peers: {} });
  if (isWanted('metrics-lenet-b64', context)) {
    note('step: metrics on and off');
    const { results: [metrics] } = await context.runner.run({ library: 'gradbook', threads, jobs: [{ kind: 'metrics', spec: steps['lenet-b64'], seconds: seconds * 4 }] });
    if (metrics.error) results.errors.metrics = metrics.error;
    else rows.push({ work: 'metrics-lenet-b64', title: 'LeNet step: share of log() and of draining its ring', unit: '%', ours: Number(metrics.percent.toFixed(2)), peers: {} });
  }
  const grown = context.only ? [] : await growthRows(context, results);
  return { ...ceiling, rows, growth: grown, versions: results.versions, errors: results.errors };
}

/** Milliseconds per step while one size grows. */
async function growthRows(context, results) {
  const { note, threads, torch } = context;
  const who = [{ key: 'ours', library: 'gradbook', threads }, ...(torch ? [{ key: 'pytorch-1t', library: 'pytorch', threads: 1 }] : [])];
  const tables = growth.map(({ by, title, values }) => ({ by, title, values, unit: 'ms' }));
  for (const contestant of who) {
    note(`step: growth, ${contestant.key}`);
    const jobs = growth.flatMap(({ values, spec }) => values.map((value) => ({ kind: 'step', spec: spec(value), seconds: 0.25 })));
    const answer = await ask(context, contestant, jobs);
    let at = 0;
    for (const table of tables)
      table[contestant.key] = table.values.map(() => {
        const result = answer.results[at++];
        if (result?.error) results.errors[`${contestant.key}, growth by ${table.by}`] = result.error;
        return result?.median && Number(result.median.toPrecision(4));
      });
  }
  return tables;
}

/** Works that are timed alone, all works of a library in one process: products, convolutions, ops. */
async function parallelBench(context, kind, works, { defaultSeconds, withOnnx = true }) {
  const { note, rounds, seconds = defaultSeconds } = context;
  const results = new Results();
  let ceiling;
  for (let round = 1; round <= rounds; round++) {
    ceiling = best(ceiling, await measureCeiling(context));
    for (const contestant of contestants(context, { withOnnx })) {
      note(`${kind}, round ${round} of ${rounds}: ${contestant.title}`);
      const jobs = works.map(({ base, direction, sizes }) => ({ kind, work: base, direction, sizes, seconds }));
      const answer = await ask(context, contestant, jobs);
      results.addAnswer(answer, contestant, works.map(({ work }) => work));
    }
  }
  const rows = works.map(({ work, title, flops }) => {
    const found = results.of(work);
    if (!flops) return rowOf(work, title, 'ms', found, context);
    const row = rowOf(work, title, 'GFLOP/s', found, context, (ms) => flops / ms / 1e6);
    const alone = row.ours1t ?? row.ours;
    return { ...row, ...(alone && { share1t: Number((alone / ceiling.ceiling).toFixed(3)), tenth: { ...row.tenth, share1t: Number(((row.tenth.ours1t ?? row.tenth.ours) / ceiling.ceiling).toFixed(3)) } }) };
  });
  return { ...ceiling, rows, versions: results.versions, errors: results.errors };
}

const directedWorks = (prefix, table, directionsOf, flopsIn) =>
  Object.entries(table).flatMap(([base, sizes]) =>
    directionsOf(sizes).map((direction) => ({
      work: `${prefix}${base}${directionsOf(sizes).length > 1 || prefix ? `-${direction}` : ''}`,
      base,
      direction,
      sizes,
      title: `${sizes.title}, ${direction}`,
      // Backward computes the gradients of both factors of each product.
      flops: flopsIn(sizes) && flopsIn(sizes) * (direction === 'backward' ? 2 : 1),
    })),
  );
const productWorks = Object.entries(products).map(([work, sizes]) => ({ work, base: work, sizes, ...sizes }));
const convolutionWorks = directedWorks('conv-', convolutions, () => ['forward', 'backward'], ({ flops }) => flops);
const opWorks = directedWorks('', ops, ({ directions }) => directions, ({ flops }) => flops);
const chosen = (works, context) => works.filter(({ work }) => isWanted(work, context));

async function epochBench(context) {
  const { note, rounds, threads, torch, peers, runner } = context;
  const results = new Results();
  const ceiling = await measureCeiling(context);
  const job = { kind: 'epoch', examples: 60_000, epochs: 2 };
  let ours;
  for (let round = 1; round <= rounds; round++) {
    note(`epoch, round ${round} of ${rounds}: Gradbook`);
    const { version, results: [result] } = await runner.run({ library: 'gradbook', threads, jobs: [job] });
    results.versions.gradbook = version;
    if (result.error) results.errors.gradbook = result.error;
    else if (!ours || result.seconds < ours.seconds) ours = result;
  }
  const row = { work: 'epoch-mnist-cnn', title: 'MNIST 60k, CNN 8-16, B=64, 2 epochs and the exam', unit: 's', ours: ours && Number(ours.seconds.toFixed(2)), peers: {} };
  if (ours) Object.assign(row, { accuracy: ours.accuracy, ...Object.fromEntries(['trainSeconds', 'loadSeconds', 'stepMs', 'tenthMs'].map((key) => [key, Number(ours[key].toFixed(2))])) });
  if (torch)
    for (const count of threads > 1 ? [1, threads] : [1]) {
      note(`epoch: PyTorch, ${count} threads`);
      const { version, results: [result] } = await torch.run({ threads: count, jobs: [job] });
      results.versions.pytorch = version;
      results.add('epoch', `pytorch-${count}t`, result);
      if (!result.error) row.peers[`pytorch-${count}t`] = Number(result.seconds.toFixed(2));
    }
  // Two epochs would take the others minutes: their steps are timed and multiplied.
  const stepCount = 2 * Math.ceil(60_000 / 64);
  for (const library of ['jax-js', 'tfjs']) {
    if (peers && !peers.includes(library)) continue;
    note(`epoch: steps of ${library}`);
    const { version, results: [result] } = await runner.run({ library, threads, jobs: [{ kind: 'step', spec: steps['cnn8-16-b64'], mode: 'eager', seconds: 1 }] });
    if (version) results.versions[library] = version;
    if (result.error) results.errors[library] = result.error;
    else row.peers[`${library} (from its steps)`] = Number(((result.median * stepCount) / 1000).toFixed(0));
  }
  const rows = [row];
  if (ours?.peakBytes) rows.push({ work: 'epoch-memory', title: 'the same, most bytes of tensors at once', unit: 'MB', ours: Number((ours.peakBytes / 1e6).toFixed(1)), heap: Number((ours.heapBytes / 1e6).toFixed(1)), peers: {} });
  note('epoch: batches alone');
  const batches = await runner.run({ library: 'gradbook', threads: 1, jobs: [{ kind: 'batches', seconds: 1 }] });
  if (batches.results[0].median) rows.push({ work: 'batch-64-mnist', title: '64 shuffled images from bytes to a batch', unit: 'ms', ours: Number(batches.results[0].median.toPrecision(3)), peers: {} });
  return { ...ceiling, rows, versions: results.versions, errors: results.errors };
}

async function startBench(context) {
  const { note, threads, peers, rounds, runner } = context;
  const results = new Results();
  const ceiling = await measureCeiling(context);
  const rows = [];
  const ms = (value) => Number(value.toPrecision(4));
  const first = { work: 'first-step-lenet', title: 'first training step of LeNet, B=64, of a page at rest', unit: 'ms', peers: {} };
  const atOnce = { work: 'first-step-at-once', title: 'the same, at the moment when the engine is ready', unit: 'ms', peers: {} };
  const ready = { compile: {}, ready: {} };
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const counts = threads > 1 ? [threads, 1] : [1];
  for (const count of counts) {
    const starts = [];
    for (const [row, atRest] of [[atOnce, false], [first, true]]) {
      const firsts = [];
      for (let round = 0; round < Math.max(3, rounds); round++) {
        note(`start: Gradbook, ${count} threads, ${atRest ? 'at rest' : 'at once'}, round ${round + 1}`);
        const answer = await runner.run({ library: 'gradbook', threads: count, jobs: [{ kind: 'firstStep', spec: steps['lenet-b64'], atRest }] });
        results.versions.gradbook = answer.version;
        if (answer.results[0].error) results.errors[`gradbook, ${count} threads`] = answer.results[0].error;
        else firsts.push(answer.results[0].first), starts.push(answer.results[0]);
      }
      if (firsts.length) row[count === threads ? 'ours' : 'ours1t'] = ms(median(firsts));
    }
    if (!starts.length) continue;
    ready.compile[count] = median(starts.map(({ compileMs }) => compileMs));
    ready.ready[count] = median(starts.map(({ readyMs }) => readyMs));
  }
  for (const library of ['jax-js', 'tfjs']) {
    if (peers && !peers.includes(library)) continue;
    note(`start: ${library}`);
    const { version, results: [result] } = await runner.run({ library, threads, jobs: [{ kind: 'step', spec: steps['lenet-b64'], mode: 'eager', seconds: 0.01 }] });
    if (version) results.versions[library] = version;
    if (result.error) results.errors[library] = result.error;
    else first.peers[library] = ms(result.first);
  }
  rows.push(first, atOnce);
  const both = (values) => ({ ours: values[threads] && ms(values[threads]), ...(threads > 1 && { ours1t: values[1] && ms(values[1]) }), peers: {} });
  rows.push({ work: 'engine-compile', title: 'engine compiled, from its bytes', unit: 'ms', ...both(ready.compile) });
  rows.push({ work: 'engine-ready', title: 'engine ready, from its bytes', unit: 'ms', ...both(ready.ready) });
  for (const flavour of ['relaxed', 'relaxed-threads', 'simd', 'simd-threads']) {
    const file = join(root, 'build/engine', `${flavour}.wasm`);
    if (!existsSync(file)) continue;
    const bytes = readFileSync(file);
    rows.push({ work: `size-${flavour}`, title: `engine.wasm, ${flavour}, gzip`, unit: 'KB', ours: Math.round(gzipSync(bytes, { level: 9 }).length / 1000), raw: Math.round(bytes.length / 1000), peers: {} });
  }
  return { ...ceiling, rows, versions: results.versions, errors: results.errors };
}

/** Every bench: title, the names that --only takes, run(context). */
export const benches = {
  step: { title: 'training steps', works: [...Object.keys(steps), ...Object.keys(forwards), 'metrics-lenet-b64'], run: stepBench },
  matmul: { title: 'matrix products', works: productWorks.map(({ work }) => work), run: (context) => parallelBench(context, 'matmul', chosen(productWorks, context), { defaultSeconds: 0.5 }) },
  conv: { title: 'convolutions, forward and backward', works: convolutionWorks.map(({ work }) => work), run: (context) => parallelBench(context, 'conv', chosen(convolutionWorks, context), { defaultSeconds: 0.15 }) },
  ops: { title: 'other ops: elementwise, reductions, normalisation, recurrent, attention', works: opWorks.map(({ work }) => work), run: (context) => parallelBench(context, 'op', chosen(opWorks, context), { defaultSeconds: 0.15 }) },
  epoch: { title: 'MNIST from start to exam', works: ['epoch-mnist-cnn'], run: epochBench },
  start: { title: 'start-up: sizes, time until ready, the first step', works: ['first-step-lenet'], run: startBench },
};
