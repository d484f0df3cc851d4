// Pictures with what was right and what the model said: a mark, words and the chances, never colour alone.
import type { GalleryItems } from '../../notebook/protocol/views.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { h } from '../dom.ts';
import { paintPicture, sheet } from './paint.ts';

const WIDE = 64;
/** Who is so sure and still wrong may be right: labels have faults, too. */
const SUSPICIOUS = 0.98;

/** A figure for each item; without pictures, the numbers alone. */
export function galleryOf({ items, pictures, total }: GalleryItems, classes: readonly string[], words: string): HTMLElement {
  const name = (id: number) => classes[id] ?? String(id);
  const figures = items.map((item, i) => {
    const isRight = item.truth === item.prediction;
    const picture = pictures ? sheet(pictures.width, pictures.height, Math.max(1, Math.round(WIDE / pictures.width)), `Example ${item.index}: ${name(item.truth)}, read as ${name(item.prediction)}`) : null;
    if (picture && pictures) paintPicture(picture, pictures, i);
    const chances = [item.prediction, item.truth].filter((id, at, all) => all.indexOf(id) === at);
    return h('figure', { data: { index: String(item.index), truth: String(item.truth), prediction: String(item.prediction), loss: String(item.loss) } }, picture,
      h('figcaption', { data: { mark: isRight ? 'right' : 'wrong' } }, h('span', null, isRight ? `✓ ${name(item.truth)}` : `✗ ${name(item.prediction)}, is ${name(item.truth)}`),
        ...chances.map((id) => h('span', { class: 'chance', title: `${name(id)}: ${formatShare(item.chances[id] ?? Number.NaN)}` }, h('span', { class: 'track', 'aria-hidden': 'true' }, h('span', { class: 'fill', style: { transform: `scaleX(${Math.min(1, item.chances[id] ?? 0)})` } })), `${name(id)} ${formatShare(item.chances[id] ?? Number.NaN)}`)),
        h('span', { class: 'quiet' }, `loss ${formatValue(item.loss)}, no. ${item.index}`),
        !isRight && (item.chances[item.prediction] ?? 0) >= SUSPICIOUS ? h('span', { class: 'suspect', title: `It is sure that this is ${name(item.prediction)}. Look whether the label is right.` }, 'mislabelled?') : null));
  });
  return h('div', { class: 'gallery' }, h('p', { class: 'quiet' }, items.length < total ? `${words}: the worst ${items.length} of ${total}` : `${words}: ${total}`), h('div', { class: 'gallery-grid' }, figures));
}
