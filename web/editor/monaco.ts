// Monaco with the features that cells use, and nothing else. Loaded after the page can be read and run.
import * as monaco from 'monaco-editor/editor';
import { typescriptDefaults } from 'monaco-editor/languages/features/typescript/register';
import 'monaco-editor/languages/definitions/typescript/register';
import 'monaco-editor/editor/browser/coreCommands';
import 'monaco-editor/editor/contrib/suggest/browser/suggestController';
import 'monaco-editor/features/hover/register';
import 'monaco-editor/features/parameterHints/register';
import 'monaco-editor/features/codeAction/register';
import 'monaco-editor/features/inlayHints/register';
import 'monaco-editor/features/rename/register';
import 'monaco-editor/features/gotoSymbol/register';
import 'monaco-editor/features/gotoError/register';
import 'monaco-editor/features/bracketMatching/register';
import 'monaco-editor/features/comment/register';
import 'monaco-editor/features/find/register';
import 'monaco-editor/features/format/register';
import 'monaco-editor/features/clipboard/register';
import 'monaco-editor/features/linesOperations/register';
import 'monaco-editor/features/multicursor/register';
import 'monaco-editor/features/snippet/register';
import 'monaco-editor/features/wordOperations/register';
import 'monaco-editor/features/wordHighlighter/register';
import 'monaco-editor/features/codicon/register';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import { typings } from 'virtual:typings';
import globals from '../../notebook/kernel/globals.d.ts?raw';
import { lendWorker } from './compiler.ts';

(globalThis as { MonacoEnvironment?: object }).MonacoEnvironment = {
  getWorker: (_: string, label: string) => (label === 'typescript' ? lendWorker() : new EditorWorker()),
};

// Everything is set once, before the worker starts: each later change would end it.
typescriptDefaults.setCompilerOptions({
  target: 99,
  module: 99,
  // Bundler; Monaco's list of names has only the two old ones.
  moduleResolution: 100 as 2,
  moduleDetection: 3,
  strict: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  allowNonTsExtensions: true,
  types: [],
  // Full file names: the short ones become modules, and their globals are lost.
  lib: ['lib.esnext.d.ts', 'lib.webworker.d.ts'],
});
typescriptDefaults.setModeConfiguration({ ...typescriptDefaults.modeConfiguration, diagnostics: false, documentRangeFormattingEdits: false });
typescriptDefaults.setEagerModelSync(true);
for (const [path, text] of Object.entries(typings)) typescriptDefaults.addExtraLib(text, path.includes('://') ? path : `file:///${path.replace(/^\//, '')}`);
typescriptDefaults.addExtraLib(globals, 'file:///notebook/kernel/globals.d.ts');

const hex = (token: string) => getComputedStyle(document.documentElement).getPropertyValue(token).trim().replace('#', '');

/** Makes Monaco's theme out of the page's tokens; called again when they change. */
export function useTokens(isDark: boolean): void {
  const colour = (token: string) => `#${hex(token)}`;
  monaco.editor.defineTheme('gradbook', {
    base: isDark ? 'vs-dark' : 'vs',
    inherit: false,
    rules: [
      { token: '', foreground: hex('--ink') },
      { token: 'identifier', foreground: hex('--ink') },
      { token: 'keyword', foreground: hex('--code-keyword') },
      { token: 'type.identifier', foreground: hex('--code-type') },
      { token: 'string', foreground: hex('--code-string') },
      { token: 'regexp', foreground: hex('--code-string') },
      { token: 'number', foreground: hex('--code-number') },
      { token: 'comment', foreground: hex('--code-comment'), fontStyle: 'italic' },
      { token: 'delimiter', foreground: hex('--code-punctuation') },
    ],
    colors: {
      'editor.background': '#00000000',
      'editor.foreground': colour('--ink'),
      'editorCursor.foreground': colour('--ink'),
      'editor.selectionBackground': colour('--selection'),
      'editor.inactiveSelectionBackground': `${colour('--selection')}80`,
      'editor.wordHighlightBackground': `${colour('--selection')}80`,
      'editor.wordHighlightStrongBackground': `${colour('--selection')}a0`,
      'editor.selectionHighlightBackground': `${colour('--selection')}60`,
      'editorBracketMatch.background': `${colour('--selection')}a0`,
      'editorBracketMatch.border': '#00000000',
      'editorError.foreground': colour('--error'),
      'editorWarning.foreground': colour('--warn'),
      'editorInfo.foreground': colour('--code-type'),
      'editorWidget.background': colour('--raised'),
      'editorWidget.border': colour('--line-strong'),
      'editorHoverWidget.background': colour('--raised'),
      'editorHoverWidget.border': colour('--line-strong'),
      'editorSuggestWidget.background': colour('--raised'),
      'editorSuggestWidget.border': colour('--line-strong'),
      'editorSuggestWidget.foreground': colour('--ink'),
      'editorSuggestWidget.selectedForeground': colour('--ink'),
      'editorSuggestWidget.selectedBackground': colour('--accent-ground'),
      'editorSuggestWidget.highlightForeground': colour('--accent'),
      'editorSuggestWidget.focusHighlightForeground': colour('--accent'),
      'list.hoverBackground': colour('--ground'),
      'editorInlayHint.foreground': colour('--ink-soft'),
      'editorInlayHint.background': '#00000000',
      'input.background': colour('--paper'),
      'input.border': colour('--line-strong'),
      focusBorder: colour('--accent'),
      'textLink.foreground': colour('--accent'),
    },
  });
  monaco.editor.setTheme('gradbook');
}

export { monaco };
