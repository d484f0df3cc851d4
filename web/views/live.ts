// Live views: one table from the name of a view to how it looks. What comes from the kernel is a stranger's data, so a view that
// cannot be drawn says so instead of taking the page along.
import type { ViewData, ViewName, ViewQuestion } from '../../notebook/protocol/views.ts';
import { drawNever, drawSoon, watchSight } from '../charts/frames.ts';
import { onChartTheme } from '../charts/theme.ts';
import { h } from '../dom.ts';
import { calibrationView, confusionView, mistakesView } from './classes.ts';
import { digitPadView } from './digitpad.ts';
import { embeddingView } from './embedding.ts';
import { healthView, rateFinderView } from './health.ts';
import { histogramsView } from './histograms.ts';
import { mapsView } from './maps.ts';
import { landscapeView, surfaceView } from './plane.ts';
import { sweepView } from './sweep.ts';
import { timelineView } from './timeline.ts';

/** Carries what a reader does to the kernel. */
export type Ask = (question: ViewQuestion) => void;
export type ViewOf<N extends ViewName> = Extract<ViewData, { name: N }>;

export interface Drawing<N extends ViewName> {
  readonly element: HTMLElement;
  update(data: ViewOf<N>): void;
  close?(): void;
}

const DRAWINGS: { readonly [N in ViewName]?: (data: ViewOf<N>, ask: Ask) => Drawing<N> } = {
  digitPad: digitPadView,
  confusion: confusionView,
  mistakes: mistakesView,
  calibration: calibrationView,
  histograms: histogramsView,
  health: healthView,
  rateFinder: rateFinderView,
  maps: mapsView,
  surface: surfaceView,
  embedding: embeddingView,
  landscape: landscapeView,
  sweep: sweepView,
  timeline: timelineView,
};

/** News of a view that is out of sight: whoever sends them does not know. */
const TELL_AGAIN_MS = 1000;

export function liveView({ view }: { view: ViewData }, ask: Ask) {
  const element = h('div', { class: 'view', data: { view: view.name } });
  let drawing: Drawing<ViewName> | null = null;
  let last = view;
  // What a reader asks for shows at once; what a training changes waits for its turn.
  let isAsked = false;
  const askAtOnce: Ask = (question) => {
    isAsked = true;
    ask(question);
  };
  const show = (data: ViewData) => {
    last = data;
    try {
      if (!drawing) {
        const make = DRAWINGS[data.name] as ((data: ViewData, ask: Ask) => Drawing<ViewName>) | undefined;
        if (!make) throw new Error(`the page knows no view called ${data.name}`);
        drawing = make(data, askAtOnce);
        element.replaceChildren(drawing.element);
      }
      drawing.update(data as never);
    } catch (error) {
      drawing = null;
      element.replaceChildren(h('p', { class: 'note-out', data: { kind: 'warn' } }, `This view could not be drawn: ${error instanceof Error ? error.message : String(error)}`));
    }
  };
  show(view);
  // What nobody sees is not worth computing: the kernel hears of it, and again from a view that took this one's place.
  let isSeen = true;
  let toldAt = 0;
  const tellSight = () => {
    toldAt = performance.now();
    ask({ act: 'sight', isSeen: isSeen && !document.hidden });
  };
  watchSight(element, (now) => {
    isSeen = now;
    tellSight();
  });
  document.addEventListener('visibilitychange', tellSight);
  // What is painted in the page's colours is painted anew when they change.
  const stop = onChartTheme(() => show(last));
  return {
    element,
    update: (next: { view: ViewData }) => {
      last = next.view;
      drawSoon(element, element, () => show(last), isAsked);
      isAsked = false;
      if (!(isSeen && !document.hidden) && performance.now() > toldAt + TELL_AGAIN_MS) tellSight();
    },
    close: () => {
      drawNever(element);
      stop();
      document.removeEventListener('visibilitychange', tellSight);
      drawing?.close?.();
    },
  };
}
