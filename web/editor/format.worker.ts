// Prettier in a worker of its own, loaded when a cell is first formatted.
import * as estree from 'prettier/plugins/estree';
import * as typescript from 'prettier/plugins/typescript';
import { formatWithCursor } from 'prettier/standalone';
import type { FormatAnswer, FormatRequest } from './format.ts';

self.onmessage = async ({ data: { token, text, cursor } }: MessageEvent<FormatRequest>) => {
  let answer: FormatAnswer;
  try {
    const done = await formatWithCursor(text, { cursorOffset: cursor, parser: 'typescript', plugins: [typescript, estree as never], singleQuote: true, printWidth: 100 });
    answer = { token, text: done.formatted.replace(/\n$/, ''), cursor: done.cursorOffset, error: '' };
  } catch (error) {
    answer = { token, text, cursor, error: error instanceof Error ? error.message.split('\n')[0]! : String(error) };
  }
  self.postMessage(answer);
};
