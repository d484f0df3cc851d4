// sweep: the same training for every combination of settings, one kept run each, with a picture of which settings lead where.
import { breath } from '../../engine/api/breath.ts';
import { keepGoing } from '../../engine/api/detective.ts';
import { manualSeed } from '../../engine/api/create.ts';
import { restartSteps } from '../../engine/api/log.ts';
import { hooks, type Settings } from '../../engine/api/hooks.ts';
import { Tensor } from '../../engine/api/tensor.ts';
import type { SweepData } from '../protocol/views.ts';
import type { DisplaySink } from './display.ts';

type Value = string | number | boolean;

export interface SweepOptions {
  /** Seed of every run, so that only the settings differ; 0 unless given. */
  seed?: number;
  /** How often each combination runs, with seeds `seed`, `seed + 1`, ... */
  repeat?: number;
}

/** Every combination, the last name changing fastest. */
export function combinations(grid: Readonly<Record<string, readonly Value[]>>): Settings[] {
  return Object.entries(grid).reduce<Settings[]>((sets, [name, values]) => sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))), [{}]);
}

/** The `sweep` function of cells. */
export function sweepFor(sink: DisplaySink) {
  return async (grid: Readonly<Record<string, readonly Value[]>>, run: (settings: Settings) => unknown, { seed = 0, repeat = 1 }: SweepOptions = {}) => {
    if (typeof grid !== 'object' || grid === null || Object.values(grid).some((values) => !Array.isArray(values) || values.length === 0))
      throw new TypeError('sweep: needs lists of values by name, as in sweep({ lr: [0.1, 0.01], width: [16, 64] }, async ({ lr, width }) => { ... })');
    if (typeof run !== 'function') throw new TypeError('sweep: the second argument must be a function of the settings');
    const names = Object.keys(grid);
    const planned = combinations(grid).flatMap((set) => Array.from({ length: repeat }, (_, i) => (repeat > 1 ? { ...set, seed: seed + i } : set)));
    const shownNames = repeat > 1 ? [...names, 'seed'] : names;
    const rows: { settings: Value[]; results: (number | null)[]; found: Record<string, number> }[] = [];
    const place = sink.open();
    const show = () => {
      const results = [...new Set(rows.flatMap(({ found }) => Object.keys(found)))];
      const view: SweepData = { name: 'sweep', names: shownNames, results, planned: planned.length, rows: rows.map(({ settings, found }) => ({ settings, results: results.map((name) => found[name] ?? null) })) };
      place.show({ kind: 'view', view });
    };
    show();
    // Settings that end in NaN are a result like others.
    const before = keepGoing(true);
    try {
      for (const settings of planned) {
        await breath();
        manualSeed('seed' in settings && repeat > 1 ? Number(settings.seed) : seed);
        // The mark comes first: it sends the last rows of the run before, which are described by what that run was set to.
        hooks.marked({ step: 0, kind: 'trial', text: '', settings });
        restartSteps();
        const result = await run(settings);
        rows.push({ settings: shownNames.map((name) => settings[name] as Value), results: [], found: numbersOf(result) });
        show();
      }
    } finally {
      keepGoing(before);
    }
    return planned.map((settings, i) => ({ ...settings, ...(rows[i]?.found ?? {}) }));
  };
}

/** The numbers in what a run returned: one number, a tensor with one element, or an object of them. */
function numbersOf(result: unknown): Record<string, number> {
  const one = (value: unknown): number | null => (typeof value === 'number' ? value : value instanceof Tensor && value.elementCount === 1 ? value.item() : null);
  const single = one(result);
  if (single !== null) return { result: single };
  if (typeof result !== 'object' || result === null) return {};
  const found: Record<string, number> = {};
  for (const name of Object.keys(result)) {
    const value = (result as Record<string, unknown>)[name];
    const number = one(Array.isArray(value) ? value.at(-1) : value);
    if (number !== null) found[name] = number;
  }
  return found;
}

