// The document of the sandboxed frame and the attributes its iframe must have.

/**
 * What cells may reach: nothing outside the frame. Scripts and workers come from blobs, which the frame makes of bytes
 * that the page hands in. A page with a content policy of its own must allow at least this much, since it is inherited.
 */
export const SANDBOX_POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; " +
  "img-src data: blob:; style-src 'unsafe-inline'; connect-src 'none'";

/** `allow` is what gives the frame shared memory when the page has it. */
export const FRAME_ATTRIBUTES: Readonly<Record<string, string>> = {
  sandbox: 'allow-scripts',
  allow: 'cross-origin-isolated',
  title: 'Kernel',
  'aria-hidden': 'true',
  tabindex: '-1',
  // Not `display: none`: some browsers slow down timers of frames that are not laid out.
  style: 'position:absolute;width:0;height:0;border:0;visibility:hidden',
};

/** The `srcdoc` of the frame around the bundled frame script. */
export function frameDocument(frameText: string): string {
  const script = frameText.replaceAll('</script', '<\\/script');
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${SANDBOX_POLICY}"><script>${script}</script>`;
}
