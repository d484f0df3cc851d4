// A confusion matrix as a table of numbers with shares of its rows and columns: one matrix, or what changed from another to it.
import { formatShare } from '../charts/numbers.ts';
import { h, setText } from '../dom.ts';
import { css, heatColour, signedColour } from './paint.ts';
import { formatCount } from '../shell/words.ts';

/** What a matrix is made of. */
export interface Matrix {
  readonly classes: readonly string[];
  /** classes x classes, row by row: the row is the truth, the column the prediction. */
  readonly counts: Int32Array;
  readonly total: number;
  readonly accuracy: number;
  readonly recall: readonly number[];
  readonly precision: readonly number[];
}

/** Hundredths with a sign; nothing for no change. */
export const points = (change: number): string => (Math.abs(change) < 5e-4 || Number.isNaN(change) ? '' : `${change > 0 ? '+' : '\u2212'}${Math.abs(change * 100).toFixed(1)}`);

/** Whether two matrices count the same classes. */
export const isComparable = (a: Matrix, b: Matrix): boolean => a.classes.join('\n') === b.classes.join('\n');

/** The words over a difference. */
export function changeWords(now: Matrix, former: Matrix, names: readonly [now: string, former: string], where = ''): (Node | string)[] {
  return [h('b', null, `${points(now.accuracy - former.accuracy) || '0.0'} points`), ` (${formatShare(now.accuracy)} of ${formatCount(now.total)} right ${where}${names[0]}, ${formatShare(former.accuracy)} of ${formatCount(former.total)} ${where}${names[1]}). In the cells: % of the row, ${names[0]} less ${names[1]}.`];
}

export class MatrixTable {
  readonly element = h('table', { class: 'confusion' });
  private readonly caption: string;
  /** Pressed cells; without it cells are text. */
  private readonly press: ((truth: number, prediction: number, isPressed: boolean) => void) | null;
  private cells: HTMLElement[] = [];
  private names: string[] = [];
  private recalls: HTMLElement[] = [];
  private precisions: HTMLElement[] = [];
  private shape = '';

  constructor(caption: string, press: MatrixTable['press'] = null) {
    this.caption = caption;
    this.press = press;
  }

  /** Shows a matrix, or what changed from `former` to it. */
  show({ classes, counts, recall, precision }: Matrix, former: Matrix | null, isOpen: (truth: number, prediction: number) => boolean = () => false): void {
    const size = classes.length;
    if (counts.length !== size * size) throw new Error('the matrix does not fit its classes');
    if (classes.join('\n') !== this.shape) {
      this.shape = classes.join('\n');
      this.build(classes);
    }
    const sumOf = (all: Int32Array, row: number) => all.subarray(row * size, (row + 1) * size).reduce((so, count) => so + count, 0);
    for (let row = 0; row < size; row++) {
      const sum = sumOf(counts, row);
      const formerSum = former ? sumOf(former.counts, row) : 0;
      for (let column = 0; column < size; column++) {
        const at = row * size + column;
        const cell = this.cells[at]!;
        const count = counts[at]!;
        const share = sum ? count / sum : 0;
        const change = former && share - (formerSum ? former.counts[at]! / formerSum : 0);
        setText(cell, change !== null ? points(change) : count ? String(count) : '');
        // The darkest ground on which the number still has a contrast of 4.5.
        cell.style.background = css(change !== null ? signedColour(Math.max(-1, Math.min(1, change * 4)) * 0.45) : heatColour(row === column ? share * 0.35 : Math.min(1, share * 4) * 0.47));
        const words = `${this.names[at]}: ${formatCount(count)}, ${formatShare(share)} of its row${former ? `; before: ${formatCount(former.counts[at]!)}` : ''}`;
        if (cell.title !== words) cell.title = words;
        if (!this.press) continue;
        cell.setAttribute('aria-label', words);
        cell.setAttribute('aria-pressed', String(isOpen(row, column)));
      }
      const rate = (now: readonly number[], before: readonly number[] | undefined) => (!Number.isFinite(now[row]) ? '' : before ? points(now[row]! - before[row]!) : formatShare(now[row]!));
      setText(this.recalls[row]!, rate(recall, former?.recall));
      setText(this.precisions[row]!, rate(precision, former?.precision));
    }
  }

  private build(classes: readonly string[]): void {
    this.cells = [];
    this.names = [];
    this.recalls = classes.map(() => h('td', { class: 'rate' }));
    this.precisions = classes.map(() => h('td', { class: 'rate' }));
    const { press } = this;
    const rows = classes.map((truth, row) => h('tr', null, h('th', { scope: 'row' }, truth), classes.map((prediction, column) => {
      const data = { truth: String(row), prediction: String(column) };
      const cell: HTMLElement = press
        ? h('button', { type: 'button', tabIndex: row + column === 0 ? 0 : -1, data, on: {
          click: () => press(row, column, cell.getAttribute('aria-pressed') === 'true'),
          keydown: (event: Event) => this.move(event as KeyboardEvent, row, column, classes.length),
        } })
        : h('span', { class: 'matrix-cell', data });
      this.names.push(`${truth} read as ${prediction}`);
      this.cells.push(cell);
      return h('td', null, cell);
    }), this.recalls[row]));
    this.element.replaceChildren(
      h('caption', { class: 'only-read' }, this.caption),
      h('thead', null, h('tr', null, h('td'), classes.map((name) => h('th', { scope: 'col' }, name)), h('th', { scope: 'col' }, 'found'))),
      h('tbody', null, rows, h('tr', null, h('th', { scope: 'row' }, 'right'), this.precisions, h('td'))));
  }

  /** The matrix is one stop of the Tab key; arrows walk in it. */
  private move(event: KeyboardEvent, row: number, column: number, size: number): void {
    const by: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = by[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const to = this.cells[Math.min(size - 1, Math.max(0, row + step[0])) * size + Math.min(size - 1, Math.max(0, column + step[1]))]!;
    for (const each of this.cells) each.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}
