// Views of the inside: distributions over time, filters, feature maps, where a model looks, planes.
import { log } from '../../engine/api/log.ts';
import { crossEntropy, mse } from '../../engine/api/loss.ts';
import { datasetFor, lastDataset, looking, picturesOf, requireModel } from '../../engine/api/inspect.ts';
import { distributions, updateRatios, type Distribution } from '../../engine/api/inspectlayers.ts';
import { adversarial, featureMaps as featureMapsOf, filters as filtersOf, kernelsOf, occlusion, saliency as saliencyOf, type MapGroup } from '../../engine/api/inspectmaps.ts';
import { hiddenRows, landscape as landscapeOf, principal, surface as surfaceOf } from '../../engine/api/inspectplane.ts';
import type { Dataset } from '../../engine/api/dataset.ts';
import type { Model } from '../../engine/api/fit.ts';
import { hooks } from '../../engine/api/hooks.ts';
import { namedParameters } from '../../engine/api/module.ts';
import type { Tensor } from '../../engine/api/tensor.ts';
import type { EmbeddingData, HistogramsData, LandscapeData, MapsData, SurfaceData } from '../protocol/views.ts';
import type { ViewSource } from './views.ts';

/** Steps that a history of distributions keeps; older ones are thinned evenly. */
const KEPT = 24;
/** Examples whose activations are looked at, and how many while training goes on. */
const PROBE = 128;
const QUICK_PROBE = 16;
/** Points of an embedding while training goes on. */
const QUICK_POINTS = 100;
/** Columns of a hidden layer that travel to the page. */
const MOST_COLUMNS = 512;

interface Kept {
  readonly step: number;
  readonly rows: readonly Distribution[];
  readonly ratios: ReadonlyMap<string, number>;
}

/** Distributions of weights, gradients and activations over time; dead and saturated units; sizes of updates. */
export function histograms(model: Model, dataset?: Dataset): ViewSource {
  requireModel('views.histograms', model);
  let history: Kept[] = [];
  let ratios = new Map<string, number>();
  // The steps that are made now train another model: they are none of this one's past.
  let isOthers = false;
  // Without data of its own, the view stays with the first that the model could use: later trainings may be those of other models.
  let known = dataset ?? null;
  const rowsNow = (isQuick: boolean): readonly Distribution[] => {
    const set = known ?? lastDataset();
    if (!set) return distributions('views.histograms', model, null);
    try {
      const rows = distributions('views.histograms', model, set.pick(Array.from({ length: Math.min(isQuick ? QUICK_PROBE : PROBE, set.length) }, (_, i) => i))[0]);
      known = set;
      return rows;
    } catch (error) {
      if (known) throw error;
      return distributions('views.histograms', model, null);
    }
  };
  // The next optimizer step is measured: what it changed, against what was there.
  const measureNext = () => {
    hooks.aroundStep = (optimizer, step) => {
      hooks.aroundStep = null;
      isOthers = !trains(optimizer, model);
      if (isOthers) return step();
      ratios = new Map(updateRatios(model, step).map(({ layer, ratio }) => [layer, ratio]));
    };
  };
  measureNext();
  return {
    isLive: true,
    keepsPast: true,
    look(isQuick): HistogramsData {
      const last = history.at(-1);
      const isStill = isOthers && last !== undefined;
      const now: Kept = isStill ? last : { step: log.step, rows: rowsNow(isQuick), ratios };
      measureNext();
      if (!isStill) history = [...history.filter(({ step }) => step < now.step), now];
      // Every second one of the older goes when there are too many, so that the past stays evenly spread.
      if (history.length > KEPT) history = history.filter((_, i) => i % 2 === 0 || i === history.length - 1);
      const keyOf = ({ layer, kind }: Distribution) => `${kind} ${layer}`;
      return {
        name: 'histograms',
        steps: history.map(({ step }) => step),
        rows: now.rows.map((row) => {
          const past = history.map(({ rows }) => rows.find((each) => keyOf(each) === keyOf(row)) ?? null);
          return { layer: row.layer, kind: row.kind, mean: row.mean, std: row.std, idle: row.idle, idleWord: row.idleWord, counts: past.map((each) => each?.counts ?? new Float64Array(0)), lows: past.map((each) => each?.low ?? 0), highs: past.map((each) => each?.high ?? 0) };
        }),
        ratios: now.rows.filter(({ kind }) => kind === 'weight').map(({ layer }) => ({ layer, values: Float64Array.from(history, (kept) => kept.ratios.get(layer) ?? Number.NaN) })),
      };
    },
  };
}

/** Whether an optimizer changes weights of this model. */
function trains(optimizer: object, model: unknown): boolean {
  const changed = new Set((optimizer as { parameters?(): readonly Tensor[] }).parameters?.() ?? []);
  return namedParameters(model).some(([, weight]) => changed.has(weight));
}

function maps(title: string, groups: () => readonly MapGroup[], note = ''): ViewSource {
  return {
    isLive: true,
    look: (): MapsData => ({ name: 'maps', title, groups: groups().map((group) => ({ ...group })), note }),
  };
}

/** The filters of the first layer, or of the layer whose weight is named so. */
export function filters(model: Model, { layer }: { layer?: string } = {}): ViewSource {
  return maps('Filters', () => [filtersOf(model, layer)], 'Blue is less than zero, red more; zero is the ground.');
}

/** What each layer makes of one picture. */
export function featureMaps(model: Model, picture: Tensor): ViewSource {
  requireModel('views.featureMaps', model);
  picture.keep();
  return {
    isLive: true,
    look(): MapsData {
      const groups = featureMapsOf(model, picture);
      return { name: 'maps', title: 'Feature maps', groups: groups.map((group) => ({ ...group })), ...explained(kernelsOf(model, picture, groups[0])) };
    },
  };
}

/** Numbers of the first maps are taken apart where each is one sum. */
const explained = (kernels: ReturnType<typeof kernelsOf>) => ({ kernels, note: kernels ? '' : 'How numbers come about is shown where the first layer is a convolution over one grey picture, with stride 1 and no dilation.' });

/** Where the model looks: the slope of the score by every pixel, and how the chance falls when a part is covered. */
export function saliency(model: Model, picture: Tensor, { target }: { target?: number } = {}): ViewSource {
  requireModel('views.saliency', model);
  picture.keep();
  let epsilon = 0.1;
  return {
    isLive: true,
    answer({ act, epsilon: wanted }): void {
      if (act === 'attack' && typeof wanted === 'number' && wanted >= 0 && wanted <= 1) epsilon = wanted;
    },
    look(): MapsData {
      const slope = saliencyOf(model, picture, target);
      const cover = occlusion(model, picture, slope.target);
      const values = Float32Array.from(picture.values());
      const [height = 0, width = 0] = picture.shape.slice(-2);
      const nameOf = (id: number) => lastDataset()?.classes[id] ?? `class ${id}`;
      const changed = adversarial(model, picture, epsilon, slope.target);
      const one = (title: string, map: { values: Float32Array; width: number; height: number }, isSigned: boolean): MapGroup => ({ title, ...map, count: 1, total: 1, isSigned, captions: [''] });
      return {
        name: 'maps',
        title: `Where it looks for ${nameOf(slope.target)}`,
        groups: [
          one('picture', { values: values.slice(0, width * height), width, height }, false),
          one('slope of the score', { values: slope.values, width: slope.width, height: slope.height }, true),
          one('chance lost when covered', { values: cover.values, width: cover.width, height: cover.height }, true),
          one('changed against it', { values: changed.values, width, height }, false),
        ],
        attack: { epsilon, target: nameOf(slope.target), left: changed.left, prediction: nameOf(changed.prediction), chance: changed.chance },
        note: 'Red: more ink here raises the score, or covering it costs chance. Blue: the other way.',
      };
    },
  };
}

/** What the model says all over a plane of two features. */
export function surface(model: Model, dataset?: Dataset): ViewSource {
  requireModel('views.surface', model);
  const set = datasetFor('views.surface', dataset);
  return { isLive: true, look: (): SurfaceData => ({ name: 'surface', ...surfaceOf(model, set) }) };
}

/** Examples as points: the two directions in which the results of a hidden layer vary most. */
export function embedding(model: Model, dataset?: Dataset, { layer, examples = 400 }: { layer?: string; examples?: number } = {}): ViewSource {
  requireModel('views.embedding', model);
  const set = datasetFor('views.embedding', dataset);
  let sendsRows = false;
  return {
    isLive: true,
    answer({ act }): void {
      sendsRows = act === 'rows';
    },
    look(isQuick): EmbeddingData {
      const [x, y] = set.pick(Array.from({ length: Math.min(examples, isQuick ? QUICK_POINTS : 1000, set.length) }, (_, i) => i));
      const { rows, name } = hiddenRows('views.embedding', model, x, layer);
      const found = looking(model, () => principal(rows));
      const width = Math.min(MOST_COLUMNS, rows.shape[1] as number);
      const sent = sendsRows ? { values: Float32Array.from(looking(model, () => rows.narrow(1, 0, width).contiguous().values())), width } : null;
      return { name: 'embedding', method: `principal components of ${name}`, classes: set.classes, ...found, label: Int32Array.from(y.reshape([-1]).values()), pictures: picturesOf(x), rows: sent };
    },
  };
}

/** The loss on a plane through the weights. */
export async function landscape(model: Model, dataset?: Dataset, { size = 21, reach = 1, examples = 256, seed = 0 }: { size?: number; reach?: number; examples?: number; seed?: number } = {}): Promise<ViewSource> {
  requireModel('views.landscape', model);
  const set = datasetFor('views.landscape', dataset);
  const [x, y] = set.pick(Array.from({ length: Math.min(examples, set.length) }, (_, i) => i));
  const found = await landscapeOf(model, x.keep(), y.keep(), set.labelType === 'int32' ? crossEntropy : mse, size, reach, seed);
  const data: LandscapeData = { name: 'landscape', size, reach, ...found };
  return { look: () => data };
}
