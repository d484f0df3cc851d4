// The names that the notebook itself gives to cells. The engine's names have their own typings.
// The editor shows this text; kernel/display.ts and kernel/plot.ts implement it.

/** A display that can be drawn again in its place. */
interface DisplayHandle {
  /** Shows another value where this one stands. */
  update(value: unknown, options?: DisplayOptions): void;
}

interface DisplayOptions {
  /** `image` shows numbers as pictures: [H, W], [B, H, W], [B, 1, H, W] or [B, 3, H, W]; `value` never does. */
  as?: 'image' | 'value' | 'table';
  /** One line under each image. */
  captions?: readonly (string | number)[];
  /** Most images to show; 32 unless given. */
  limit?: number;
}

/** Shows values under the cell. */
declare const display: {
  /** Shows one value and returns a handle that can change it in place. */
  (value: unknown, options?: DisplayOptions): DisplayHandle;
  /** Shows formatted text. */
  markdown(text: string): DisplayHandle;
  /** Shows rows of values, or of objects with the same keys, as a table. */
  table(rows: readonly (readonly unknown[] | object)[], columns?: readonly string[]): DisplayHandle;
  /** Shows HTML in a frame of its own that can reach nothing outside of it. `height` in pixels; 240 unless given. */
  html(html: string, options?: { height?: number }): DisplayHandle;
  /** Shows a picture: the bytes of a PNG, JPEG, GIF, WebP or SVG file. Canvases are shown by `display(canvas)`. */
  picture(bytes: Uint8Array | ArrayBuffer | string, options?: { caption?: string }): DisplayHandle;
  /** Shows a button that saves a file. A text is saved as it is, other values as JSON. */
  download(name: string, content: string | Uint8Array | ArrayBuffer | object): DisplayHandle;
};

/** Numbers along one axis: an array, a typed array or a tensor. */
type PlotValues = ArrayLike<number> | { readonly shape: readonly number[]; readonly dtype: string };

interface PlotSeries {
  /** Name in the legend. */
  name?: string;
  /** `line` joins the points; `scatter` draws each; `bar` draws bars from 0. */
  kind?: 'line' | 'scatter' | 'bar';
  /** Positions on the x axis; 0, 1, 2, ... unless given. */
  x?: PlotValues;
  y: PlotValues;
}

interface PlotOptions {
  title?: string;
  xLabel?: string;
  yLabel?: string;
  /** Height in pixels; 280 unless given. */
  height?: number;
  /** Words on the x axis in place of 0, 1, 2, ... */
  xNames?: readonly string[];
}

interface HeatmapOptions extends PlotOptions {
  /** Words beside the rows, from the top. */
  rowNames?: readonly (string | number)[];
  /** Words below the columns. */
  columnNames?: readonly (string | number)[];
}

/** A chart that is drawn again in its place. */
interface PlotHandle {
  /** Replaces the series, or the options given; nothing flickers or moves. */
  update(change: PlotOptions & { series?: readonly PlotSeries[] }): void;
}

/** Draws charts under the cell. */
declare const plot: {
  /** Draws any number of series in one chart. */
  chart(chart: PlotOptions & { series: readonly PlotSeries[] }): PlotHandle;
  /** Joins points with a line. */
  line(x: PlotValues, y: PlotValues, options?: PlotOptions & { name?: string }): PlotHandle;
  /** Draws points. */
  scatter(x: PlotValues, y: PlotValues, options?: PlotOptions & { name?: string }): PlotHandle;
  /** Draws bars: one per name or number of `x`. */
  bar(x: readonly string[] | PlotValues, y: PlotValues, options?: PlotOptions & { name?: string }): PlotHandle;
  /** Counts values (a tensor of any shape too) in `bins` steps of equal width; 30 unless given. */
  histogram(values: PlotValues, options?: PlotOptions & { name?: string; bins?: number }): PlotHandle;
  /** Draws a matrix, rows of numbers or a tensor [rows, columns], as a grid of colours. */
  heatmap(matrix: readonly ArrayLike<number>[] | PlotValues, options?: HeatmapOptions): PlotHandle;
};

/** A value that somebody moves while code runs: read `value` whenever you need it. Works in sums and texts, too: `lr * 2`. */
interface HotValue<Value> {
  /** What it is set to now. Setting it moves the control. */
  value: Value;
  /** Called with the new value after each move: `lr.onChange((v) => { optimizer.lr = v })`. */
  onChange(listener: (value: Value) => unknown): void;
  valueOf(): Value;
}

/** Controls under the cell. Loops that run see their values change, and the chart marks the step. */
declare const ui: {
  /** A slider from `min` to `max` (0 to 1). `scale: 'log'` steps by factors, as learning rates want. */
  slider(label: string, options?: { min?: number; max?: number; step?: number; value?: number; scale?: 'linear' | 'log' }): HotValue<number>;
  /** A number to type. */
  number(label: string, options?: { min?: number; max?: number; step?: number; value?: number }): HotValue<number>;
  /** One of some texts. */
  choice<const Option extends string>(label: string, options: readonly Option[], chosen?: { value?: Option }): HotValue<Option>;
  /** On or off. */
  toggle(label: string, options?: { value?: boolean }): HotValue<boolean>;
  /** A button. Its value counts the clicks. */
  button(label: string, onClick?: (clicks: number) => unknown): HotValue<number>;
};

/** Draws a progress bar under the cell. `total` is the value at the end, when it is known. */
declare function progress(label: string, total?: number): {
  update(value: number): void;
  done(): void;
};

/** The running cell. */
declare const cell: {
  readonly id: string;
  /** Number among the code cells, from 1. */
  readonly index: number;
  /** Aborted when the cell is stopped, runs again or is deleted: `fetch(url, { signal: cell.signal })`. */
  readonly signal: AbortSignal;
};

/** What a view looks at: a model, or any function that turns a batch of features into scores. */
// biome-ignore lint/suspicious/noExplicitAny: any model fits, whatever its batches are.
type ViewModel = (x: any) => unknown;

/** A dataset, such as `test` of `await data.mnist()`. */
interface ViewDataset {
  readonly length: number;
  readonly classes: readonly string[];
  readonly shape: readonly number[];
}

/** One picture: a tensor [c, h, w]. */
type ViewPicture = { readonly shape: readonly number[]; readonly dtype: string };

/** A live view under the cell. */
interface ViewHandle {
  /** Draws the view anew with what the model is now. */
  update(): void;
}

/** Pictures of what a model does, live while it trains. */
declare const views: {
  /** Draw a digit with mouse, pen, finger or keys, and see what the model makes of it. `dataset` says how pixels are scaled; the one trained on last unless given. */
  digitPad(model: ViewModel, dataset?: ViewDataset): ViewHandle;
  /** Counts by truth and prediction; a cell opens its examples. */
  confusion(model: ViewModel, dataset?: ViewDataset): ViewHandle;
  /** The wrong examples, most surprising first. */
  mistakes(model: ViewModel, dataset?: ViewDataset, options?: { limit?: number }): ViewHandle;
  /** Is the model right in 80 of 100 cases when it says 80 %? */
  calibration(model: ViewModel, dataset?: ViewDataset): ViewHandle;
  /** Weights, gradients and activations layer by layer, over time; dead and saturated units; sizes of updates. Put it before the training loop. */
  histograms(model: ViewModel, dataset?: ViewDataset): ViewHandle;
  /** The filters of the first layer, or of the layer whose weight is named so. */
  filters(model: ViewModel, options?: { layer?: string }): ViewHandle;
  /** What each layer makes of one picture: `views.featureMaps(model, test.at(0)[0])`. */
  featureMaps(model: ViewModel, picture: ViewPicture): ViewHandle;
  /** Where the model looks: slope of the score by every pixel, and the chance lost when a part is covered. `target`: the predicted class unless given. */
  saliency(model: ViewModel, picture: ViewPicture, options?: { target?: number }): ViewHandle;
  /** What the model says all over a plane, for datasets with two features; with a picture for each unit. */
  surface(model: ViewModel, dataset?: ViewDataset): ViewHandle;
  /** Examples as points: the two directions in which the results of a hidden layer vary most. */
  embedding(model: ViewModel, dataset?: ViewDataset, options?: { layer?: string; examples?: number }): ViewHandle;
  /** The loss on a plane through the weights. The weights come back exactly. */
  landscape(model: ViewModel, dataset?: ViewDataset, options?: { size?: number; reach?: number; examples?: number; seed?: number }): Promise<ViewHandle>;
  /** The classic checks, and in one sentence what is likely wrong. Put it before the training loop: it goes on watching. */
  health(model: ViewModel, dataset?: ViewDataset, options?: { test?: ViewDataset; optimizer?: object; loss?: (prediction: never, target: never) => unknown }): Promise<ViewHandle>;
  /**
   * The past of a training: checkpoints within `budget` bytes, kept while log() is called (every `every` steps, or twice a second).
   * The scrubber puts the model back, and every view follows. `rewind(step)` does the same in code and returns the step; going on
   * with `batches(size, { seed, start: step })` repeats the training to the bit.
   */
  timeline(model: ViewModel, optimizer?: object, options?: { budget?: number; every?: number }): ViewHandle & { rewind(step: number): number; steps(): number[] };
  /** Loss at growing learning rates, on a training that is taken back. */
  rateFinder(model: ViewModel, dataset?: ViewDataset, options?: { optimizer?: string; from?: number; to?: number; steps?: number; batchSize?: number; seed?: number }): Promise<ViewHandle>;
};

interface SweepOptions {
  /** Seed of every run, so that only the settings differ; 0 unless given. */
  seed?: number;
  /** How often each combination runs, with seeds `seed`, `seed + 1`, ... */
  repeat?: number;
}

/**
 * Runs the same training for every combination of settings; each becomes a kept run with its own curves. What `run` returns
 * (a number, or an object of numbers) is compared: `await sweep({ lr: [0.1, 0.01], width: [16, 64] }, async ({ lr, width }) => { ... })`
 */
declare function sweep<Grid extends Readonly<Record<string, readonly (string | number | boolean)[]>>, Result>(
  grid: Grid,
  run: (settings: { [Name in keyof Grid]: Grid[Name][number] }) => Result | Promise<Result>,
  options?: SweepOptions,
): Promise<({ [Name in keyof Grid]: Grid[Name][number] } & Record<string, number>)[]>;
