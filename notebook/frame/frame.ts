// Entry of the sandboxed frame: finds out what the browser can do, compiles the engine once, starts the kernel worker
// and hands it the page's port. Keeps the stop flag, since shared memory cannot cross into the frame.
// No code of a cell ever runs here: this thread may navigate, the worker may not.
import { type Capabilities, type FrameEvent, type FrameRequest, SHARED, SHARED_BYTES, SHARED_CONTROLS, SIGN_ROW, SIGN_WORDS, type WorkerBoot } from '../protocol/frame.ts';

const HEARTBEAT_MS = 500;

const isIsolated = self.crossOriginIsolated && typeof SharedArrayBuffer === 'function';
const stopFlag = isIsolated ? new Int32Array(new SharedArrayBuffer(SHARED_BYTES)) : null;

// Without shared memory: a worker that never gives way can still see, by loading it, whether a script is there.
const WORDS = 400;
const signs = stopFlag ? [] : Array.from({ length: WORDS * SIGN_ROW }, () => URL.createObjectURL(new Blob([], { type: 'text/javascript' })));
let words = 0;

/** Tells the worker one of SIGN_WORDS. */
function takeDown(word: number): void {
  const [first, low, high] = signs.slice(words * SIGN_ROW);
  words += 1;
  if (!first || !low || !high) return;
  if (word & 1) URL.revokeObjectURL(low);
  if (word & 2) URL.revokeObjectURL(high);
  URL.revokeObjectURL(first);
}

const controls = stopFlag ? new Float64Array(stopFlag.buffer, SHARED.firstControl * 4, SHARED_CONTROLS) : null;

const post = (event: FrameEvent): void => parent.postMessage(event, '*');

// The smallest modules that use one instruction of each kind: (func (drop (i8x16.popcnt ...))) and f32x4.relaxed_madd.
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
const RELAXED = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15,
  253, 133, 2, 11,
];

function capabilities(): Capabilities {
  const accepts = (bytes: number[]) => typeof WebAssembly === 'object' && WebAssembly.validate(new Uint8Array(bytes));
  return {
    isIsolated,
    hasSimd: accepts(SIMD),
    hasRelaxedSimd: accepts(RELAXED),
    coreCount: navigator.hardwareConcurrency || 1,
    areThreadsReliable: !navigator.userAgent.includes('Firefox/'),
  };
}

async function start(request: Extract<FrameRequest, { type: 'start' }>, port: MessagePort): Promise<void> {
  const { flavour, threads, seed, workerText, glueText, wasm } = request;
  const module = await WebAssembly.compile(wasm);
  const url = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
  // A classic worker: module workers do not start from a blob in an opaque origin in Chromium.
  const worker = new Worker(url, { name: 'kernel' });
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    post({ type: 'failed', message: event.message || 'the kernel worker did not start' });
  });
  const boot: WorkerBoot = { flavour, threads, seed, glueText, module, stopFlag, signs };
  worker.postMessage(boot, [port]);
}

addEventListener('message', (event: MessageEvent) => {
  if (event.source !== parent) return;
  const request = event.data as FrameRequest;
  if (request.type === 'stop') {
    if (!stopFlag) return takeDown(SIGN_WORDS.stop);
    Atomics.store(stopFlag, SHARED.stop, request.value);
    // A run that stands still sleeps on the place of the pause.
    Atomics.notify(stopFlag, SHARED.pause);
  } else if (request.type === 'pause') {
    if (!stopFlag) return takeDown(SIGN_WORDS.pause + request.value);
    Atomics.store(stopFlag, SHARED.pause, request.value);
    Atomics.notify(stopFlag, SHARED.pause);
  } else if (request.type === 'control') {
    if (controls && request.slot < SHARED_CONTROLS) controls[request.slot] = request.value;
  } else if (request.type === 'start') {
    start(request, event.ports[0] as MessagePort).catch((error: unknown) => post({ type: 'failed', message: String(error) }));
  }
});
setInterval(() => post({ type: 'heartbeat' }), HEARTBEAT_MS);
post({ type: 'hello', capabilities: capabilities() });
