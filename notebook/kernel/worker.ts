// Entry of the kernel worker: a classic worker inside the sandboxed frame. Starts the engine and a session and joins
// them to the page's port. Cells run in this same realm, so the port and what it is used with stay in this closure,
// and the functions that touch it are taken before any cell runs.
import * as api from '../../engine/api/index.ts';
import * as engineHost from '../../engine/api/host.ts';
import type { DatasetFile } from '../../datasets/index.ts';
import type { WorkerBoot } from '../protocol/frame.ts';
import type { KernelEvent, Request, Supply } from '../protocol/messages.ts';
import type { EngineLink } from './engine.ts';
import { createImporter } from './modules.ts';
import { Session } from './session.ts';

declare const self: DedicatedWorkerGlobalScope;
declare function importScripts(...urls: string[]): void;

/** The page has better uses for the processors right after its start. */
const WARM_UP_AFTER_MS = 500;

type Progress = (receivedBytes: number, totalBytes: number) => void;
interface Need {
  readonly onProgress: Progress;
  readonly resolve: (bytes: ArrayBuffer) => void;
  readonly reject: (error: Error) => void;
}

const { apply } = Reflect;
const getter = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get as () => unknown;
const dataOf = getter(MessageEvent.prototype, 'data');
const portsOf = getter(MessageEvent.prototype, 'ports');
const postToPort = MessagePort.prototype.postMessage;
const listen = EventTarget.prototype.addEventListener;
const { createObjectURL, revokeObjectURL } = URL;
const loadScript = importScripts;

function boot(event: MessageEvent): void {
  self.removeEventListener('message', boot);
  const port = (apply(portsOf, event, []) as MessagePort[])[0] as MessagePort;
  const options = apply(dataOf, event, []) as WorkerBoot;
  // The frame hears nothing from cells: they get no way to post to it. Nor may they end the worker, which nobody would hear of.
  for (const name of ['postMessage', 'close']) Reflect.deleteProperty(self, name);
  const send = (message: KernelEvent, transfer: Transferable[] = []): void => apply(postToPort, port, [message, transfer]);
  const waiting: Request[] = [];
  let receive = (request: Request): void => void waiting.push(request);
  apply(listen, port, ['message', (message: MessageEvent) => receive(apply(dataOf, message, []) as Request)]);
  port.start();
  start(options, send).then(
    (handle) => {
      let isAsked = false;
      receive = (request) => {
        isAsked ||= request.type === 'execute';
        handle(request);
      };
      for (const request of waiting) receive(request);
      warmUpUntil(() => isAsked);
    },
    // Rethrown outside of any promise, so that the frame's `error` handler hears of it.
    (error) => setTimeout(() => { throw error; }),
  );
}

/** While nobody has asked for a run yet: makes the browser compile what a training step needs, in parts of some milliseconds. */
function warmUpUntil(isAsked: () => boolean): void {
  const parts = engineHost.warmUp();
  const next = (): void => {
    // Leaving it early is fine; steps are only slower without it, so what goes wrong in it is nobody's business.
    try {
      if (isAsked()) parts.return();
      else if (!parts.next().done) setTimeout(next);
    } catch {}
  };
  setTimeout(next, WARM_UP_AFTER_MS);
}

async function start(options: WorkerBoot, send: (event: KernelEvent, transfer?: Transferable[]) => void) {
  const engine = await startEngine(options);
  const needs = new Map<number, Need>();
  let lastRequestId = 0;
  const need = (runId: number | null, file: string, onProgress: Progress, signal?: AbortSignal): Promise<ArrayBuffer> =>
    new Promise((resolve, reject) => {
      lastRequestId += 1;
      const requestId = lastRequestId;
      needs.set(requestId, { onProgress, resolve, reject });
      signal?.addEventListener('abort', () => {
        needs.delete(requestId);
        reject(signal.reason);
      });
      send({ type: 'need', runId, requestId, file });
    });
  const session: Session = new Session({
    send,
    engine,
    stopFlag: options.stopFlag,
    signs: options.stopFlag ? null : { count: options.signs.length, isUp: (number) => loads(options.signs[number]!) },
    runScript: (code, name) => {
      const url = createObjectURL(new Blob([`${code}\n//# sourceURL=${name}`], { type: 'text/javascript' }));
      try {
        loadScript(url);
      } finally {
        revokeObjectURL(url);
      }
    },
    importModule: createImporter((path, signal) => need(null, `modules/${path}`, () => {}, signal)),
    datasets: {
      read: async (file: DatasetFile, onProgress, signal) =>
        new Uint8Array(await need(null, `data/${file.path}`, onProgress, signal)),
    },
  });
  self.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    session.reportUncaught(event.reason);
  });
  self.addEventListener('error', (event) => {
    event.preventDefault();
    session.reportUncaught(event.error ?? event.message);
  });
  return (request: Request): void => handle(request, session, needs, send);
}

/** Whether there is a script at an address. Synchronous, which nothing else here is. */
function loads(url: string): boolean {
  try {
    loadScript(url);
    return true;
  } catch {
    return false;
  }
}

async function startEngine({ flavour, threads, seed, glueText, module }: WorkerBoot): Promise<EngineLink> {
  // Firefox runs a blob as a script only with this type.
  const url = URL.createObjectURL(new Blob([glueText], { type: 'text/javascript' }));
  loadScript(url);
  const createEngine = Reflect.get(self, 'createEngine');
  const info = await engineHost.startEngine({
    createEngine,
    flavour,
    threads,
    module: {
      // Its threads load this script, not the one of this worker.
      mainScriptUrlOrBlob: url,
      poolSize: Math.max(0, threads - 1),
      instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: object) => void) => {
        WebAssembly.instantiate(module as WebAssembly.Module, imports).then((instance) => done(instance, module)).catch(
          // Outside of any promise, so that the frame's `error` handler hears of it.
          (error) => setTimeout(() => { throw new Error(`the engine's parts come from different builds; reload the page (${error instanceof Error ? error.message : error})`); }),
        );
        return {};
      },
    },
  });
  api.manualSeed(seed);
  return { ...engineHost, globals: api, info };
}

function handle(request: Request, session: Session, needs: Map<number, Need>, send: (event: KernelEvent) => void): void {
  switch (request.type) {
    case 'execute':
      void session.execute(request);
      break;
    case 'interrupt':
      session.interrupt(request.runId);
      break;
    case 'ask':
      session.ask(request);
      break;
    case 'pause':
      session.pause(request);
      break;
    case 'control':
      session.control(request);
      break;
    case 'readLog':
      session.readLog(request);
      break;
    case 'restore':
      session.restore(request);
      break;
    case 'forget':
      session.forget(request.cellId);
      break;
    case 'summarize':
      void session.summarize(request);
      break;
    case 'supply':
      supply(request, needs);
      break;
    case 'ping':
      send({ type: 'pong', token: request.token });
      break;
    case 'inspect':
      session.inspect(request);
      break;
  }
}

function supply(given: { readonly requestId: number } & Supply, needs: Map<number, Need>): void {
  const need = needs.get(given.requestId);
  if (!need) return;
  if ('progress' in given) {
    need.onProgress(given.progress.receivedBytes, given.progress.totalBytes ?? 0);
    return;
  }
  needs.delete(given.requestId);
  if ('bytes' in given) need.resolve(given.bytes);
  else need.reject(new Error(given.error));
}

self.addEventListener('message', boot);
