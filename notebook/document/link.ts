// A whole notebook in the part of an address after `#`, which no server sees: `#n1.<length>-<checksum>.<payload>`. The payload
// is compact JSON, deflated, in base64url; its length stands first, so that a link that was cut off can say so. What a reader does with the notebook (a new local copy; nothing runs) is up to the page.
import type { CellSpec, MetadataValue, Notebook } from './notebook.ts';
import { toNotebook } from './notebook.ts';

// Streams of the platform, in browsers and in Node; this folder is compiled without their types.
interface Stream {
  pipeThrough(transform: object): Stream;
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array }>; cancel(): Promise<void> };
}
declare const CompressionStream: new (format: 'deflate-raw') => object;
declare const DecompressionStream: new (format: 'deflate-raw') => object;
declare const Blob: new (parts: readonly Uint8Array[]) => { stream(): Stream };
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };
declare function btoa(text: string): string;
declare function atob(text: string): string;

/** Up to here a link works nearly everywhere: chat programs and mail cut longer ones. */
export const SAFE_LENGTH = 2_000;
/** Beyond this a file is the better way. */
export const LONG_LENGTH = 32_000;
/** Browsers refuse to open longer ones. */
export const MOST_LENGTH = 2_000_000;

const PREFIX = 'n1.';
/** Text that a link may unfold to; a small link can be made to unfold to gigabytes. */
const MOST_BYTES = 8 << 20;
const MOST_CELLS = 5_000;

/** [kind, source, id?, attributes?] */
type PackedCell = readonly ['c' | 'm', string, ...(readonly (string | Readonly<Record<string, string>>)[])];

/** Whether the part of an address after `#` is such a link, of this or a later kind, broken or not. */
export function isLink(hash: string): boolean {
  return /^#?n\d+\./.test(hash);
}

/** `#n1.…` with title, metadata and cells; outputs do not travel. */
export async function encodeLink(notebook: Notebook): Promise<string> {
  const cells = notebook.cells.map(({ kind, source, id, attributes }, index): PackedCell => {
    const isNamed = id !== `cell-${index + 1}`;
    const hasWords = Object.keys(attributes).length > 0;
    return [kind === 'code' ? 'c' : 'm', source, ...(isNamed || hasWords ? [isNamed ? id : ''] : []), ...(hasWords ? [attributes] : [])];
  });
  const text = JSON.stringify({ t: notebook.title, m: notebook.metadata, c: cells });
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text), Number.POSITIVE_INFINITY);
  const payload = toBase64Url(packed);
  return `#${PREFIX}${payload.length.toString(36)}-${checksum(payload)}.${payload}`;
}

/** The notebook of a link. Throws with a sentence for people: cut off, damaged, of a newer kind, or too large. */
export async function decodeLink(hash: string): Promise<Notebook> {
  // Chat programs may have encoded the link once more.
  const plain = hash.replace(/^#/, '').replace(/%([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).trim();
  if (!plain.startsWith(PREFIX)) {
    const version = /^n(\d+)\./.exec(plain)?.[1];
    throw new Error(version ? `This link is of kind ${version}, which this version of Gradbook cannot read. Reload the page to get the newest.` : 'This is no link to a notebook.');
  }
  const parts = /^([0-9a-z]{1,8})-([0-9a-z]{7})\.([\w-]*)/.exec(plain.slice(PREFIX.length));
  const wanted = Number.parseInt(parts?.[1] ?? '', 36);
  // What an editor or a chat program put behind the link is no part of it.
  const payload = (parts?.[3] ?? '').slice(0, wanted);
  if (!parts || payload.length < wanted) {
    const needs = parts ? ` (it needs ${PREFIX.length + parts[0].length - (parts[3] as string).length + wanted} characters and has ${plain.length})` : '';
    throw new Error(`This link was cut off${needs}. Ask for it again, or for the file.`);
  }
  if (checksum(payload) !== parts[2]) throw new Error('This link was damaged: its characters do not add up. Ask for it again, or for the file.');
  let bytes: Uint8Array;
  try {
    bytes = await through(new DecompressionStream('deflate-raw'), fromBase64Url(payload), MOST_BYTES);
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`This link unfolds to more than ${MOST_BYTES >> 20} MB, which no notebook needs. It was not opened.`);
    throw new Error('This link was damaged: it does not unpack. Ask for it again, or for the file.');
  }
  return unpack(bytes);
}

function unpack(bytes: Uint8Array): Notebook {
  const refuse = (reason: string): never => {
    throw new Error(`This link does not hold a notebook: ${reason}.`);
  };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    refuse('its text cannot be read');
  }
  const { t, m, c } = (typeof value === 'object' && value !== null ? value : {}) as { t?: unknown; m?: unknown; c?: unknown };
  if (typeof t !== 'string' || typeof m !== 'object' || m === null || Array.isArray(m) || !Array.isArray(c)) return refuse('title, metadata or cells are missing');
  if (c.length > MOST_CELLS) return refuse(`it has ${c.length} cells`);
  const cells = c.map((packed: unknown, i): CellSpec => {
    const [kind, source, id = '', attributes = {}] = Array.isArray(packed) ? packed : [];
    const areWords = typeof attributes === 'object' && attributes !== null && Object.values(attributes).every((word) => typeof word === 'string');
    if ((kind !== 'c' && kind !== 'm') || typeof source !== 'string' || typeof id !== 'string' || !areWords) return refuse(`cell ${i + 1} is malformed`);
    return { kind: kind === 'c' ? 'code' : 'markdown', source, attributes, ...(id !== '' && { id }) };
  });
  return toNotebook({ title: t, metadata: m as Record<string, MetadataValue>, cells });
}

async function through(transform: object, bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new RangeError('too long');
    }
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  // In pieces: a call takes only so many arguments.
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}

/** FNV-1a over the payload, as seven characters: finds a character that was lost or changed. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, '0');
}
