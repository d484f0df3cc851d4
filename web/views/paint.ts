// Small pictures on canvases: grey or coloured bytes, and numbers with signs. Square pixels, a hairline frame.
import type { Pictures } from '../../notebook/protocol/views.ts';
import { h } from '../dom.ts';

/** A canvas of `width` x `height` picture pixels, `scale` screen pixels each. */
export function sheet(width: number, height: number, scale: number, name: string): HTMLCanvasElement {
  return h('canvas', { class: 'sheet', width, height, role: 'img', 'aria-label': name, style: { width: `${width * scale + 2}px`, height: `${height * scale + 2}px` } });
}

/** Paints picture number `index`. */
export function paintPicture(target: HTMLCanvasElement, { width, height, channels, pixels }: Pictures, index: number): void {
  const size = width * height;
  paint(target, width, height, (i, out, at) => {
    const from = (index * size + i) * channels;
    for (let channel = 0; channel < 3; channel++) out[at + channel] = pixels[from + (channels === 3 ? channel : 0)]!;
  });
}

/** Paints any pixels: `colour` writes red, green and blue of pixel `i` into `out` from `at` on. */
export function paint(target: HTMLCanvasElement, width: number, height: number, colour: (i: number, out: Uint8ClampedArray, at: number) => void): void {
  const context = target.getContext('2d');
  if (!context) return;
  const image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    image.data[i * 4 + 3] = 255;
    colour(i, image.data, i * 4);
  }
  context.putImageData(image, 0, 0);
}

type Colour = readonly [number, number, number];

/** `#0072b2` as three numbers. */
export function rgb(text: string): Colour {
  const hex = text.replace('#', '');
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour;
}

export const mix = (a: Colour, b: Colour, share: number): Colour => [0, 1, 2].map((i) => a[i]! + (b[i]! - a[i]!) * share) as unknown as Colour;

const isDark = () => document.documentElement.dataset.theme === 'dark';

/** Blue below zero, red above, and zero the ground of the page: `value` from -1 to 1. */
export function signedColour(value: number): Colour {
  const ground: Colour = isDark() ? [22, 23, 26] : [255, 255, 255];
  const strength = Math.min(1, Math.abs(value));
  const end: Colour = value < 0 ? (isDark() ? [75, 163, 220] : [5, 90, 165]) : isDark() ? [232, 121, 58] : [190, 50, 20];
  return mix(ground, end, strength);
}

/** One hue for counts and activations: `value` from 0 to 1. */
export function heatColour(value: number): Colour {
  const ground: Colour = isDark() ? [30, 32, 36] : [252, 252, 250];
  const end: Colour = isDark() ? [76, 194, 184] : [11, 110, 110];
  return mix(ground, end, Math.min(1, Math.max(0, value)));
}

export const css = ([red, green, blue]: Colour): string => `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)})`;
