// Displays that are files: pictures, HTML for a frame of its own, things to save.
import type { DownloadDisplay, HtmlDisplay, PictureDisplay } from '../protocol/messages.ts';
import { inspect } from './preview.ts';

const MOST_BYTES = 64 << 20;
const MOST_HTML = 2 << 20;

type MediaType = PictureDisplay['mediaType'];

/** A picture that takes a moment: of a canvas, an ImageBitmap, ImageData or a Blob. Null for any other value. */
export function laterPicture(value: unknown): Promise<PictureDisplay> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (typeof Blob === 'function' && value instanceof Blob) {
    return value.arrayBuffer().then((bytes) => pictureOf(bytes, ''));
  }
  if (typeof OffscreenCanvas !== 'function') return null;
  const canvas = canvasOf(value);
  if (!canvas) return null;
  const { width, height } = canvas;
  return canvas
    .convertToBlob({ type: 'image/png' })
    .then((blob) => blob.arrayBuffer())
    .then((bytes) => ({ kind: 'picture', mediaType: 'image/png', bytes: new Uint8Array(bytes), width, height, caption: '' }));
}

function canvasOf(value: object): OffscreenCanvas | null {
  if (value instanceof OffscreenCanvas) return value;
  const isBitmap = typeof ImageBitmap === 'function' && value instanceof ImageBitmap;
  const isData = typeof ImageData === 'function' && value instanceof ImageData;
  if (!isBitmap && !isData) return null;
  const canvas = new OffscreenCanvas(value.width, value.height);
  const context = canvas.getContext('2d');
  if (isBitmap) context?.drawImage(value as ImageBitmap, 0, 0);
  else context?.putImageData(value as ImageData, 0, 0);
  return canvas;
}

/** A picture from a file's bytes, or from the text of an SVG. Throws TypeError when they are of no kind that can be shown. */
export function pictureOf(content: Uint8Array | ArrayBuffer | string, caption: string): PictureDisplay {
  const bytes = bytesOf('display.picture', content);
  const mediaType = mediaTypeOf(bytes);
  if (!mediaType) throw new TypeError('display.picture: expected the bytes of a PNG, JPEG, GIF, WebP or SVG file');
  return { kind: 'picture', mediaType, bytes, width: null, height: null, caption: String(caption).slice(0, 500) };
}

/** By the first bytes of a file. */
function mediaTypeOf(bytes: Uint8Array): MediaType | null {
  const starts = (text: string, at = 0) => [...text].every((character, i) => bytes[at + i] === character.charCodeAt(0));
  if (starts('\u0089PNG')) return 'image/png';
  if (starts('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (starts('GIF8')) return 'image/gif';
  if (starts('RIFF') && starts('WEBP', 8)) return 'image/webp';
  return /^\uFEFF?\s*(<\?xml[\s\S]*?)?(<!--[\s\S]*?-->\s*)?<svg[\s>]/i.test(new TextDecoder().decode(bytes.subarray(0, 2000))) ? 'image/svg+xml' : null;
}

export function htmlOf(text: string, height: number): HtmlDisplay {
  if (typeof text !== 'string') throw new TypeError(`display.html: expected a text, got ${inspect(text).slice(0, 80)}`);
  if (text.length > MOST_HTML) throw new RangeError(`display.html: ${text.length} characters are more than the ${MOST_HTML} that can be shown`);
  return { kind: 'html', text, height: Math.min(2000, Math.max(20, Number(height) || 240)) };
}

export function downloadOf(name: string, content: unknown): DownloadDisplay {
  if (typeof name !== 'string' || name === '' || /[\\/]/.test(name)) throw new TypeError(`display.download: expected a file name, got ${inspect(name).slice(0, 80)}`);
  const isText = typeof content === 'string';
  const isBytes = content instanceof ArrayBuffer || ArrayBuffer.isView(content);
  const bytes = bytesOf('display.download', isText || isBytes ? (content as string) : JSON.stringify(content, null, 1));
  const mediaType = isBytes ? 'application/octet-stream' : isText ? 'text/plain' : 'application/json';
  return { kind: 'download', name: name.slice(0, 200), mediaType, bytes };
}

/** A copy of its own: what is posted must not change with the cell's. */
function bytesOf(user: string, content: Uint8Array | ArrayBuffer | string): Uint8Array {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  if (!(content instanceof ArrayBuffer) && !ArrayBuffer.isView(content)) throw new TypeError(`${user}: expected bytes or a text, got ${inspect(content).slice(0, 80)}`);
  const size = content.byteLength;
  if (size > MOST_BYTES) throw new RangeError(`${user}: ${size} bytes are more than the ${MOST_BYTES >> 20} MB that can be shown`);
  return content instanceof ArrayBuffer ? new Uint8Array(content.slice(0)) : new Uint8Array(content.buffer.slice(content.byteOffset, content.byteOffset + size) as ArrayBuffer);
}
