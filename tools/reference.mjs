// `npm run docs`: writes docs/reference/*.md from the op table and from the documentation of engine/api, and dist/reference/*.html
// when there is a page to put it beside. Run by nodeForWasm, with an engine in build/engine.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declarationPages } from './reference/declarations.mjs';
import { operationsPage } from './reference/operations.mjs';
import { htmlPage } from './reference/html.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs/reference');
const note = '<!-- Written by tools/reference.mjs (npm run docs) from the op table and from engine/api. Do not edit. -->\n\n';

const index = `# Reference

- [Operations](operations.md): every operation with its signature, formula, shapes, gradient and an example
- [Tensors](tensors.md): making them, and what they know
- [Layers and losses](layers.md): \`nn\`
- [Training](training.md): optimizers, schedules, \`fit\`, metrics, looking for trouble
- [Data and files](data.md): datasets, transforms, safetensors, npy, checkpoints
`;

const pages = [['index', index], ['operations', await operationsPage()], ...declarationPages(root)];
mkdirSync(folder, { recursive: true });
let changed = 0;
for (const [name, text] of pages) {
  const path = join(folder, `${name}.md`);
  if (existsSync(path) && readFileSync(path, 'utf8') === note + text) continue;
  writeFileSync(path, note + text);
  changed++;
}
console.log(`docs/reference: ${pages.length} pages, ${changed} written`);
if (existsSync(join(root, 'dist/index.html'))) {
  const site = join(root, 'dist/reference');
  mkdirSync(site, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(site, `${name}.html`), htmlPage(text, name, pages.map(([file, body]) => [file, /^# (.*)/m.exec(body)?.[1] ?? file])));
  console.log(`dist/reference: ${pages.length} pages`);
}
process.exit(0);
