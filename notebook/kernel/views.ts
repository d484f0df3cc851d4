// Live views in cells: `views.digitPad(model)` and the like. Owns which views stand under which cell, when they are drawn
// anew, and what a reader may ask of them; what they show is computed by the files beside this one.
import { uncounted } from '../../engine/api/inspect.ts';
import type { ViewData, ViewQuestion } from '../protocol/views.ts';
import { asShown, type DisplayPlace, type DisplaySink } from './display.ts';
import { sweepFor } from './sweep.ts';
import { calibration, confusion, mistakes } from './viewclasses.ts';
import { digitPad } from './viewdigit.ts';
import { health, rateFinder } from './viewhealth.ts';
import { timelineFor } from './viewtime.ts';
import { embedding, featureMaps, filters, histograms, landscape, saliency, surface } from './viewlayers.ts';

/** One kind of view over some model: what it shows now, and what it does when asked. */
export interface ViewSource {
  /** What the view shows now. `isQuick`: training goes on, so a part of the examples must do. */
  look(isQuick: boolean): ViewData;
  /** Called after every log(), whatever the time. */
  logged?(): void;
  /** Called when a cell has ended; the view is drawn again afterwards when it is live. */
  rested?(): void;
  /** Something a reader did; the view is drawn again afterwards. */
  answer?(question: ViewQuestion): void;
  /** Drawn again while training goes on. Others wait until they are asked. */
  readonly isLive?: boolean;
}

interface LiveView {
  readonly source: ViewSource;
  readonly place: DisplayPlace;
  nextAt: number;
  isPaused: boolean;
  /** Shows a part of the examples only. */
  isPartial: boolean;
}

/** Least time between two looks while training, and how many times longer than a look the pause after it is, for each live view. */
const LEAST_MS = 400;
const REST = 50;

/** What every view function gives to cells. */
export interface ViewHandle {
  /** Draws the view anew with what the model is now. */
  update(): void;
}

export class Views {
  readonly #isBusy: () => boolean;
  readonly #sink: DisplaySink;
  readonly #now: () => number;
  readonly #views = new Map<string, LiveView>();

  /** `isBusy`: a cell runs now. */
  constructor(sink: DisplaySink, now: () => number, isBusy: () => boolean = () => false) {
    this.#isBusy = isBusy;
    this.#sink = sink;
    this.#now = now;
  }

  /** Names that cells see. */
  globals(): Record<string, unknown> {
    const on = <Arguments extends unknown[]>(make: (...given: Arguments) => ViewSource) => (...given: Arguments) => this.open(make(...given));
    const later = <Arguments extends unknown[]>(make: (...given: Arguments) => Promise<ViewSource>) => async (...given: Arguments) => this.open(await uncounted(() => make(...given)));
    const timelineOf = timelineFor(this.#isBusy, (source) => this.refresh(source));
    const timeline = (...given: Parameters<typeof timelineOf>) => {
      const { source, extra } = timelineOf(...given);
      return Object.assign(this.open(source), extra);
    };
    return {
      views: {
        digitPad: on(digitPad), confusion: on(confusion), mistakes: on(mistakes), calibration: on(calibration), histograms: on(histograms), filters: on(filters),
        featureMaps: on(featureMaps), saliency: on(saliency), surface: on(surface), embedding: on(embedding), landscape: later(landscape), health: later(health), rateFinder: later(rateFinder), timeline,
      },
      sweep: sweepFor(this.#sink),
    };
  }

  /** Puts a view under the running cell. */
  open(source: ViewSource): ViewHandle {
    const data = uncounted(() => source.look(false));
    const place = this.#sink.open();
    this.#views.set(place.displayId, { source, place, nextAt: 0, isPaused: false, isPartial: false });
    place.show({ kind: 'view', view: data });
    return asShown<ViewHandle>({ update: () => place.show({ kind: 'view', view: uncounted(() => source.look(false)) }) });
  }

  find(displayId: string): DisplayPlace | undefined {
    return this.#views.get(displayId)?.place;
  }

  answer(displayId: string, question: ViewQuestion): void {
    const view = this.#views.get(displayId);
    if (!view) return;
    if (question.act !== 'look') uncounted(() => view.source.answer?.(question));
    this.#draw(view);
  }

  /** A step was logged: live views whose time has come are drawn anew. All of them together take no more than a fiftieth of the time. */
  logged(): void {
    if (this.#views.size === 0) return;
    for (const { source } of this.#views.values()) source.logged?.();
    const now = this.#now();
    for (const view of this.#views.values()) {
      if (!view.source.isLive || view.isPaused || now < view.nextAt) continue;
      try {
        this.#draw(view, true);
      } catch {
        // A model that is being changed may not fit its view for a while; a reader who asks hears why.
        view.isPaused = true;
      }
      const spent = this.#now() - now;
      const live = [...this.#views.values()].filter(({ source }) => source.isLive).length;
      view.nextAt = this.#now() + Math.max(LEAST_MS, spent * REST * live);
      return;
    }
  }

  /** Training rests: views that showed a part show everything. */
  rested(): void {
    for (const view of this.#views.values()) {
      view.isPaused = false;
      view.source.rested?.();
      if (!view.isPartial && !view.source.rested) continue;
      try {
        this.#draw(view);
      } catch {
        // The model may be half made; its view stays as it was.
        view.isPartial = false;
      }
    }
  }

  /** The model has jumped to another step: every view follows. One that cannot be drawn stays as it was and keeps none of the others back. */
  refresh(except?: ViewSource): void {
    for (const view of this.#views.values()) {
      if (view.source === except) continue;
      try {
        this.#draw(view);
      } catch {
        view.isPaused = true;
      }
    }
  }

  /** The cell runs again or is gone. */
  forget(cellId: string): void {
    for (const [displayId, { place }] of this.#views) if (place.cellId === cellId) this.#views.delete(displayId);
  }

  #draw(view: LiveView, isQuick = false): void {
    view.isPartial = isQuick;
    view.place.show({ kind: 'view', view: uncounted(() => view.source.look(isQuick)) });
  }
}
