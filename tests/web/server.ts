// Serves the built page as a plain static host does, with or without isolation headers, on a free port.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
};

export interface PageServer {
  /** Address of the page, with a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** `base` is the folder of the page on the host, for example `/notes/`. */
export async function servePage(folder: string, { isIsolated = true, base = '/' } = {}): Promise<PageServer> {
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://localhost').pathname);
    if (!path.startsWith(base)) return void response.writeHead(404).end('not found');
    const file = join(folder, normalize(path.slice(base.length)) || 'index.html');
    const found = file.startsWith(folder) && existsSync(file) && statSync(file).isFile() ? file : path === base ? join(folder, 'index.html') : null;
    if (!found) return void response.writeHead(404).end('not found');
    response.setHeader('Content-Type', TYPES[extname(found)] ?? 'application/octet-stream');
    response.setHeader('Cache-Control', 'no-cache');
    if (isIsolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    const isPacked = existsSync(`${found}.br`) && /\bbr\b/.test(String(request.headers['accept-encoding']));
    if (isPacked) response.setHeader('Content-Encoding', 'br');
    const sent = isPacked ? `${found}.br` : found;
    response.setHeader('Content-Length', statSync(sent).size);
    createReadStream(sent).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${base}`,
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}
