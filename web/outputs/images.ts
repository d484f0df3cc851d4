// Batches of small pictures: square pixels, a hairline frame, captions in tabular figures.
import type { ImagesDisplay } from '../../notebook/protocol/messages.ts';
import { h } from '../dom.ts';
import type { View } from './views.ts';
import { formatCount } from '../shell/words.ts';

export function imagesView(data: ImagesDisplay): View<'images'> {
  const element = h('div', { class: 'images' });
  let canvases: HTMLCanvasElement[] = [];
  let shown = '';
  const show = (images: ImagesDisplay) => {
    const layout = [images.width, images.height, images.count, images.total, images.dtype, ...images.captions].join('|');
    if (layout !== shown) {
      shown = layout;
      canvases = Array.from({ length: images.count }, (_, i) => canvas(images, i));
      element.replaceChildren(
        h('div', { class: 'grid' }, canvases.map((each, i) => h('figure', null, each, images.captions[i] ? caption(images.captions[i]!) : null))),
        facts(images),
      );
    }
    canvases.forEach((each, i) => paint(each, images, i));
  };
  show(data);
  return { element, update: show };
}

/** A whole number of screen pixels for each of the image's, about 60 px wide; one image alone may be larger. */
function canvas({ width, height, count, captions, shape }: ImagesDisplay, index: number): HTMLCanvasElement {
  const wanted = count === 1 ? 140 : 60;
  const scale = Math.max(1, Math.round(wanted / width));
  const name = captions[index] ? `Image ${index + 1}: ${captions[index]}` : `Image ${index + 1} of [${shape.join(', ')}]`;
  return h('canvas', { width, height, role: 'img', 'aria-label': name, style: { width: `${width * scale + 2}px`, height: `${height * scale + 2}px` } });
}

/** "7 ✓" and "9 ✗ (4)" carry their mark; the colour only repeats it. */
function caption(text: string): HTMLElement {
  const mark = /[✗✘×]/.test(text) ? 'wrong' : /[✓✔]/.test(text) ? 'right' : '';
  return h('figcaption', { data: { mark } }, text);
}

function paint(target: HTMLCanvasElement, { width, height, channels, pixels }: ImagesDisplay, index: number): void {
  const context = target.getContext('2d');
  if (!context) return;
  const image = context.createImageData(width, height);
  const size = width * height;
  for (let i = 0; i < size; i++) {
    const from = (index * size + i) * channels;
    for (let channel = 0; channel < 3; channel++) image.data[i * 4 + channel] = pixels[from + (channels === 3 ? channel : 0)]!;
    image.data[i * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

function facts({ shape, dtype, count, total }: ImagesDisplay): HTMLElement {
  return h('div', { class: 'facts' },
    h('span', null, h('b', null, `Tensor [${shape.join(', ')}]`), ` ${dtype}`),
    total > count ? h('span', null, `first ${formatCount(count)} of ${formatCount(total)} images`) : null);
}
