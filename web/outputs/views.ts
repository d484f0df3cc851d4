// One table: kind of display -> how it looks. A view can take new data in place.
import type { DisplayData } from '../../notebook/protocol/messages.ts';
import type { ViewQuestion } from '../../notebook/protocol/views.ts';
import { liveView } from '../views/live.ts';
import { controlView } from './controls.ts';
import { downloadView, htmlView, pictureView } from './files.ts';
import { chartView } from './grids.ts';
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
  /** Shows the first line alone, until a reader opens it; or all again. */
  fold?(isFolded: boolean): void;
  readonly isFolded?: boolean;
  close?(): void;
}

const VIEWS: { [K in Kind]: (data: DataOf<K>, ask: (question: ViewQuestion) => void) => View<K> } = {
  text: textView,
  markdown: markdownView,
  value: valueView,
  tensor: tensorView,
  images: imagesView,
  table: tableView,
  progress: progressView,
  view: liveView,
  chart: chartView,
  control: controlView,
  picture: pictureView,
  html: htmlView,
  download: downloadView,
};

/** `ask` carries what a reader does with a live view to the kernel. */
export function makeView(data: DisplayData, ask: (question: ViewQuestion) => void): View {
  return (VIEWS[data.kind] as (data: DisplayData, ask: (question: ViewQuestion) => void) => View)(data, ask);
}

/** What may stand in the same place: the kind of display, and for live views their name. */
export function placeOf(data: DisplayData): string {
  return data.kind === 'view' ? `view ${data.view.name}` : data.kind;
}
