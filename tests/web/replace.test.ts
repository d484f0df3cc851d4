// What a regular expression puts in the place of a match.
import { expect, test } from 'vitest';
import { replacement } from '../../web/shell/replace.ts';

const cases: readonly [text: string, pattern: RegExp, by: string, expected: string][] = [
  ['const lr = 1; let lr2', /lr/gim, 'rate', 'const rate = 1; let rate2'],
  ['const lr = lr', /(?<=const )\w+/gm, 'rate', 'const rate = lr'],
  ['f(f, f)', /f(?=\()/gm, 'g', 'g(f, f)'],
  ['aaa', /a(?=a)/gm, 'b', 'bba'],
  ['a\nb', /^\w$/gm, '[$&]', '[a]\n[b]'],
  ['x1 y2', /([a-z])(?<n>\d)/gm, '$2$1$<n>', '1x1 2y2'],
  ['lr slr', /\blr/gm, '', ' slr'],
];

for (const [text, pattern, by, expected] of cases) {
  test(`${pattern} by '${by}' in ${JSON.stringify(text)}`, () => {
    const matches = [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, length: found.length }));
    const result = matches.toReversed().reduce((now, match) => now.slice(0, match.start) + replacement(text, match, pattern, by) + now.slice(match.start + match.length), text);
    expect(result).toBe(expected);
    expect(result).toBe(text.replace(pattern, by));
  });
}
