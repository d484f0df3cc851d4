// Starts the real engine for a test file, with datasets from disk and a Stop that tests can press.
import { startNodeEngine } from '../../engine/api/node.ts';
import { type Hooks, setHooks } from '../../engine/api/hooks.ts';
import { nodeHost } from '../../datasets/node.ts';

/** What the surroundings of the engine see and say in this test file. */
export const world = { isStopped: false, breaths: 0, roots: [] as unknown[], progress: [] as string[] };

const hooks: Hooks = {
  shouldStop: () => world.isStopped,
  pause: () => null,
  breathed: () => void world.breaths++,
  stepped: () => {},
  logged: () => {},
  marked: () => {},
  aroundStep: null,
  datasets: nodeHost(),
  progress: (label, total, unit) => {
    world.progress.push(`${label} of ${total === null ? 'unknown' : 'known'} ${unit}`);
    return { update: () => {}, done: () => void world.progress.push(`${label} done`) };
  },
  place: () => null,
  roots: () => world.roots,
};

await startNodeEngine();
setHooks(hooks);
