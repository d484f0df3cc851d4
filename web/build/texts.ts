// Makes one classic script out of an entry and gives its text to the page. The kernel worker and the frame's script
// start inside a frame without an origin, where neither module workers nor URLs of the page are of use.
import { build, type Plugin } from 'vite';

/** Modules named by the keys export `loadText(): Promise<string>`; the values are entry files. */
export function scriptTexts(entries: Record<string, string>): Plugin {
  let isBuild = false;
  return {
    name: 'gradbook:script-texts',
    configResolved(config) {
      isBuild = config.command === 'build';
    },
    resolveId(id) {
      return id in entries ? `\0${id}` : undefined;
    },
    async load(id) {
      const entry = id.startsWith('\0') ? entries[id.slice(1)] : undefined;
      if (!entry) return;
      const { text, files } = await bundle(entry, isBuild);
      for (const file of files) this.addWatchFile(file);
      if (!isBuild) return `export const loadText = async () => ${JSON.stringify(text)};`;
      const name = `${id.slice('\0virtual:'.length)}.js`;
      const reference = this.emitFile({ type: 'asset', name, source: text });
      return `export const loadText = async () => {
        const answer = await fetch(import.meta.ROLLUP_FILE_URL_${reference});
        if (!answer.ok) throw new Error('${name} did not load: the server answered ' + answer.status);
        return answer.text();
      };`;
    },
  };
}

/** The entry and all it imports as one immediately run function. */
export async function bundle(entry: string, isMinified: boolean): Promise<{ text: string; files: string[] }> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      minify: isMinified,
      target: 'es2022',
      lib: { entry, formats: ['iife'], name: 'gradbook', fileName: 'script' },
      rolldownOptions: { output: { extend: true }, checks: { pluginTimings: false } },
    },
  });
  const output = (Array.isArray(result) ? result[0]! : result) as { output: { type: string; code?: string; moduleIds?: string[] }[] };
  const chunk = output.output.find((part) => part.type === 'chunk');
  if (!chunk?.code) throw new Error(`${entry}: the bundler gave no script`);
  return { text: chunk.code, files: (chunk.moduleIds ?? []).filter((file) => !file.startsWith('\0')) };
}
