// Serves dist/ on localhost with the headers that isolate the page (threads need
// them), the right types, and precompressed files where a browser accepts them.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.md': 'text/markdown; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
};
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

const isFile = (path) => existsSync(path) && statSync(path).isFile();

function respond(folder, request, response) {
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  };
  const refuse = (status, text) => response.writeHead(status, { ...headers, 'Content-Type': 'text/plain' }).end(text);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Only GET and HEAD\n');
  let path;
  try {
    path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  } catch {
    return refuse(400, 'Not an address\n');
  }
  let file = join(folder, path);
  if (!file.startsWith(folder) || file.includes('\0')) return refuse(404, 'Not found\n');
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
  if (!isFile(file)) return refuse(404, 'Not found\n');

  headers['Content-Type'] = types[extname(file)] ?? 'application/octet-stream';
  headers.Vary = 'Accept-Encoding';
  // Names with a content hash never change; everything else is asked for again.
  const hashed = /\/assets\/.*-[\w-]{8}\.\w+$/.test(file);
  headers['Cache-Control'] = hashed ? 'public, max-age=31536000, immutable' : 'no-cache';
  const accepted = String(request.headers['accept-encoding'] ?? '');
  for (const [name, ending] of encodings) {
    if (!accepted.includes(name) || !isFile(file + ending)) continue;
    file += ending;
    headers['Content-Encoding'] = name;
    break;
  }
  const { size, mtimeMs } = statSync(file);
  headers.ETag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
  if (request.headers['if-none-match'] === headers.ETag) return response.writeHead(304, headers).end();
  headers['Content-Length'] = size;
  response.writeHead(200, headers);
  if (request.method === 'HEAD') return response.end();
  createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}

/** Serves `folder`; takes the next free port when `port` is taken. Resolves to {server, port}. */
export function serve(folder, port, attempts = 20) {
  return new Promise((done, fail) => {
    const server = createServer((request, response) => respond(folder, request, response));
    server.on('error', (error) => {
      if (error.code !== 'EADDRINUSE' || attempts <= 1) return fail(error);
      done(serve(folder, port + 1, attempts - 1));
    });
    server.listen(port, 'localhost', () => done({ server, port: server.address().port }));
  });
}
