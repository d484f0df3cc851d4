// Registers the service worker: for use without a network, and for isolation on hosts that send no headers (one reload).

const RELOADED = 'gradbook reloaded for isolation';

/**
 * Starts the service worker of a built page. On a host without isolation headers the page reloads once under it.
 * `mayReload` says whether a reload would hurt nobody now.
 */
export async function startServiceWorker(mayReload: () => boolean): Promise<void> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator) || !window.isSecureContext) return;
  try {
    await navigator.serviceWorker.register(new URL('service.js', document.baseURI), { scope: './' });
    await controlled();
    if (!window.crossOriginIsolated && mayReload() && !wasReloaded()) {
      location.reload();
      return;
    }
    setTimeout(() => navigator.serviceWorker.controller?.postMessage({ type: 'keepAll' }), 15_000);
  } catch (error) {
    // Private windows and strict settings forbid it. The page works without.
    console.info(`The page will not work without a network: ${error instanceof Error ? error.message : error}`);
  }
}

function controlled(): Promise<void> {
  if (navigator.serviceWorker.controller) return Promise.resolve();
  return new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true }));
}

/** Remembers the one reload; without session storage it counts as done, so that the page never loops. */
function wasReloaded(): boolean {
  try {
    if (sessionStorage.getItem(RELOADED)) return true;
    sessionStorage.setItem(RELOADED, '1');
    return false;
  } catch {
    return true;
  }
}
