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
};

/** Numbers along one axis: an array, a typed array or a tensor. */
type PlotValues = ArrayLike<number> | { readonly shape: readonly number[]; readonly dtype: string };

interface PlotSeries {
  /** Name in the legend. */
  name?: string;
  /** `line` joins the points; `scatter` draws each. */
  kind?: 'line' | 'scatter';
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
