// `npm start`: sets up what is missing, builds, serves the page and opens it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { wasmPresets } from './build/cmake.mjs';
import { serve } from './build/serve.mjs';
import { inputsKey, isFresh, markFresh } from './build/stamp.mjs';
import { command } from './setup.mjs';
import { root, say, seconds, SetupError, which } from './setup/common.mjs';

const help = `npm start -- [options]
Builds what is missing and serves the notebook page.

  --port N     the port to try first (8080)
  --no-open    do not open a browser
  --no-build   serve dist/ as it is
  --help       this text`;

const firstPage = '#lesson=mnist-live';

/** All that the served page is made from; while it is unchanged nothing is set up or built. */
const inputs = [
  'engine',
  'notebook',
  'ui',
  'web',
  'datasets',
  'lessons',
  'cmake',
  'tools',
  'index.html',
  'vite.config.ts',
  'CMakeLists.txt',
  'CMakePresets.json',
  'package.json',
  'package-lock.json',
];

async function buildIfChanged() {
  const outputs = ['dist/index.html', 'node_modules', ...wasmPresets.map((name) => `build/${name}/engine.wasm`), 'build/ui/inspector.wasm'];
  const key = inputsKey(inputs);
  if (isFresh('start', key, outputs)) return say('Everything is built.');
  say('Building: the first time this takes some minutes, later only what changed.');
  await build([]);
  // The key from before: what changed during the build is built next time.
  markFresh('start', key);
}

function openBrowser(address) {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open';
  if (!which(opener)) return;
  spawn(opener, [address], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

await command(async (args) => {
  if (args.includes('--help') || args.includes('-h')) return say(help);
  const start = Date.now();
  const port = args.includes('--port') ? Number(args[args.indexOf('--port') + 1]) : 8080;
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new SetupError('--port needs a number from 0 to 65535.');
  if (!args.includes('--no-build')) await buildIfChanged();
  const folder = join(root, 'dist');
  if (!existsSync(join(folder, 'index.html'))) throw new SetupError('dist/ holds no page. Run: npm run build');
  const served = await serve(folder, port);
  const address = `http://localhost:${served.port}/${firstPage}`;
  say(`\nReady in ${seconds(start)}. Open ${address}\nCtrl-C stops the server.`);
  if (!args.includes('--no-open')) openBrowser(address);
});
