// The headings of the open notebook: where they stand, how to get there, and which of them a link like `#training` means.
import { computed } from '@preact/signals-core';
import { namesNotebook } from '../lessons.ts';
import { say } from '../shell/note.ts';
import { notebook, selectedId } from '../store.ts';
import { buildThrough, viewOf } from './column.ts';
import { unfoldAround } from './fold.ts';

export interface Heading {
  readonly cellId: string;
  /** Which heading of its cell. */
  readonly place: number;
  readonly level: number;
  readonly text: string;
}

export const headings = computed<readonly Heading[]>(() => notebook.value.cells.filter(({ kind }) => kind === 'markdown').flatMap(({ id, source }) => {
  const found = [...source.replace(/```[\s\S]*?```/g, '').matchAll(/^(#{1,6}) +(.+?) *#*$/gm)];
  return found.map((match, place) => ({ cellId: id, place, level: match[1]!.length, text: match[2]!.replace(/[*_`$]/g, '') }));
}));

export function goToHeading({ cellId, place }: Heading): void {
  unfoldAround(cellId);
  buildThrough(cellId);
  const view = viewOf(cellId);
  const target = view?.element.querySelectorAll(':is(h1, h2, h3, h4, h5, h6):where(.prose *)')[place] ?? view?.element;
  if (!view || !target) return;
  selectedId.value = cellId;
  view.element.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'start', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
}

/** Programs make anchors of headings each in their own way; letters and digits are what all of them keep. */
const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Links within a text lead to its headings, and never to another notebook: that would end the kernel and what runs in it. */
export function startAnchors(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('.prose a[href^="#"]') : null;
    const hash = link?.getAttribute('href') ?? '';
    if (!link || event.defaultPrevented || namesNotebook(hash)) return;
    event.preventDefault();
    const wanted = decoded(hash.slice(1));
    const found = headings.peek().find(({ text }) => bare(text) === bare(wanted));
    if (found) goToHeading(found);
    else if (bare(wanted) === '' || bare(wanted) === 'top') scrollTo({ top: 0 });
    else say(`No heading here is called “${wanted}”`);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
