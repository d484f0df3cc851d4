// `npm run notebook` as a program: its output, its one line of JSON, its exit code. Needs the engine in build/engine.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { convert } from '../../notebook/node/convert.ts';

const entry = fileURLToPath(new URL('../../notebook/node/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'notebook-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function notebook(text: string, ...options: string[]): Finished {
  const file = join(folder, 'n.md');
  writeFileSync(file, text);
  return program(file, '--threads', '1', ...options);
}

function program(...options: string[]): Finished {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...options], { encoding: 'utf8', timeout: 60_000 });
  return { code: status, out: stdout, err: stderr };
}

const code = (source: string) => `\`\`\`ts\n${source}\n\`\`\`\n`;

describe('a notebook', { timeout: 60_000 }, () => {
  test('prints what its cells show, and its final metrics', () => {
    const { code: exit, out } = notebook(`# T\n\n${code('const a = 2\na * 3')}\n${code("log({ loss: 0.5 }); log({ loss: 0.25 })\nconsole.log('hi')\ndisplay.table([{ n: 1 }])")}`);
    expect([exit, out.replace(/[\d.]+ s\n/, 'S\n').replace(/^engine: \S+/, 'engine: F').replace(/S\n/, 'S\n')]).toEqual([
      0,
      'engine: F 1 thread\n\n[1] const a = 2\n6\n\n[2] log({ loss: 0.5 }); log({ loss: 0.25 })\nhi\nn\n1\nstep 2  loss 0.25\n\n2 cells ran in S\nfinal: loss 0.25\n',
    ]);
  });

  test('gives one line of JSON', () => {
    const { code: exit, out } = notebook(code('log({ loss: 1, accuracy: 0.5 }); log({ loss: 0.75 }); console.log("not here")'), '--json');
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect([exit, JSON.parse(out)]).toEqual([0, { cells: 1, errors: 0, metrics: { loss: 0.75, accuracy: 0.5 }, seconds: expect.any(Number) }]);
  });

  test('that fails stops there, says cell and line, and exits with 1', () => {
    const { code: exit, out } = notebook(`${code('1;')}\n${code('const b = 1\n\n  b.c.d')}\n${code("console.log('never')")}`);
    expect([exit, out.match(/error: .*\n.*\n.*\n/)?.[0], out.includes('never\n')]).toEqual([
      1,
      "error: cell 2, line 3, column 7: TypeError: Cannot read properties of undefined (reading 'd')\n    b.c.d\n        ^\n",
      false,
    ]);
  });

  test('with a syntax error says where, and exits with 1', () => {
    const { code: exit, out } = notebook(code('const a = 1\nconst b: = 2'), '--json');
    expect([exit, JSON.parse(out)]).toEqual([1, { cells: 1, errors: 1, metrics: {}, seconds: expect.any(Number) }]);
  });

  test('that leaves a rejected promise behind fails under the cell that made it', () => {
    const { code: exit, out } = notebook(`${code("void Promise.reject(new Error('alone'))")}\n${code('await new Promise((r) => setTimeout(r, 20))')}`);
    expect([exit, out.match(/error: .*/)?.[0]]).toEqual([1, 'error: cell 1, line 1, column 21 (in work it left behind): Error: alone']);
  });

  test('imports files that lie beside it', () => {
    writeFileSync(join(folder, 'beside.mjs'), 'export const q = 42');
    expect(notebook(code("import { q } from './beside.mjs'\nq")).out).toContain('\n42\n');
  });

  test('with the same seed gives the same numbers', () => {
    const run = (...options: string[]) => JSON.parse(notebook(`---\nseed: 3\n---\n${code('log({ r: rand([1]) })')}`, '--json', ...options).out).metrics.r;
    const first = run();
    expect([run('--seed', '3') === first, run('--seed', '4') === first]).toEqual([true, false]);
  });
});

describe('conversion', () => {
  const at = (name: string) => join(folder, name);
  const corpus = (name: string) => fileURLToPath(new URL(`./ipynb/${name}.ipynb`, import.meta.url));

  test('goes by the endings of the names, and back to the same bytes', async () => {
    writeFileSync(at('a.md'), `---\ntitle: T\nseed: 3\n---\n\ntext\n\n${code('const a = 1\na')}`);
    expect(program('convert', at('a.md'), at('a.ipynb'))).toEqual({ code: 0, out: '', err: '' });
    for (const [from, to] of [['a.ipynb', 'a.ts'], ['a.ts', 'a.html'], ['a.html', 'b.md']] as const) await convert(at(from), at(to));
    expect(readFileSync(at('b.md'), 'utf8')).toBe(readFileSync(at('a.md'), 'utf8'));
    expect(JSON.parse(readFileSync(at('a.ipynb'), 'utf8')).metadata.gradbook).toEqual({ seed: 3 });
    await convert(corpus('29-colab-two-spaces'), at('same.ipynb'));
    expect(readFileSync(at('same.ipynb'))).toEqual(readFileSync(corpus('29-colab-two-spaces')));
  });

  test('runs what it converted', () => {
    writeFileSync(at('r.ts'), "// %%\nconst a = 20\n\n// %%\na + 1\n");
    expect(program(at('r.ts'), '--threads', '1').out).toContain('\n21\n');
  });

  for (const [sentence, files, text, message] of [
    ['a missing file', ['no.ipynb', 'x.md'], null, 'no.ipynb: no such file'],
    ['an unknown ending', ['bad.ipynb', 'x.docx'], '{}', 'x.docx: no known kind of file; a notebook ends with .ipynb, .md, .ts, .html'],
    ['a broken file', ['bad.ipynb', 'x.md'], '{"cells": [', 'bad.ipynb: line 1, column 12: expected a value, got the end of the file'],
    ['no UTF-8', ['bad.ipynb', 'x.md'], Buffer.from([0x7b, 0xff]), 'bad.ipynb: is no UTF-8 text'],
    ['a folder that is not there', ['bad.ipynb', 'nowhere/x.md'], '{"cells":[],"nbformat":4}', 'cannot be written (ENOENT)'],
  ] as const) {
    test(`${sentence} is told, and nothing is written`, async () => {
      if (text !== null) writeFileSync(at('bad.ipynb'), text);
      await expect(convert(at(files[0]), at(files[1]))).rejects.toThrow(message);
      expect(existsSync(at('x.md'))).toBe(false);
    });
  }
});

describe('the command line', () => {
  test('explains itself', () => {
    const { code: exit, out } = program('--help');
    expect([exit, out.includes('--json')]).toEqual([0, true]);
  });

  for (const [sentence, options, message] of [
    ['a missing file is told', ['nowhere.md'], 'notebook: nowhere.md: no such file'],
    ['no file is told', [], 'notebook: expected one file, got 0'],
    ['a conversion without a target is told', ['convert', 'x.md'], 'notebook: convert: expected two files, got 1'],
    ['an unknown option is told', ['--wat'], "notebook: Unknown option '--wat'"],
    ['a bad number is told', ['x.md', '--threads', 'many'], "notebook: --threads: expected a whole number of at least 1, got 'many'"],
  ] as const) {
    test(sentence, () => {
      const { code: exit, err } = program(...options);
      expect([exit, err.startsWith(message)]).toEqual([2, true]);
    });
  }
});
