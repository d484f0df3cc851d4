// The live chart of a training run: what `log()` sends, grouped into panels, drawn in place. Knows the notebook's metrics event, not cells.

import { h, setText } from '../dom.ts';
import type { Drawn } from './canvas.ts';
import { Metric } from './column.ts';
import { ChartFrame } from './frame.ts';
import { groupOf, isHeldOut, stemOf, type Group } from './groups.ts';
import { formatShare, formatValue, roundUp } from './numbers.ts';
import { seriesColour } from './theme.ts';

export interface MetricRows {
  readonly names: readonly string[];
  readonly steps: Float64Array;
  readonly columns: readonly Float64Array[];
}

interface Panel {
  readonly group: Group;
  readonly frame: ChartFrame;
}

const EMPTY = 'The curves appear here when this cell logs its first step.';

export class LiveChart {
  readonly element = h('div', { class: 'live-panels', data: { points: '0' } });
  private run = new Map<string, Metric>();
  private former = new Map<string, Metric>();
  private panels = new Map<string, Panel>();
  private rows = 0;
  private waiting: ChartFrame | null = null;
  private readonly trouble = h('p', { class: 'chart-trouble', role: 'status' });

  /** Instead of the chart while there is one row only: a chart of one point says nothing. */
  private facts: HTMLElement | null = null;

  /** `isCompact`: begins as a line of values and becomes a chart with the second row. */
  constructor(isCompact: boolean) {
    if (isCompact) {
      this.facts = h('div', { class: 'facts' });
      this.element.classList.add('compact');
      this.element.append(this.facts);
      return;
    }
    this.waiting = this.makeFrame({ key: '', title: 'Training', yLabel: '', scale: 'free' });
    this.element.append(this.waiting.element);
  }

  get isEmpty(): boolean {
    return this.rows === 0;
  }

  /** A new run begins: what was drawn stays behind as a ghost. */
  restart(): void {
    if (this.rows > 0) this.former = this.run;
    this.run = new Map();
    this.rows = 0;
    this.element.dataset.points = '0';
    delete this.element.dataset.lastStep;
    this.draw(false);
  }

  add(event: MetricRows): void {
    const { names, steps, columns } = event;
    const metrics = names.map((name) => this.metric(name));
    for (let row = 0; row < steps.length; row++) {
      for (let i = 0; i < names.length; i++) metrics[i]!.push(steps[row]!, columns[i]![row]!);
    }
    this.rows += steps.length;
    this.element.dataset.points = String(this.rows);
    this.element.dataset.lastStep = String(steps[steps.length - 1] ?? '');
    if (this.facts) this.showFacts(names);
    this.draw(false);
  }

  private showFacts(names: readonly string[]): void {
    if (this.rows > 1) {
      this.facts!.remove();
      this.facts = null;
      this.element.classList.remove('compact');
      for (const { frame } of this.panels.values()) this.element.append(frame.element);
      return;
    }
    this.facts!.replaceChildren(...names.map((name) => {
      const value = this.run.get(name)!.values.last;
      return h('span', { data: { metric: name, value: String(value) } }, `${name} `, h('b', null, groupOf(name).scale === 'share' ? formatShare(value) : formatValue(value)));
    }));
  }

  /** The run has ended: the summary is complete and is spoken. */
  finish(): void {
    if (!this.isEmpty) this.draw(true);
  }

  close(): void {
    this.waiting?.close();
    this.trouble.remove();
    for (const panel of this.panels.values()) panel.frame.close();
    this.element.remove();
  }

  private showTrouble(words: string): void {
    if (words && !this.trouble.isConnected) this.element.after(this.trouble);
    else if (!words) this.trouble.remove();
    setText(this.trouble, words);
  }

  private metric(name: string): Metric {
    let metric = this.run.get(name);
    if (!metric) {
      metric = new Metric(name);
      this.run.set(name, metric);
      this.panel(groupOf(name));
    }
    return metric;
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
    if (!this.facts) this.element.insertBefore(panel.frame.element, later?.frame.element ?? null);
    return panel;
  }

  private makeFrame(group: Group): ChartFrame {
    const isShare = group.scale === 'share';
    return new ChartFrame({
      title: group.title, xLabel: 'step', yLabel: group.yLabel, endRoom: 78, height: null, showsYLabel: false, empty: EMPTY,
      formatY: isShare ? formatShare : formatValue,
      formatTick: isShare ? (value) => `${Math.round(value * 100)} %` : (value) => String(Number(value.toPrecision(4))).replace('-', '−'),
    });
  }

  private draw(isFinal: boolean): void {
    this.showTrouble(troubleOf([...this.run.values()]));
    for (const { group, frame } of this.panels.values()) {
      const current = [...this.run.values()].filter((metric) => groupOf(metric.name).key === group.key);
      const ghosts = [...this.former.values()].filter((metric) => groupOf(metric.name).key === group.key);
      const stems = [...new Set([...current, ...ghosts].map((metric) => stemOf(metric.name)))];
      const start = group.key === 'accuracy' ? 2 : group.key === 'rate' ? 3 : 0;
      const colour = (metric: Metric) => seriesColour(stems.indexOf(stemOf(metric.name)), start);
      const isShare = group.scale === 'share';
      const lines: Drawn[] = ghosts.map((metric) => line(metric, colour(metric), 'ghost', null));
      for (const metric of current) {
        const shown = metric.isNoisy ? metric.smooth.last : metric.values.last;
        if (metric.isNoisy) lines.push(line(metric, colour(metric), 'raw', null));
        lines.push(line(metric, colour(metric), 'full', Number.isFinite(shown) ? (isShare ? formatShare(shown) : formatValue(shown)) : null));
      }
      const missing = current.filter((metric) => metric.brokenAt).map((metric) => ({ x: metric.brokenAt!.step, text: `${metric.name} is ${formatValue(metric.brokenAt!.value)}` }));
      if (group.key === 'other') frame.setTitle(current.map(({ name }) => name).join(', ') || group.title);
      frame.view.draw({ lines, missing, xRange: xRange([...current, ...ghosts]), yRange: yRange(lines, group) });
      frame.showKeys(lines);
      const count = current.reduce((sum, metric) => sum + metric.values.length, 0);
      frame.showEmpty(count === 0 && ghosts.length === 0 && missing.length === 0);
      frame.summarise(current.map(factOf), () => sentence(group, current, isShare), isFinal);
    }
  }
}

function line(metric: Metric, colour: number, weight: Drawn['weight'], end: string | null): Drawn {
  const isSmooth = metric.isNoisy && weight !== 'raw';
  return { name: metric.name, kind: 'line', x: metric.steps.values, y: isSmooth ? metric.smooth.values : metric.values.values, count: metric.values.length, colour, weight, isDashed: isHeldOut(metric.name), end };
}

function xRange(metrics: readonly Metric[]): [number, number] {
  const last = Math.max(0, ...metrics.map((metric) => Math.max(metric.steps.length ? metric.steps.last : 0, metric.brokenAt?.step ?? 0)));
  return [0, roundUp(Math.max(last, 10))];
}

function yRange(lines: readonly Drawn[], group: Group): [number, number] {
  if (group.scale === 'share') return [0, 1];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { y, count } of lines) {
    for (let i = 0; i < count; i++) {
      const value = y[i]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return [0, 1];
  if (group.scale === 'positive' && low >= 0) return [0, roundUp(high)];
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return [low - room, high + room];
}

function troubleOf(metrics: readonly Metric[]): string {
  const broken = metrics.filter((metric) => metric.brokenAt).sort((a, b) => a.brokenAt!.step - b.brokenAt!.step)[0];
  if (!broken) return '';
  const { step, value } = broken.brokenAt!;
  return `${broken.name} is ${Number.isNaN(value) ? 'not a number (NaN)' : 'infinite'} from step ${step} on. A smaller learning rate is the first thing to try.`;
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
    return `${metric.name} went from ${text(from)} to ${text(to)} in ${metric.values.length} points up to step ${metric.steps.last}`;
  });
  return `${group.title} chart. ${parts.join('; ') || EMPTY}. ${troubleOf(metrics)}`.trim();
}
