// What Monaco asks of us beside TypeScript: the value of a variable on hover, and formatting.
import { inspectNames, kernelState } from '../session.ts';
import { formatCode } from './format.ts';
import { cellOfUri } from './language.ts';
import { monaco } from './monaco.ts';
import { hoverWords } from './values.ts';

export function startHovers(): void {
  monaco.languages.registerHoverProvider('typescript', {
    async provideHover(model, position, token) {
      const word = model.getWordAtPosition(position);
      if (!word || kernelState.peek()?.phase !== 'ready') return null;
      const before = model.getLineContent(position.lineNumber).slice(0, word.startColumn - 1);
      // After a dot it is a member, which has no value of its own.
      if (/(?<!\.\.)\.\s*$/.test(before)) return null;
      const found = await Promise.race([
        inspectNames(cellOfUri(model.uri), [word.word], true),
        // The types stand there already while the kernel is asked; nobody waits any more when the pointer has gone on.
        new Promise<readonly never[]>((resolve) => token.onCancellationRequested(() => resolve([]))),
      ]);
      const words = found[0] && hoverWords(found[0]);
      if (!words) return null;
      return { range: new monaco.Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn), contents: words.map((value) => ({ value })) };
    },
  });
  monaco.languages.registerDocumentFormattingEditProvider('typescript', {
    displayName: 'Prettier',
    async provideDocumentFormattingEdits(model) {
      const { text } = await formatCode(model.getValue());
      return [{ range: model.getFullModelRange(), text }];
    },
  });
}
