// The scrubber: the past of a training as checkpoints. Moving it puts the model back, and every other view follows.
import type { Optimizer } from '../../engine/api/optim.ts';
import { Timeline, type TimelineOptions } from '../../engine/api/timeline.ts';
import type { TimelineData, ViewQuestion } from '../protocol/views.ts';
import type { ViewSource } from './views.ts';

/** `isBusy`: a cell runs now, and the weights are its own. `moved`: the model stands elsewhere. */
export function timelineFor(isBusy: () => boolean, moved: (source: ViewSource) => void) {
  return (model: unknown, optimizer?: Optimizer, options: TimelineOptions = {}): { source: ViewSource; extra: object } => {
    const past = new Timeline(model, optimizer, options);
    let note = '';
    const source: ViewSource = {
      isLive: true,
      logged: () => past.logged(),
      rested: () => past.rested(),
      look: (): TimelineData => ({ name: 'timeline', steps: Float64Array.from(past.steps), at: past.at, bytes: past.byteCount, budget: past.budget, note }),
      answer({ act, index }: ViewQuestion): void {
        if (act !== 'go' || typeof index !== 'number' || index < 0 || index >= past.steps.length) return;
        note = isBusy() ? 'A cell runs. Stop it first: the model is its own while it trains.' : '';
        if (note) return;
        past.go(index);
        moved(source);
      },
    };
    const rewind = (step: number): number => {
      const found = past.rewind(step);
      moved(source);
      return found;
    };
    return { source, extra: { rewind, steps: () => past.steps } };
  };
}
