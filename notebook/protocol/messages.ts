// The conversation between the page and the kernel worker: one map of requests, one map of events.
// Owns the shapes only; who sends what and when is decided by client/ and kernel/.

import type { CellProgram } from '../transpile/program.ts';
import type { ViewData, ViewQuestion } from './views.ts';

export type { CellProgram, ColumnShift, DeclaredName } from '../transpile/program.ts';

/** Number of one execution of a cell. Grows by one with every run the page asks for; never reused. */
export type RunId = number;

/** What page and kernel must agree on before they talk; the page refuses a kernel with another number. */
export const PROTOCOL_VERSION = 1;

/** Page -> kernel. Keys are message names, values their fields. */
export interface Requests {
  /** Runs one cell. The kernel runs one cell at a time, in order of arrival. */
  execute: {
    readonly runId: RunId;
    readonly cellId: string;
    /** Position of the cell among the code cells, from 1; only for messages such as "declared in cell 2". */
    readonly cellIndex: number;
    readonly program: CellProgram;
  };
  /** Asks the run to end at its next yield; engine loops yield every 16 ms. Ignored when it is not running. */
  interrupt: { readonly runId: RunId };
  /** A reader does something with a live view (draws, opens a cell of a matrix); the answer comes as an update of its display. */
  ask: { readonly displayId: string; readonly question: ViewQuestion };
  /** Lets the run stand still at its next step, go on, or do one step and then stand still. */
  pause: { readonly runId: RunId; readonly mode: 'on' | 'off' | 'step' };
  /** Somebody moved a control; for a button the value counts its clicks. */
  control: { readonly controlId: string; readonly value: ControlValue };
  /** Weights of models of a kernel that is gone: each is put back when a cell declares a model of that name that they fit. */
  restore: { readonly checkpoints: readonly Checkpoint[] };
  /** Asks for everything that the cell's last run wrote to its console: lines that were left out while it wrote too many. */
  readLog: { readonly cellId: string };
  /** Takes the names of a deleted cell out of scope and ends its timers. */
  forget: { readonly cellId: string };
  /** Asks what names hold, as this cell sees them; `summaries` answers once no cell runs. */
  summarize: SummarizeRequest;
  /** Answers `need`: progress zero or more times, then once bytes (transferred) or error. */
  supply: { readonly requestId: number } & Supply;
  /** Asks for a `pong` event: proves that the worker can still answer. */
  ping: { readonly token: number };
  /** Asks for a `snapshot` event. Answered at the next yield. */
  inspect: { readonly requestId: number } & InspectOptions;
}

/** What a snapshot should hold besides what it always does. */
export interface InspectOptions {
  /** Watch the next step, for a later snapshot. */
  readonly trace: boolean;
  /** Forget what traced steps have cost so far. */
  readonly clear: boolean;
  /** Key of the tensor whose values are wanted, from element `from` on; 0 for none. */
  readonly selected: number;
  readonly from: number;
}

export interface SummarizeRequest {
  readonly token: number;
  readonly cellId: string;
  readonly names: readonly string[];
  /** Range and histogram of tensors too; they cost a pass over the values. */
  readonly isDetailed: boolean;
}

/** What the page hands in for a file the kernel needs. */
export type Supply =
  | { readonly progress: { readonly receivedBytes: number; readonly totalBytes: number | null } }
  | { readonly bytes: ArrayBuffer }
  | { readonly error: string };

/** Kernel -> page. The page ignores events whose `runId` is not the latest run of their cell. */
export interface Events {
  /** State of the kernel. Sent at start, at each change, and about once a second with fresh memory numbers. */
  status: KernelStatus;
  /** Console text of a cell; many lines travel in one event. */
  stream: {
    readonly runId: RunId;
    readonly cellId: string;
    readonly chunks: readonly StreamChunk[];
  };
  /** Something to show under a cell. With `update` it replaces the display of the same `displayId` in place. */
  display: {
    readonly runId: RunId;
    readonly cellId: string;
    readonly displayId: string;
    readonly data: DisplayData;
    readonly update: boolean;
  };
  /** Numbers logged since the last such event, for names that were logged together. Arrays are transferred. */
  metrics: {
    readonly runId: RunId;
    readonly cellId: string;
    readonly names: readonly string[];
    /** One step number per row. */
    readonly steps: Float64Array;
    /** `columns[i]` belongs to `names[i]`. NaN and infinities are what the cell logged. */
    readonly columns: readonly Float64Array[];
    /** Milliseconds of each row on the engine's clock. */
    readonly times: Float64Array;
    /** Examples trained on at each row; 0 where nobody counted. */
    readonly samples: Float64Array;
    /** Floating-point operations of the run at each row. */
    readonly flops: Float64Array;
    /** Examples in one epoch; 0 when unknown. */
    readonly epochSize: number;
  };
  /**
   * About a training. `tick`: something happened at a step; `trial`: a new run begins within the cell, one of a sweep;
   * `settings`: what the run that logs now was set to. `changed`: what of it the training itself changes, so that it is none.
   */
  mark: {
    readonly runId: RunId;
    readonly cellId: string;
    readonly step: number;
    readonly kind: 'tick' | 'trial' | 'settings' | 'changed';
    readonly text: string;
    /** Null for a tick. */
    readonly settings: Readonly<Record<string, string | number | boolean>> | null;
  };
  /** A run failed, or work that a cell left behind failed later. */
  error: CellError;
  /** A run has ended. Nothing of this run comes later except from timers it left. */
  reply: {
    readonly runId: RunId;
    readonly cellId: string;
    readonly state: 'ok' | 'error' | 'stopped';
    readonly elapsedMs: number;
    /** Last step that the run logged, or null when it logged none. */
    readonly step: number | null;
    /** Names that it declared, and names of other cells whose value it changed. */
    readonly values: readonly ValueFact[];
  };
  /** The run stands still (`isPaused`) or goes on. */
  paused: { readonly runId: RunId; readonly cellId: string; readonly isPaused: boolean; readonly step: number | null };
  /** Weights of a model as they are now; sent every few seconds while a run trains, and when it ends. The page keeps the last. */
  checkpoint: { readonly runId: RunId; readonly cellId: string } & Checkpoint;
  /** Answers `readLog`: UTF-8, transferred. `lostCharacters` at the end were not kept. */
  log: { readonly runId: RunId; readonly cellId: string; readonly bytes: ArrayBuffer; readonly lostCharacters: number };
  /** A model got its weights back. */
  restored: { readonly runId: RunId; readonly cellId: string; readonly name: string; readonly step: number | null };
  /** The kernel needs a file that only the page can fetch, for example a shard of a dataset. */
  need: { readonly runId: RunId | null; readonly requestId: number; readonly file: string };
  pong: { readonly token: number };
  /** The engine's state as bytes (engine/inspect/snapshot.h), transferred; empty without an engine. */
  snapshot: { readonly requestId: number; readonly bytes: Uint8Array; readonly elapsedMs: number };
  /** One summary for each name that `summarize` asked for, in its order. */
  summaries: { readonly token: number; readonly values: readonly ValueSummary[] };
}

/** A variable in a few words. */
export interface ValueSummary {
  readonly name: string;
  /** What the variable holds, on one line or a few; '' when the name has no value. */
  readonly text: string;
  readonly tensor: TensorSummary | null;
}

export interface TensorSummary {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly requiresGrad: boolean;
  /** Over all finite elements; null unless details were asked for. */
  readonly range: { readonly min: number; readonly max: number; readonly mean: number } | null;
  readonly nonFinite: number;
  /** Counts of finite elements in equal steps from the smallest to the largest, or null. */
  readonly histogram: readonly number[] | null;
}

/** A value in short, to tell people what changed. */
export interface ValueFact {
  readonly name: string;
  /** The whole value when it is short and plain (a number, a text), else ''. */
  readonly text: string;
  /** Grows when the value changes: another value, or a model with other weights. */
  readonly version: number;
  /** A model changes by training without being declared again. */
  readonly kind: 'plain' | 'model' | 'dataset' | 'optimizer' | 'other';
  /** The control that it is, or null. */
  readonly controlId: string | null;
}

export interface Checkpoint {
  readonly name: string;
  /** A safetensors file; transferred. */
  readonly bytes: ArrayBuffer;
  /** Last logged step, or null. */
  readonly step: number | null;
}

export type ControlValue = number | string | boolean;

export interface KernelStatus {
  readonly runId: RunId | null;
  readonly state: 'starting' | 'ready' | 'busy' | 'idle';
  readonly protocol: number;
  /** Name of the engine build, for example `relaxed-threads`. */
  readonly flavour: string;
  readonly threads: number;
  readonly memory: MemoryUse | null;
}

/** Bytes and counts as the engine states them. */
export interface MemoryUse {
  readonly liveBytes: number;
  readonly peakBytes: number;
  readonly tensorCount: number;
  readonly heapBytes: number;
}

export type StreamLevel = 'log' | 'info' | 'warn' | 'error' | 'debug';

/**
 * Console text of one level. Ends with a newline unless the line goes on.
 * A `\r` in the text sends the cursor back to the start of the line, as a terminal does.
 */
export interface StreamChunk {
  readonly level: StreamLevel;
  readonly text: string;
  /** Lines left out before this chunk because the cell wrote too many. */
  readonly droppedLines?: number;
}

/** A place in a cell: line and column count from 1, in the learner's text. */
export interface StackFrame {
  readonly cellId: string;
  readonly line: number;
  readonly column: number;
  /** Function name, or '' at the top level of the cell. */
  readonly name: string;
  /** True when the frame belongs to an earlier run of its cell, so its text may have changed. */
  readonly old: boolean;
}

export interface CellError {
  readonly runId: RunId;
  readonly cellId: string;
  /** Class of the error, for example `TypeError`. */
  readonly name: string;
  readonly message: string;
  /** Innermost place in a cell, or null when the error came from nowhere in cell text. */
  readonly line: number | null;
  readonly column: number | null;
  /** Innermost first; only frames in cells. `line` and `column` above repeat the first one of this cell. */
  readonly frames: readonly StackFrame[];
  /** What to do about it, or ''. */
  readonly hint: string;
  /** `run`: the run failed. `background`: a timer or promise that the cell left behind failed. */
  readonly origin: 'run' | 'background';
}

/** Everything a cell can show. Data only: the page decides how it looks. */
export type DisplayData =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: ValuePreview }
  | TensorDisplay
  | ImagesDisplay
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'chart'; readonly chart: ChartData }
  | ControlDisplay
  | PictureDisplay
  | HtmlDisplay
  | DownloadDisplay
  | ProgressDisplay
  | TableDisplay
  | { readonly kind: 'view'; readonly view: ViewData };

/** A bounded look at any JavaScript value: depth, length and text are cut, and what was cut is counted. */
export interface ValuePreview {
  readonly type:
    | 'undefined'
    | 'null'
    | 'boolean'
    | 'number'
    | 'bigint'
    | 'string'
    | 'symbol'
    | 'function'
    | 'array'
    | 'object'
    | 'map'
    | 'set'
    | 'date'
    | 'error'
    | 'cut';
  /** One line that stands for the value, for example `Map(2)` or `"abc"`. */
  readonly text: string;
  /** Members, when there are any to unfold. */
  readonly entries?: readonly { readonly key: string; readonly value: ValuePreview }[];
  /** Members beyond `entries` that were left out. */
  readonly more?: number;
}

export interface TensorDisplay {
  readonly kind: 'tensor';
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly requiresGrad: boolean;
  /** Values as nested brackets; long axes show their first and last three elements around `...`. */
  readonly text: string;
  /** Over all finite elements; null when there is none. */
  readonly range: { readonly min: number; readonly max: number; readonly mean: number } | null;
  /** Elements that are NaN or infinite. */
  readonly nonFinite: number;
}

export interface ImagesDisplay {
  readonly kind: 'images';
  readonly width: number;
  readonly height: number;
  /** 1: grey, 3: red, green, blue. */
  readonly channels: 1 | 3;
  /** Images in `pixels`. */
  readonly count: number;
  /** Images in the tensor; `count` of them are shown. */
  readonly total: number;
  /** count x height x width x channels, 0..255. */
  readonly pixels: Uint8Array;
  /** One caption per image, or none. */
  readonly captions: readonly string[];
  /** Shape and dtype of the tensor, for the line under the pictures. */
  readonly shape: readonly number[];
  readonly dtype: string;
}

export interface ChartSeries {
  readonly name: string;
  readonly kind: 'line' | 'scatter' | 'bar';
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export interface ChartData {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Height in CSS pixels; fixed for the life of the chart. */
  readonly height: number;
  readonly series: readonly ChartSeries[];
  /** Words on the x axis in place of 0, 1, 2, ... */
  readonly xNames?: readonly string[];
  /** A grid of coloured fields in place of series. */
  readonly heat?: HeatData;
}

export interface HeatData {
  readonly rows: number;
  readonly columns: number;
  /** rows x columns. */
  readonly values: Float64Array;
  readonly rowNames: readonly string[];
  readonly columnNames: readonly string[];
}

export interface ProgressDisplay {
  readonly kind: 'progress';
  readonly label: string;
  readonly value: number;
  /** Null when the end is not known. */
  readonly total: number | null;
  readonly unit: '' | 'bytes';
  readonly isDone: boolean;
}

/** Something to move: the cell's code reads its value. */
export interface ControlDisplay {
  readonly kind: 'control';
  readonly controlId: string;
  /** Place in the shared memory, or -1. */
  readonly slot: number;
  readonly control: 'slider' | 'number' | 'choice' | 'toggle' | 'button';
  readonly label: string;
  readonly value: ControlValue;
  /** Of sliders and numbers; null where there is no limit. */
  readonly min: number | null;
  readonly max: number | null;
  readonly step: number | null;
  /** A slider whose steps are factors: learning rates. */
  readonly isLogarithmic: boolean;
  /** Of choices. */
  readonly options: readonly string[];
}

/** A picture in a file's bytes: a canvas, or a file. */
export interface PictureDisplay {
  readonly kind: 'picture';
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/svg+xml';
  readonly bytes: Uint8Array;
  readonly width: number | null;
  readonly height: number | null;
  readonly caption: string;
}

/** HTML of a cell; shown only inside of a frame that can reach nothing. */
export interface HtmlDisplay {
  readonly kind: 'html';
  readonly text: string;
  /** In CSS pixels. */
  readonly height: number;
}

export interface DownloadDisplay {
  readonly kind: 'download';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface TableDisplay {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  /** Rows in the whole table; `rows` holds the first of them. */
  readonly totalRows: number;
}

export type RequestName = keyof Requests;
export type EventName = keyof Events;

/** One request on the wire: its fields and its name under `type`. */
export type Request = { [K in RequestName]: { readonly type: K } & Requests[K] }[RequestName];

/** One event on the wire: its fields and its name under `type`. */
export type KernelEvent = { [K in EventName]: { readonly type: K } & Events[K] }[EventName];
