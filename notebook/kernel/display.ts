// `display` and the value of a cell's last expression: any value becomes display data. Charts are in plot.ts.
import type { DisplayData, ImagesDisplay, TableDisplay, TensorDisplay } from '../protocol/messages.ts';
import { ask } from './ask.ts';
import { downloadOf, htmlOf, laterPicture, pictureOf } from './files.ts';
import type { EngineLink, Tensor } from './engine.ts';
import { inspect, preview } from './preview.ts';
import { elementCount, printTensor } from './printing.ts';

/** Puts display data under the running cell; with the same id again it replaces what stands there. */
export interface DisplaySink {
  /** A new place under the running cell. */
  open(): DisplayPlace;
}

export interface DisplayPlace {
  readonly displayId: string;
  readonly cellId: string;
  readonly runId: number;
  show(data: DisplayData): void;
}

const SHOWN = Symbol('shown');

/** Marks what `display`, `plot` and `progress` return: as the value of a cell it would repeat what already stands there. */
export function asShown<T extends object>(handle: T): T {
  return Object.defineProperty(handle, SHOWN, { value: true });
}

export function isShown(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ask(() => Object.hasOwn(value, SHOWN), false);
}

const IMAGE_LIMIT = 32;
const MOST_IMAGES = 256;
const MOST_PIXELS = 1 << 20;
const TABLE_ROWS = 500;
const TEXT_LIMIT = 100_000;

export class Displays {
  readonly #engine: EngineLink | null;
  readonly #sink: DisplaySink;
  /** Pictures that are being made of canvases. */
  readonly #waiting = new Set<Promise<void>>();

  constructor(engine: EngineLink | null, sink: DisplaySink) {
    this.#engine = engine;
    this.#sink = sink;
  }

  /** Shows a value at a place; a canvas appears a moment later. */
  show(place: DisplayPlace, value: unknown, options?: DisplayOptions): void {
    const later = ask(() => laterPicture(value), null);
    if (!later) return place.show(this.describe(value, options));
    const done = later.then((picture) => place.show(picture), (error) => place.show({ kind: 'text', text: String(error) }));
    this.#waiting.add(done);
    void done.then(() => this.#waiting.delete(done));
  }

  /** Resolves when no picture is being made any more. */
  async settled(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.all(this.#waiting);
  }

  /** The `display` function of cells. */
  global(): typeof display {
    const show = (first: DisplayData): DisplayHandle => {
      const place = this.#sink.open();
      place.show(first);
      return asShown<DisplayHandle>({ update: (value, options) => this.show(place, value, options) });
    };
    const any = (value: unknown, options?: DisplayOptions): DisplayHandle => {
      const place = this.#sink.open();
      this.show(place, value, options);
      return asShown<DisplayHandle>({ update: (next, changed) => this.show(place, next, changed ?? options) });
    };
    return Object.assign(any, {
      html: (html: string, { height = 240 }: { height?: number } = {}) => {
        const place = this.#sink.open();
        place.show(htmlOf(html, height));
        return asShown<DisplayHandle>({ update: (value) => place.show(htmlOf(String(value), height)) });
      },
      picture: (bytes: Uint8Array | ArrayBuffer | string, { caption = '' }: { caption?: string } = {}) => {
        const place = this.#sink.open();
        place.show(pictureOf(bytes, caption));
        return asShown<DisplayHandle>({ update: (value) => place.show(pictureOf(value as Uint8Array, caption)) });
      },
      download: (name: string, content: string | Uint8Array | ArrayBuffer | object) => show(downloadOf(name, content)),
      markdown: (text: string) => {
        const place = this.#sink.open();
        place.show(markdownOf(text));
        return asShown<DisplayHandle>({ update: (value) => place.show(markdownOf(String(value))) });
      },
      table: (rows: readonly (readonly unknown[] | object)[], columns?: readonly string[]) => show(tableOf(rows, columns)),
    });
  }

  /** Display data for any value. Throws when `as` asks for a form the value cannot have. */
  describe(value: unknown, options: DisplayOptions = {}): DisplayData {
    const engine = this.#engine;
    if (options.as === 'table') return tableOf(value as readonly object[]);
    const tensor = engine && ask(() => (engine.isTensor(value) ? value : null), null);
    if (engine && tensor) {
      // Tensors cut out of a dataset of pictures are pictures, unless numbers are asked for.
      const isPicture = options.as === 'image' || (options.as === undefined && tensor.rank >= 3 && engine.imageOf(tensor));
      return isPicture ? imagesOf(engine, tensor, options) : tensorOf(engine, tensor);
    }
    if (options.as === 'image') {
      throw new TypeError(`display as image: expected a tensor, got ${inspect(value).slice(0, 80)}`);
    }
    if (typeof value === 'string') return { kind: 'text', text: value.slice(0, TEXT_LIMIT) };
    return { kind: 'value', value: preview(value) };
  }
}

function tensorOf(engine: EngineLink, tensor: Tensor): TensorDisplay {
  const { shape, dtype, requiresGrad } = tensor;
  return { kind: 'tensor', shape: [...shape], dtype, requiresGrad, ...printTensor(engine, tensor) };
}

function imagesOf(engine: EngineLink, tensor: Tensor, options: DisplayOptions): ImagesDisplay {
  const { shape, dtype } = tensor;
  const [height = 0, width = 0] = shape.slice(-2);
  const channels = shape.length >= 3 ? (shape.at(-3) as number) : 1;
  // [B, H, W] is a batch of grey images; [3, H, W] is one colour image.
  const isBatchOfGrey = shape.length === 3 && channels !== 3;
  const depth = isBatchOfGrey ? 1 : channels;
  if (shape.length < 2 || shape.length > 4 || (depth !== 1 && depth !== 3)) {
    throw new TypeError(
      `display as image: expected shape [H, W], [B, H, W], [B, 1, H, W] or [B, 3, H, W], got [${shape.join(', ')}]`,
    );
  }
  const imageSize = height * width * depth;
  const total = imageSize === 0 ? 0 : elementCount(shape) / imageSize;
  const room = Math.floor(MOST_PIXELS / Math.max(imageSize, 1));
  const count = Math.min(total, options.limit ?? IMAGE_LIMIT, MOST_IMAGES, room);
  const values = engine.readValues(tensor, 0, count * imageSize);
  return {
    kind: 'images',
    width,
    height,
    channels: depth,
    count,
    total,
    pixels: toPixels(values, count, depth, height * width, dtype),
    captions: (options.captions ?? []).slice(0, count).map(String),
    shape: [...shape],
    dtype,
  };
}

/**
 * Bytes, channels last. Whole-number dtypes hold 0..255. Floats within 0..1 are scaled to 0..255; any other range
 * (normalized images, filters) is stretched so that its smallest value is black and its largest white.
 */
function toPixels(values: ArrayLike<number>, count: number, channels: number, area: number, dtype: string): Uint8Array {
  const pixels = new Uint8Array(count * channels * area);
  let low = 0;
  let high = dtype.startsWith('float') || dtype === 'bool' ? 1 : 255;
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min < low || max > high) {
    low = min;
    high = max > min ? max : min + 1;
  }
  const scale = 255 / (high - low);
  for (let image = 0; image < count; image++) {
    for (let channel = 0; channel < channels; channel++) {
      const from = (image * channels + channel) * area;
      for (let i = 0; i < area; i++) {
        const value = ((values[from + i] as number) - low) * scale;
        // NaN becomes black, as in an assignment to a byte.
        pixels[(image * area + i) * channels + channel] = Math.max(0, Math.min(255, Math.round(value)));
      }
    }
  }
  return pixels;
}

function markdownOf(text: string): DisplayData {
  return { kind: 'markdown', text: text.slice(0, TEXT_LIMIT) };
}

function tableOf(rows: readonly (readonly unknown[] | object)[], columns?: readonly string[]): TableDisplay {
  if (!Array.isArray(rows)) throw new TypeError(`display.table: expected an array of rows, got ${inspect(rows).slice(0, 80)}`);
  const odd = rows.findIndex((row) => typeof row !== 'object' || row === null);
  if (odd >= 0) throw new TypeError(`display.table: row ${odd + 1} is ${inspect(rows[odd]).slice(0, 80)}; a row is an object or a list of values`);
  const first = rows[0];
  const isObjects = first !== undefined && !Array.isArray(first);
  const keys = isObjects ? (columns ?? [...new Set(rows.slice(0, TABLE_ROWS).flatMap((row) => Object.keys(row as object)))]) : [];
  const width = isObjects ? keys.length : Math.max(0, ...rows.slice(0, TABLE_ROWS).map((row) => (row as unknown[]).length));
  const names = isObjects ? keys : (columns ?? Array.from({ length: width }, (_, i) => String(i)));
  return {
    kind: 'table',
    columns: [...names],
    rows: rows.slice(0, TABLE_ROWS).map((row) => {
      const cells = isObjects ? keys.map((key) => (row as Record<string, unknown>)[key]) : [...(row as unknown[])];
      return names.map((_, i) => tableCell(cells[i]));
    }),
    totalRows: rows.length,
  };
}

function tableCell(value: unknown): string | number | boolean | null {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value.slice(0, 500) : inspect(value).slice(0, 500);
}
