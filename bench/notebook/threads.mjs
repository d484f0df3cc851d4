// What the threads of a browser take of the processor, from /proc: summed by kind of process and name of thread. Empty on other systems.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Processes and threads end while one looks.
    return '';
  }
};
/** Fields of a stat file behind the name, which may hold blanks and brackets itself. */
const fieldsOf = (stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');
const TICK_MS = 10;

/** All processes below one. */
function below(pid) {
  const parents = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => [Number(name), Number(fieldsOf(read(`/proc/${name}/stat`))[1])]));
  const found = [];
  for (const [id] of parents) {
    let at = id;
    while (at && at !== pid && parents.has(at)) at = parents.get(at);
    if (at === pid && id !== pid) found.push(id);
  }
  return found;
}

/** Milliseconds of processor time so far, by `process thread`. */
export function threadTimes(pid = process.pid) {
  const sums = new Map();
  if (!existsSync('/proc/self/task')) return sums;
  for (const id of [pid, ...below(pid)]) {
    const kind = /--type=([a-z-]+)/.exec(read(`/proc/${id}/cmdline`))?.[1] ?? (id === pid ? 'bench' : 'browser');
    const tasks = existsSync(`/proc/${id}/task`) ? readdirSync(`/proc/${id}/task`) : [];
    for (const task of tasks) {
      const stat = read(`/proc/${id}/task/${task}/stat`);
      if (!stat) continue;
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')).replace(/[/\d]+$/, '');
      const schedule = read(`/proc/${id}/task/${task}/schedstat`).split(' ');
      const fields = fieldsOf(stat);
      const ms = schedule[0] ? Number(schedule[0]) / 1e6 : (Number(fields[11]) + Number(fields[12])) * TICK_MS;
      const key = `${kind} ${name}`;
      sums.set(key, (sums.get(key) ?? 0) + ms);
    }
  }
  return sums;
}

/** Milliseconds that all processors together have been busy, whoever kept them so. */
export function busyTime() {
  const [first = ''] = read('/proc/stat').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, steal = 0] = first.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + soft + steal) * TICK_MS;
}

/** What came since `before`, per second. */
export function threadRates(before, after, seconds) {
  return new Map([...after].map(([key, ms]) => [key, (ms - (before.get(key) ?? 0)) / seconds]));
}
