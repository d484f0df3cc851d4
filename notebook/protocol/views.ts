// What live views show and ask: plain data that travels between page and kernel. How a view is computed is the kernel's part,
// how it looks the page's.

/** Plain data: what every part of a view is made of. */
export type ViewValue = string | number | boolean | null | Float64Array | Float32Array | Int32Array | Uint8Array | readonly ViewValue[] | { readonly [key: string]: ViewValue };

/** Grey pictures of one size, 0 to 255, one after the other. */
export type Pictures = {
  readonly width: number;
  readonly height: number;
  /** 1: grey; 3: red, green, blue, channels last. */
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
};

/** Draw a digit: what the model makes of it. */
export type DigitPadData = {
  readonly name: 'digitPad';
  readonly classes: readonly string[];
  /** Chance of each class; null while nothing is drawn. */
  readonly chances: readonly number[] | null;
  /** Why there is no answer, or ''. */
  readonly trouble: string;
  /** Pictures to begin with for those who do not draw, with their labels. */
  readonly examples: Pictures | null;
  readonly labels: readonly string[];
};

/** Which examples a model mixes up. */
export type ConfusionData = {
  readonly name: 'confusion';
  /** The training whose result this is, as `run.trial`; null while it goes on, and for a model that was not trained or was put back. */
  readonly run: string | null;
  /** Which model on which data, by their names in the notebook. */
  readonly of: string;
  readonly classes: readonly string[];
  /** classes x classes, row by row: the row is the truth, the column the prediction. */
  readonly counts: Int32Array;
  readonly total: number;
  readonly accuracy: number;
  /** Half the width of the 95 % interval of the accuracy. */
  readonly margin: number;
  readonly recall: readonly number[];
  readonly precision: readonly number[];
  /** The cell that was opened, with its worst examples. */
  readonly open: { readonly truth: number; readonly prediction: number; readonly gallery: GalleryItems } | null;
};

export type GalleryItems = {
  readonly pictures: Pictures | null;
  readonly items: readonly { readonly index: number; readonly truth: number; readonly prediction: number; readonly loss: number; readonly chances: readonly number[] }[];
  /** Examples in all, of which the worst are shown. */
  readonly total: number;
};

/** The examples with the largest loss. */
export type MistakesData = { readonly name: 'mistakes'; readonly classes: readonly string[]; readonly gallery: GalleryItems; readonly examined: number };

/** Is a chance of 80 % right in 80 of 100 cases? */
export type CalibrationData = {
  readonly name: 'calibration';
  /** Per bin of equal width: how many, mean confidence, share that was right. */
  readonly counts: Int32Array;
  readonly confidence: Float64Array;
  readonly accuracy: Float64Array;
  readonly error: number;
  readonly total: number;
};

/** Distributions layer by layer, over time. */
export type HistogramsData = {
  readonly name: 'histograms';
  readonly rows: readonly {
    readonly layer: string;
    readonly kind: 'weight' | 'gradient' | 'activation';
    /** One histogram per kept step, the newest last, each from its low to its high. */
    readonly counts: readonly Float64Array[];
    readonly lows: readonly number[];
    readonly highs: readonly number[];
    readonly mean: number;
    readonly std: number;
    /** Share of values that are exactly zero (dead relu units: outputs that are zero for every example) or saturated. */
    readonly idle: number | null;
    readonly idleWord: string;
  }[];
  readonly steps: readonly number[];
  /** Update-to-weight ratio of each weight at each kept step; NaN where none was measured. */
  readonly ratios: readonly { readonly layer: string; readonly values: Float64Array }[];
};

/** Pictures of numbers with signs, such as filters and feature maps. */
export type MapsData = {
  readonly name: 'maps';
  readonly title: string;
  readonly groups: readonly {
    readonly title: string;
    readonly width: number;
    readonly height: number;
    readonly count: number;
    /** Maps in all, of which `count` are here. */
    readonly total: number;
    readonly values: Float32Array;
    /** Centred on zero (filters), or from zero up (activations). */
    readonly isSigned: boolean;
    readonly captions: readonly string[];
  }[];
  readonly note: string;
  /** How the numbers of the first group come about: kernel times patch plus bias, with stride 1. */
  readonly kernels?: {
    readonly input: Float32Array;
    readonly inputWidth: number;
    readonly inputHeight: number;
    readonly weights: Float32Array;
    readonly bias: Float32Array;
    readonly width: number;
    readonly height: number;
    readonly top: number;
    readonly left: number;
  } | null;
  /** The picture changed against the class it is read as; `epsilon`: the largest change of a pixel, as a part of the picture's range. */
  readonly attack?: { readonly epsilon: number; readonly target: string; readonly left: number; readonly prediction: string; readonly chance: number };
};

/** What a model says all over a plane of two inputs. */
export type SurfaceData = {
  readonly name: 'surface';
  readonly classes: readonly string[];
  readonly size: number;
  readonly xRange: readonly [number, number];
  readonly yRange: readonly [number, number];
  /** Most likely class at each place, row by row from the top, and its chance. */
  readonly winner: Uint8Array;
  readonly chance: Float32Array;
  readonly points: { readonly x: Float32Array; readonly y: Float32Array; readonly label: Int32Array };
  readonly accuracy: number;
  readonly units: readonly { readonly layer: string; readonly size: number; readonly maps: readonly Float32Array[] }[];
};

/** Examples as points on a plane. */
export type EmbeddingData = {
  readonly name: 'embedding';
  readonly method: string;
  readonly classes: readonly string[];
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly label: Int32Array;
  readonly pictures: Pictures | null;
  /** Share of the variance that the two directions hold; null when it has no meaning. */
  readonly explained: number | null;
  /** What x and y were made from, row by row; null until a reader asks for it (`rows`), to arrange it otherwise. */
  readonly rows: { readonly values: Float32Array; readonly width: number } | null;
};

/** Loss at growing learning rates. */
export type RateFinderData = { readonly name: 'rateFinder'; readonly rates: Float64Array; readonly losses: Float64Array; readonly steepest: number | null; readonly tenth: number | null; readonly note: string };

/** Loss on a plane through the weights. */
export type LandscapeData = { readonly name: 'landscape'; readonly size: number; readonly reach: number; readonly losses: Float64Array; readonly centre: number };

/** What is likely wrong, check by check. */
export type HealthData = {
  readonly name: 'health';
  readonly verdict: string;
  readonly checks: readonly { readonly key: string; readonly title: string; readonly state: 'good' | 'warn' | 'bad' | 'skipped'; readonly words: string; readonly value: string }[];
};

/** The past of a training, kept as checkpoints. */
export type TimelineData = {
  readonly name: 'timeline';
  readonly steps: Float64Array;
  /** Which of them the model is at, -1: none. */
  readonly at: number;
  readonly bytes: number;
  readonly budget: number;
  readonly note: string;
};

/** Results of a sweep: one row per run. */
export type SweepData = {
  readonly name: 'sweep';
  readonly names: readonly string[];
  readonly rows: readonly { readonly settings: readonly (string | number | boolean)[]; readonly results: readonly (number | null)[] }[];
  readonly results: readonly string[];
  readonly planned: number;
};

export type ViewData =
  | DigitPadData | ConfusionData | MistakesData | CalibrationData | HistogramsData | MapsData | SurfaceData | EmbeddingData
  | RateFinderData | LandscapeData | HealthData | TimelineData | SweepData;
export type ViewName = ViewData['name'];

/** What a reader does with a view; each view knows its own. */
export type ViewQuestion = { readonly act: string; readonly [key: string]: ViewValue };

const NAMES: Readonly<Record<ViewName, true>> = { digitPad: true, confusion: true, mistakes: true, calibration: true, histograms: true, maps: true, surface: true, embedding: true, rateFinder: true, landscape: true, health: true, timeline: true, sweep: true };

const MOST_VALUES = 200_000;
const MOST_DEPTH = 8;
const MOST_NUMBERS = 1 << 24;

/** Whether a value is plain data of bounded size with the name of a view. Its shape is checked by whoever draws it. */
export function isViewData(value: unknown): value is ViewData {
  return typeof value === 'object' && value !== null && Object.hasOwn(NAMES, String((value as { name?: unknown }).name)) && isPlain(value);
}

/** Whether a value is made of nothing but plain data. */
export function isPlain(value: unknown): value is ViewValue {
  let left = MOST_VALUES;
  const walk = (part: unknown, depth: number): boolean => {
    if (part === null || typeof part === 'boolean' || typeof part === 'number') return true;
    if (typeof part === 'string') return part.length <= 100_000;
    if (typeof part !== 'object' || depth > MOST_DEPTH) return false;
    if (part instanceof Float64Array || part instanceof Float32Array || part instanceof Int32Array || part instanceof Uint8Array) return part.length <= MOST_NUMBERS;
    const parts = Array.isArray(part) ? part : Object.values(part);
    left -= parts.length;
    return left > 0 && parts.every((each) => walk(each, depth + 1));
  };
  return walk(value, 0);
}
