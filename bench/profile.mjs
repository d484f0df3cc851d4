// `--profile WORK`: where the time of one training step goes, op by op and layer by layer, against the ceiling.
import { measureCeiling } from './contest.mjs';
import { grid, shown } from './report.mjs';
import { steps } from './works.mjs';

export async function profileStep(work, context) {
  const { runner, json } = context;
  const spec = steps[work];
  const { ceiling } = await measureCeiling(context);
  const threads = context.threads;
  const { version, results } = await runner.run({
    library: 'gradbook',
    threads,
    jobs: [
      { kind: 'profile', spec },
      { kind: 'layers', spec },
      { kind: 'step', spec, mode: 'eager', seconds: 1 },
    ],
  });
  for (const result of results) if (result.error) throw new Error(result.error);
  const [profile, { layers }, step] = results;
  const ops = profile.rows.map(({ op, isGradient, calls, elapsedMs }) => ({
    op: isGradient ? `gradient of ${op}` : op,
    calls: calls / profile.steps,
    ms: elapsedMs / profile.steps,
    gflops: flopsOfRow(layers, op, isGradient, elapsedMs / profile.steps),
  }));
  if (json) {
    console.log(JSON.stringify({ bench: 'profile', work, where: runner.where, threads, ceiling: Number(ceiling.toFixed(1)), stepMs: step.median, ops, layers, program: profile.program }));
    return;
  }
  console.log(`${steps[work].title}: ${shown(step.median)} ms per step, ${version}, ${threads} threads; ceiling of one thread ${ceiling.toFixed(1)} GFLOP/s\n`);
  const share = (gflops) => (gflops ? `${((100 * gflops) / (ceiling * threads)).toFixed(0)} %` : '');
  grid([
    ['op of the step', 'calls', 'ms', 'GFLOP/s', 'of the ceiling'],
    ...ops.map(({ op, calls, ms, gflops }) => [op, shown(calls), ms.toFixed(4), gflops ? gflops.toFixed(1) : '', share(gflops)]),
    ['all ops', '', ops.reduce((sum, { ms }) => sum + ms, 0).toFixed(4), '', ''],
  ]);
  if (profile.program) console.log(`\nCaptured:\n${profile.program}`);
  console.log('\nEach layer alone:');
  grid([
    ['layer', 'forward ms', 'GFLOP/s', 'of the ceiling', 'backward ms', 'GFLOP/s', 'of the ceiling'],
    ...layers.map(({ layer, flops, forwardMs, backwardFlops, backwardMs }) => {
      const [forward, backward] = [flops / forwardMs / 1e6, backwardFlops / backwardMs / 1e6];
      return [layer, forwardMs.toFixed(4), forward.toFixed(1), share(forward), backwardMs.toFixed(4), backward.toFixed(1), share(backward)];
    }),
  ]);
}

/** GFLOP/s of all layers of a kind together. */
function flopsOfRow(layers, op, isGradient, ms) {
  const flops = layers.filter((layer) => layer.op === op).reduce((sum, layer) => sum + (isGradient ? layer.backwardFlops : layer.flops), 0);
  return flops ? flops / ms / 1e6 : undefined;
}
