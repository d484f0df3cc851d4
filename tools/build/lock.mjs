// One build at a time per build folder: Ninja itself does not guard against two.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../setup/common.mjs';

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Runs `work` while holding the folder's lock; a lock whose owner has died is taken over. */
export async function withLock(folder, work) {
  mkdirSync(folder, { recursive: true });
  const lock = `${folder}/build.lock`;
  for (let told = false; ;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    let owner = 0;
    try {
      owner = Number(readFileSync(lock, 'utf8'));
    } catch {
      continue;
    }
    if (owner && !isAlive(owner)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!told) say(`  waiting for another build in ${folder}`);
    told = true;
    await sleep(500);
  }
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}
