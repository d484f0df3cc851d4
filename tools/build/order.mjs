// Puts a module's functions beside those that they resemble: `node tools/build/order.mjs FILE` rewrites the file. Nothing else
// changes. Compressed transfer looks back 32 KB, and functions made from one template lie further apart than that when they are in
// the order of files or of how often they are called: the engine is 28 KB smaller with gzip this way.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readModule, reorderFunctions } from './module.mjs';

/** Bytes that a compressor finds again; gzip's window is 32 KB, of which the function itself needs some. */
const WINDOW = 24_000;
/** Bytes of a piece: shorter ones are found everywhere, longer ones differ in some local's number. */
const PIECE = 6;
/** Pieces of more functions than this tell nothing. */
const COMMON = 400;
/** Small functions would win by a handful of pieces. */
const SMALL = 30;

/** The pieces of a body as numbers; functions that it calls are left out, they are called by other numbers afterwards. */
function piecesOf({ bytes }, { from, to, uses }) {
  const text = [];
  let at = from;
  for (const use of uses) {
    for (; at < use.at; at++) text.push(bytes[at]);
    at = use.end;
  }
  for (; at < to; at++) text.push(bytes[at]);
  const pieces = new Set();
  for (let i = 0; i + PIECE <= text.length; i++) {
    let hash = 0x811c9dc5;
    for (let k = 0; k < PIECE; k++) hash = Math.imul(hash ^ text[i + k], 0x01000193);
    pieces.add(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0);
  }
  return [...pieces];
}

/** The order: next always comes the function of which the largest share of pieces stands in the last 24 KB. */
export function similarOrder(module) {
  const pieces = module.bodies.map((body) => piecesOf(module, body));
  const owners = new Map();
  pieces.forEach((own, at) => own.forEach((piece) => (owners.has(piece) ? owners.get(piece).push(at) : owners.set(piece, [at]))));
  const telling = pieces.map((own) => own.filter((piece) => owners.get(piece).length > 1 && owners.get(piece).length <= COMMON));

  const near = new Map();  // how many functions of the window have a piece
  const known = new Float64Array(pieces.length);  // pieces of each function that stand in the window
  const enter = (at) => {
    for (const piece of telling[at]) {
      const before = near.get(piece) ?? 0;
      near.set(piece, before + 1);
      if (!before) for (const owner of owners.get(piece)) known[owner]++;
    }
  };
  const leave = (at) => {
    for (const piece of telling[at]) {
      const after = near.get(piece) - 1;
      near.set(piece, after);
      if (!after) for (const owner of owners.get(piece)) known[owner]--;
    }
  };

  const length = (at) => module.bodies[at].to - module.bodies[at].from;
  const left = new Set(pieces.keys());
  const order = [];
  let first = 0;
  let bytes = 0;
  for (let next = 0; left.size > 0; ) {
    order.push(next);
    left.delete(next);
    enter(next);
    for (bytes += length(next); bytes > WINDOW; first++) {
      leave(order[first]);
      bytes -= length(order[first]);
    }
    let best = -1;
    for (const at of left) {
      const share = known[at] / (pieces[at].length + SMALL);
      if (share > best) [best, next] = [share, at];
    }
  }
  return order;
}

/** The module with its functions in that order. One that carries names is for people to look into, and stays as it is. */
export function orderModule(bytes) {
  const module = readModule(bytes);
  return module.hasNames ? bytes : reorderFunctions(module, similarOrder(module));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = process.argv[2];
  writeFileSync(`${file}.new`, orderModule(readFileSync(file)), { mode: 0o755 });
  renameSync(`${file}.new`, file);
}
