// The kernel as the page sees it: the client with the page's network, storage and frame handed in, and its state as signals.
import { signal } from '@preact/signals-core';
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
    const [glue, wasm] = await Promise.all([asset(`engine/${flavour}.js`), asset(`engine/${flavour}.wasm`)]);
    return { glue: await glue.text(), wasm: await wasm.arrayBuffer() };
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

/** One kernel at a time. `seed` starts its random numbers. */
export function makeKernel(seed: number, onEvent: ClientOptions['onEvent']): KernelClient {
  return new KernelClient({ host, seed, onEvent, onState: (state) => { kernelState.value = state; } });
}
