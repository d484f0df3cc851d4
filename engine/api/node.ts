// Starts the engine in Node, for tests, benchmarks and the headless notebook. Browsers start it from the kernel worker;
// both meet in startEngine().

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { type CreateEngine, type EngineInfo, startEngine } from './engine.ts';
import { StateError } from './error.ts';
import type { EngineModule } from './wasm.ts';

export interface NodeEngineOptions {
  /** `simd` or `relaxed`; default: relaxed where this Node knows relaxed SIMD. */
  readonly simd?: 'simd' | 'relaxed';
  /** Default 1. */
  readonly threads?: number;
  /** Where <flavour>.js and <flavour>.wasm lie. Default: build/engine. */
  readonly folder?: string;
  /** Stands between the API and the module: for tests that record every call. */
  readonly wrap?: (module: EngineModule) => EngineModule;
}

const buildFolder = join(dirname(fileURLToPath(import.meta.url)), '../../build/engine');

/** The one-threaded flavours of a folder that this Node can run, the fastest first. */
function flavoursIn(folder: string): ('simd' | 'relaxed')[] {
  return (['relaxed', 'simd'] as const).filter((flavour) => {
    const path = join(folder, `${flavour}.wasm`);
    return existsSync(path) && WebAssembly.validate(readFileSync(path));
  });
}

/** Is there an engine that this Node can run? */
export function hasNodeEngine(folder = buildFolder): boolean {
  return flavoursIn(folder).length > 0;
}

/**
 * Starts the engine of this process. When threads are asked for and do not come up, it runs on one thread; the returned
 * info says so.
 */
export async function startNodeEngine(options: NodeEngineOptions = {}): Promise<EngineInfo> {
  const { folder = buildFolder, threads = 1, wrap = (module) => module } = options;
  if (!hasNodeEngine(folder))
    throw new StateError(`there is no engine in ${folder} that this Node (${process.version}) can run: build it with npm run build`);
  const simd = options.simd ?? (flavoursIn(folder)[0] as 'simd' | 'relaxed');
  if (threads > 1) {
    try {
      return await start(folder, `${simd}-threads`, threads, wrap);
    } catch (error) {
      console.warn(`${(error as Error).message}; running on one thread`);
    }
  }
  return start(folder, simd, 1, wrap);
}

function start(folder: string, flavour: string, threads: number, wrap: (module: EngineModule) => EngineModule): Promise<EngineInfo> {
  const glue = join(folder, `${flavour}.js`);
  // The glue is a classic script; this package's own .js files are modules, so require() would not take it.
  const script = vm.runInThisContext(
    `(function (require, module, exports, __filename, __dirname) { ${readFileSync(glue, 'utf8')}\n; return createEngine; })`,
    {
      filename: glue,
    },
  ) as (...names: unknown[]) => CreateEngine;
  const module = { exports: {} };
  const createEngine = script(createRequire(glue), module, module.exports, glue, folder);
  return startEngine({
    createEngine: async (options) => wrap((await createEngine(options)) as EngineModule),
    module: { wasmBinary: readFileSync(join(folder, `${flavour}.wasm`)), mainScriptUrlOrBlob: glue, poolSize: threads - 1 },
    flavour,
    threads,
  });
}
