// The scrubber of a training: one place per kept checkpoint.
import type { TimelineData } from '../../notebook/protocol/views.ts';
import { h, setText } from '../dom.ts';
import { formatBytes, formatCount } from '../shell/words.ts';
import type { Ask, Drawing } from './live.ts';

export function timelineView(_first: TimelineData, ask: Ask): Drawing<'timeline'> {
  const slider = h('input', { type: 'range', min: '0', step: '1', 'aria-label': 'Step that the model stands at', on: { input: () => ask({ act: 'go', index: Number(slider.value) }) } });
  const words = h('output', { class: 'figures' });
  const note = h('p', { class: 'quiet', role: 'status' });
  const update = ({ steps, at, bytes, budget, note: trouble }: TimelineData) => {
    const last = steps.length - 1;
    slider.disabled = last < 1;
    slider.max = String(Math.max(0, last));
    const place = at < 0 ? last : at;
    if (Number(slider.value) !== place) slider.value = String(place);
    slider.setAttribute('aria-valuetext', last < 0 ? 'nothing kept yet' : `step ${formatCount(steps[place]!)}`);
    setText(words, last < 0 ? 'nothing kept yet' : at < 0 ? `step ${formatCount(steps[last]!)}, the latest` : `step ${formatCount(steps[place]!)} of ${formatCount(steps[last]!)}`);
    setText(note, trouble || (last < 0 ? 'Checkpoints are kept here while a training logs its steps.' : `${steps.length} ${steps.length === 1 ? 'checkpoint' : 'checkpoints'}, ${formatBytes(bytes)} of ${formatBytes(budget)}.${at < 0 ? ' Move the slider to put the model, and all views of it, back to an earlier step.' : ' The model and all views of it stand at this step; training goes on from here.'}`));
    slider.dataset.step = String(steps[place] ?? '');
  };
  return { element: h('div', { class: 'timeline' }, h('div', { class: 'pick-row' }, h('b', null, 'Back in time'), slider, words), note), update };
}
