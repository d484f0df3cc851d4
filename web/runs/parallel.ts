// Parallel coordinates: one line per run through its settings to its result. Shows which settings lead where.
import { h } from '../dom.ts';
import { formatTick } from '../charts/numbers.ts';
import { chartTheme } from '../charts/theme.ts';
import { css, mix, rgb } from '../views/paint.ts';
import { differing, finals, type TrainingRun } from './record.ts';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 640;
const HEIGHT = 240;
const LEFT = 56;
const TOP = 34;
const BOTTOM = 18;
const MOST_AXES = 7;

export interface ParallelRow {
  readonly name: string;
  readonly values: readonly (string | number | boolean | null)[];
}

/** Axes by name, rows through them; the last axis gives the colour. */
export function drawParallel(axes: readonly string[], rows: readonly ParallelRow[]): SVGSVGElement {
  const svg = make('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', class: 'parallel', 'aria-label': `${rows.length} runs by ${axes.join(', ')}; the same numbers stand in the table of runs` }) as SVGSVGElement;
  const x = (i: number) => (axes.length < 2 ? WIDTH / 2 : LEFT + (i * (WIDTH - 2 * LEFT)) / (axes.length - 1));
  const scales = axes.map((_, i) => scaleOf(rows.map(({ values }) => values[i] ?? null)));
  const y = (i: number, value: string | number | boolean | null) => HEIGHT - BOTTOM - scales[i]!.place(value) * (HEIGHT - TOP - BOTTOM);
  const theme = chartTheme();
  const [low, high] = [rgb(theme.series[1]!), rgb(theme.series[0]!)];
  for (const { name, values } of rows) {
    const known = axes.map((_, i) => i).filter((i) => values[i] !== null && values[i] !== undefined);
    const share = values[axes.length - 1] === null ? 0.5 : scales[axes.length - 1]!.place(values[axes.length - 1]!);
    const line = make('path', { d: known.map((i, k) => `${k ? 'L' : 'M'}${x(i).toFixed(1)} ${y(i, values[i]!).toFixed(1)}`).join(''), fill: 'none', stroke: css(mix(low, high, share)), 'stroke-width': '1.6', 'stroke-opacity': '0.8' });
    line.append(titled(`${name}: ${axes.map((axis, i) => `${axis} ${values[i] ?? 'none'}`).join(', ')}`));
    svg.append(line);
  }
  axes.forEach((axis, i) => {
    svg.append(make('path', { d: `M${x(i)} ${TOP}V${HEIGHT - BOTTOM}`, stroke: theme.line }), text(x(i), 14, axis, theme.ink, 'middle', 600));
    for (const { value, words } of scales[i]!.ticks) svg.append(text(x(i) + 5, y(i, value) + 4, words, theme.axis, 'start', 400));
  });
  return svg;
}

type Value = string | number | boolean | null;

/** Numbers over more than a factor of 30 are placed by their logarithm; texts one below the other. */
function scaleOf(values: readonly Value[]): { place(value: Value): number; ticks: { value: Value; words: string }[] } {
  const known = values.filter((value) => value !== null && !(typeof value === 'number' && !Number.isFinite(value)));
  if (known.every((value) => typeof value === 'number')) {
    const numbers = known as number[];
    const min = Math.min(...numbers);
    const max = Math.max(...numbers);
    const isLog = min > 0 && max / min > 30;
    const f = isLog ? Math.log : (value: number) => value;
    const distinct = [...new Set(numbers)].sort((a, b) => a - b);
    const shown = distinct.length <= 5 ? distinct : [min, max];
    return { place: (value) => (typeof value !== 'number' || max === min ? 0.5 : Math.min(1, Math.max(0, (f(value) - f(min)) / (f(max) - f(min))))), ticks: shown.map((value) => ({ value, words: formatTick(value) })) };
  }
  const distinct = [...new Set(known.map(String))].sort();
  return { place: (value) => (distinct.length < 2 ? 0.5 : distinct.indexOf(String(value)) / (distinct.length - 1)), ticks: distinct.map((value) => ({ value, words: value.slice(0, 14) })) };
}

function make(tag: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function text(x: number, y: number, words: string, colour: string, anchor: string, weight: number): SVGElement {
  const element = make('text', { x: x.toFixed(1), y: y.toFixed(1), fill: colour, 'text-anchor': anchor, 'font-size': '12', 'font-weight': String(weight), stroke: chartTheme().paper, 'stroke-width': '3', 'paint-order': 'stroke' });
  element.textContent = words;
  return element;
}

function titled(words: string): SVGElement {
  const title = make('title', {});
  title.textContent = words;
  return title;
}

/** Appears in the runs panel once three runs differ in a setting. */
export class ParallelView {
  readonly element = h('div', { class: 'runs-parallel' });

  show(runs: readonly TrainingRun[]): void {
    const names = differing(runs).filter((name) => name !== 'step').slice(0, MOST_AXES - 1);
    const metrics = runs.length ? [...finals(runs[0]!).keys()] : [];
    const metric = metrics.find((name) => /val|test/i.test(name)) ?? metrics[0];
    if (runs.length < 3 || !names.length || !metric) return this.element.replaceChildren();
    this.element.replaceChildren(h('h3', null, 'Which settings lead where'), drawParallel([...names, metric], runs.map((run) => ({ name: run.name, values: [...names.map((name) => run.settings[name] ?? null), finals(run).get(metric) ?? null] }))));
  }
}
