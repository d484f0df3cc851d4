// Brings what the kernel says about trainings to the chart under a cell and to the kept runs.
import { computed } from '@preact/signals-core';
import type { Events } from '../../notebook/protocol/messages.ts';
import type { Ghost } from '../charts/live.ts';
import type { OutputArea } from '../outputs/area.ts';
import { runOf } from '../runs.ts';
import { notebook } from '../store.ts';
import { baseline, runChanged, runDescribed, runLogged, runMatrix, trainingRuns, trialBegins } from './store.ts';

/** The pinned run, to be drawn behind all others. */
export const ghosts = computed<readonly Ghost[]>(() => {
  const run = trainingRuns.value.find(({ id }) => id === baseline.value);
  return run ? [{ name: run.name, curves: run.curves }] : [];
});

/** Matrices that views show are kept with the run whose result they are. */
export function watchView({ data }: Events['display']): void {
  if (data.kind === 'view' && data.view.name === 'confusion') runMatrix(data.view);
}

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
  else if (event.kind === 'changed') runChanged(cellId, Object.keys(event.settings ?? {}));
  else {
    area.trial();
    trialBegins(cellId, runId, event.settings ?? {});
  }
}
