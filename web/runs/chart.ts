// The curves of several runs over each other, one metric at a time; or their mean with a band from lowest to highest over seeds.
import type { Drawn } from '../charts/canvas.ts';
import { USUAL_SMOOTHING, type Metric } from '../charts/curves.ts';
import { ChartFrame } from '../charts/frame.ts';
import { groupOf } from '../charts/groups.ts';
import { formatShare, formatTick, formatValue } from '../charts/numbers.ts';
import type { Range } from '../charts/pointer.ts';
import { xRange, yRange } from '../charts/ranges.ts';
import { axisFormat, axisLabel, SettingsRow, USUAL_SETTINGS, type ChartSettings } from '../charts/settings.ts';
import { seriesColour } from '../charts/theme.ts';
import { h } from '../dom.ts';
import { bandOver, bySettings, differing, finals, type TrainingRun } from './record.ts';
import { baseline } from './store.ts';

const HEIGHT = 260;
const MOST_LABELS = 6;

/** The colour of a run: the same in the chart and in the table. */
export const runColour = (run: TrainingRun): number => seriesColour(run.number % 6);

export class RunsChart {
  readonly element: HTMLElement;
  private readonly frame: ChartFrame;
  private readonly row = new SettingsRow((settings) => { this.settings = settings; this.draw(); });
  private readonly pick = h('select', { 'aria-label': 'Metric', data: { metric: '' }, on: { change: () => { this.metric = this.pick.value; this.draw(); } } });
  private readonly overSeeds = h('input', { type: 'checkbox', data: { setting: 'seeds' }, on: { change: () => this.draw() } });
  private runs: readonly TrainingRun[] = [];
  private settings: ChartSettings = USUAL_SETTINGS;
  private metric = 'loss';
  private zoom: Range | null = null;
  private known = '';

  constructor() {
    this.frame = new ChartFrame({
      title: 'Runs', xLabel: 'step', yLabel: '', height: HEIGHT, endRoom: 96, showsYLabel: false, empty: 'Run a cell that logs numbers: its curve appears here.',
      formatY: (value) => (this.isShare ? formatShare(value) : formatValue(value)),
      formatTick: (value) => (this.isShare ? `${Number((value * 100).toPrecision(3))} %` : formatTick(value)),
      table: () => {
        const runs = this.withMetric();
        return { head: ['run', this.metric], count: runs.length, row: (i) => [runs[i]!.name, finals(runs[i]!).get(this.metric) ?? null] };
      },
      onZoom: (range) => { this.zoom = range && range[1] > range[0] ? [Math.max(0, range[0]), range[1]] : null; this.draw(); },
    });
    this.row.element.prepend(h('label', null, 'Metric ', this.pick));
    this.row.element.append(h('label', null, this.overSeeds, ' Mean over seeds'));
    this.element = h('div', { class: 'runs-chart' }, this.frame.element, this.row.element);
  }

  show(runs: readonly TrainingRun[]): void {
    this.runs = runs;
    this.draw();
  }

  grow(): void {
    if (this.runs.some(({ state }) => state === 'running')) this.draw();
  }

  close(): void {
    this.frame.close();
  }

  private get isShare(): boolean {
    return groupOf(this.metric).scale === 'share';
  }

  private withMetric(): TrainingRun[] {
    return this.runs.filter(({ curves }) => (curves.metrics.get(this.metric)?.values.length ?? 0) > 0);
  }

  private isSmooth(metric: Metric): boolean {
    return this.settings.smoothing === null ? metric.isNoisy : this.settings.smoothing > 0;
  }

  private draw(): void {
    const names = [...new Set(this.runs.flatMap(({ curves }) => [...curves.metrics.keys()]))];
    if (names.join() !== this.known) {
      this.known = names.join();
      if (!names.includes(this.metric) && names[0]) this.metric = names[0];
      this.pick.replaceChildren(...names.map((name) => h('option', { value: name, selected: name === this.metric }, name)));
    }
    const runs = this.withMetric();
    const { axis, isLog, ignoresOutliers } = this.settings;
    this.row.showAxes(runs.length ? runs.map(({ curves }) => curves.knownAxes).reduce((a, b) => a.filter((each) => b.includes(each))) : ['step']);
    for (const { curves } of runs) curves.metrics.get(this.metric)!.setSmoothing(this.settings.smoothing ?? USUAL_SMOOTHING);
    const lines = this.overSeeds.checked ? this.bands(runs) : runs.map((run) => this.line(run, runs.length));
    const x = xRange(lines, [], this.zoom);
    const group = { ...groupOf(this.metric), title: '' };
    this.frame.setTitle(this.metric);
    this.frame.setNote([isLog ? 'log axis' : '', this.zoom ? 'zoomed, double click shows all' : ''].filter(Boolean).join(', '));
    this.frame.view.draw({ lines, missing: [], events: [], isLog, xLabel: axisLabel(this.overSeeds.checked ? 'step' : axis), formatX: axisFormat(this.overSeeds.checked ? 'step' : axis), xRange: x, yRange: yRange(lines, group, x, { isLog, ignoresOutliers, zoom: this.zoom }) });
    this.frame.showEmpty(lines.length === 0);
    this.frame.summarise(lines.map(({ name, count, y }) => ({ name, points: count, first: y.values[0] ?? Number.NaN, last: y.last, min: Number.NaN, max: Number.NaN })), () => `${this.metric} of ${runs.length} runs. ${runs.slice(0, 8).map((run) => `${run.name} ends at ${formatValue(finals(run).get(this.metric)!)}`).join('; ')}.`, true);
  }

  private line(run: TrainingRun, count: number): Drawn {
    const metric = run.curves.metrics.get(this.metric)!;
    const y = this.isSmooth(metric) ? metric.smooth : metric.values;
    const isBaseline = run.id === baseline.peek();
    return { name: isBaseline ? `${run.name} (baseline)` : run.name, kind: 'line', x: run.curves.x(metric, this.settings.axis).values, y, count: metric.values.length, colour: runColour(run), weight: 'full', isDashed: isBaseline, end: count <= MOST_LABELS ? (this.isShare ? formatShare(y.last) : formatValue(y.last)) : null };
  }

  /** One line and band per group of runs that differ in their seed alone. */
  private bands(runs: readonly TrainingRun[]): Drawn[] {
    const groups = bySettings(runs);
    const names = differing(groups.map(([first]) => first!)).filter((name) => name !== 'seed').slice(0, 2);
    return groups.flatMap((members, i): Drawn[] => {
      const metrics = members.map(({ curves }) => curves.metrics.get(this.metric)!);
      const band = bandOver(metrics, metrics.some((metric) => this.isSmooth(metric)));
      const words = names.map((name) => `${name} ${members[0]!.settings[name]}`).join(', ') || members[0]!.name;
      const shared = { kind: 'line' as const, x: band.x, count: band.count, colour: seriesColour(i), isDashed: false };
      return [
        { ...shared, name: `${words}, range of ${members.length}`, y: band.low, band: band.high, weight: 'raw', end: null },
        { ...shared, name: `${words}, mean of ${members.length}`, y: band.mean, weight: 'full', end: this.isShare ? formatShare(band.mean.last) : formatValue(band.mean.last) },
      ];
    });
  }
}
