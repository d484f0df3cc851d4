// A progress bar with what is happening and how far it is. It stays hidden (its place is kept) for 300 ms: quick work shows nothing.
import type { ProgressDisplay } from '../../notebook/protocol/messages.ts';
import { h, setText } from '../dom.ts';
import { formatBytes, formatCount } from '../shell/words.ts';
import type { View } from './views.ts';

export function progressView(data: ProgressDisplay): View<'progress'> {
  const fill = h('div', { class: 'fill' });
  const track = h('div', { class: 'track', role: 'progressbar', 'aria-valuemin': '0', 'aria-valuemax': '100' }, fill);
  const label = h('b');
  const amount = h('span');
  const element = h('div', { class: 'progress' }, track, h('div', { class: 'words' }, label, ' ', amount));
  const show = (next: ProgressDisplay) => {
    const share = next.total ? Math.min(1, next.value / next.total) : next.isDone ? 1 : 0;
    fill.style.transform = `scaleX(${share})`;
    if (next.total) track.setAttribute('aria-valuenow', String(Math.round(share * 100)));
    track.setAttribute('aria-label', next.label || 'Progress');
    setText(label, next.label);
    setText(amount, words(next, share));
    if (next.isDone) element.dataset.done = '';
    else delete element.dataset.done;
  };
  show(data);
  return { element, update: show };
}

function words({ value, total, unit, isDone }: ProgressDisplay, share: number): string {
  const amount = (number: number) => (unit === 'bytes' ? formatBytes(number) : formatCount(number));
  if (isDone) return `${amount(total ?? value)}, done`;
  if (total === null) return amount(value);
  return `${amount(value)} of ${amount(total)}, ${Math.floor(share * 100)} %`;
}
