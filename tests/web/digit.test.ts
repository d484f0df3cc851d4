// MNIST's preprocessing by its definition: 20 x 20 box, proportions kept, centre of mass in the middle of 28 x 28.
import { expect, test } from 'vitest';
import { nudge, preprocess } from '../../web/views/digit.ts';
import { createRandom } from '../../datasets/random.ts';

const blank = (size: number) => new Uint8Array(size * size);

function block(size: number, left: number, top: number, width: number, height: number, value = 255) {
  const values = blank(size);
  for (let y = top; y < top + height; y++) values.fill(value, y * size + left, y * size + left + width);
  return { width: size, height: size, values };
}

function facts(pixels: Uint8Array) {
  const inked = [...pixels.keys()].filter((i) => pixels[i]! > 0);
  const xs = inked.map((i) => i % 28);
  const ys = inked.map((i) => Math.floor(i / 28));
  const mass = pixels.reduce((sum, value) => sum + value, 0);
  return {
    width: Math.max(...xs) - Math.min(...xs) + 1,
    height: Math.max(...ys) - Math.min(...ys) + 1,
    x: pixels.reduce((sum, value, i) => sum + value * (i % 28), 0) / mass,
    y: pixels.reduce((sum, value, i) => sum + value * Math.floor(i / 28), 0) / mass,
  };
}

test('nothing drawn is no digit', () => {
  expect(preprocess({ width: 280, height: 280, values: blank(280) })).toBeNull();
  expect(preprocess(block(280, 3, 3, 50, 50, 5)), 'a breath of ink').toBeNull();
});

test.each([
  ['a tall stroke', block(280, 10, 20, 20, 100), 4, 20],
  ['a wide stroke', block(280, 100, 200, 120, 30), 20, 5],
  ['a dot in a corner', block(280, 0, 0, 6, 6), 20, 20],
  ['the whole sheet', block(280, 0, 0, 280, 280), 20, 20],
])('%s fills the box of 20 in its longer direction and keeps its proportions', (_, ink, width, height) => {
  const found = facts(preprocess(ink)!);
  expect([found.width, found.height]).toEqual([width, height]);
});

test('wherever it was drawn, the centre of mass lies in the middle, within half a pixel', () => {
  const random = createRandom(5);
  for (let trial = 0; trial < 50; trial++) {
    const values = blank(140);
    for (let strokes = 0; strokes < 4; strokes++) {
      const part = block(140, Math.floor(random.uniform() * 100), Math.floor(random.uniform() * 100), 5 + Math.floor(random.uniform() * 30), 5 + Math.floor(random.uniform() * 30));
      part.values.forEach((value, i) => { if (value) values[i] = value; });
    }
    const { x, y, width, height } = facts(preprocess({ width: 140, height: 140, values })!);
    expect(Math.abs(x - 13.5)).toBeLessThanOrEqual(0.5);
    expect(Math.abs(y - 13.5)).toBeLessThanOrEqual(0.5);
    expect(Math.max(width, height)).toBeLessThanOrEqual(20);
  }
});

test('without centring the sheet is only made smaller', () => {
  const { x, y } = facts(preprocess(block(280, 0, 0, 10, 10), false)!);
  expect([x, y]).toEqual([0, 0]);
});

test('a nudge moves by whole pixels and loses what leaves the sheet', () => {
  const dot = blank(28);
  dot[0] = 9;
  expect(nudge(dot, 2, 1)[30]).toBe(9);
  expect(nudge(dot, -1, 0).some((value) => value > 0)).toBe(false);
});
