// Times one library on one workload in a process of its own and prints one JSON line:
// {version, first, median, best, loss} in milliseconds, or {version, error}. Usage: node one.mjs LIBRARY WORKLOAD SECONDS [THREADS]
const [library, name, seconds, threads] = process.argv.slice(2);

try {
  const module = await import(`./${library}.mjs`);
  const run = await module.prepare(name, { threads: Number(threads ?? 1) });
  const before = performance.now();
  await run.step();
  const first = performance.now() - before;
  // Short steps are timed in groups, so that the clock's grain and the await do not count.
  let group = 1;
  for (;;) {
    const start = performance.now();
    for (let i = 0; i < group; i++) await run.step();
    if (performance.now() - start > 5 || group > 4096) break;
    group *= 2;
  }
  const times = [];
  const end = performance.now() + Number(seconds) * 1000;
  while (performance.now() < end || times.length < 5) {
    const start = performance.now();
    for (let i = 0; i < group; i++) await run.step();
    times.push((performance.now() - start) / group);
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ version: run.version, first, median: times[times.length >> 1], best: times[0], loss: await run.loss() }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error?.message ?? error).split('\n')[0].slice(0, 160) }));
}
process.exit(0);
