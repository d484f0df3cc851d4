// Who may import whom: the table of ARCHITECTURE.md as data, for C++ and TypeScript, and the limit on the length of files.
// A failure prints the line that breaks the rule.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MOST_LINES = 600;

// Folder -> folders of ours it may import, besides itself. The longest folder that contains a file is the one that counts.
const cpp: Record<string, readonly string[]> = {
  'engine/base': [],
  'engine/tensor': ['engine/base'],
  'engine/kernels': ['engine/base', 'engine/tensor'],
  'engine/autodiff': ['engine/base', 'engine/tensor'],
  'engine/ops': ['engine/base', 'engine/tensor', 'engine/kernels', 'engine/autodiff'],
  ...Object.fromEntries(
    ['engine/program', 'engine/train', 'engine/inspect', 'engine/io'].map((folder) => [
      folder,
      ['engine/base', 'engine/tensor', 'engine/kernels', 'engine/autodiff', 'engine/ops'],
    ]),
  ),
  'engine/bind': ['engine'],
  // Another wasm module: of the engine it knows the bytes of snapshots.
  ui: ['engine/inspect/snapshot.h'],
};
const typescript: Record<string, readonly string[]> = {
  'engine/api': ['datasets'],
  'notebook/document': [],
  'notebook/transpile': [],
  'notebook/dataflow': [],
  'notebook/protocol': ['notebook/transpile'],
  'notebook/frame': ['notebook/protocol'],
  'notebook/kernel': ['engine/api', 'notebook/protocol', 'notebook/transpile', 'datasets'],
  'notebook/client': ['notebook/protocol', 'notebook/document', 'notebook/transpile'],
  datasets: [],
  web: ['notebook/document', 'notebook/transpile', 'notebook/dataflow', 'notebook/protocol', 'notebook/client', 'datasets', 'lessons'],
};
// Headers that stay in one folder.
const ownHeaders: Record<string, string> = { 'xnnpack.h': 'engine/kernels', 'emscripten.h': 'engine/bind' };

const files = (folder: string): string[] => {
  const path = join(root, folder);
  if (!statSync(path, { throwIfNoEntry: false })) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
};

/** Lines of a file with what they import, as a path from the root or as it stands. */
function importsOf(file: string): { line: string; target: string }[] {
  const isCpp = /\.(h|cpp)$/.test(file);
  const pattern = isCpp ? /^\s*#\s*include\s*[<"]([^>"]+)[>"]/ : /(?:^|[\s}*])(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/;
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((text, i) => {
      if (/^\s*(\/\/|\*)/.test(text)) return [];
      const target = pattern.exec(text)?.[1];
      if (target === undefined) return [];
      const resolved = isCpp ? (statSync(join(root, 'engine', target), { throwIfNoEntry: false }) ? `engine/${target}` : target) : target;
      const path = resolved.startsWith('.') ? normalize(join(dirname(file), resolved)) : resolved;
      return [{ line: `${file}:${i + 1}: ${text.trim()}`, target: path }];
    });
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const folderOf = (path: string, table: Record<string, readonly string[]>): string | undefined =>
  Object.keys(table)
    .filter((folder) => isIn(path, folder))
    .sort((a, b) => b.length - a.length)[0];

/** Lines that break the table. `known` are the folders of ours: what lies elsewhere (packages) is free. */
function violations(table: Record<string, readonly string[]>, pattern: RegExp): string[] {
  const known = ['engine', 'ui', 'notebook', 'datasets', 'lessons', 'web', 'tests', 'tools', 'bench'];
  return Object.keys(table)
    .flatMap((folder) => files(folder).filter((file) => pattern.test(file) && folderOf(file, table) === folder))
    .flatMap((file) => {
      const folder = folderOf(file, table) as string;
      const allowed = [folder, ...(table[folder] as readonly string[])];
      return (
        importsOf(file)
          // Taken as text (the kernel worker's typings), a file is data.
          .filter(({ target }) => !target.endsWith('?raw'))
          .filter(({ target }) => known.some((each) => isIn(target, each)) && !allowed.some((each) => isIn(target, each)))
          .map(({ line }) => line)
      );
    });
}

test('C++ folders include only what stands below them', () => {
  expect(violations(cpp, /\.(h|cpp)$/)).toEqual([]);
});

test('TypeScript folders import only what the table allows', () => {
  // The worker's text is a build product that web names in its build, not an import; Node entries may read what they start.
  expect(violations(typescript, /(?<!\.d)\.m?ts$/)).toEqual([]);
});

test.each(Object.entries(ownHeaders))('%s is included in %s alone', (header, folder) => {
  const lines = files('engine')
    .filter((file) => /\.(h|cpp)$/.test(file) && !isIn(file, folder))
    .flatMap(importsOf)
    .filter(({ target }) => target === header || target.endsWith(`/${header}`));
  expect(lines.map(({ line }) => line)).toEqual([]);
});

test(`no hand-written file is longer than ${MOST_LINES} lines`, () => {
  const long = ['engine', 'ui', 'notebook', 'datasets', 'web', 'tests', 'tools', 'bench', 'cmake']
    .flatMap(files)
    .filter((file) => /\.(h|cpp|ts|mjs|css|html|cmake)$/.test(file) && !/generated|fixtures/.test(file))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }))
    .filter(({ lines }) => lines > MOST_LINES);
  expect(long).toEqual([]);
});
