// Checks events from the kernel. Cells share its realm, so what comes through the port is data of a stranger:
// an event that does not have its exact shape is dropped.
import { isViewData } from '../protocol/views.ts';
import type { EventName, Events, KernelEvent } from '../protocol/messages.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value.length <= 1 << 22;
const isCount: Check = (value) => Number.isSafeInteger(value);
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const isFloats: Check = (value) => value instanceof Float64Array;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const optional =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string);
const listOf =
  (check: Check, limit = 100_000): Check =>
  (value) =>
    Array.isArray(value) && value.length <= limit && value.every(check);
const shape =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const absent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isBytes: Check = (value) => value instanceof Uint8Array;
const isControlValue: Check = (value) => isText(value) || isNumber(value) || isFlag(value);
const isHeat: Check = (value) =>
  shape({ rows: isCount, columns: isCount, values: isFloats, rowNames: listOf(isText), columnNames: listOf(isText) })(value) &&
  isObject(value) &&
  (value.values as Float64Array).length === Number(value.rows) * Number(value.columns);

const isPreview: Check = (value) =>
  shape({ type: isText, text: isText })(value) &&
  isObject(value) &&
  (value.entries === undefined || listOf(shape({ key: isText, value: isPreview }))(value.entries));

const displays: Record<string, Check> = {
  text: shape({ text: isText }),
  value: shape({ value: isPreview }),
  markdown: shape({ text: isText }),
  tensor: shape({
    shape: listOf(isCount),
    dtype: isText,
    requiresGrad: isFlag,
    text: isText,
    range: optional(shape({ min: isNumber, max: isNumber, mean: isNumber })),
    nonFinite: isCount,
  }),
  images: (value) =>
    shape({
      width: isCount,
      height: isCount,
      count: isCount,
      total: isCount,
      channels: (channels) => channels === 1 || channels === 3,
      pixels: (pixels) => pixels instanceof Uint8Array,
      captions: listOf(isText),
      shape: listOf(isCount),
      dtype: isText,
    })(value) &&
    isObject(value) &&
    (value.pixels as Uint8Array).length ===
      Number(value.count) * Number(value.height) * Number(value.width) * Number(value.channels),
  chart: shape({
    chart: shape({
      title: isText,
      xLabel: isText,
      yLabel: isText,
      height: (height) => isNumber(height) && (height as number) > 0 && (height as number) <= 4000,
      series: listOf(shape({ name: isText, kind: oneOf('line', 'scatter', 'bar'), x: isFloats, y: isFloats })),
      xNames: absent(listOf(isText)),
      heat: absent(isHeat),
    }),
  }),
  view: shape({ view: isViewData }),
  control: shape({
    controlId: isText,
    slot: isCount,
    control: oneOf('slider', 'number', 'choice', 'toggle', 'button'),
    label: isText,
    value: isControlValue,
    min: optional(isNumber),
    max: optional(isNumber),
    step: optional(isNumber),
    isLogarithmic: isFlag,
    options: listOf(isText, 1000),
  }),
  picture: shape({
    mediaType: oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'),
    bytes: isBytes,
    width: optional(isCount),
    height: optional(isCount),
    caption: isText,
  }),
  html: shape({ text: isText, height: (height) => isNumber(height) && (height as number) > 0 && (height as number) <= 4000 }),
  download: shape({ name: isText, mediaType: isText, bytes: isBytes }),
  progress: shape({ label: isText, value: isNumber, total: optional(isNumber), unit: oneOf('', 'bytes'), isDone: isFlag }),
  table: shape({ columns: listOf(isText), rows: listOf(listOf((cell) => !isObject(cell))), totalRows: isCount }),
};

const isDisplay: Check = (value) => isObject(value) && (displays[value.kind as string]?.(value) ?? false);

const isSettings: Check = (value) => isObject(value) && Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each));

const ofRun = { runId: isCount, cellId: isText };

// One line per event; the type makes sure that none is missing.
const events: { readonly [K in EventName]: { readonly [F in keyof Events[K]]?: Check } } = {
  status: {
    runId: optional(isCount),
    state: oneOf('starting', 'ready', 'busy', 'idle'),
    protocol: isCount,
    flavour: isText,
    threads: isCount,
    memory: optional(shape({ liveBytes: isNumber, peakBytes: isNumber, tensorCount: isNumber, heapBytes: isNumber })),
  },
  stream: { ...ofRun, chunks: listOf(shape({ level: oneOf('log', 'info', 'warn', 'error', 'debug'), text: isText })) },
  display: { ...ofRun, displayId: isText, data: isDisplay, update: isFlag },
  metrics: { ...ofRun, names: listOf(isText, 1000), steps: isFloats, columns: listOf(isFloats, 1000), times: isFloats, samples: isFloats, flops: isFloats, epochSize: isNumber },
  mark: { ...ofRun, step: isNumber, kind: oneOf('tick', 'trial', 'settings', 'changed'), text: isText, settings: optional(isSettings) },
  error: {
    ...ofRun,
    name: isText,
    message: isText,
    line: optional(isCount),
    column: optional(isCount),
    frames: listOf(shape({ cellId: isText, line: isCount, column: isCount, name: isText, old: isFlag }), 200),
    hint: isText,
    origin: oneOf('run', 'background'),
  },
  reply: { ...ofRun, state: oneOf('ok', 'error', 'stopped'), elapsedMs: isNumber, step: optional(isNumber), values: listOf(shape({ name: isText, text: isText, version: isCount, kind: oneOf('plain', 'model', 'dataset', 'optimizer', 'other'), controlId: optional(isText) })) },
  paused: { ...ofRun, isPaused: isFlag, step: optional(isNumber) },
  checkpoint: { ...ofRun, name: isText, bytes: (value) => value instanceof ArrayBuffer, step: optional(isNumber) },
  log: { ...ofRun, bytes: (value) => value instanceof ArrayBuffer, lostCharacters: isCount },
  restored: { ...ofRun, name: isText, step: optional(isNumber) },
  need: { runId: optional(isCount), requestId: isCount, file: isText },
  pong: { token: isCount },
  snapshot: { requestId: isCount, bytes: (bytes) => bytes instanceof Uint8Array, elapsedMs: isNumber },
  summaries: {
    token: isCount,
    values: listOf(
      shape({
        name: isText,
        text: isText,
        tensor: optional(
          shape({
            shape: listOf(isCount),
            dtype: isText,
            requiresGrad: isFlag,
            range: optional(shape({ min: isNumber, max: isNumber, mean: isNumber })),
            nonFinite: isCount,
            histogram: optional(listOf(isCount, 1000)),
          }),
        ),
      }),
      1000,
    ),
  },
};

/** The event when it has its exact shape, else null. */
export function asKernelEvent(value: unknown): KernelEvent | null {
  if (!isObject(value) || typeof value.type !== 'string' || !Object.hasOwn(events, value.type)) return null;
  const fields = events[value.type as EventName] as Record<string, Check>;
  return shape(fields)(value) ? (value as KernelEvent) : null;
}
