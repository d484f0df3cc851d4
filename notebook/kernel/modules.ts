// `import` in cells of the page: the sandbox has no network, so modules come as bytes from the page or from a data URL.

/** Bytes of a module file that lies beside the notebook. */
export type ReadModule = (path: string, signal: AbortSignal) => Promise<ArrayBuffer>;

/**
 * Imports a module into the worker. Throws with advice when the specifier names something the sandbox cannot reach.
 * A module is loaded once per specifier and session, as everywhere in JavaScript.
 */
export function createImporter(read: ReadModule): (specifier: string, options: object | undefined, signal: AbortSignal) => Promise<unknown> {
  const { createObjectURL } = URL;
  const loaded = new Map<string, Promise<unknown>>();
  const fromBytes = async (bytes: BlobPart): Promise<unknown> => {
    const url = createObjectURL(new Blob([bytes], { type: 'text/javascript' }));
    return import(/* @vite-ignore */ url);
  };
  const load = async (specifier: string, signal: AbortSignal): Promise<unknown> => {
    if (/^data:application\/json[;,]/i.test(specifier)) return { default: JSON.parse(dataUrlText(specifier)) };
    if (specifier.startsWith('data:')) return fromBytes(dataUrlText(specifier));
    if (specifier.startsWith('./')) return fromBytes(await read(specifier.slice(2), signal));
    throw new Error(
      `import: cannot load '${specifier}'. Cells have no network; import a file beside the notebook ('./name.js') or a data: URL`,
    );
  };
  return async (specifier, _options, signal) => {
    const known = loaded.get(specifier) ?? load(specifier, signal);
    loaded.set(specifier, known);
    try {
      return await known;
    } catch (error) {
      // A failed load may work the next time.
      loaded.delete(specifier);
      throw error;
    }
  };
}

function dataUrlText(url: string): string {
  const comma = url.indexOf(',');
  if (comma < 0) throw new SyntaxError("import: a data: URL needs a comma before its content: 'data:text/javascript,...'");
  const content = decodeURIComponent(url.slice(comma + 1));
  if (!/;base64$/i.test(url.slice(0, comma))) return content;
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
