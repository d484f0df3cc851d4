// The frame around a chart: title, keys, menu, the reserved place for the picture, and the sentence and table for those who do not see it.

import { h, setText } from '../dom.ts';
import { icon } from '../shell/icons.ts';
import type { Drawn, PictureOptions } from './canvas.ts';
import { fileName, saveFile, toCsv, toSvg } from './export.ts';
import { makeMenu, type MenuItem } from './menu.ts';
import { LatePicture } from './picture.ts';
import { tableOf, type TableData } from './table.ts';
import { chartTheme, onChartTheme } from './theme.ts';

export interface ChartFrameOptions extends PictureOptions {
  readonly title: string;
  /** Height of the picture in CSS pixels; null lets the parent's grid decide. */
  readonly height: number | null;
  /** Writes the y label over the axis; a panel whose title says it needs none. */
  readonly showsYLabel: boolean;
  /** Says what will appear, while there is nothing. */
  readonly empty: string;
  /** Every point, for the table and for CSV. */
  table(): TableData;
  /** More things that the menu offers. */
  readonly more?: readonly MenuItem[];
}

/** What tests and assistive tools may read of a line: never private state. */
export interface SeriesFact {
  readonly name: string;
  readonly points: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
}

/** More lines than this have a legend: their ends would stand in each other's way. */
export const MOST_NAMED = 4;

export class ChartFrame {
  readonly element: HTMLElement;
  readonly view: LatePicture;
  private readonly options: ChartFrameOptions;
  private readonly titleText: HTMLElement;
  private readonly keys: HTMLElement;
  private readonly note = h('span', { class: 'chart-note', role: 'status' });
  private readonly emptyText: HTMLElement;
  private readonly summaryText: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private table: HTMLElement | null = null;
  private keyState = '';
  private lines: readonly Drawn[] = [];
  private summarised = 0;
  private isEmpty: boolean | null = null;
  private readonly stopTheme: () => void;

  constructor(options: ChartFrameOptions) {
    this.options = options;
    this.canvas = h('canvas', { role: 'img', 'aria-label': `${options.title || 'Chart'}: ${options.empty}` });
    this.titleText = h('span', { class: 'title' }, options.title);
    this.keys = h('span', { class: 'keys' });
    this.emptyText = h('div', { class: 'empty' }, options.empty);
    this.summaryText = h('figcaption', { class: 'only-read' });
    const spot = h('div', { class: 'spot', style: { height: options.height === null ? '100%' : `${options.height}px` } }, this.canvas, this.emptyText);
    const yLabel = options.yLabel && options.showsYLabel ? h('div', { class: 'y-label' }, options.yLabel) : null;
    const menu = makeMenu(`${options.title || 'Chart'}: save, table, full screen`, icon('dots'), () => this.items());
    this.element = h('figure', { class: 'chart' }, h('div', { class: 'head' }, this.titleText, this.keys, this.note, menu), yLabel, spot, this.summaryText);
    this.view = new LatePicture(this.canvas, options);
    this.showEmpty(true);
    this.stopTheme = onChartTheme(() => {
      this.keyState = '';
      this.showKeys(this.lines);
    });
  }

  setTitle(text: string): void {
    setText(this.titleText, text);
  }

  /** A few words beside the title: `log axis`, `zoomed: double click shows all`. */
  setNote(text: string): void {
    setText(this.note, text);
  }

  /** A legend of line samples, where the lines do not bear their names themselves; ghosts, raw lines and those without a name are left out. */
  showKeys(lines: readonly Drawn[]): void {
    this.lines = lines;
    const full = lines.filter((line) => line.weight === 'full');
    const shown = full.length <= MOST_NAMED && full.every((line) => line.end !== null) ? [] : full.filter(({ name }) => name !== '');
    const state = shown.map((line) => `${line.name}|${line.colour}|${line.isDashed}|${line.kind}`).join('\n');
    if (state === this.keyState) return;
    this.keyState = state;
    const colours = chartTheme().series;
    this.keys.replaceChildren(...shown.map((line) => {
      const sample = document.createElement('span');
      const stroke = `stroke="${colours[line.colour % colours.length]}" stroke-width="2"`;
      sample.innerHTML = line.kind === 'scatter'
        ? `<svg viewBox="0 0 22 8" aria-hidden="true"><circle cx="11" cy="4" r="3" fill="${colours[line.colour % colours.length]}"/></svg>`
        : `<svg viewBox="0 0 22 8" aria-hidden="true"><path d="M0 4h22" ${stroke} ${line.isDashed ? 'stroke-dasharray="6 3"' : ''}/></svg>`;
      return h('span', { class: 'key' }, sample.firstElementChild, line.name);
    }));
  }

  showEmpty(isEmpty: boolean, words?: string): void {
    if (words !== undefined) setText(this.emptyText, words);
    if (isEmpty === this.isEmpty) return;
    this.isEmpty = isEmpty;
    this.emptyText.hidden = !isEmpty;
    this.emptyText.style.display = isEmpty ? '' : 'none';
    this.canvas.style.visibility = isEmpty ? 'hidden' : '';
  }

  /** Facts as data on the element, and a sentence for screen readers, spoken at the end. */
  summarise(facts: readonly SeriesFact[], sentence: () => string, isFinal: boolean): void {
    const now = performance.now();
    if (!isFinal && now - this.summarised < 250) return;
    this.summarised = now;
    this.element.dataset.series = JSON.stringify(facts);
    const text = sentence();
    this.canvas.setAttribute('aria-label', text);
    if (!isFinal) return;
    this.summaryText.setAttribute('aria-live', 'polite');
    setText(this.summaryText, text);
    if (this.table) this.showTable();
  }

  close(): void {
    this.stopTheme();
    this.view.close();
    this.element.remove();
  }

  private items(): MenuItem[] {
    const name = fileName(this.titleText.textContent ?? '');
    const csv = () => {
      const { head, count, row } = this.options.table();
      return toCsv(head, (function* () { for (let i = 0; i < count; i++) yield row(i); })());
    };
    return [
      ...(this.options.more ?? []),
      { label: 'Table of values', isOn: () => this.table !== null, act: () => this.toggleTable() },
      { label: 'Save as PNG', act: () => void fetch(this.view.toPng()).then((answer) => answer.blob()).then((blob) => saveFile(`${name}.png`, blob)) },
      { label: 'Save as SVG', act: () => saveFile(`${name}.svg`, toSvg(this.titleText.textContent ?? '', this.view.picture, this.options), 'image/svg+xml') },
      { label: 'Save as CSV', act: () => saveFile(`${name}.csv`, csv(), 'text/csv') },
      { label: 'Full screen', isOn: () => document.fullscreenElement === this.element, act: () => void (document.fullscreenElement ? document.exitFullscreen() : this.element.requestFullscreen()) },
    ];
  }

  private toggleTable(): void {
    if (this.table) {
      this.table.remove();
      this.table = null;
    } else this.showTable();
  }

  private showTable(): void {
    const table = tableOf(this.options.table(), this.titleText.textContent ?? '', this.options.formatY);
    if (this.table) this.table.replaceWith(table);
    else this.element.append(table);
    this.table = table;
  }
}
