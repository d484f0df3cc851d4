// The live chart of a training run: what `log()` sends, grouped into panels, drawn in place. Knows the notebook's metrics event, not cells.

import { h, setText } from '../dom.ts';
import type { Drawn } from './canvas.ts';
import { drawNever, drawSoon } from './frames.ts';
import { Curves, USUAL_SMOOTHING, type Mark, type Metric, type MetricRows } from './curves.ts';
import { ChartFrame } from './frame.ts';
import { groupOf, isHeldOut, shortName, stemOf, type Group } from './groups.ts';
import { formatShare, formatTick, formatValue } from './numbers.ts';
import type { Range } from './pointer.ts';
import { xRange, yRange } from './ranges.ts';
import { axisFormat, axisLabel, SettingsRow, USUAL_SETTINGS, type ChartSettings } from './settings.ts';
import type { TableData } from './table.ts';
import { seriesColour } from './theme.ts';
import { formatCount } from '../shell/words.ts';

export type { MetricRows } from './curves.ts';

/** Another run that is drawn faintly behind this one. */
export interface Ghost {
  /** Written at its line ends; '' writes nothing. */
  readonly name: string;
  readonly curves: Curves;
}

interface Panel {
  readonly group: Group;
  readonly frame: ChartFrame;
}

const EMPTY = 'The curves appear here when this cell logs its first step.';
const MOST_EPOCH_MARKS = 12;

export class LiveChart {
  readonly element = h('div', { class: 'live', data: { points: '0' } });
  /** The curves of the run that is drawn now. */
  curves = new Curves();
  /** Told where the reader pressed: a step. */
  onPick: ((step: number) => void) | null = null;
  private former: Curves | null = null;
  private ghosts: readonly Ghost[] = [];
  private trials: readonly Ghost[] = [];
  private readonly grid = h('div', { class: 'live-panels' });
  private panels = new Map<string, Panel>();
  private waiting: ChartFrame | null = null;
  private settings: ChartSettings = USUAL_SETTINGS;
  private zoom: Range | null = null;
  private isFinished = false;
  /** The reader asked for what is drawn next. */
  private isAsked = false;
  private readonly row = new SettingsRow((settings) => this.apply(settings));
  private readonly trouble = h('p', { class: 'chart-trouble', role: 'status' });

  /** Instead of the chart while there is one row only: a chart of one point says nothing. */
  private facts: HTMLElement | null = null;

  /** `isCompact`: begins as a line of values and becomes a chart with the second row. `metrics`: names that are known to come, for the room of their panels. */
  constructor(isCompact: boolean, metrics: readonly string[] = []) {
    this.grid.style.setProperty('--panels', String(new Set(metrics.map((name) => groupOf(name).key)).size));
    this.element.append(this.grid, this.row.element);
    if (isCompact) {
      this.facts = h('div', { class: 'facts' });
      this.element.classList.add('compact');
      this.grid.append(this.facts);
      return;
    }
    this.waiting = this.makeFrame({ key: '', title: 'Training', yLabel: '', scale: 'free' });
    this.grid.append(this.waiting.element);
  }

  get isEmpty(): boolean {
    return this.curves.rows === 0;
  }

  /** A new run begins: what was drawn stays behind as a ghost. */
  restart(): void {
    if (this.curves.rows > 0) this.former = this.curves;
    this.curves = new Curves();
    this.zoom = null;
    this.isFinished = false;
    this.trials = [];
    this.element.dataset.points = '0';
    delete this.element.dataset.lastStep;
    this.draw();
  }

  /** Another run begins within this one (a sweep): the runs before it stay as ghosts. */
  trial(): void {
    if (this.curves.rows > 0) this.trials = [...this.trials, { name: '', curves: this.curves }];
    this.curves = new Curves();
    this.draw();
  }

  add(event: MetricRows): void {
    const { curves } = this;
    for (const name of event.names) if (!curves.metrics.has(name)) this.meet(curves.metric(name));
    curves.add(event);
    this.element.dataset.points = String(curves.rows);
    this.element.dataset.lastStep = String(event.steps[event.steps.length - 1] ?? '');
    if (this.facts) this.showFacts(event.names);
    this.draw();
  }

  /** Something happened at a step: a tick at the top of every panel. */
  mark(mark: Mark): void {
    this.curves.marks.push(mark);
    this.draw();
  }

  /** Other runs to draw behind this one; they take the place of the cell's former run. */
  showGhosts(ghosts: readonly Ghost[]): void {
    this.ghosts = ghosts;
    for (const { curves } of ghosts) for (const name of curves.metrics.keys()) if (this.panels.has(groupOf(name).key)) this.panel(groupOf(name));
    this.draw();
  }

  private showFacts(names: readonly string[]): void {
    if (this.curves.rows > 1) {
      this.facts!.remove();
      this.facts = null;
      this.element.classList.remove('compact');
      for (const { frame } of this.panels.values()) this.grid.append(frame.element);
      return;
    }
    this.facts!.replaceChildren(...names.map((name) => {
      const value = this.curves.metric(name).values.last;
      return h('span', { data: { metric: name, value: String(value) } }, `${name} `, h('b', null, groupOf(name).scale === 'share' ? formatShare(value) : formatValue(value)));
    }));
  }

  /** The run has ended: the summary is complete and is spoken. */
  finish(): void {
    this.isFinished = true;
    if (!this.isEmpty) this.render();
  }

  close(): void {
    drawNever(this);
    this.waiting?.close();
    for (const panel of this.panels.values()) panel.frame.close();
    this.element.remove();
  }

  private apply(settings: ChartSettings): void {
    if (settings.axis !== this.settings.axis) this.zoom = null;
    this.settings = settings;
    for (const { curves } of [{ curves: this.curves }, ...this.behind()]) for (const metric of curves.metrics.values()) this.smooth(metric);
    this.draw(true);
  }

  private smooth(metric: Metric): void {
    metric.setSmoothing(this.settings.smoothing ?? USUAL_SMOOTHING);
  }

  private behind(): readonly Ghost[] {
    if (this.trials.length) return [...this.ghosts, ...this.trials];
    return this.ghosts.length ? this.ghosts : this.former ? [{ name: '', curves: this.former }] : [];
  }

  private showTrouble(words: string): void {
    if (words && !this.trouble.isConnected) this.element.append(this.trouble);
    else if (!words) this.trouble.remove();
    setText(this.trouble, words);
  }

  private meet(metric: Metric): void {
    this.smooth(metric);
    this.panel(groupOf(metric.name));
  }

  private panel(group: Group): Panel {
    const known = this.panels.get(group.key);
    if (known) return known;
    this.waiting?.close();
    this.waiting = null;
    const panel = { group, frame: this.makeFrame(group) };
    this.panels.set(group.key, panel);
    const order = ['loss', 'accuracy', 'rate', 'norm'];
    const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
    const later = [...this.panels.values()].find((other) => rank(other.group.key) > rank(group.key));
    if (!this.facts) this.grid.insertBefore(panel.frame.element, later?.frame.element ?? null);
    return panel;
  }

  private makeFrame(group: Group): ChartFrame {
    const isShare = group.scale === 'share';
    return new ChartFrame({
      title: group.title, xLabel: 'step', yLabel: group.yLabel, endRoom: 78, height: null, showsYLabel: false, empty: EMPTY,
      formatY: isShare ? formatShare : formatValue,
      formatTick: isShare ? (value) => `${Number((value * 100).toPrecision(3))} %` : formatTick,
      table: () => this.table(group),
      onZoom: (range) => this.setZoom(range),
      onPick: (x) => this.pick(x),
    });
  }

  /** All panels show the same part. */
  private setZoom(range: Range | null): void {
    const whole = xRange(this.allLines(), [], null);
    const size = range ? range[1] - range[0] : 0;
    if (range && size < whole[1] && size > 0) {
      const from = Math.min(Math.max(range[0], 0), whole[1] - size);
      this.zoom = [from, from + size];
    } else this.zoom = null;
    this.draw(true);
  }

  private pick(x: number): void {
    const { steps } = this.curves;
    if (!this.onPick || !steps.length) return;
    let best = 0;
    for (let i = 0; i < steps.length; i++) {
      if (Math.abs(this.curves.place(steps.values[i]!, this.settings.axis) - x) < Math.abs(this.curves.place(steps.values[best]!, this.settings.axis) - x)) best = i;
    }
    this.onPick(steps.values[best]!);
  }

  private isSmoothed(metric: Metric): boolean {
    return this.settings.smoothing === null ? metric.isNoisy : this.settings.smoothing > 0 && metric.values.length > 2;
  }

  private line(curves: Curves, metric: Metric, colour: number, weight: Drawn['weight'], end: string | null): Drawn {
    const column = this.isSmoothed(metric) && weight !== 'raw' ? metric.smooth : metric.values;
    return { name: metric.name, kind: 'line', x: curves.x(metric, this.settings.axis).values, y: column, count: metric.values.length, colour, weight, isDashed: isHeldOut(metric.name), end, label: shortName(metric.name) };
  }

  private allLines(): Drawn[] {
    return [{ name: '', curves: this.curves }, ...this.behind()].flatMap(({ curves }) => [...curves.metrics.values()].map((metric) => this.line(curves, metric, 0, 'full', null)));
  }

  private draw(isAsked = false): void {
    this.isAsked ||= isAsked;
    drawSoon(this, this.element, () => this.render(), isAsked);
  }

  private render(): void {
    const { isAsked, isFinished: isFinal } = this;
    this.isAsked = false;
    this.row.showAxes(this.curves.knownAxes);
    this.showTrouble(troubleOf([...this.curves.metrics.values()]));
    const { axis, isLog, ignoresOutliers } = this.settings;
    const events = [...this.curves.epochMarks(MOST_EPOCH_MARKS), ...this.curves.marks].map(({ step, text }) => ({ x: this.curves.place(step, axis), text }));
    const broken = [...this.curves.metrics.values()].flatMap((metric) => (metric.brokenAt ? [this.curves.place(metric.brokenAt.step, axis)] : []));
    const x = xRange(this.allLines(), broken, this.zoom);
    for (const { group, frame } of this.panels.values()) {
      const inGroup = (curves: Curves) => [...curves.metrics.values()].filter((metric) => groupOf(metric.name).key === group.key);
      const current = inGroup(this.curves);
      const behind = this.behind().flatMap(({ name, curves }) => inGroup(curves).map((metric) => ({ name, curves, metric })));
      const stems = [...new Set([...current, ...behind.map(({ metric }) => metric)].map((metric) => stemOf(metric.name)))];
      const start = group.key === 'accuracy' ? 2 : group.key === 'rate' ? 3 : 0;
      const colour = (metric: Metric) => seriesColour(stems.indexOf(stemOf(metric.name)), start);
      const isShare = group.scale === 'share';
      const lines: Drawn[] = behind.map(({ name, curves, metric }) => ({ ...this.line(curves, metric, colour(metric), 'ghost', null), name: name ? `${metric.name}, ${name}` : metric.name }));
      for (const metric of current) {
        const shown = this.isSmoothed(metric) ? metric.smooth.last : metric.values.last;
        if (this.isSmoothed(metric)) lines.push(this.line(this.curves, metric, colour(metric), 'raw', null));
        lines.push(this.line(this.curves, metric, colour(metric), 'full', Number.isFinite(shown) ? (isShare ? formatShare(shown) : formatValue(shown)) : null));
      }
      const missing = current.filter((metric) => metric.brokenAt).map((metric) => ({ x: this.curves.place(metric.brokenAt!.step, axis), text: `${metric.name} is ${formatValue(metric.brokenAt!.value)} at step ${formatCount(metric.brokenAt!.step)}` }));
      if (group.key === 'other') frame.setTitle(current.map(({ name }) => name).join(', ') || group.title);
      frame.view.draw({ lines, missing, events, isLog, xLabel: axisLabel(axis), formatX: axisFormat(axis), xRange: x, yRange: yRange(lines, group, x, { isLog, ignoresOutliers, zoom: this.zoom }) }, isAsked);
      frame.setNote(this.noteOf(current, isLog));
      frame.showKeys(lines);
      const count = current.reduce((sum, metric) => sum + metric.values.length, 0);
      frame.showEmpty(count === 0 && behind.length === 0 && missing.length === 0);
      frame.summarise(current.map(factOf), () => sentence(group, current, isShare), isFinal);
    }
  }

  private noteOf(metrics: readonly Metric[], isLog: boolean): string {
    const hidden = isLog && metrics.some((metric) => metric.min <= 0);
    return [isLog ? (hidden ? 'log axis, zero and less not shown' : 'log axis') : '', this.zoom ? 'zoomed, double click shows all' : ''].filter(Boolean).join(', ');
  }

  /** One row per step; a metric that was not logged at a step is empty there. */
  private table(group: Group): TableData {
    const { curves } = this;
    const metrics = [...curves.metrics.values()].filter((metric) => groupOf(metric.name).key === group.key);
    const axes = curves.knownAxes.slice(1);
    const next = metrics.map(() => 0);
    const at = (metric: Metric, m: number, step: number) => {
      const { values, length } = metric.steps;
      let i = next[m]!;
      if (i > 0 && values[i - 1]! >= step) i = 0;
      while (i < length && values[i]! < step) i++;
      next[m] = i;
      return i < length && values[i] === step ? metric.values.values[i]! : null;
    };
    return {
      head: ['step', ...axes, ...metrics.map(({ name }) => name)],
      count: curves.steps.length,
      row: (i) => {
        const step = curves.steps.values[i]!;
        return [step, ...axes.map((axis) => curves.place(step, axis)), ...metrics.map((metric, m) => at(metric, m, step))];
      },
    };
  }
}

function troubleOf(metrics: readonly Metric[]): string {
  const broken = metrics.filter((metric) => metric.brokenAt).sort((a, b) => a.brokenAt!.step - b.brokenAt!.step)[0];
  if (!broken) return '';
  const { step, value } = broken.brokenAt!;
  return `${broken.name} is ${Number.isNaN(value) ? 'not a number (NaN)' : 'infinite'} from step ${formatCount(step)} on. A smaller learning rate is the first thing to try.`;
}

function factOf(metric: Metric) {
  const { values, length } = metric.values;
  return { name: metric.name, points: length, first: values[0] ?? Number.NaN, last: metric.smooth.last, min: metric.min, max: metric.max, lastStep: metric.steps.last, brokenAt: metric.brokenAt?.step ?? null };
}

function sentence(group: Group, metrics: readonly Metric[], isShare: boolean): string {
  const text = isShare ? formatShare : formatValue;
  const parts = metrics.filter((metric) => metric.values.length > 0).map((metric) => {
    const from = metric.values.values[0]!;
    const to = metric.isNoisy ? metric.smooth.last : metric.values.last;
    return `${metric.name} went from ${text(from)} to ${text(to)} in ${formatCount(metric.values.length)} points up to step ${formatCount(metric.steps.last)}`;
  });
  return `${group.title} chart. ${parts.join('; ') || EMPTY}. ${troubleOf(metrics)}`.trim();
}
