// `plot` and `progress`: displays that are drawn again in their place. How they look is up to the page.
import type { ChartData, ChartSeries, ProgressDisplay } from '../protocol/messages.ts';
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
    return { chart: (chart) => this.#chart(chart), line: single('line'), scatter: single('scatter') };
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

  #chart({ series, title = '', xLabel = '', yLabel = '', height = HEIGHT }: PlotOptions & { series: readonly PlotSeries[] }): PlotHandle {
    const place = this.#sink.open();
    let chart: ChartData = { title, xLabel, yLabel, height, series: this.#read(series) };
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
