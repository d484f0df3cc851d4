// Modules that have no typings of their own: what the build makes, and parts of Monaco that it does not describe.

declare module 'virtual:kernel-text' {
  /** Text of the kernel worker, a classic script. */
  export function loadText(): Promise<string>;
}
declare module 'virtual:frame-text' {
  /** Text of the frame's script. */
  export function loadText(): Promise<string>;
}
declare module 'virtual:built-files' {
  /** Where files that are of the same build as the page lie, and how long they are (null: not known). */
  export const builtFiles: Readonly<Record<string, { readonly path: string; readonly size: number | null }>>;
}
declare module 'virtual:typings' {
  /** Typings of the engine's API: path to text. */
  export const typings: Readonly<Record<string, string>>;
}
declare module 'monaco-editor/languages/features/typescript/ts.worker' {
  export function initialize(make: (context: unknown, data: unknown) => object): void;
  export const TypeScriptWorker: new (context: unknown, data: unknown) => object;
}
declare module 'monaco-editor/languages/features/typescript/lib/typescriptServices' {
  export const typescript: typeof import('typescript');
}
declare module 'monaco-editor/languages/definitions/typescript/register';
declare module 'monaco-editor/editor/browser/coreCommands';
declare module 'monaco-editor/editor/contrib/suggest/browser/suggestController';
declare module 'monaco-editor/features/*';
declare module 'katex/dist/katex.min.css';
