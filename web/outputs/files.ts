// Displays that are files: pictures, HTML in a frame that can reach nothing, a button that saves.
import type { DownloadDisplay, HtmlDisplay, PictureDisplay } from '../../notebook/protocol/messages.ts';
import { h } from '../dom.ts';
import { formatBytes } from '../shell/words.ts';
import type { View } from './views.ts';

/**
 * Shown as an image, a drawing cannot run the scripts that it may hold. It appears when the browser knows how tall it is, so that
 * nothing moves then.
 */
export function pictureView(data: PictureDisplay): View<'picture'> {
  const words = h('figcaption');
  const element = h('figure', { class: 'picture', hidden: true });
  let url = '';
  const show = ({ bytes, mediaType, width, height, caption }: PictureDisplay) => {
    URL.revokeObjectURL(url);
    const mine = url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType }));
    const image = h('img', { decoding: 'sync', alt: caption || 'Picture' });
    if (width !== null && height !== null) {
      image.width = width;
      image.height = height;
    }
    const appear = () => {
      if (url !== mine) return;
      words.textContent = caption;
      element.replaceChildren(image, ...(caption ? [words] : []));
      element.hidden = false;
    };
    // A picture that cannot be read shows its name.
    image.addEventListener('load', appear);
    image.addEventListener('error', appear);
    image.src = url;
  };
  show(data);
  return { element, update: show, close: () => URL.revokeObjectURL(url) };
}

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:";

/** A document of its own without an origin: its scripts run, and reach neither the page nor the network. */
export function htmlView(data: HtmlDisplay): View<'html'> {
  const frame = h('iframe', { class: 'html-out', title: 'HTML of this cell', loading: 'lazy' });
  frame.setAttribute('sandbox', 'allow-scripts');
  let shown = '';
  const show = ({ text, height }: HtmlDisplay) => {
    frame.style.height = `${height}px`;
    if (text === shown) return;
    shown = text;
    frame.srcdoc = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">${text}`;
  };
  show(data);
  return { element: frame, update: show };
}

export function downloadView(data: DownloadDisplay): View<'download'> {
  let current = data;
  const size = h('span', { class: 'size' });
  const name = h('span');
  const button = h('button', { class: 'button', type: 'button', on: { click: () => save(current) } }, 'Save ', name, size);
  const show = (next: DownloadDisplay) => {
    current = next;
    name.textContent = next.name;
    size.textContent = formatBytes(next.bytes.length);
  };
  show(data);
  return { element: h('div', { class: 'download' }, button), update: show };
}

/** Hands a file to the browser's own downloads. */
export function save({ name, mediaType, bytes }: Pick<DownloadDisplay, 'name' | 'mediaType' | 'bytes'>): void {
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType }));
  const link = h('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
