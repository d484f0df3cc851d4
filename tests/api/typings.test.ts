// The editor's view of the API: cells type-check against build/typings.json, and hovering shows the documentation.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript/lib/typescript.js';
import { expect, test } from 'vitest';
import { typings } from '../../tools/typings.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const libs = dirname(ts.getDefaultLibFilePath({}));
const declarations = typings() as Record<string, string>;

function service(cell: string) {
  const files = new Map(Object.entries(declarations).map(([path, text]) => [`/${path}`, text]));
  files.set('/cell.ts', `export {};\n${cell}`);
  const read = (path: string) =>
    files.get(path) ?? (path.startsWith('/lib/') ? readFileSync(join(libs, path.slice(5)), 'utf8') : undefined);
  const host: ts.LanguageServiceHost = {
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => '/',
    // As in web/editor/monaco.ts.
    getCompilationSettings: () => ({
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      strict: true,
      noEmit: true,
      types: [],
      lib: ['lib.esnext.d.ts', 'lib.webworker.d.ts'],
    }),
    getDefaultLibFileName: () => '/lib/lib.esnext.d.ts',
    fileExists: (path) => read(path) !== undefined,
    readFile: read,
  };
  const language = ts.createLanguageService(host);
  return {
    problems: () =>
      [...language.getSyntacticDiagnostics('/cell.ts'), ...language.getSemanticDiagnostics('/cell.ts')].map((each) =>
        ts.flattenDiagnosticMessageText(each.messageText, '\n'),
      ),
    problemsOfDeclarations: () =>
      [...files.keys()].flatMap((path) =>
        language.getSemanticDiagnostics(path).map((each) => `${path}: ${ts.flattenDiagnosticMessageText(each.messageText, '\n')}`),
      ),
    hover(word: string) {
      const info = language.getQuickInfoAtPosition('/cell.ts', (files.get('/cell.ts') as string).indexOf(word));
      return `${ts.displayPartsToString(info?.displayParts)}\n${ts.displayPartsToString(info?.documentation)}`;
    },
  };
}

const lesson = `
const { train, test } = await data.mnist({ train: 10_000 });
const model = nn.sequential(
  nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
  nn.flatten(), nn.linear(8 * 14 * 14, 10),
);
const optimizer = optim.adam(model.parameters(), { lr: 1e-3 });
for await (const [x, y] of train.batches(64, { epochs: 3, shuffle: true })) {
  const logits = model(x);
  const loss = nn.crossEntropy(logits, y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  log({ loss, accuracy: accuracy(logits, y) });
}
class Net extends nn.Module {
  fc = nn.linear(4, 2);
  forward(x: Tensor) { return this.fc(x.reshape(-1, 4)).softmax(1).sum({ keepDims: true }); }
}
const net: nn.Module = new Net();
const result: Tensor = net(tensor([[1, 2], [3, 4]]));
const history = await fit(model, train, { epochs: 2, validation: test });
const last: number | undefined = history.loss.at(-1);
const set: data.Dataset = data.fromArrays([[1]], ['a']);
concat([zeros(2, 3), zeros([2, 3], { dtype: 'int32' })], 1).matmul(ops.exp(result));
`;

test('the declarations are free of errors on their own', () => {
  expect(service('').problemsOfDeclarations()).toEqual([]);
});

test('a lesson type-checks', () => {
  expect(service(lesson).problems()).toEqual([]);
});

test('mistakes are marked', () => {
  expect(service('zeros(2).matmull(zeros(2));').problems()[0]).toMatch(/matmul/);
  expect(service('optim.adam([], { learningRate: 1 });').problems()[0]).toMatch(/learningRate/);
  expect(service('nn.linear("a", 2);').problems()[0]).toMatch(/number/);
});

test('hovering shows what a name is for', () => {
  const { hover } = service(`${lesson}\nresult.relu();`);
  expect(hover('linear(8')).toMatch(/fully connected layer/);
  expect(hover('mnist')).toMatch(/Handwritten digits/);
  expect(hover('relu();')).toMatch(/positive/);
  expect(hover('accuracy(logits')).toMatch(/Share of examples/);
  expect(hover('adam(')).toMatch(/Adam/i);
  expect(hover('batches(64')).toMatch(/for await/);
});

test('every global name has documentation', () => {
  const lines = (declarations['engine/api/globals.d.ts'] as string).split('\n');
  const bare = lines.filter((line, i) => /^ {2}const /.test(line) && !lines[i - 1]?.trim().endsWith('*/'));
  expect(bare).toEqual([]);
  expect(readFileSync(join(root, 'engine/api/index.ts'), 'utf8')).toMatch(/export/);
});
