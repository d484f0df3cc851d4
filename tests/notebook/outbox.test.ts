// When the kernel speaks: logged numbers a few times a second, what somebody waits for within a frame. On a clock of its own.
import { expect, test } from 'vitest';
import { FLUSH_MS, NUMBERS_MS, numbersWait, Outbox } from '../../notebook/kernel/outbox.ts';

/** An outbox with one source, a clock that the test moves on, and timers that come on that clock, if the loop gives way at all. */
function outbox(givesWay: boolean) {
  let now = 0;
  const timers: { at: number; task: () => void }[] = [];
  const sent: { at: number; items: string[] }[] = [];
  const waiting: string[] = [];
  const box = new Outbox(() => {}, () => now, (task, ms) => timers.push({ at: now + ms, task }));
  box.addSource(() => { if (waiting.length) sent.push({ at: now, items: waiting.splice(0) }); });
  return {
    box,
    sent,
    add: (item: string, waitMs?: number) => {
      waiting.push(item);
      box.poll(waitMs);
    },
    /** Lets time pass, millisecond by millisecond. */
    pass: (ms: number, each: () => void = () => {}) => {
      for (const end = now + ms; now < end; now++) {
        each();
        if (!givesWay) continue;
        for (const timer of timers.filter(({ at }) => at <= now)) {
          timers.splice(timers.indexOf(timer), 1);
          timer.task();
        }
      }
    },
    now: () => now,
  };
}

for (const givesWay of [true, false]) {
  test(`a loop that logs each millisecond and ${givesWay ? 'gives way' : 'never gives way'} tells its numbers often at first, and four times a second later`, () => {
    const { box, sent, add, pass, now } = outbox(givesWay);
    pass(10_000, () => add(String(now()), numbersWait(now())));
    box.flush();
    const within = (from: number, to: number) => sent.filter(({ at }) => at >= from && at < to).length;
    expect(within(0, 100)).toBeGreaterThanOrEqual(6);
    expect(within(0, 2000)).toBeLessThan(40);
    expect(within(5000, 9000)).toBe((1000 / NUMBERS_MS) * 4);
    // None is lost, and none comes twice.
    expect(sent.flatMap(({ items }) => items)).toEqual(Array.from({ length: 10_000 }, (_, i) => String(i)));
  });
}

test('the last numbers of a loop leave although nothing comes after them', () => {
  const { sent, add, pass } = outbox(true);
  pass(1000);
  add('first', NUMBERS_MS);
  add('last', NUMBERS_MS);
  pass(NUMBERS_MS + 2);
  expect(sent.map(({ at, items }) => [at, items])).toEqual([[1000, ['first']], [1000 + NUMBERS_MS, ['last']]]);
});

test('a printed line does not wait for the numbers, and takes them along', () => {
  const { sent, add, pass } = outbox(true);
  pass(1000);
  add('first', NUMBERS_MS);
  add('number', NUMBERS_MS);
  pass(5);
  add('line');
  pass(2 * NUMBERS_MS);
  expect(sent.map(({ at, items }) => [at, items])).toEqual([[1000, ['first']], [1000 + FLUSH_MS, ['number', 'line']]]);
});

test('a loop that never gives way and logs nothing more lets the numbers go when its rounds tell the time', () => {
  const { box, sent, add, pass } = outbox(false);
  pass(1000);
  add('first', NUMBERS_MS);
  add('last', NUMBERS_MS);
  pass(NUMBERS_MS + 2, () => box.turn());
  expect(sent.map(({ items }) => items)).toEqual([['first'], ['last']]);
});
