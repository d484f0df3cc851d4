// `plot` and `progress`: displays that are drawn again in their place. How they look is up to the page.
import type { ChartData, ChartSeries, HeatData, ProgressDisplay } from '../protocol/messages.ts';
import { asShown, type DisplaySink } from './display.ts';
import type { EngineLink } from './engine.ts';
import { inspect } from './preview.ts';
import { typeText } from './printing.ts';

const HEIGHT = 280;

export class Plots {
  readonly #engine: EngineLink | null;
  readonly #sink: DisplaySink;

  constructor(engine: EngineLink | null, sink: DisplaySink) {
    this.#engine = engine;
    this.#sink = sink;
  }

  /** The `plot` object of cells. */
  global(): typeof plot {
    const single =
      (kind: 'line' | 'scatter') =>
      (x: PlotValues, y: PlotValues, { name = '', ...options }: PlotOptions & { name?: string } = {}) =>
        this.#chart({ ...options, series: [{ name, kind, x, y }] });
    return {
      chart: (chart) => this.#chart(chart),
      line: single('line'),
      scatter: single('scatter'),
      bar: (x, y, { name = '', ...options } = {}) => {
        const areNames = Array.isArray(x) && typeof x[0] === 'string';
        const names = areNames ? { xNames: (x as readonly string[]).map(String) } : {};
        return this.#chart({ ...names, ...options, series: [{ name, kind: 'bar', y, ...(areNames ? {} : { x: x as PlotValues }) }] });
      },
      histogram: (values, { name = '', bins = 30, ...options } = {}) => {
        const { centres, counts } = histogramOf(this.#flat(values, 'values'), bins);
        return this.#chart({ yLabel: 'count', ...options, series: [{ name, kind: 'bar', x: centres, y: counts }] });
      },
      heatmap: (matrix, options = {}) => this.#heatmap(matrix, options),
    };
  }

  #heatmap(matrix: readonly ArrayLike<number>[] | PlotValues, { rowNames = [], columnNames = [], ...options }: HeatmapOptions): PlotHandle {
    const place = this.#sink.open();
    const { title = '', xLabel = '', yLabel = '', height = HEIGHT } = options;
    const heat = { ...this.#matrix(matrix), rowNames: rowNames.map(String), columnNames: columnNames.map(String) };
    let chart: ChartData = { title, xLabel, yLabel, height, series: [], heat };
    place.show({ kind: 'chart', chart });
    return asShown<PlotHandle>({
      update: ({ series, ...changed }) => {
        const values = series?.[0] ? this.#matrix(series[0].y) : {};
        chart = { ...chart, ...changed, height: chart.height, series: [], heat: { ...heat, ...chart.heat, ...values } as HeatData };
        place.show({ kind: 'chart', chart });
      },
    });
  }

  /** Rows of numbers, or a tensor with two axes longer than one. */
  #matrix(matrix: readonly ArrayLike<number>[] | PlotValues): Pick<HeatData, 'rows' | 'columns' | 'values'> {
    const engine = this.#engine;
    if (engine?.isTensor(matrix)) {
      const shape = matrix.shape.length > 2 ? matrix.shape.filter((size) => size !== 1) : matrix.shape;
      if (shape.length !== 2) throw new TypeError(`plot: heatmap of ${typeText(matrix)}; expected [rows, columns]`);
      const [rows, columns] = shape as [number, number];
      checkHeat(rows, columns);
      return { rows, columns, values: Float64Array.from(engine.readValues(matrix), Number) };
    }
    const list = matrix as readonly ArrayLike<number>[];
    if (!Array.isArray(matrix) || list.some((row) => typeof row !== 'object' || row === null || !('length' in row))) {
      throw new TypeError(`plot: heatmap needs rows of numbers or a tensor [rows, columns], got ${inspect(matrix).slice(0, 80)}`);
    }
    const columns = list[0]?.length ?? 0;
    const odd = list.findIndex((row) => row.length !== columns);
    if (odd >= 0) throw new RangeError(`plot: heatmap: row ${odd} has ${list[odd]?.length} numbers and row 0 has ${columns}`);
    checkHeat(list.length, columns);
    return { rows: list.length, columns, values: Float64Array.from(list.flatMap((row) => Array.from(row)), Number) };
  }

  /** All numbers of a tensor of any shape. */
  #flat(values: PlotValues, what: string): Float64Array {
    return this.#engine?.isTensor(values) ? Float64Array.from(this.#engine.readValues(values), Number) : this.#numbers(values, what);
  }

  /** The `progress` function of cells and of the engine's downloads. */
  progress(label: string, total: number | null, unit: ProgressDisplay['unit']): { update(value: number): void; done(): void } {
    const place = this.#sink.open();
    let bar: ProgressDisplay = { kind: 'progress', label, value: 0, total, unit, isDone: false };
    place.show(bar);
    return asShown({
      update: (value: number) => {
        bar = { ...bar, value };
        place.show(bar);
      },
      done: () => {
        bar = { ...bar, value: bar.total ?? bar.value, isDone: true };
        place.show(bar);
      },
    });
  }

  #chart({ series, title = '', xLabel = '', yLabel = '', height = HEIGHT, xNames }: PlotOptions & { series: readonly PlotSeries[] }): PlotHandle {
    const place = this.#sink.open();
    let chart: ChartData = { title, xLabel, yLabel, height, series: this.#read(series), ...(xNames && { xNames: xNames.map(String) }) };
    place.show({ kind: 'chart', chart });
    return asShown<PlotHandle>({
      update: ({ series: newSeries, ...options }) => {
        // The height stays: a chart that grows moves the page under the reader.
        chart = { ...chart, ...options, height: chart.height, series: newSeries ? this.#read(newSeries) : chart.series };
        place.show({ kind: 'chart', chart });
      },
    });
  }

  #read(series: readonly PlotSeries[]): ChartSeries[] {
    if (!Array.isArray(series)) throw new TypeError(`plot: expected a list of series, got ${inspect(series).slice(0, 80)}`);
    return series.map(({ name = '', kind = 'line', x, y }: PlotSeries, i) => {
      const heights = this.#numbers(y, `y of series ${i}`);
      const positions = x === undefined ? Float64Array.from(heights, (_, k) => k) : this.#numbers(x, `x of series ${i}`);
      if (positions.length !== heights.length) {
        throw new RangeError(`plot: x has ${positions.length} values and y has ${heights.length} in series ${i}; they go in pairs`);
      }
      return { name, kind, x: positions, y: heights };
    });
  }

  #numbers(values: PlotValues, what: string): Float64Array {
    const engine = this.#engine;
    if (engine?.isTensor(values)) {
      const long = values.shape.filter((size) => size !== 1);
      if (long.length > 1) throw new TypeError(`plot: ${what} is ${typeText(values)}; expected one axis`);
      return Float64Array.from(engine.readValues(values), Number);
    }
    if (typeof values !== 'object' || values === null || !('length' in values)) {
      throw new TypeError(`plot: ${what}: expected an array of numbers or a tensor, got ${inspect(values).slice(0, 80)}`);
    }
    return Float64Array.from(values, (value) => (typeof value === 'number' ? value : Number(value)));
  }
}

const MOST_FIELDS = 1 << 20;

function checkHeat(rows: number, columns: number): void {
  if (rows * columns > MOST_FIELDS) throw new RangeError(`plot: a heatmap of ${rows} x ${columns} has more than ${MOST_FIELDS} fields`);
}

/** Values counted in steps of equal width from the smallest to the largest; NaN and infinities are left out. */
function histogramOf(values: Float64Array, bins: number): { centres: Float64Array; counts: Float64Array } {
  if (!Number.isInteger(bins) || bins < 1 || bins > 10_000) throw new RangeError(`plot: \`bins\` must be a whole number from 1 to 10000, got ${inspect(bins).slice(0, 80)}`);
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) return { centres: new Float64Array(0), counts: new Float64Array(0) };
  const width = (max - min) / bins || 1 / bins;
  const counts = new Float64Array(bins);
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    const bin = Math.min(bins - 1, Math.floor((value - min) / width));
    counts[bin] = (counts[bin] as number) + 1;
  }
  return { centres: Float64Array.from(counts, (_, i) => min + (i + 0.5) * width), counts };
}
