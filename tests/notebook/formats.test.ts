// File formats: a corpus of Jupyter files written from the specification comes back byte for byte, an edit touches only
// what it changes, what one format prints the others carry on, and files that are no notebooks say why.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apply, insertCell, moveCell, removeCell, setAttribute, setKind, setMetadata, setSource, setTitle } from '../../notebook/document/edit.ts';
import { formatOf } from '../../notebook/document/formats.ts';
import { parseHtml, printHtml } from '../../notebook/document/html.ts';
import { foreignLanguage, nameByFile, parseIpynb, printIpynb, savedResult } from '../../notebook/document/ipynb.ts';
import type { Notebook } from '../../notebook/document/notebook.ts';
import { toNotebook } from '../../notebook/document/notebook.ts';
import { parsePercent, printPercent } from '../../notebook/document/percent.ts';
import { randomEdit, randomNotebook, seeded } from './random.ts';

const folder = join(import.meta.dirname, 'ipynb');
const names = readdirSync(folder).filter((name) => name.endsWith('.ipynb'));
const read = (name: string): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(join(folder, name)));
const corpus = names.map((name) => [name, read(name)] as const);

/** Lines of `after` that `before` does not have, and the other way round. */
function difference(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return [...a.slice(start, a.length - end).map((line) => `-${line}`), ...b.slice(start, b.length - end).map((line) => `+${line}`)];
}

const bare = ({ title, metadata, cells }: Notebook) => ({ title, metadata, cells: cells.map(({ id, kind, source, attributes }) => ({ id, kind, source, attributes })) });

describe('Jupyter files', () => {
  test('the corpus is large', () => expect(names.length).toBeGreaterThanOrEqual(40));

  for (const [name, text] of corpus) {
    test(`${name}: opened and saved, every byte is as before`, () => {
      const notebook = parseIpynb(text);
      expect(printIpynb(notebook)).toBe(text);
      // An edit that is taken back leaves nothing either.
      const { cells } = notebook;
      const first = cells[0];
      if (!first) return;
      const edited = apply(notebook, setSource(notebook, first.id, `${first.source}x`));
      expect(printIpynb(apply(edited, setSource(edited, first.id, first.source)))).toBe(text);
      const moved = apply(notebook, moveCell(notebook, first.id, cells.length - 1));
      expect(printIpynb(apply(moved, moveCell(moved, first.id, 0)))).toBe(text);
    });

    test(`${name}: after any edit it is a notebook with the same meaning`, () => {
      for (let seed = 1; seed <= 12; seed++) {
        const random = seeded(seed);
        let notebook = parseIpynb(text);
        const hasIds = /"nbformat_minor":\s*5/.test(text);
        for (let i = 0; i < 4; i++) notebook = apply(notebook, randomEdit(random, notebook));
        const written = printIpynb(notebook);
        const again = parseIpynb(written);
        const same = (each: Notebook) => ({ ...bare(each), cells: bare(each).cells.map(({ id: _, ...cell }) => cell) });
        expect(same(again), `seed ${seed}\n${written}`).toEqual(same(notebook));
        if (hasIds && !/43|44|20-|41/.test(name)) expect(again.cells.map(({ id }) => id), `seed ${seed}`).toEqual(notebook.cells.map(({ id }) => id));
        expect(printIpynb(again)).toBe(written);
        // Whatever else reads the file wants plain JSON.
        if (!/18-/.test(name)) JSON.parse(written.replace(/^\uFEFF/, ''));
      }
    });
  }

  const first = (notebook: Notebook) => notebook.cells[0]?.id as string;
  for (const [sentence, name, edit, expected] of [
    ['a changed line is one changed line', '05-typescript-deno.ipynb', (n: Notebook) => setSource(n, 'calc', 'const x: number = 3;\nx * 3'), ['-    "const x: number = 2;\\n",', '+    "const x: number = 3;\\n",']],
    ['a source that was one text stays one text', '39-source-as-text.ipynb', (n: Notebook) => setSource(n, first(n), 'one = 1\n'), ['-   "source": "one = 1\\ntwo = 2\\n"', '+   "source": "one = 1\\n"']],
    ['files in ASCII stay in ASCII', '37-ascii-escapes.ipynb', (n: Notebook) => setSource(n, first(n), 'é'), ['-    "print(\\"\\u00fc \\ud83c\\udf88\\")"', '+    "\\u00e9"']],
    ['tabs stay tabs', '32-tabs.ipynb', (n: Notebook) => setSource(n, 't2', 'b'), ['-\t\t\t\t"tab\\there"', '+\t\t\t\t"b"']],
    ['Windows line ends stay', '35-windows-line-ends.ipynb', (n: Notebook) => setSource(n, 'm0', 'y'), ['-    "x"\r', '+    "y"\r']],
    ['a new tag is two changed places', '05-typescript-deno.ipynb', (n: Notebook) => setAttribute(n, 'calc', 'tags', 'slow'), ['-   "metadata": {},', '+   "metadata": {', '+    "tags": [', '+     "slow"', '+    ]', '+   },']],
    ['a tag taken away leaves other metadata alone', '21-tags-and-hidden.ipynb', (n: Notebook) => setAttribute(n, first(n), 'tags', null), ['-    },', '-    "tags": [', '-     "parameters",', '-     "hide-input"', '-    ]', '+    }']],
    ['a title lands in the metadata', '05-typescript-deno.ipynb', (n: Notebook) => setTitle(n, 'Hello'), ['-  }', '+  },', '+  "title": "Hello"']],
    ['a seed lands under our own name', '29-colab-two-spaces.ipynb', (n: Notebook) => setMetadata(n, { seed: 3 }), ['-    "accelerator": "GPU"', '+    "accelerator": "GPU",', '+    "gradbook": {', '+      "seed": 3', '+    }']],
    ['a new cell is laid out like the others', '01-jupyter-fresh.ipynb', (n: Notebook) => insertCell(n, 1, { id: 'new', kind: 'markdown', source: 'a\nb' }), ['+  },', '+  {', '+   "cell_type": "markdown",', '+   "id": "new",', '+   "metadata": {},', '+   "source": [', '+    "a\\n",', '+    "b"', '+   ]']],
    ['a file older than 4.5 gets no ids', '28-minor-4.4.ipynb', (n: Notebook) => insertCell(n, 0, 'x'), ['+   "cell_type": "code",', '+   "execution_count": null,', '+   "metadata": {},', '+   "outputs": [],', '+   "source": [', '+    "x"', '+   ]', '+  },', '+  {']],
    ['one line stays one line', '33-minified.ipynb', (n: Notebook) => setSource(n, 'm0', 'd\ne'), null],
  ] as const) {
    test(sentence, () => {
      const text = read(name);
      const notebook = parseIpynb(text);
      const after = printIpynb(apply(notebook, edit(notebook)));
      if (expected === null) expect(after).toBe(text.replace('"source":["c"]', '"source":["d\\n","e"]'));
      else expect(difference(text, after)).toEqual(expected);
    });
  }

  test('text becomes code with the fields that code needs, and back without them', () => {
    const text = read('39-source-as-text.ipynb');
    const notebook = parseIpynb(text);
    const after = apply(notebook, setKind(notebook, 's2', 'code'));
    expect(JSON.parse(printIpynb(after)).cells[1]).toEqual({ cell_type: 'code', execution_count: null, id: 's2', metadata: {}, outputs: [], source: '# Title\n\nas one text' });
    expect(printIpynb(apply(after, setKind(after, 's2', 'markdown')))).toBe(text);
  });

  test('a removed cell takes only itself', () => {
    const text = read('06-streams-both.ipynb');
    const one = parseIpynb(text);
    const two = apply(one, insertCell(one, 0, { id: 'extra', source: 'x' }));
    expect(printIpynb(apply(two, removeCell(two, 'extra')))).toBe(text);
  });

  test('outputs of a run replace the old ones, and no others', () => {
    const text = read('05-typescript-deno.ipynb');
    const results = new Map([['calc', { executionCount: 9, outputs: [{ output_type: 'stream', name: 'stdout', text: ['6\n'] }] }]]);
    const cell = JSON.parse(printIpynb(parseIpynb(text), results)).cells[1];
    expect([cell.execution_count, cell.outputs]).toEqual([9, [{ output_type: 'stream', name: 'stdout', text: ['6\n'] }]]);
    expect(savedResult(parseIpynb(text).cells[1] as never)).toMatchObject({ executionCount: 1 });
  });

  test('a file without a title is called by its name, which is not written into it; a title of one’s own is', () => {
    const text = read('06-streams-both.ipynb');
    const named = nameByFile(parseIpynb(text), 'week three');
    expect([named.title, printIpynb(named)]).toEqual(['week three', text]);
    expect(printIpynb({ ...named, title: 'Mine' })).toContain('"title": "Mine"');
    expect(nameByFile(toNotebook({ title: 'Stated' }), 'other').title).toBe('Stated');
  });

  test('facts are read: title, seed, tags, what is folded, raw cells, the language of the kernel', () => {
    const own = parseIpynb(read('51-gradbook-own.ipynb'));
    expect([own.title, own.metadata, own.cells[1]?.attributes]).toEqual(['Straight lines', { seed: 7, level: 'first steps' }, { note: 'kept', reactive: '', tags: 'slow' }]);
    const folded = parseIpynb(read('21-tags-and-hidden.ipynb'));
    expect(folded.cells.map(({ attributes }) => attributes)).toEqual([{ tags: 'parameters,hide-input', collapse: 'code' }, { collapse: 'output' }, { tags: 'remove-cell' }]);
    expect(parseIpynb(read('20-raw-cells.ipynb')).cells.map(({ kind, attributes }) => [kind, attributes.type])).toEqual([['markdown', 'raw'], ['markdown', 'raw']]);
    expect(['05-typescript-deno', '30-vscode', '01-jupyter-fresh', '47-other-kernels', '03-empty-no-kernel'].map((name) => foreignLanguage(parseIpynb(read(`${name}.ipynb`))))).toEqual([null, null, 'python', 'Rust', null]);
    expect(parseIpynb(read('43-ids-bad-and-double.ipynb')).cells.map(({ id }) => id)).toEqual(['same', 'cell-2', 'cell-3', 'cell-4', 'cell-5', '-_9']);
  });

  test('a notebook of ours reads back the same', () => {
    for (let seed = 1; seed <= 1500; seed++) {
      const notebook = randomNotebook(seeded(seed));
      const text = printIpynb(notebook);
      expect(bare(parseIpynb(text)), `seed ${seed}\n${text}`).toEqual(bare(notebook));
      expect(printIpynb(parseIpynb(text))).toBe(text);
    }
  });

  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  for (const [sentence, text, message] of [
    ['an empty file', '', 'line 1, column 1: expected a value, got the end of the file'],
    ['a text', 'hello', 'line 1, column 1: expected a value, got "h"'],
    ['a list', '[]', 'a notebook file holds one object with "cells" and "nbformat"'],
    ['a file that breaks off', '{"cells": [\n{"cell_type": "co', 'line 2, column 18: a text in quotes is never closed'],
    ['a comma too many', '{"nbformat": 4,\n}', 'line 2, column 1: expected a name in quotes, got "}"'],
    ['text behind the end', '{"nbformat": 4, "cells": []} x', 'line 1, column 30: expected the end of the file, got "x"'],
    ['a bad escape', '{"a": "\\x"}', 'line 1, column 8: a text in quotes holds a bad escape'],
    ['a line end inside of a text', '{"a": "b\nc"}', 'line 1, column 9: a text in quotes holds a line end or a control character; write it as an escape'],
    ['no version', '{"cells": []}', '"nbformat" is missing, so this is no notebook'],
    ['nbformat 3', '{"nbformat": 3, "worksheets": []}', 'the file is of nbformat 3, which is older than 4; open it in Jupyter and save it as nbformat 4'],
    ['nbformat 5', '{"nbformat": 5, "cells": []}', 'the file is of nbformat 5, which is newer than this program knows; open it in Jupyter and save it as nbformat 4'],
    ['no cells', '{"nbformat": 4}', '"cells" is missing or is no list, so this is no notebook'],
    ['a cell that is a number', '{"nbformat": 4, "cells": [1]}', 'cell 1 of the file: expected an object'],
    ['a cell without a type', '{"nbformat": 4, "cells": [{"source": ""}]}', 'cell 1 of the file: "cell_type" is missing or is no text'],
    ['a source that is a number', '{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}', 'cell 1 of the file: "source" must be a text or a list of texts'],
    ['values nested without end', `{"nbformat": 4, "cells": [], "metadata": ${deep}}`, 'values are nested more than 200 deep'],
  ] as const) {
    test(`${sentence} is refused with the reason`, () => expect(() => parseIpynb(text)).toThrow(message));
  }

  test('names of the language in metadata stay names', () => {
    parseIpynb(read('46-proto-names.ipynb'));
    expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
  });
});

describe('TypeScript files in percent format', () => {
  test('a printed notebook reads back the same', () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const notebook = randomNotebook(seeded(seed));
      const text = printPercent(notebook);
      expect(parsePercent(text), `seed ${seed}:\n${text}`).toEqual(notebook);
    }
  });

  for (const [sentence, text, cells] of [
    ['a file without marks is one cell', 'const a = 1\n\na\n', [['code', 'const a = 1\n\na', {}]]],
    ['what stands above the first mark is a cell', '// top\n\n// %%\na\n', [['code', '// top', {}], ['code', 'a', {}]]],
    ['text cells are comments', '// %% [markdown]\n// # Title\n//\n// text\n\n//%% tags="a,b"\n1\n', [['markdown', '# Title\n\ntext', {}], ['code', '1', { tags: 'a,b' }]]],
    ['text cells in a block comment', '// %% [md]\n/*\n# Title\n*/\n', [['markdown', '# Title', {}]]],
    ['titles of other programs are no attributes', "// %% Load the data (it's big)\n1\n", [['code', '1', {}]]],
    ["other programs' front matter is no trouble", '// ---\n// jupyter:\n//   jupytext:\n//     formats: ts:percent\n// seed: 3\n// ---\n\n// %%\n1\n', [['code', '1', {}]]],
    ['blank lines around cells do not count', '\n\n// %%\n\n1\n\n\n// %%\n2', [['code', '1', {}], ['code', '2', {}]]],
  ] as const) {
    test(sentence, () => expect(parsePercent(text).cells.map(({ kind, source, attributes }) => [kind, source, attributes])).toEqual(cells));
  }

  test('a malformed attribute is refused with its line', () => {
    expect(() => parsePercent('1\n// %% =3\n')).toThrow('line 2: expected attributes such as id=name');
  });
});

describe('web pages', () => {
  test('hold the notebook, which reads back the same, and its file with every byte', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const notebook = randomNotebook(seeded(seed));
      expect(bare(parseHtml(printHtml(notebook))), `seed ${seed}`).toEqual(bare(notebook));
    }
    for (const [name, text] of corpus) if (name !== '36-byte-order-mark.ipynb') expect(printIpynb(parseHtml(printHtml(parseIpynb(text)))), name).toBe(text);
  });

  test('show texts, code, formulas, tables, pictures and errors', () => {
    const page = printHtml(parseIpynb(read('09-display-png.ipynb')));
    expect(page).toContain('src="data:image/png;base64,iVBOR');
    expect(printHtml(parseIpynb(read('07-error-traceback.ipynb')))).toMatch(/<pre class="error">-[^<]*ZeroDivisionError: division by zero<\/pre>/);
    expect(printHtml(toNotebook({ cells: [{ kind: 'markdown', source: '# T\n\n$a^2$ and\n\n| a |\n| - |\n| 1 |' }, 'const a = "<b>" // c'] }))).toMatch(/<math[\s\S]*<table>[\s\S]*<span class="k">const<\/span> a = <span class="s">&#34;&#60;b&#62;&#34;<\/span>/);
  });

  test('have places for their headings, and links lead to them whichever way they write them', () => {
    const text = '# Notebook\n\n## The *loss*, again & again\n\n## The loss again, again\n\n### 训练 2\n\n[a](#The-loss,-again-&-again) [b](#the-loss-again--again) [c](#%E8%AE%AD%E7%BB%83-2) [d](#nowhere)\n\n```\n# no heading\n```';
    const page = printHtml(toNotebook({ cells: [{ kind: 'markdown', source: text }, '"<h1>no heading</h1>"'] }));
    expect([...page.matchAll(/<h\d id="([^"]*)">/g)].map(([, id]) => id)).toEqual(['notebook-2', 'the-loss-again-again', 'the-loss-again-again-2', '训练-2']);
    expect([...page.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['#the-loss-again-again', '#the-loss-again-again', '#训练-2', '#nowhere']);
    expect(parseHtml(page).cells[0]?.source).toBe(text);
  });

  test('let nothing of a cell run or break out', () => {
    const evil = '</script><script>alert(1)</script><img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) ![b](http://x/y.png)';
    const page = printHtml(toNotebook({ title: evil, cells: [{ kind: 'markdown', source: evil }, evil] }), new Map());
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.match(/<\/script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<img src=x|href="javascript|src="http/);
    expect(page).toContain("default-src 'none'");
    expect(printHtml(parseIpynb(read('08-execute-result-html.ipynb')))).toContain('<iframe sandbox srcdoc="&#60;div&#62;');
  });

  test('of other makers are refused', () => {
    expect(() => parseHtml('<html>hello</html>')).toThrow('this web page has no notebook inside');
  });
});

describe('conversions', () => {
  test('carry cells, attributes, title and metadata from any format through all others', async () => {
    const formats = ['.ipynb', '.md', '.ts', '.html'].map((extension) => formatOf(`x${extension}`));
    for (let seed = 1; seed <= 40; seed++) {
      const original = randomNotebook(seeded(seed));
      let notebook = original;
      for (const format of [...formats, ...formats.toReversed()]) {
        notebook = await format.parse(await format.print(notebook, new Map()));
        expect(bare(notebook), `seed ${seed}, ${format.extension}`).toEqual(bare(original));
      }
    }
  });

  test('an unknown ending is told the known ones', () => {
    expect(() => formatOf('a.docx')).toThrow('a.docx: no known kind of file; a notebook ends with .ipynb, .md, .ts, .html');
  });
});
