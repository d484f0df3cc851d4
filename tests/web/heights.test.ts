// Heights of outputs travel with the lessons, so that a first run moves nothing. They belong to the code they were measured of.
import { expect, test } from 'vitest';
import { codeOfLesson, lessonNames, readHeights } from './lessoncode.ts';

test.each(lessonNames())('the heights of the outputs of %s were measured of the code that it has now', (name) => {
  const known = readHeights()[name]?.code;
  const words = known === undefined ? 'has no measured heights' : 'has other code than its heights were measured of';
  expect(known, `lessons/${name}.md ${words}: run \`npm run build\` and \`node_modules/.bin/node tests/web/heights.mjs ${name}\`, and commit lessons/heights.json`).toBe(codeOfLesson(name));
});

test('no heights are kept of lessons that are gone', () => {
  expect(Object.keys(readHeights()).filter((name) => !lessonNames().includes(name))).toEqual([]);
});
