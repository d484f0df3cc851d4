// Runs as a table for other programs: one row each, settings and last values in columns of their own. Pure; no page.
import { toCsv } from '../charts/export.ts';
import { finals, type TrainingRun } from './record.ts';

const HEAD = ['name', 'started', 'seconds', 'state', 'seed'] as const;

/** All columns have names of their own: a number that is a setting and is logged, too, is once called as it ended. */
export function runsCsv(runs: readonly TrainingRun[]): string {
  const settings = [...new Set(runs.flatMap((run) => Object.keys(run.settings)))].filter((name) => name !== 'seed');
  const metrics = [...new Set(runs.flatMap((run) => [...finals(run).keys()]))];
  const taken = (name: string) => (HEAD as readonly string[]).includes(name) || name === 'note';
  const head = [...HEAD, ...settings.map((name) => (taken(name) ? `${name} (setting)` : name)), ...metrics.map((name) => (taken(name) || settings.includes(name) ? `${name} (last)` : name)), 'note'];
  return toCsv(head, runs.map((run) => {
    const last = finals(run);
    return [
      run.name, new Date(run.startedAt).toISOString(), Number((run.elapsedMs / 1000).toFixed(3)), run.state, run.settings.seed === undefined ? run.seed : String(run.settings.seed),
      ...settings.map((name) => (run.settings[name] === undefined ? null : String(run.settings[name]))), ...metrics.map((name) => last.get(name) ?? null), run.note,
    ];
  }));
}
