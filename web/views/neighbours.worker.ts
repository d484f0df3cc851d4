// Arranges rows on a plane so that near rows stay near (UMAP), with a fixed seed, and tells how far it is.
import { UMAP } from 'umap-js';
import { createRandom } from '../../datasets/random.ts';

export interface ArrangeRequest {
  readonly values: Float32Array;
  readonly width: number;
}

export interface Arrangement {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** 0 to 1. */
  readonly done: number;
}

const EPOCHS = 400;
const TELL_MS = 100;

// The types of the page know no worker's global object.
const port = self as unknown as { onmessage: (event: MessageEvent<ArrangeRequest>) => void; postMessage(answer: Arrangement): void };

port.onmessage = ({ data: { values, width } }) => {
  const rows = Array.from({ length: values.length / width }, (_, i) => Array.from(values.subarray(i * width, (i + 1) * width)));
  const random = createRandom(1);
  const umap = new UMAP({ nComponents: 2, nNeighbors: Math.min(15, rows.length - 1), minDist: 0.1, nEpochs: EPOCHS, random: () => random.uniform() });
  const epochs = umap.initializeFit(rows);
  const tell = (done: number) => {
    const places = umap.getEmbedding();
    port.postMessage({ x: Float32Array.from(places, ([x = 0]) => x), y: Float32Array.from(places, ([, y = 0]) => y), done });
  };
  let toldAt = performance.now();
  for (let epoch = 0; epoch < epochs; epoch++) {
    umap.step();
    if (performance.now() - toldAt < TELL_MS) continue;
    tell(epoch / epochs);
    toldAt = performance.now();
  }
  tell(1);
};
