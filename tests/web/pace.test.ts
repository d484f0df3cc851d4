// How often the inspector asks: one slow snapshot does not keep it quiet, dear ones do, and a kernel at rest is no news.
import { expect, test } from 'vitest';
import { isNews, pauseAfter } from '../../web/inspector/pace.ts';

test('after a slow first snapshot the next one comes at the usual time', () => {
  expect(pauseAfter([400], true)).toBe(1000);
  expect(pauseAfter([400, 2], false)).toBe(1000);
  expect(pauseAfter([400, 2], true)).toBe(4000);
});

test('a slow one among quick ones changes nothing', () => {
  expect(pauseAfter([2, 400, 3], true)).toBe(4000);
});

test('where every snapshot is dear they take a four-hundredth of the time', () => {
  expect(pauseAfter([400, 40, 30], true)).toBe(12_000);
  expect(pauseAfter([50, 40, 30, 32], true)).toBe(12_000);
});

test('a machine with far too much to do is asked now and then all the same, and one at rest soon', () => {
  expect(pauseAfter([3000, 4000, 3000], true)).toBe(20_000);
  expect(pauseAfter([300, 400, 320], false)).toBe(1200);
});

test('the time alone is no news, one more number is', () => {
  const former = new Uint8Array(400);
  const later = former.slice().fill(7, 100, 108);
  expect(isNews(former, former.slice())).toBe(false);
  expect(isNews(former, later)).toBe(false);
  expect(isNews(former, later.fill(1, 200, 208))).toBe(true);
  expect(isNews(former, new Uint8Array(401))).toBe(true);
});
