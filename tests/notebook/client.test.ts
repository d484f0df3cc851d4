// The pure parts of the page's side: which build to start, and what is believed of what a kernel says.
// Starting, stopping and losing a kernel is tested in a browser, where frames and workers are real.
import { describe, expect, test } from 'vitest';
import { chooseFlavour, KernelClient } from '../../notebook/client/client.ts';
import { frameDocument } from '../../notebook/client/sandbox.ts';
import { asKernelEvent } from '../../notebook/client/validate.ts';
import type { Capabilities } from '../../notebook/protocol/frame.ts';

const all: Capabilities = { isIsolated: true, hasSimd: true, hasRelaxedSimd: true, coreCount: 4, areThreadsReliable: true };

describe('choice of the build', () => {
  for (const [sentence, capabilities, maxThreads, expected] of [
    ['an isolated page gets threads', all, 8, ['relaxed-threads', 4, false]],
    ['the asked number of threads is obeyed', all, 2, ['relaxed-threads', 2, false]],
    ['one thread means a build without threads', all, 1, ['relaxed', 1, false]],
    ['without relaxed SIMD the plain build is used', { ...all, hasRelaxedSimd: false }, 8, ['simd-threads', 4, false]],
    ['a page that is not isolated gets one thread and says why', { ...all, isIsolated: false }, 8, ['relaxed', 1, true]],
    ['a browser whose threads hang gets one thread and says why', { ...all, areThreadsReliable: false }, 8, ['relaxed', 1, true]],
    ['a machine with one core gets one thread and says why', { ...all, coreCount: 1 }, 8, ['relaxed', 1, true]],
  ] as const) {
    test(sentence, () => {
      const { flavour, threads, note } = chooseFlavour(capabilities, maxThreads);
      expect([flavour, threads, note !== '']).toEqual(expected);
    });
  }

  test('a browser without SIMD is told so', () => {
    expect(() => chooseFlavour({ ...all, hasSimd: false }, 8)).toThrow('This browser cannot run the engine: it lacks WebAssembly SIMD.');
  });
});

const ofRun = { runId: 1, cellId: 'a' };
const error = { type: 'error', ...ofRun, name: 'E', message: 'm', line: 1, column: null, frames: [], hint: '', origin: 'run' };
const images = { kind: 'images', width: 2, height: 1, channels: 1, count: 1, total: 1, pixels: new Uint8Array(2), captions: [], shape: [1, 2], dtype: 'uint8' };

describe('events of a kernel', () => {
  for (const event of [
    error,
    { type: 'pong', token: 1 },
    { type: 'metrics', ...ofRun, names: ['loss'], steps: new Float64Array(1), columns: [new Float64Array(1)], times: new Float64Array(1), samples: new Float64Array(1), flops: new Float64Array(1), epochSize: 0 },
    { type: 'display', ...ofRun, displayId: 'd', update: false, data: images },
    { type: 'display', ...ofRun, displayId: 'd', update: false, data: { kind: 'value', value: { type: 'array', text: '[1]', entries: [{ key: '', value: { type: 'number', text: '1' } }] } } },
  ]) {
    test(`believed: ${event.type}`, () => expect(asKernelEvent(event)).toBe(event));
  }

  for (const [sentence, event] of [
    ['no object', 'reply'],
    ['an unknown name', { type: 'navigate', ...ofRun }],
    ['a name from the prototype', { type: 'constructor' }],
    ['a run that is no number', { ...error, runId: '1' }],
    ['a message that is no text', { ...error, message: { toString: 'x' } }],
    ['frames that are no list', { ...error, frames: 'x' }],
    ['columns of the wrong kind', { type: 'metrics', ...ofRun, names: ['a'], steps: [1], columns: [] }],
    ['an unknown display', { type: 'display', ...ofRun, displayId: 'd', update: false, data: { kind: 'html', text: '<b>' } }],
    ['fewer pixels than it says', { type: 'display', ...ofRun, displayId: 'd', update: false, data: { ...images, width: 200 } }],
    ['a chart of absurd height', { type: 'display', ...ofRun, displayId: 'd', update: false, data: { kind: 'chart', chart: { title: '', xLabel: '', yLabel: '', height: 1e9, series: [] } } }],
  ] as const) {
    test(`not believed: ${sentence}`, () => expect(asKernelEvent(event)).toBe(null));
  }
});

test('the text of the frame script cannot end its script element', () => {
  expect(frameDocument('"</script><b>"').match(/<\/script>/g)).toHaveLength(1);
});

test('a frame that answers while the page is held up for seconds is no silent one', { timeout: 60_000 }, async () => {
  const asked = new Promise<string>((resolve, reject) => {
    const client = new KernelClient({
      host: {
        frameText: async () => '',
        workerText: async () => '',
        engine: (flavour) => (resolve(flavour), new Promise(() => {})),
        file: () => new Promise(() => {}),
        createFrame: (_, hear) => {
          // Longer than the frame may be silent; its answer is heard after the page's own clocks.
          for (const until = performance.now() + 10_500; performance.now() < until;);
          setTimeout(() => hear({ type: 'hello', capabilities: { ...all, isIsolated: false } }));
          return { post: () => {}, remove: () => {} };
        },
      },
      onEvent: () => {},
      onState: () => {},
    });
    client.start().catch(reject);
  });
  expect(await asked).toBe('relaxed');
});
