// The kernel as the page sees it: the client with the page's network, storage and frame handed in, and its state as signals.
import { signal } from '@preact/signals-core';
import { builtFiles } from 'virtual:built-files';
import { loadText as loadFrameText } from 'virtual:frame-text';
import { loadText as loadKernelText } from 'virtual:kernel-text';
import { KernelClient, type ClientHost, type ClientOptions, type ClientState } from '../../notebook/client/client.ts';
import { FRAME_ATTRIBUTES } from '../../notebook/client/sandbox.ts';
import { fetchDataFile } from './data.ts';

/** What the top bar shows of the kernel; null before it was first asked to start. */
export const kernelState = signal<ClientState | null>(null);

const host: ClientHost = {
  createFrame(srcdoc, onMessage) {
    const frame = document.createElement('iframe');
    for (const [name, value] of Object.entries(FRAME_ATTRIBUTES)) frame.setAttribute(name, value);
    frame.srcdoc = srcdoc;
    const listen = (event: MessageEvent) => {
      if (event.source === frame.contentWindow && event.source !== null) onMessage(event.data);
    };
    addEventListener('message', listen);
    document.body.append(frame);
    return {
      // The frame has no origin that could be named.
      post: (message, transfer = []) => frame.contentWindow?.postMessage(message, '*', transfer),
      remove() {
        removeEventListener('message', listen);
        frame.remove();
      },
    };
  },
  frameText: loadFrameText,
  workerText: loadKernelText,
  async engine(flavour) {
    const [glue, wasm] = await Promise.all([part(`engine/${flavour}.js`), part(`engine/${flavour}.wasm`)]);
    return { glue: new TextDecoder().decode(glue), wasm };
  },
  file(name, onProgress) {
    // A module that lies beside the page; never a way up or to another host.
    const module = /^modules\/((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.m?js)$/.exec(name)?.[1];
    if (module) return asset(module).then((answer) => answer.arrayBuffer());
    const data = /^data\/([\w.-]+)$/.exec(name);
    if (!data) return Promise.reject(new Error(`the page has no file named ${name.replace(/^modules\//, '')}; modules are .js or .mjs files beside the page`));
    return fetchDataFile(data[1]!, onProgress);
  },
};

async function asset(path: string): Promise<Response> {
  const answer = await fetch(new URL(path, document.baseURI)).catch(() => null);
  if (!answer) throw new Error(`${path} did not load: no answer from the server`);
  if (!answer.ok) throw new Error(`${path} did not load: the server answered ${answer.status}`);
  return answer;
}

const OTHER_BUILD = 'The server has another build of the engine than this page was made with. Reload the page; what you wrote is kept.';

/** A file that is of the same build as this page, or an error that says what to do. */
async function part(name: string): Promise<ArrayBuffer> {
  const { path, size } = builtFiles[name] ?? { path: name, size: null };
  const url = new URL(path, document.baseURI);
  const load = async (cache: RequestCache) => {
    const answer = await fetch(url, { cache }).catch(() => null);
    if (!answer) throw new Error(`${name} did not load: no answer from the server`);
    // A file of a build that has been replaced on the server since the page was opened.
    if (answer.status === 404 && size !== null) throw new Error(OTHER_BUILD);
    if (!answer.ok) throw new Error(`${name} did not load: the server answered ${answer.status}`);
    return answer.arrayBuffer();
  };
  const isWhole = ({ byteLength }: ArrayBuffer) => size === null || byteLength === size;
  const bytes = await load('default');
  if (isWhole(bytes)) return bytes;
  const again = await load('reload');
  if (!isWhole(again)) throw new Error(OTHER_BUILD);
  return again;
}

/** One kernel at a time. `seed` starts its random numbers. */
export function makeKernel(seed: number, onEvent: ClientOptions['onEvent']): KernelClient {
  return new KernelClient({ host, seed, onEvent, onState: (state) => { kernelState.value = state; } });
}
