// The reference is made from the op table and the documentation of engine/api: nothing public is missing, nothing lacks words.
import { expect, test } from 'vitest';
import { engine } from '../../engine/api/engine.ts';
import { nn } from '../../engine/api/index.ts';
import { declarationPages } from '../../tools/reference/declarations.mjs';
import { htmlPage } from '../../tools/reference/html.mjs';
import { operationsPage, wordsOfOperations } from '../../tools/reference/operations.mjs';
import { fileURLToPath } from 'node:url';

const operations: string = await operationsPage();
const pages: [name: string, text: string][] = declarationPages(fileURLToPath(new URL('../..', import.meta.url)));
/** Each heading of level 2 to 4 with the text under it. */
const sections = (text: string): [heading: string, body: string][] =>
  text
    .split(/^#{2,4} /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]);

test('every public operation has its signature, shapes, gradient and example', () => {
  const found = new Map(sections(operations));
  const words = wordsOfOperations();
  for (const row of engine().description.ops.filter(({ internal }) => !internal)) {
    const body = found.get(row.name) ?? '';
    const { summary, example, gives } = words[row.name] as (typeof words)[string];
    expect(body, row.name).toContain(summary);
    expect(body, row.name).toMatch(/^```ts\n[\w.]+\(/m);
    expect(body, row.name).toContain('Gradient: ');
    expect(body, row.name).toContain(`${example}\n// ${gives}`);
    if (row.params.some(({ kind }) => kind === 'tensor')) expect(body, row.name).toMatch(/Shapes in the example: .*→ \[/);
  }
});

test('every layer and loss, and every optimizer, is there, and no entry lacks words', () => {
  const all = pages.flatMap(([, text]) => sections(text));
  const names = all.map(([heading]) => heading);
  expect(Object.keys(nn).map((name) => `nn.${name}`).filter((name) => !names.includes(name))).toEqual([]);
  expect(engine().description.optimizers.map(({ name }) => `optim.${name}`).filter((name) => !names.includes(name))).toEqual([]);
  // `nn` itself and the like only gather.
  const wordless = all.filter(([heading, body]) => /^[a-z]/.test(heading) && body.replace(/```[\s\S]*?```/g, '').trim() === '');
  expect(wordless.map(([heading]) => heading).filter((name) => !['nn', 'data', 'data.transforms', 'files', 'metrics', 'optim'].includes(name))).toEqual([]);
});

test('pages become HTML with formulas and links between them', () => {
  const html = htmlPage(operations, 'operations', [['index', 'Reference'], ['operations', 'Operations']]);
  expect(html).toContain('<h3 id="matmul">matmul</h3>');
  expect(html).toContain('<math');
  expect(html).not.toContain('katex-error');
  expect(htmlPage('[all](operations.md#add)', 'index', [['index', 'Reference']])).toContain('href="operations.html#add"');
});
