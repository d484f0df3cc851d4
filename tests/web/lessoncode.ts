// What the heights in lessons/heights.json were measured of: the code of a lesson, in a few letters.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseMarkdown } from '../../notebook/document/markdown.ts';

const folder = fileURLToPath(new URL('../../lessons/', import.meta.url));

/** Heights of the outputs of one lesson, by the text of the cell, and the code they were measured of. */
export interface LessonHeights {
  readonly code: string;
  readonly cells: Readonly<Record<string, number>>;
}

export const heightsFile = join(folder, 'heights.json');

export const lessonNames = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length)).sort();

export const readHeights = (): Record<string, LessonHeights> => JSON.parse(readFileSync(heightsFile, 'utf8'));

/** Changes with any letter of the lesson's code, and with nothing else. */
export function codeOfLesson(name: string): string {
  const { cells } = parseMarkdown(readFileSync(join(folder, `${name}.md`), 'utf8'));
  const hash = createHash('sha256');
  for (const { kind, source } of cells) if (kind === 'code') hash.update(`${source}\0`);
  return hash.digest('hex').slice(0, 16);
}
