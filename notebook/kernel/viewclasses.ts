// Views of a classifier: confusion matrix, worst mistakes, calibration.
import { calibration as calibrationOf, type Examined, examine, gallery, rates } from '../../engine/api/inspectclasses.ts';
import { datasetFor, requireModel } from '../../engine/api/inspect.ts';
import type { Dataset } from '../../engine/api/dataset.ts';
import type { Model } from '../../engine/api/fit.ts';
import type { CalibrationData, ConfusionData, MistakesData, ViewQuestion } from '../protocol/views.ts';
import type { ViewPlace } from './viewtrained.ts';
import type { ViewSource } from './views.ts';

/** Examples that are looked at while training goes on; all of them when it rests. */
const QUICK = 500;
const MOST_PICTURES = 30;

const limitOf = (isQuick: boolean) => (isQuick ? QUICK : undefined);

/** Counts by truth and prediction; a cell opens its examples. */
export function confusion(place: ViewPlace, model: Model, dataset?: Dataset): ViewSource {
  requireModel('views.confusion', model);
  const set = datasetFor('views.confusion', dataset);
  let open: { truth: number; prediction: number } | null = null;
  return {
    isLive: true,
    look(isQuick): ConfusionData {
      const examined = examine('views.confusion', model, set, limitOf(isQuick));
      const { truth, prediction } = open ?? {};
      const shown = open && gallery('views.confusion', model, set, examined, (i) => examined.truth[i] === truth && examined.prediction[i] === prediction, MOST_PICTURES);
      // A part of the examples says less than what the run will have at its end.
      const run = isQuick ? null : place.trainingOf(model);
      const of = `${place.nameOf(model) ?? 'a model'} on ${place.nameOf(set) ?? 'its data'}`;
      return { name: 'confusion', run, of, classes: examined.classes, counts: examined.counts, total: examined.count, ...rates(examined), open: open && shown ? { ...open, gallery: shown } : null };
    },
    answer({ act, truth, prediction }: ViewQuestion): void {
      if (act === 'close') open = null;
      else if (act === 'open' && Number.isInteger(truth) && Number.isInteger(prediction)) open = { truth: truth as number, prediction: prediction as number };
    },
  };
}

/** The examples with the largest loss. */
export function mistakes(model: Model, dataset?: Dataset, { limit = MOST_PICTURES }: { limit?: number } = {}): ViewSource {
  requireModel('views.mistakes', model);
  const set = datasetFor('views.mistakes', dataset);
  return {
    isLive: true,
    look(isQuick): MistakesData {
      const examined = examine('views.mistakes', model, set, limitOf(isQuick));
      const isWrong = (i: number) => examined.truth[i] !== examined.prediction[i];
      return { name: 'mistakes', classes: examined.classes, gallery: gallery('views.mistakes', model, set, examined, isWrong, Math.min(limit, 200)), examined: examined.count };
    },
  };
}

/** Is a chance of 80 % right in 80 of 100 cases? */
export function calibration(model: Model, dataset?: Dataset): ViewSource {
  requireModel('views.calibration', model);
  const set = datasetFor('views.calibration', dataset);
  return {
    isLive: true,
    look(isQuick): CalibrationData {
      const examined: Examined = examine('views.calibration', model, set, limitOf(isQuick));
      return { name: 'calibration', ...calibrationOf(examined), total: examined.count };
    },
  };
}
