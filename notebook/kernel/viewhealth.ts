// Views that try something: the health panel and the learning-rate finder. What they try is taken back.
import { datasetFor, requireModel } from '../../engine/api/inspect.ts';
import { diagnose, type HealthOptions, loopChecks, verdictOf } from '../../engine/api/inspecthealth.ts';
import { findRate, type RateOptions } from '../../engine/api/inspectrate.ts';
import type { Dataset } from '../../engine/api/dataset.ts';
import type { Model } from '../../engine/api/fit.ts';
import type { HealthData, RateFinderData } from '../protocol/views.ts';
import type { ViewSource } from './views.ts';

/** The classic checks now, and the checks of the loop while it trains. */
export async function health(model: Model, dataset?: Dataset, options: HealthOptions = {}): Promise<ViewSource> {
  requireModel('views.health', model);
  const checks = await diagnose(model, datasetFor('views.health', dataset), options);
  return {
    isLive: true,
    look(): HealthData {
      const all = [...checks, ...loopChecks()];
      return { name: 'health', verdict: verdictOf(all), checks: all.map((check) => ({ ...check })) };
    },
  };
}

/** Loss at growing learning rates. */
export async function rateFinder(model: Model, dataset?: Dataset, options: RateOptions = {}): Promise<ViewSource> {
  requireModel('views.rateFinder', model);
  const data: RateFinderData = { name: 'rateFinder', ...(await findRate(model, datasetFor('views.rateFinder', dataset), options)) };
  return { look: () => data };
}
