// Times pieces of work in this realm (a Node process or a worker of Chromium): one library, some jobs, one result each.

/** Libraries by key; each is its module's start(host, {threads}) and prepare(job). */
export const libraries = {
  ceiling: () => import('./libraries/ceiling.mjs'),
  gradbook: () => import('./libraries/gradbook.mjs'),
  'jax-js': () => import('./libraries/jax.mjs'),
  tfjs: () => import('./libraries/tfjs.mjs'),
  'onnxruntime-web': () => import('./libraries/onnxruntime.mjs'),
};

/** Milliseconds: the first run, the median, the quickest tenth (the longest of it) and the best of the rest. Short work is timed in groups, so that the clock's grain and the await do not count. */
export async function time(run, seconds) {
  const begin = performance.now();
  await run();
  const first = performance.now() - begin;
  const budget = seconds * 1000;
  let group = 1;
  // Compilers warm up meanwhile; a third of the time at most.
  for (const warm = performance.now() + budget / 3; ; ) {
    const start = performance.now();
    for (let i = 0; i < group; i++) await run();
    const now = performance.now();
    if (now >= warm) break;
    if (now - start < 4) group *= 2;
  }
  const times = [];
  for (const end = performance.now() + budget; performance.now() < end || times.length < 3; ) {
    const start = performance.now();
    for (let i = 0; i < group; i++) await run();
    times.push((performance.now() - start) / group);
  }
  times.sort((a, b) => a - b);
  return { first, median: times[times.length >> 1], tenth: times[Math.floor(times.length / 10)], best: times[0] };
}

const messageOf = (error) => String(error?.message ?? error).split('\n')[0].slice(0, 160);

/**
 * Runs the request {library, threads, jobs: [{kind, seconds, ...}]} and gives {version, results}, a result per job: what
 * time() gives (or what the job's own measurement gives), {error}, or null where the library has no such work.
 */
export async function measure({ library, threads, jobs }, host) {
  let module;
  let version;
  try {
    module = await libraries[library]();
    const before = performance.now();
    version = await module.start(host, { threads });
    host.startMs = performance.now() - before;
  } catch (error) {
    return { version, results: jobs.map(() => ({ error: messageOf(error) })) };
  }
  const results = [];
  for (const job of jobs) {
    try {
      const work = await module.prepare(job);
      if (!work) results.push(null);
      else if (work.once) results.push(await work.once());
      else {
        const measured = await time(work.run, job.seconds ?? 1);
        results.push({ ...measured, ...(work.loss && { loss: await work.loss() }), ...work.memory?.() });
      }
    } catch (error) {
      results.push({ error: messageOf(error) });
    }
  }
  return { version, startMs: host.startMs, results };
}
