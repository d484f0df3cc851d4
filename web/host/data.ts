// Hands files to the kernel: fetched with progress, checked, kept in the browser so that the next visit loads nothing.
// The kernel has no network of its own and may ask only for files in the table of datasets.
import { findFile } from '../../datasets/index.ts';
import { unpackFile } from '../../datasets/load.ts';

const CACHE = 'gradbook-data';

type Progress = (received: number, total: number | null) => void;

/** Bytes of a data file as the server gives them (packed or not). Rejects with a sentence for the learner. */
export async function fetchDataFile(path: string, onProgress: Progress, signal?: AbortSignal): Promise<ArrayBuffer> {
  const file = findFile(path);
  if (!file) throw new Error(`no data set has a file named ${path}`);
  const kept = await read(file.sha256);
  if (kept) {
    onProgress(kept.byteLength, kept.byteLength);
    return kept;
  }
  const url = new URL(`data/${file.path}`, document.baseURI);
  const bytes = await download(url, file.compressedBytes, onProgress, signal);
  await unpackFile(file, new Uint8Array(bytes));
  await keep(file.sha256, bytes);
  return bytes;
}

async function download(url: URL, expectedBytes: number, onProgress: Progress, signal?: AbortSignal): Promise<ArrayBuffer> {
  const answer = await fetch(url, { signal: signal ?? null }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Error(`the download of ${url.pathname.split('/').pop()} did not start: no answer from ${url.host}`);
  });
  if (!answer.ok) throw new Error(`${url.pathname.split('/').pop()}: the server answered ${answer.status} ${answer.statusText}`.trim());
  // With a content encoding the length is that of the packed bytes, not of what the stream gives.
  const stated = answer.headers.has('content-encoding') ? 0 : Number(answer.headers.get('content-length'));
  const total = stated || (answer.headers.has('content-encoding') ? null : expectedBytes) || null;
  const reader = answer.body!.getReader();
  const parts: Uint8Array[] = [];
  let received = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new Error(`the download of ${url.pathname.split('/').pop()} broke off after ${received} bytes`);
    });
    if (done) break;
    parts.push(value);
    received += value.byteLength;
    onProgress(received, total === null ? null : Math.max(total, received));
  }
  const all = new Uint8Array(received);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all.buffer;
}

// The cache is a gift: without it (private window, storage denied or full) everything is fetched again.
const address = (sha256: string) => new URL(`kept-data/${sha256}`, document.baseURI).href;

async function read(sha256: string): Promise<ArrayBuffer | null> {
  try {
    const found = await (await caches.open(CACHE)).match(address(sha256));
    return found ? await found.arrayBuffer() : null;
  } catch {
    return null;
  }
}

async function keep(sha256: string, bytes: ArrayBuffer): Promise<void> {
  try {
    await (await caches.open(CACHE)).put(address(sha256), new Response(bytes.slice(0)));
  } catch (error) {
    console.info(`This data set is not kept for the next visit: ${error instanceof Error ? error.message : error}`);
  }
}
