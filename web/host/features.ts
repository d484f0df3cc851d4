// What this browser can do, and what to say when it cannot.

/** A function that returns a SIMD vector: i8x16.splat, i8x16.popcnt. */
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

let missing: { readonly words: string | null } | null = null;

/** Null when cells can run here; otherwise one sentence that says why not and what helps. Looked at once: it does not change. */
export function missingFeature(): string | null {
  missing ??= { words: lookForFeatures() };
  return missing.words;
}

function lookForFeatures(): string | null {
  if (typeof WebAssembly !== 'object') return 'This browser has no WebAssembly, so cells cannot run here. The page can be read; to run it, use a current Chrome, Edge, Firefox or Safari.';
  if (!WebAssembly.validate(new Uint8Array(SIMD))) return 'This browser has no WebAssembly SIMD, which the engine needs, so cells cannot run here. The page can be read; to run it, use Chrome or Edge 91, Firefox 89, Safari 16.4 or newer.';
  if (typeof Worker !== 'function') return 'This browser has no web workers, so cells cannot run here. The page can be read; to run it, use a current browser.';
  return null;
}

/** Why the engine has one thread, or null when it may have more. */
export function singleThreadReason(): string | null {
  if (globalThis.crossOriginIsolated && typeof SharedArrayBuffer === 'function') return null;
  if (!globalThis.isSecureContext) return 'This address is not secure (https), so the browser allows one thread only.';
  if (!('serviceWorker' in navigator)) return 'This browser does not let the page isolate itself, so the engine runs on one thread.';
  return 'The server does not isolate the page (COOP and COEP headers), so the engine runs on one thread.';
}
