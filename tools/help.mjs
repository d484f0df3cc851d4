// `npm run help`: every command of this repository, from one table.
const commands = [
  ['npm start', 'build what is missing, serve the notebook page and open it (-- --port N --no-open)'],
  ['npm test', 'all tests; or name suites: npm test -- native asan wasm notebook lessons browser layers'],
  ['npm run check', 'format, types, layers, generated files: what must hold before a commit'],
  ['npm run build', 'build; or name targets: npm run build -- native types wasm data page'],
  ['npm run dev', 'the page with live reload; engine flavours are built first'],
  ['npm run notebook', 'run a notebook without a browser: npm run notebook -- lessons/mnist-live.md'],
  ['npm run bench', 'the speed of kernels and training steps'],
  ['npm run conformance', 'scores against ONNX, PyTorch (-- --only NAME, --json)'],
  ['npm run docs', 'the reference of operations, layers and the rest: docs/reference'],
  ['npm run browser', 'only the browser tests, against the built page'],
  ['npm run setup', 'fetch compilers and libraries; or name steps: npm run setup -- emscripten'],
  ['npm run help', 'this list'],
];
for (const [name, text] of commands) console.log(`  ${name.padEnd(20)} ${text}`);
