// Pictures with what was right and what the model said: a mark, words and the chances, never colour alone. Drawn in place: while
// something trains the same examples come again and again, and only their chances have changed.
import type { GalleryItems } from '../../notebook/protocol/views.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { h, setAttribute, setText } from '../dom.ts';
import { paintPicture, sheet } from './paint.ts';
import { formatCount } from '../shell/words.ts';

const WIDE = 64;
/** Who is so sure and still wrong may be right: labels have faults, too. */
const SUSPICIOUS = 0.98;
/** Class names up to so many letters leave room for more pictures in a row. */
const SHORT = 3;

type Item = GalleryItems['items'][number];

export interface Gallery {
  readonly element: HTMLElement;
  /** A figure for each item that `isShown`; without pictures, the numbers alone. */
  show(items: GalleryItems, classes: readonly string[], words: string, isShown?: (i: number) => boolean): void;
  clear(): void;
}

/** The examples of one data set. */
export function makeGallery(): Gallery {
  const head = h('p', { class: 'quiet' });
  const grid = h('div', { class: 'gallery-grid' });
  const figures = new Map<number, ReturnType<typeof makeFigure>>();
  let order = '';
  return {
    element: h('div', { class: 'gallery' }, head, grid),
    clear() {
      figures.clear();
      order = '';
      grid.replaceChildren();
    },
    show({ items, pictures, total }, classes, words, isShown = () => true) {
      const shown = [...items.keys()].filter(isShown);
      setText(head, shown.length < total ? `${words}: the worst ${formatCount(shown.length)} of ${formatCount(total)}` : `${words}: ${formatCount(total)}`);
      setAttribute(grid, 'data-short', classes.every(({ length }) => length <= SHORT) ? '' : null);
      for (const i of shown) {
        const item = items[i]!;
        if (!figures.has(item.index)) figures.set(item.index, makeFigure(pictures, i));
        figures.get(item.index)!.show(item, classes);
      }
      const now = shown.map((i) => items[i]!.index);
      if (String(now) === order) return;
      order = String(now);
      grid.replaceChildren(...now.map((index) => figures.get(index)!.element));
      for (const index of figures.keys()) if (!now.includes(index)) figures.delete(index);
    },
  };
}

function makeFigure(pictures: GalleryItems['pictures'], i: number) {
  const picture = pictures ? sheet(pictures.width, pictures.height, Math.max(1, Math.round(WIDE / pictures.width)), '') : null;
  if (picture && pictures) paintPicture(picture, pictures, i);
  const verdict = h('span');
  const chances = [0, 1].map(() => {
    const fill = h('span', { class: 'fill' });
    const name = h('b');
    const share = h('span');
    const text = h('span', null, name, ' ', share);
    return { fill, name, share, row: h('span', { class: 'chance' }, h('span', { class: 'track', 'aria-hidden': 'true' }, fill), text) };
  });
  const numbers = h('span', { class: 'quiet' });
  const suspect = h('span', { class: 'suspect' }, 'mislabelled?');
  const caption = h('figcaption', null, verdict, chances.map(({ row }) => row), numbers, suspect);
  const element = h('figure', null, picture, caption);
  return {
    element,
    show({ index, truth, prediction, loss, chances: all }: Item, classes: readonly string[]): void {
      const name = (id: number) => classes[id] ?? String(id);
      const isRight = truth === prediction;
      Object.assign(element.dataset, { index: String(index), truth: String(truth), prediction: String(prediction), loss: String(loss) });
      if (picture) setAttribute(picture, 'alt', `Example ${index}: ${name(truth)}, read as ${name(prediction)}`);
      setAttribute(caption, 'data-mark', isRight ? 'right' : 'wrong');
      setText(verdict, isRight ? `✓ ${name(truth)}` : `✗ ${name(prediction)}, is ${name(truth)}`);
      [prediction, truth].forEach((id, at) => {
        const { fill, name: called, share, row } = chances[at]!;
        row.hidden = at === 1 && isRight;
        const chance = all[id] ?? Number.NaN;
        // The name in bold: `1 97.7 %` would read as one number.
        setText(called, name(id));
        setText(share, formatShare(chance));
        row.title = `${name(id)}: ${formatShare(chance)}`;
        fill.style.transform = `scaleX(${Math.min(1, chance || 0).toFixed(3)})`;
      });
      setText(numbers, `loss ${formatValue(loss)}, no. ${index}`);
      suspect.hidden = isRight || (all[prediction] ?? 0) < SUSPICIOUS;
      suspect.title = suspect.hidden ? '' : `It is sure that this is ${name(prediction)}. Look whether the label is right.`;
    },
  };
}
