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

/** What a current browser needs to begin. Two more builds of the engine and the inspector follow while the page is served. */
const first = ['types', 'wasm-relaxed', 'wasm-relaxed-threads', 'data', 'page'];

/** Builds what the page needs. Gives what remains to be built while it is served, or null. */
async function buildIfChanged() {
  const outputs = ['dist/index.html', 'node_modules', ...wasmPresets.map((name) => `build/${name}/engine.wasm`), 'build/ui/inspector.wasm'];
  const key = inputsKey(inputs);
  if (isFresh('start', key, outputs)) {
    say('Everything is built.');
    return null;
  }
  say('Building: the first time this takes some minutes, later only what changed.');
  const all = async () => {
    await build([]);
    // The key from before: what changed during the build is built next time.
    markFresh('start', key);
  };
  if (outputs.every((path) => existsSync(join(root, path)))) {
    await all();
    return null;
  }
  await build(first);
  return all;
}

/** Builds the rest beside the server, which goes on whatever happens. */
async function buildRest(rest) {
  say('\nStill to come: the engine for browsers without relaxed SIMD, and the inspector. The page works meanwhile; they are built now.');
  try {
    await rest();
    say('Everything is built. A reload of the page brings the inspector.');
  } catch (error) {
    say(`${error instanceof SetupError ? error.message : error.stack}\nThe page is served all the same. Start again to try once more.`);
  }
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
  const rest = args.includes('--no-build') ? null : await buildIfChanged();
  const folder = join(root, 'dist');
  if (!existsSync(join(folder, 'index.html'))) throw new SetupError('dist/ holds no page. Run: npm run build');
  const served = await serve(folder, port);
  const address = `http://localhost:${served.port}/${firstPage}`;
  say(`\nReady in ${seconds(start)}. Open ${address}\nCtrl-C stops the server.`);
  if (!args.includes('--no-open')) openBrowser(address);
  if (rest) await buildRest(rest);
});
