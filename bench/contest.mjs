// Who is measured, in which order, and how several rounds become one row.

/** Everybody who takes part: key in the results, library of measure.mjs (or 'pytorch'), threads. */
export function contestants({ threads, peers, torch }, { modes = ['eager'], withOnnx = false } = {}) {
  const wanted = (name) => !peers || peers.includes(name);
  const threadCounts = threads > 1 ? [threads, 1] : [1];
  const ours = threadCounts.flatMap((count) =>
    modes.map((mode) => ({ key: `${mode}-${count}`, library: 'gradbook', threads: count, mode, title: `Gradbook, ${count} thread${count > 1 ? 's' : ''}` })),
  );
  const others = [
    ...(torch ? threadCounts.toReversed().map((count) => ({ key: `pytorch-${count}t`, library: 'pytorch', threads: count })) : []),
    { key: 'jax-js', library: 'jax-js', threads },
    { key: 'tfjs', library: 'tfjs', threads: 1 },
    ...(withOnnx ? [{ key: 'onnxruntime-web', library: 'onnxruntime-web', threads }] : []),
  ].filter(({ library }) => wanted(library));
  return [...ours, ...others.map((each) => ({ ...each, mode: 'eager', title: each.key }))];
}

/** Runs one request where it belongs. */
export const ask = (context, { library, threads }, jobs) => (library === 'pytorch' ? context.torch : context.runner).run({ library, threads, jobs });

/** Collects results[work][key], the one with the best median of all rounds, with the first round's first run and the quickest tenth of all. */
export class Results {
  versions = {};
  errors = {};
  #found = {};

  add(work, key, result) {
    if (!result) return;
    if (result.error) {
      this.errors[`${key}, ${work}`] ??= result.error;
      return;
    }
    const former = (this.#found[work] ??= {})[key];
    const better = !former || result.median < former.median ? result : former;
    this.#found[work][key] = { ...better, first: former?.first ?? result.first, tenth: Math.min(former?.tenth ?? Number.POSITIVE_INFINITY, result.tenth ?? result.median) };
  }

  addAnswer({ version, results }, { key, library }, works) {
    if (version) this.versions[library] = version;
    works.forEach((work, i) => void this.add(work, key, results[i]));
  }

  of(work) {
    return this.#found[work] ?? {};
  }
}

/** GFLOP/s that never leave the registers, on one thread, in the quickest tenth of the runs. */
export async function measureCeiling(context) {
  const { flops } = await import('./libraries/ceiling.mjs');
  const { version, results } = await context.runner.run({ library: 'ceiling', threads: 1, jobs: [{ kind: 'ceiling', seconds: 0.4 }] });
  if (results[0].error) throw new Error(results[0].error);
  return { ceiling: flops / results[0].tenth / 1e6, how: version };
}

export const best = (a, b) => (!a || b.ceiling > a.ceiling ? b : a);

const rounded = (value) => (value === undefined ? undefined : Number(value.toPrecision(4)));

/**
 * One row of the output. `valueOf(milliseconds)` turns a time into the unit's number.
 * ours: the fastest mode on all threads asked for; ours1t: the same on one thread; eager: without capturing, where that is slower.
 * tenth: the same of the quickest tenth of the runs, and of the peers': what they take while nobody else uses the cores.
 */
export function rowOf(work, title, unit, found, context, valueOf = (ms) => ms) {
  const { threads } = context;
  const isOurs = (key) => /^(eager|captured)-\d+$/.test(key);
  const columns = (time) => {
    const value = (key) => found[key] && rounded(valueOf(found[key][time]));
    const ours = (count) => value(`captured-${count}`) ?? value(`eager-${count}`);
    return {
      ours: ours(threads),
      ...(threads > 1 && { ours1t: ours(1) }),
      ...(found[`captured-${threads}`] && { eager: value(`eager-${threads}`) }),
      peers: Object.fromEntries(Object.keys(found).flatMap((key) => (isOurs(key) ? [] : [[key, value(key)]]))),
    };
  };
  return { work, title, unit, ...columns('median'), tenth: columns('tenth') };
}
