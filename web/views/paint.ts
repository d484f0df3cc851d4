// Small pictures on canvases: grey or coloured bytes, and numbers with signs. Square pixels, a hairline frame.
import type { Pictures } from '../../notebook/protocol/views.ts';
import { h } from '../dom.ts';

/**
 * A picture of `width` x `height` pixels, `scale` screen pixels each. An image and not a canvas: browsers keep a layer of its own for
 * each canvas and put all of them together anew for every frame.
 */
export function sheet(width: number, height: number, scale: number, name: string): HTMLImageElement {
  return h('img', { class: 'sheet', width, height, alt: name, draggable: false, decoding: 'sync', style: { width: `${width * scale + 2}px`, height: `${height * scale + 2}px` } });
}

/** Writes red, green and blue of pixel `i` into `out` from `at` on. */
export type Paint = (i: number, out: Uint8ClampedArray, at: number) => void;

/** Paints picture number `index`. */
export function paintPicture(target: HTMLCanvasElement | HTMLImageElement, { width, height, channels, pixels }: Pictures, index: number): void {
  const size = width * height;
  paint(target, width, height, (i, out, at) => {
    const from = (index * size + i) * channels;
    for (let channel = 0; channel < 3; channel++) out[at + channel] = pixels[from + (channels === 3 ? channel : 0)]!;
  });
}

/** Paints any pixels. */
export function paint(target: HTMLCanvasElement | HTMLImageElement, width: number, height: number, colour: Paint): void {
  if (target instanceof HTMLImageElement) {
    const address = bitmap(width, height, colour);
    if (target.src !== address) target.src = address;
    return;
  }
  const context = target.getContext('2d');
  if (!context) return;
  const image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    image.data[i * 4 + 3] = 255;
    colour(i, image.data, i * 4);
  }
  context.putImageData(image, 0, 0);
}

/** Pixels as the address of an image: a bitmap, which needs no packing. */
function bitmap(width: number, height: number, colour: Paint): string {
  const head = 54;
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = new Uint8Array(head + row * height);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, head, true);
  view.setUint32(14, head - 14, true);
  view.setInt32(18, width, true);
  // A height below zero: rows from top to bottom.
  view.setInt32(22, -height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  const pixel = new Uint8ClampedArray(3);
  for (let i = 0; i < width * height; i++) {
    colour(i, pixel, 0);
    const at = head + Math.floor(i / width) * row + (i % width) * 3;
    bytes[at] = pixel[2]!;
    bytes[at + 1] = pixel[1]!;
    bytes[at + 2] = pixel[0]!;
  }
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return `data:image/bmp;base64,${btoa(text)}`;
}

type Colour = readonly [number, number, number];

/** `#0072b2` as three numbers. */
export function rgb(text: string): Colour {
  const hex = text.replace('#', '');
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour;
}

export const mix = (a: Colour, b: Colour, share: number): Colour => [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];

const isDark = () => document.documentElement.dataset.theme === 'dark';

/** Shades of one scale: so many that no step between two of them can be seen. */
const SHADES = 512;
const tables = new Map<string, Uint8ClampedArray>();

/** The colours of a scale from -1 to 1 or from 0 to 1, in the page's colours as they are now. */
function tableOf(name: 'signed' | 'heat'): Uint8ClampedArray {
  const key = `${name} ${isDark()}`;
  let table = tables.get(key);
  if (!table) {
    table = new Uint8ClampedArray(3 * (SHADES + 1));
    for (let i = 0; i <= SHADES; i++) table.set(name === 'signed' ? signedColour((2 * i) / SHADES - 1) : heatColour(i / SHADES), 3 * i);
    tables.set(key, table);
  }
  return table;
}

/** Writes the colour of a number. */
type Writer = (value: number, out: Uint8ClampedArray, at: number) => void;

/** For the pixels of one picture: `signedColour` by a table. */
export function signedWriter(): Writer {
  const table = tableOf('signed');
  return (value, out, at) => write(table, (value + 1) / 2, out, at);
}

/** For the pixels of one picture: `heatColour` by a table. */
export function heatWriter(): Writer {
  const table = tableOf('heat');
  return (value, out, at) => write(table, value, out, at);
}

function write(table: Uint8ClampedArray, share: number, out: Uint8ClampedArray, at: number): void {
  // What is no number has the colour of the middle or of the end that it lies beyond.
  const from = 3 * Math.round(SHADES * (share > 0 ? Math.min(1, share) : 0));
  out[at] = table[from]!;
  out[at + 1] = table[from + 1]!;
  out[at + 2] = table[from + 2]!;
}

/** Blue below zero, red above, and zero the ground of the page: `value` from -1 to 1. */
export function signedColour(value: number): Colour {
  const dark = isDark();
  const ground: Colour = dark ? [22, 23, 26] : [255, 255, 255];
  const strength = Math.min(1, Math.abs(value));
  const end: Colour = value < 0 ? (dark ? [75, 163, 220] : [5, 90, 165]) : dark ? [232, 121, 58] : [190, 50, 20];
  return mix(ground, end, strength);
}

/** One hue for counts and activations: `value` from 0 to 1. */
export function heatColour(value: number): Colour {
  const dark = isDark();
  const ground: Colour = dark ? [30, 32, 36] : [252, 252, 250];
  const end: Colour = dark ? [76, 194, 184] : [11, 110, 110];
  return mix(ground, end, Math.min(1, Math.max(0, value)));
}

export const css = ([red, green, blue]: Colour): string => `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)})`;
