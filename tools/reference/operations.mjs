// The reference of all operations: every row of the op table, with the shapes that its example runs through. Needs an engine;
// what people read stands in engine/api/words.generated.json, which is written with the types.
import { readFileSync } from 'node:fs';
import { engine } from '../../engine/api/engine.ts';
import * as api from '../../engine/api/index.ts';
import { startNodeEngine } from '../../engine/api/node.ts';
import { observeOps, run } from '../../engine/api/signature.ts';

const shapeText = (value) => (value instanceof api.Tensor ? `[${value.shape.join(', ')}]` : typeof value === 'number' ? 'number' : '');

/** "[2, 3] and [3] -> [2, 3]": of the last call of the op in its own example. */
function shapesIn(row, names) {
  let found = '';
  try {
    observeOps(
      (op, tensors, result) => {
        const shapes = tensors.map(shapeText).filter(Boolean);
        if (op === row.name) found = `${shapes.join(' and ')}${shapes.length ? ' → ' : ''}${shapeText(result)}`;
      },
      () => new Function(...Object.keys(names), `return ${row.example}`)(...Object.values(names)),
    );
  } catch {
    // The example is a test of its own; here only its shapes would be missing.
  }
  return found;
}

const typeNames = { tensor: 'Tensor', integer: 'number', number: 'number', boolean: 'boolean', integers: 'number[]', numbers: 'number[]', dtype: 'DType', text: 'string' };

function signature(row) {
  const params = row.params.map((param) => `${param.name}${param.optional ? '?' : ''}: ${typeNames[param.kind]}${param.list ? '[]' : ''}`);
  const [first, ...rest] = row.params;
  return row.method ? `${first.name}.${row.name}(${params.slice(rest.length ? 1 : params.length).join(', ')})` : `ops.${row.name}(${params.join(', ')})`;
}

const defaultText = (value) => (typeof value === 'string' ? `'${value}'` : Array.isArray(value) ? `[${value.join(', ')}]` : String(value));

function gradientText(row) {
  if (!row.differentiable) return 'Gradient: none.';
  return row.kind === 'composite' ? 'Gradient: through the operations that it is written with.' : 'Gradient: yes, and it can be differentiated again.';
}

function section(row, names) {
  const defaults = row.params.filter((param) => 'default' in param).map((param) => `${param.name} = ${defaultText(param.default)}`);
  const shapes = shapesIn(row, names);
  return [
    `### ${row.name}`,
    row.summary,
    `\`\`\`ts\n${signature(row)}\n\`\`\``,
    row.formula ? `$$${row.formula}$$` : '',
    [defaults.length ? `Defaults: \`${defaults.join(', ')}\`.` : '', shapes ? `Shapes in the example: ${shapes}.` : '', gradientText(row)].filter(Boolean).join(' '),
    `\`\`\`ts\n${row.example}\n// ${row.gives}\n\`\`\``,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** What people read about each operation, by its name: summary, example, what that gives, perhaps a formula. */
export const wordsOfOperations = () => JSON.parse(readFileSync(new URL('../../engine/api/words.generated.json', import.meta.url), 'utf8'));

/** Markdown. */
export async function operationsPage() {
  await startNodeEngine();
  const words = wordsOfOperations();
  const rows = engine()
    .description.ops.filter((row) => !row.internal)
    .map((row) => ({ ...row, ...words[row.name] }));
  const names = { ...Object.fromEntries(rows.filter((row) => !row.method).map((row) => [row.name, (...args) => run(row.name, ...args)])), ...api };
  api.manualSeed(0);
  const families = [...new Set(rows.map((row) => row.family))];
  const text = [
    '# Operations',
    `All ${rows.length} operations of the engine. Each is a function, \`ops.relu(x)\`, and where its first argument is a tensor also a method, \`x.relu()\`. Arguments go by position, or by name in an object at the end: \`x.sum(1, true)\`, \`x.sum(1, { keepDims: true })\`. Names and rules are PyTorch's; what is agreed on at kinks and ties stands in the text.`,
    families.map((family) => `- **${family}**: ${rows.filter((row) => row.family === family).map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(', ')}`).join('\n'),
    ...families.flatMap((family) => [`## ${family[0].toUpperCase()}${family.slice(1)}`, ...rows.filter((row) => row.family === family).map((row) => section(row, names))]),
  ];
  return `${text.join('\n\n')}\n`;
}
