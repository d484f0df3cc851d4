// The line of a cell that a selected operation was called from: a band over the code, whatever editor shows it.
import { viewOf } from '../cells/column.ts';
import { h } from '../dom.ts';

const LINE = 21;
const PAD = 10;
let band: HTMLElement | null = null;

/** Marks a line and brings its cell into view; null takes the mark away. */
export function markLine(place: { readonly cellId: string; readonly line: number } | null): void {
  band?.remove();
  band = null;
  const box = place && viewOf(place.cellId)?.element.querySelector('.code-box');
  if (!place || !box) return;
  band = h('div', { class: 'inspected-line', 'aria-hidden': 'true', data: { line: place.line }, style: { top: `${PAD + (place.line - 1) * LINE}px` } });
  box.append(band);
  const { top, bottom } = band.getBoundingClientRect();
  if (top < 80 || bottom > innerHeight - 80) box.scrollIntoView({ block: 'center', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
}
