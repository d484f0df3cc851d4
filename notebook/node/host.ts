// What a session needs from Node: running scripts and importing modules.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

/** Runs code as a script of this realm; stack traces call it `name`. Throws SyntaxError. */
export function runScript(code: string, name: string): void {
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  new vm.Script(code, { filename: name, importModuleDynamically }).runInThisContext();
}

/** `import` in cells: paths are relative to `folder`, other names are Node's. */
export function createImporter(folder: string): (specifier: string, options?: object) => Promise<unknown> {
  return (specifier, options) => {
    const isPath = /^\.{0,2}\//.test(specifier);
    return import(isPath ? pathToFileURL(resolve(folder, specifier)).href : specifier, options);
  };
}
