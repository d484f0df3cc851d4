// The service worker: keeps this build for use without a network, and adds the isolation headers that a plain host does
// not send. Data sets are kept by the page itself (web/host/data.ts).
/// <reference lib="webworker" />
export {};
declare const self: ServiceWorkerGlobalScope & { gradbookBuild: { stamp: string; files: string[] } };

const { stamp, files } = self.gradbookBuild;
const CACHE = `gradbook-build-${stamp}`;
const known = new Set(files.map((file) => new URL(file, self.registration.scope).href));
const home = new URL('./', self.registration.scope).href;

self.addEventListener('install', () => void self.skipWaiting());

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith('gradbook-build-') && name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  })());
});

/** The page asks for this once it is idle: fetch what it has not used yet. */
self.addEventListener('message', (event) => {
  if (event.data?.type !== 'keepAll') return;
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    for (const url of [home, ...(event.data.urls as string[] | undefined ?? known)]) {
      if (!known.has(url) && url !== home) continue;
      if (await cache.match(url)) continue;
      const answer = await fetch(url);
      if (answer.ok) await cache.put(url, answer);
    }
  })().catch((error) => console.warn(`Not all of the page could be kept for use without a network: ${error}`)));
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== self.location.origin || !url.href.startsWith(home)) return;
  url.hash = '';
  url.search = '';
  const isHome = event.request.mode === 'navigate' && (url.href === home || url.href === `${home}index.html`);
  if (isHome) event.respondWith(newest(event.request));
  else if (known.has(url.href)) event.respondWith(kept(url.href));
});

/** The page itself: from the network when there is one, so that a new build is seen at once. */
async function newest(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      const cache = await caches.open(CACHE);
      await cache.put(home, answer.clone());
    }
    return isolated(answer);
  } catch (error) {
    const cache = await caches.open(CACHE);
    const answer = await cache.match(home);
    if (answer) return isolated(answer);
    throw error;
  }
}

/** A file of this build: once fetched, never asked for again. */
async function kept(url: string): Promise<Response> {
  const cache = await caches.open(CACHE).catch(() => null);
  const found = await cache?.match(url);
  if (found) return isolated(found);
  const answer = await fetch(url);
  if (answer.ok) await cache?.put(url, answer.clone()).catch(() => undefined);
  return isolated(answer);
}

function isolated(answer: Response): Response {
  if (answer.type === 'opaque' || answer.status === 0) return answer;
  const headers = new Headers(answer.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}
