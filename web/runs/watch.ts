// Brings what the kernel says about trainings to the chart under a cell and to the kept runs.
import { computed } from '@preact/signals-core';
import type { Events } from '../../notebook/protocol/messages.ts';
import type { Ghost } from '../charts/live.ts';
import type { OutputArea } from '../outputs/area.ts';
import { runOf } from '../runs.ts';
import { notebook } from '../store.ts';
import { baseline, runBegins, runDescribed, runLogged, trainingRuns } from './store.ts';

/** The pinned run, to be drawn behind all others. */
export const ghosts = computed<readonly Ghost[]>(() => {
  const run = trainingRuns.value.find(({ id }) => id === baseline.value);
  return run ? [{ name: run.name, curves: run.curves }] : [];
});

export function watchTraining(area: OutputArea, event: ({ readonly type: 'metrics' } & Events['metrics']) | ({ readonly type: 'mark' } & Events['mark'])): void {
  const { cellId, runId } = event;
  if (event.type === 'metrics') {
    area.metrics(event);
    const { curves } = area;
    const code = notebook.value.cells.filter(({ kind }) => kind === 'code').map(({ source }) => source);
    const { seed } = notebook.value.metadata;
    if (curves) runLogged({ cellId, runId, curves, source: runOf(cellId).peek().source ?? '', program: code.join('\n\n'), seed: typeof seed === 'number' ? seed : null });
  } else if (event.kind === 'tick') area.mark(event.step, event.text);
  else if (event.kind === 'settings') runDescribed(cellId, event.settings ?? {});
  else {
    area.trial();
    runBegins(cellId, event.settings ?? {});
  }
}
