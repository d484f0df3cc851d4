// The digit pad: a sheet to draw on with mouse, pen or finger, what the network sees of it, and what it thinks while you draw.
// Without a pointer: take a picture with the keys, and nudge it with the arrows.
import type { DigitPadData } from '../../notebook/protocol/views.ts';
import { h, setText } from '../dom.ts';
import { formatShare } from '../charts/numbers.ts';
import { nudge, preprocess, SIZE } from './digit.ts';
import type { Ask, Drawing } from './live.ts';
import { paintPicture, sheet } from './paint.ts';

const SHEET = 280;
const PEN = 22;

export function digitPadView(first: DigitPadData, ask: Ask): Drawing<'digitPad'> {
  const pad = h('canvas', { class: 'pad', width: SHEET, height: SHEET, tabIndex: 0, role: 'application', 'aria-label': 'Sheet to draw a digit on. With the keys: P takes a picture, the arrows nudge it, Delete clears.' });
  const ink = pad.getContext('2d', { willReadFrequently: true })!;
  ink.lineCap = 'round';
  ink.lineJoin = 'round';
  const seen = sheet(SIZE, SIZE, 4, 'What the network sees: nothing yet');
  const bars = h('div', { class: 'bars', role: 'table', 'aria-label': 'Chance of each digit' });
  const verdict = h('p', { class: 'verdict', role: 'status' }, 'Draw a digit.');
  const centre = h('input', { type: 'checkbox', checked: true, data: { centre: '' }, on: { change: () => send() } });
  const pick = h('select', { 'aria-label': 'Begin with a picture', data: { pick: '' }, on: { change: () => take(Number(pick.value)) } });
  let data = first;
  /** A picture taken from the data, instead of a drawing. */
  let taken: Uint8Array | null = null;
  let last: { x: number; y: number } | null = null;
  let isBlank = true;
  let isAsked = false;

  const clear = () => {
    ink.clearRect(0, 0, SHEET, SHEET);
    taken = null;
    isBlank = true;
    pick.value = '';
    send();
  };
  const pixels = (): Uint8Array | null => {
    if (taken) return taken;
    if (isBlank) return null;
    const { data: rgba } = ink.getImageData(0, 0, SHEET, SHEET);
    const values = new Uint8Array(SHEET * SHEET);
    for (let i = 0; i < values.length; i++) values[i] = rgba[i * 4 + 3]!;
    return preprocess({ width: SHEET, height: SHEET, values }, centre.checked);
  };
  /** Asks at most once per frame, however fast the pen moves. */
  const send = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      const now = pixels();
      paintPicture(seen, { width: SIZE, height: SIZE, channels: 1, pixels: now ?? new Uint8Array(SIZE * SIZE) }, 0);
      seen.alt = now ? 'What the network sees' : 'What the network sees: nothing yet';
      seen.dataset.ink = String(now?.reduce((sum, value) => sum + value, 0) ?? 0);
      ask({ act: 'draw', pixels: now });
    });
  };
  const show = (picture: Uint8Array) => {
    taken = picture;
    isBlank = false;
    const small = document.createElement('canvas');
    small.width = SIZE;
    small.height = SIZE;
    const context = small.getContext('2d')!;
    const image = context.createImageData(SIZE, SIZE);
    const [red, green, blue] = inkColour();
    for (let i = 0; i < picture.length; i++) image.data.set([red!, green!, blue!, picture[i]!], i * 4);
    context.putImageData(image, 0, 0);
    ink.clearRect(0, 0, SHEET, SHEET);
    ink.imageSmoothingEnabled = false;
    ink.drawImage(small, 0, 0, SHEET, SHEET);
    send();
  };
  const take = (index: number) => {
    const { examples } = data;
    if (!examples || Number.isNaN(index)) return;
    show(examples.pixels.slice(index * SIZE * SIZE, (index + 1) * SIZE * SIZE));
    pad.focus();
  };

  const at = (event: PointerEvent) => {
    const box = pad.getBoundingClientRect();
    return { x: ((event.clientX - box.left) / box.width) * SHEET, y: ((event.clientY - box.top) / box.height) * SHEET };
  };
  pad.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    pad.focus({ preventScroll: true });
    pad.setPointerCapture(event.pointerId);
    if (taken) {
      ink.clearRect(0, 0, SHEET, SHEET);
      taken = null;
    }
    last = at(event);
    stroke(last, last);
  });
  pad.addEventListener('pointermove', (event) => {
    if (!last) return;
    // A fast pen reports several places per frame.
    for (const part of event.getCoalescedEvents?.().length ? event.getCoalescedEvents() : [event]) {
      const next = at(part);
      stroke(last, next);
      last = next;
    }
  });
  for (const type of ['pointerup', 'pointercancel'] as const) pad.addEventListener(type, () => { last = null; });
  const stroke = (from: { x: number; y: number }, to: { x: number; y: number }) => {
    isBlank = false;
    ink.strokeStyle = `rgb(${inkColour().join(' ')})`;
    ink.lineWidth = PEN;
    ink.beginPath();
    ink.moveTo(from.x, from.y);
    ink.lineTo(to.x + 0.01, to.y);
    ink.stroke();
    send();
  };
  pad.addEventListener('keydown', (event) => {
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const by = arrows[event.key];
    if (by) {
      const now = pixels();
      if (now) show(nudge(now, by[0], by[1]));
    } else if (event.key === 'p' || event.key === 'P') {
      const count = data.labels.length;
      if (!count) return;
      pick.selectedIndex = (Math.max(0, pick.selectedIndex) % count) + 1;
      take(Number(pick.value));
    } else if (event.key === 'Delete' || event.key === 'Backspace') clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  /** What was drawn is kept as how much ink there is; its colour is that of the page. */
  let inked = inkColour().join();
  const recolour = () => {
    if (inked === inkColour().join()) return;
    inked = inkColour().join();
    ink.save();
    ink.globalCompositeOperation = 'source-in';
    ink.fillStyle = `rgb(${inkColour().join(' ')})`;
    ink.fillRect(0, 0, SHEET, SHEET);
    ink.restore();
  };

  const rows: { row: HTMLElement; fill: HTMLElement; value: HTMLElement }[] = [];
  const update = (next: DigitPadData) => {
    data = next;
    recolour();
    const { chances, trouble } = next;
    const names = next.classes.length ? next.classes : (chances ?? Array.from({ length: 10 })).map((_, i) => String(i));
    if (rows.length !== names.length) {
      rows.splice(0);
      for (const name of names) {
        const fill = h('span', { class: 'fill' });
        const value = h('span', { class: 'amount figures', role: 'cell' });
        rows.push({ row: h('div', { class: 'bar-row', role: 'row' }, h('span', { class: 'name', role: 'rowheader' }, name), h('span', { class: 'track', 'aria-hidden': 'true' }, fill), value), fill, value });
      }
      bars.replaceChildren(...rows.map(({ row }) => row));
    }
    const best = chances ? chances.indexOf(Math.max(...chances)) : -1;
    rows.forEach(({ row, fill, value }, i) => {
      const chance = chances?.[i] ?? 0;
      fill.style.transform = `scaleX(${chance})`;
      setText(value, chances ? formatShare(chance) : '');
      row.dataset.chance = chances ? String(chance) : '';
      if (i === best) row.dataset.best = '';
      else delete row.dataset.best;
    });
    setText(verdict, trouble || (best >= 0 ? `${names[best]}, ${formatShare(chances![best]!)} sure` : names.every((name) => /^\d$/.test(name)) ? 'Nothing drawn, so no digit.' : 'Nothing drawn, so nothing to tell.'));
    verdict.dataset.kind = trouble ? 'warn' : '';
    if (pick.options.length !== next.labels.length + 1) {
      pick.replaceChildren(h('option', { value: '' }, 'Draw, or take a picture'), ...next.labels.map((label, i) => h('option', { value: String(i) }, `picture ${i + 1}: ${label}`)));
    }
  };

  const element = h('div', { class: 'digit-pad' },
    h('div', { class: 'pad-side' }, pad, h('div', { class: 'pad-tools' }, h('button', { class: 'button', type: 'button', data: { clear: '' }, on: { click: clear } }, 'Clear'), pick)),
    h('div', { class: 'seen-side' }, seen, h('span', { class: 'quiet' }, 'what the network sees'), h('label', { class: 'quiet' }, centre, ' crop, scale, centre')),
    h('div', { class: 'bars-side' }, verdict, bars));
  paintPicture(seen, { width: SIZE, height: SIZE, channels: 1, pixels: new Uint8Array(SIZE * SIZE) }, 0);
  return { element, update };
}

const inkColour = () => (document.documentElement.dataset.theme === 'dark' ? [231, 230, 225] : [29, 31, 35]);
