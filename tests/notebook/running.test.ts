// What somebody does to a run from outside: standing still, single steps, moving controls. And what runs say of values.
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PAUSE, SHARED } from '../../notebook/protocol/frame.ts';
import type { ControlDisplay, KernelEvent } from '../../notebook/protocol/messages.ts';
import { Checkpoints } from '../../notebook/kernel/checkpoints.ts';
import { Pause } from '../../notebook/kernel/pause.ts';
import { type Kernel, openKernel } from './cells.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a checkpoint that something held up for seconds is followed by the next within half a minute', () => {
  let now = 0;
  let taken = 0;
  const checkpoints = new Checkpoints({ engine: {} as never, now: () => now, names: () => { taken++; now += 3000; return []; }, send: () => {} });
  for (; now < 200_000; now += 100) checkpoints.poll({ step: 1 } as never);
  expect(taken).toBeGreaterThanOrEqual(5);
});

describe('standing still', () => {
  /** A loop that gives way before each step, as loops of batches do. */
  function loop() {
    const told: boolean[] = [];
    let isStopped = false;
    const pause = new Pause({ words: null, now: () => performance.now(), isStopped: () => isStopped, report: (isPaused) => told.push(isPaused) });
    const state = { steps: 0, hasEnded: false };
    const run = (async () => {
      while (!isStopped) {
        const gate = pause.gate();
        if (gate) await gate;
        if (isStopped) break;
        state.steps += 1;
        await turn();
      }
      state.hasEnded = true;
    })();
    return { pause, state, told, run, stop: () => { isStopped = true; pause.release(); } };
  }
  const some = async () => { for (let i = 0; i < 20; i++) await turn(); };

  test('a paused loop does no step, a step is one, and it goes on where it was', async () => {
    const { pause, state, told, run, stop } = loop();
    await some();
    pause.set('on');
    await some();
    const { steps } = state;
    await some();
    expect([state.steps, told]).toEqual([steps, [true]]);
    for (let i = 1; i <= 3; i++) {
      pause.set('step');
      await some();
      expect(state.steps).toBe(steps + i);
    }
    pause.set('off');
    await some();
    expect(state.steps).toBeGreaterThan(steps + 3);
    expect(told.at(-1)).toBe(false);
    stop();
    await run;
  });

  test('a paused loop can be stopped', async () => {
    const { pause, state, run, stop } = loop();
    pause.set('on');
    await some();
    stop();
    await run;
    expect(state.hasEnded).toBe(true);
  });
});

describe('a running kernel', () => {
  let kernel: Kernel;
  beforeEach(() => { kernel = openKernel(); });
  afterEach(() => kernel.end());
  const eventsOf = <T extends KernelEvent['type']>(type: T) => kernel.events.filter((event): event is Extract<KernelEvent, { type: T }> => event.type === type);
  const controls = () => eventsOf('display').map(({ data }) => data).filter((data): data is ControlDisplay => data.kind === 'control');
  /** Another thread writes, as the page's frame does while the kernel is deaf. */
  const later = (writes: readonly (readonly [place: number, value: number, afterMs: number])[]) => {
    const code = 'const { workerData: [flag, writes] } = require("node:worker_threads"); for (const [place, value, ms] of writes) setTimeout(() => { Atomics.store(flag, place, value); Atomics.notify(flag, 1); }, ms)';
    new Worker(code, { eval: true, workerData: [kernel.stopFlag, writes] }).unref();
  };

  const sleepers = (code: string) => {
    const whenAsleep = 'const whenAsleep = (act) => { const look = setInterval(() => { if (Atomics.notify(flag, 1) > 0) { clearInterval(look); act(); } }, 20); };';
    new Worker(`const { workerData: flag } = require("node:worker_threads"); ${whenAsleep} ${code}`, { eval: true, workerData: kernel.stopFlag }).unref();
  };

  test('a loop that never gives way stands still, goes on, and can be stopped while it stands', async () => {
    Reflect.set(globalThis, 'testMemory', kernel.stopFlag);
    const { outcome } = kernel.begin('a', 'let n = 0\nwhile (!(globalThis as any).testMemory[3]) n++');
    // Asks for a pause, waits until somebody sleeps on it, and lets go.
    sleepers(`Atomics.store(flag, 1, ${PAUSE.on}); whenAsleep(() => { Atomics.store(flag, 1, ${PAUSE.off}); Atomics.notify(flag, 1); Atomics.store(flag, 3, 1); })`);
    expect(await outcome).toEqual({});
    expect(eventsOf('paused').map(({ isPaused }) => isPaused)).toEqual([true, false]);
    const second = kernel.begin('b', 'for (;;) {}');
    sleepers(`Atomics.store(flag, 1, ${PAUSE.on}); whenAsleep(() => { Atomics.store(flag, ${SHARED.stop}, ${second.runId}); Atomics.notify(flag, 1); })`);
    expect(await second.outcome).toEqual({ stopped: true });
    expect(await kernel.run('c', 'n > 0')).toEqual({ value: 'true' });
    Reflect.deleteProperty(globalThis, 'testMemory');
  });

  test('where threads share no memory, a loop that awaits only things of its own stands still between two rounds, and steps', async () => {
    kernel.end();
    kernel = openKernel(null, false);
    const rounds = () => Number(Reflect.get(globalThis, 'testRounds'));
    const until = async (isTrue: () => boolean) => { while (!isTrue()) await turn(); };
    const last = () => eventsOf('paused').at(-1)?.isPaused;
    for (const body of ['(globalThis as any).testRounds++; await new Promise((r) => setTimeout(r, 1))', 'for await (const _ of [new Promise((r) => setTimeout(r, 1))]) (globalThis as any).testRounds++']) {
      Reflect.set(globalThis, 'testRounds', 0);
      // In a function of another cell, as a loop or without braces.
      await kernel.run('a', `async function teach() { while (true) ${body.startsWith('for') ? body : `{ ${body} }`} }`);
      const { runId, outcome } = kernel.begin('b', 'await teach();');
      await until(() => rounds() > 2);
      kernel.session.pause({ runId, mode: 'on' });
      await until(() => last() === true);
      const at = rounds();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(rounds()).toBe(at);
      for (let i = 1; i <= 3; i++) {
        const told = eventsOf('paused').length;
        kernel.session.pause({ runId, mode: 'step' });
        await until(() => eventsOf('paused').length === told + 2);
        if (body.startsWith('(')) expect(rounds()).toBe(at + i);
      }
      kernel.session.pause({ runId, mode: 'off' });
      await until(() => rounds() > at + 5);
      kernel.session.pause({ runId, mode: 'on' });
      await until(() => last() === true);
      kernel.session.interrupt(runId);
      expect(await outcome).toEqual({ stopped: true });
    }
    Reflect.deleteProperty(globalThis, 'testRounds');
  });

  test('a moved slider is seen by a loop that waits, by its listener, and by the next cell', async () => {
    await kernel.run('a', "const lr = ui.slider('rate', { min: 0, max: 1, value: 0.5 })\nconst heard: number[] = []\nlr.onChange((v) => heard.push(v))");
    const { outcome } = kernel.begin('b', 'while (lr.value === 0.5) await new Promise((r) => setTimeout(r, 1));\n`${lr.value} ${lr * 2} ${lr}`');
    const [control] = controls();
    setTimeout(() => kernel.session.control({ controlId: control?.controlId as string, value: 0.25 }), 30);
    expect(await outcome).toEqual({ value: '"0.25 0.5 0.25"' });
    expect(await kernel.run('c', 'heard')).toEqual({ value: '[0.25]' });
    expect(await kernel.run('d', 'lr')).toEqual({});
  });

  test('a loop that never gives way sees a slider move through the shared memory', async () => {
    await kernel.run('a', "const lr = ui.slider('rate', { value: 0.5 })");
    const { slot } = controls()[0] as ControlDisplay;
    const bits = new Int32Array(new Float64Array([0.75]).buffer);
    const at = SHARED.firstControl + 2 * slot;
    later([[at, bits[0] as number, 40], [at + 1, bits[1] as number, 40]]);
    expect(await kernel.run('b', 'while (lr.value === 0.5);\nlr.value')).toEqual({ value: '0.75' });
  });

  test('every kind of control has its value, and takes only values that fit', async () => {
    await kernel.run('a', "const n = ui.number('n', { min: 1, max: 9, value: 3 }), c = ui.choice('c', ['a', 'b']), t = ui.toggle('t'), s = ui.slider('s', { scale: 'log', min: 1e-4, max: 1 })\nlet clicks = 0\nconst b = ui.button('b', (k) => { clicks = k })");
    expect(await kernel.run('b', '[n.value, c.value, t.value, s.value, b.value]')).toEqual({ value: '[3, "a", false, 0.01, 0]' });
    const ids = controls().map(({ controlId }) => controlId);
    const set = (i: number, value: number | string | boolean) => kernel.session.control({ controlId: ids[i] as string, value });
    for (const [i, value] of [[0, 99], [1, 'z'], [2, 1], [3, Number.NaN], [4, 1]] as const) set(i, value);
    kernel.session.control({ controlId: 'nobody', value: 1 });
    expect(await kernel.run('c', '[n.value, c.value, t.value, s.value, b.value, clicks]')).toEqual({ value: '[9, "a", false, 0.01, 1, 1]' });
    for (const [i, value] of [[1, 'b'], [2, true]] as const) set(i, value);
    expect(await kernel.run('d', '[c.value, t.value]')).toEqual({ value: '["b", true]' });
  });

  for (const [sentence, source, error] of [
    ['a slider without room', "ui.slider('x', { min: 2, max: 1 })", 'RangeError: ui.slider: min must be smaller than max, got 2 and 1'],
    ['a logarithmic slider from 0', "ui.slider('x', { scale: 'log', min: 0 })", 'RangeError: ui.slider: a logarithmic scale needs a min above 0, got 0'],
    ['a number that is none', "ui.number('x', { value: '3' as any })", 'TypeError: ui.number: `value` must be a number, got "3"'],
    ['a choice of nothing', "ui.choice('x', [])", 'TypeError: ui.choice: expected a list of texts, got []'],
    ['a choice of what is not there', "ui.choice('x', ['a'], { value: 'b' as any })", 'RangeError: ui.choice: "b" is none of a'],
    ['a value that does not fit', "const t = ui.toggle('x'); t.value = 3 as any", 'TypeError: ui.toggle: "x" cannot be 3'],
  ] as const) {
    test(`${sentence} is refused with the reason`, async () => expect((await kernel.run('a', source)).error).toBe(error));
  }

  test('a control of a cell that ran again is deaf to its old display', async () => {
    await kernel.run('a', "const v = ui.number('v', { value: 1 })");
    const old = controls()[0] as ControlDisplay;
    await kernel.run('a', "const v = ui.number('v', { value: 2 })");
    kernel.session.control({ controlId: old.controlId, value: 7 });
    expect(await kernel.run('b', 'v.value')).toEqual({ value: '2' });
  });

  const facts = async (id: string, source: string) => {
    await kernel.run(id, source);
    return (eventsOf('reply').at(-1)?.values ?? []).map(({ name, text, kind }) => `${name}=${text} ${kind}`);
  };

  test('a run tells the values it declared and those of others that it changed', async () => {
    expect(await facts('a', "let lr = 0.1, o = { a: 1 }, t = 'x'.repeat(100)\nconst f = () => 1")).toEqual(['lr=0.1 plain', 'o= other', 't= other', 'f= other']);
    expect(await facts('b', 'lr = 0.01; const k = true')).toEqual(['lr=0.01 plain', 'k=true plain']);
    expect(await facts('c', '1')).toEqual([]);
    const versions = eventsOf('reply').flatMap(({ values }) => values.filter(({ name }) => name === 'lr').map(({ version }) => version));
    expect(new Set(versions).size).toBe(2);
    await kernel.run('a', 'let lr = 0.01');
    expect(eventsOf('reply').at(-1)?.values).toEqual([{ name: 'lr', text: '0.01', kind: 'plain', version: versions[1], controlId: null }]);
  });

  test('a moved control is a changed value', async () => {
    await facts('a', "const lr = ui.slider('rate', { value: 0.5 })");
    kernel.session.control({ controlId: (controls()[0] as ControlDisplay).controlId, value: 0.25 });
    expect(await facts('b', '1')).toEqual(['lr=0.25 plain']);
  });
});
