// One table: kind of display -> how it looks. A view can take new data in place.
import type { DisplayData } from '../../notebook/protocol/messages.ts';
import { PlotChart } from '../charts/plot.ts';
import { imagesView } from './images.ts';
import { markdownView, textView } from './text.ts';
import { progressView } from './progress.ts';
import { tableView } from './table.ts';
import { tensorView } from './tensor.ts';
import { valueView } from './value.ts';

export type Kind = DisplayData['kind'];
export type DataOf<K extends Kind> = Extract<DisplayData, { kind: K }>;

export interface View<K extends Kind = Kind> {
  readonly element: HTMLElement;
  /** Shows new data of the same kind. */
  update(data: DataOf<K>): void;
  close?(): void;
}

const VIEWS: { [K in Kind]: (data: DataOf<K>) => View<K> } = {
  text: textView,
  markdown: markdownView,
  value: valueView,
  tensor: tensorView,
  images: imagesView,
  table: tableView,
  progress: progressView,
  chart: (data) => {
    const chart = new PlotChart(data.chart);
    return { element: chart.element, update: (next) => chart.update(next.chart), close: () => chart.close() };
  },
};

export function makeView(data: DisplayData): View {
  return (VIEWS[data.kind] as (data: DisplayData) => View)(data);
}
