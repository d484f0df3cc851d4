// Live views in cells: `views.digitPad(model)` and the like. Owns which views stand under which cell, when they are drawn
// anew, and what a reader may ask of them; what they show is computed by the files beside this one.
import { uncounted } from '../../engine/api/inspect.ts';
import type { ViewData, ViewQuestion } from '../protocol/views.ts';
import { passing } from '../../engine/api/scope.ts';
import { asShown, type DisplayPlace, type DisplaySink } from './display.ts';
import { sweepFor } from './sweep.ts';
import { calibration, confusion, mistakes } from './viewclasses.ts';
import { digitPad } from './viewdigit.ts';
import { health, rateFinder } from './viewhealth.ts';
import { timelineFor } from './viewtime.ts';
import { Trainings, type ViewPlace } from './viewtrained.ts';
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
  /** Every look adds to a past that is shown: looked at now and then also while nobody can see it. */
  readonly keepsPast?: boolean;
}

interface LiveView {
  readonly source: ViewSource;
  readonly place: DisplayPlace;
  /** When it was drawn last while training. */
  drawnAt: number;
  isPaused: boolean;
  /** The page says that nobody can see it now. */
  isOutOfSight: boolean;
  /** Shows a part of the examples only, or what was before the last steps. */
  isPartial: boolean;
}

/** Least time between two looks at a view while training, also when it is out of sight but keeps a past. */
const LEAST_MS = 400;
const UNSEEN_MS = 3000;
/** The next view has its turn after a pause so many times as long as the last look: all of them take one part of three hundred of the time, slow ones (see MOST_REST_MS) more. */
const REST = 300;
/** A run begins with looks that rest less, until they have taken so long together: trainings of a few seconds are watched, too. */
const EARLY_REST = 20;
const EARLY_MS = 150;
/** A machine with too much to do holds up single looks for seconds; what is shown still follows. */
const MOST_REST_MS = 20_000;

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
  /** No view is drawn before while training: also the first looks of all views, which come at once, must not hold it up. */
  #restsUntil = 0;
  /** What is left of the time for early looks, and the run that has it. */
  #early = 0;
  #earlyOf = Number.NaN;
  readonly #trainings = new Trainings();
  readonly #place: ViewPlace;

  /** `isBusy`: a cell runs now. `nameOf`: what a value is called in the notebook. */
  constructor(sink: DisplaySink, now: () => number, isBusy: () => boolean = () => false, nameOf: (value: unknown) => string | null = () => null) {
    this.#isBusy = isBusy;
    this.#place = { trainingOf: (model) => this.#trainings.of(model), nameOf };
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
        digitPad: on(digitPad), confusion: on((model: Parameters<typeof confusion>[1], dataset?: Parameters<typeof confusion>[2]) => confusion(this.#place, model, dataset)), mistakes: on(mistakes), calibration: on(calibration), histograms: on(histograms), filters: on(filters),
        featureMaps: on(featureMaps), saliency: on(saliency), surface: on(surface), embedding: on(embedding), landscape: later(landscape), health: later(health), rateFinder: later(rateFinder), timeline,
      },
      sweep: sweepFor(this.#sink),
    };
  }

  /** Puts a view under the running cell. */
  open(source: ViewSource): ViewHandle {
    const data = look(source, false);
    const place = this.#sink.open();
    this.#views.set(place.displayId, { source, place, drawnAt: 0, isPaused: false, isOutOfSight: false, isPartial: false });
    place.show({ kind: 'view', view: data });
    return asShown<ViewHandle>({ update: () => place.show({ kind: 'view', view: look(source, false) }) });
  }

  find(displayId: string): DisplayPlace | undefined {
    return this.#views.get(displayId)?.place;
  }

  answer(displayId: string, question: ViewQuestion): void {
    const view = this.#views.get(displayId);
    if (!view) return;
    if (question.act === 'sight') {
      // What comes into sight is the next to be looked at.
      if (question.isSeen && view.isOutOfSight) view.drawnAt = 0;
      view.isOutOfSight = question.isSeen === false;
      return;
    }
    if (question.act !== 'look') uncounted(() => view.source.answer?.(question));
    this.#draw(view);
  }

  /** A step was logged: live views whose time has come are drawn anew. Those that nobody sees wait until somebody does, or until training rests. */
  logged(runId = -1): void {
    this.#trainings.logged(runId);
    if (runId !== this.#earlyOf) {
      this.#earlyOf = runId;
      this.#early = EARLY_MS;
      this.#restsUntil = 0;
    }
    if (this.#views.size === 0) return;
    for (const view of this.#views.values()) {
      view.source.logged?.();
      if (view.source.isLive) view.isPartial = true;
    }
    const now = this.#now();
    if (now < this.#restsUntil) return;
    const due = [...this.#views.values()].filter(({ source, isPaused, isOutOfSight, drawnAt }) => source.isLive && !isPaused && (!isOutOfSight || source.keepsPast) && now >= drawnAt + (isOutOfSight ? UNSEEN_MS : LEAST_MS));
    if (!due.length) return;
    const view = due.reduce((oldest, each) => (each.drawnAt < oldest.drawnAt ? each : oldest));
    try {
      this.#draw(view, true);
    } catch {
      // A model that is being changed may not fit its view for a while; a reader who asks hears why.
      view.isPaused = true;
    }
    view.drawnAt = this.#now();
    const took = view.drawnAt - now;
    this.#restsUntil = view.drawnAt + Math.min(MOST_REST_MS, took * (this.#early > 0 ? EARLY_REST : REST));
    this.#early -= took;
  }

  /** Another training begins within a run. */
  trial(runId: number): void {
    this.#trainings.trial(runId);
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
    this.#trainings.moved();
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
    view.place.show({ kind: 'view', view: look(view.source, isQuick) });
  }
}

/** What a view shows is plain data: no tensor that was made for it is left, and none of it counts as the training's. */
const look = (source: ViewSource, isQuick: boolean): ViewData => uncounted(() => passing(() => source.look(isQuick)));
