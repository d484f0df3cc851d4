// Is this model healthy? The checks that practitioners make before they believe a training, each with one sentence that says what is
// likely wrong and where to look. Whatever a check tries (steps on one batch), it puts back: weights, optimizer, random numbers.

import { breath } from './breath.ts';
import { actedWithoutStep, loopFacts } from './clock.ts';
import { rand } from './create.ts';
import type { Dataset } from './dataset.ts';
import { engine } from './engine.ts';
import { loadCheckpoint, packCheckpoint } from './files.ts';
import { fitting, inEvaluation, looking, moments } from './inspect.ts';
import { checkGradients } from './inspectgradients.ts';
import { activationsOf, idleUnits } from './inspectlayers.ts';
import { crossEntropy, mse } from './loss.ts';
import { isTraining, modulesOf, namedParameters } from './module.ts';
import { optim, type Optimizer } from './optim.ts';
import { gradients, noGrad, type Tensor } from './tensor.ts';
import type { Loss, Model } from './fit.ts';

export interface Check {
  readonly key: string;
  readonly title: string;
  readonly state: 'good' | 'warn' | 'bad' | 'skipped';
  readonly words: string;
  readonly value: string;
}

export interface HealthOptions {
  /** Data kept for the exam, to look for examples that are in both. */
  readonly test?: Dataset;
  /** The optimizer that will train the model, to try its learning rate. */
  readonly optimizer?: Optimizer;
  readonly loss?: Loss;
}

interface Patient {
  readonly model: Model;
  readonly train: Dataset;
  readonly isClassifier: boolean;
  readonly classes: number;
  readonly lossOf: Loss;
  readonly x: Tensor;
  readonly y: Tensor;
  readonly options: HealthOptions;
}

type Finding = Omit<Check, 'key' | 'title'>;
const good = (words: string, value = ''): Finding => ({ state: 'good', words, value });
const bad = (words: string, value = ''): Finding => ({ state: 'bad', words, value });
const warn = (words: string, value = ''): Finding => ({ state: 'warn', words, value });
const skipped = (words: string): Finding => ({ state: 'skipped', words, value: '' });

const BATCH = 32;
/** 5.32e-6 and 12000: no rows of zeros to count before the digits. */
const short = (value: number) => {
  if (!Number.isFinite(value)) return String(value);
  const digits = Number(value.toPrecision(3));
  return digits !== 0 && Math.abs(digits) < 1e-4 ? digits.toExponential() : String(digits);
};
const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

// In the order in which a fault explains the ones after it: the first bad one is the verdict.
const CHECKS: readonly { readonly key: string; readonly title: string; readonly find: (patient: Patient) => Finding | Promise<Finding> }[] = [
  { key: 'range', title: 'Range of the inputs', find: range },
  { key: 'overlap', title: 'Train and test are apart', find: overlap },
  { key: 'labels', title: 'Labels belong to their examples', find: labels },
  { key: 'init', title: 'Weights differ', find: differ },
  { key: 'scores', title: 'The model gives plain scores', find: scores },
  { key: 'flow', title: 'Gradients reach every layer', find: flow },
  { key: 'independent', title: 'Examples do not mix', find: independent },
  { key: 'start', title: 'Loss at the start', find: start },
  { key: 'rate', title: 'Learning rate', find: rate },
  { key: 'slope', title: 'Gradients are slopes', find: slope },
  { key: 'dead', title: 'Units are alive', find: dead },
  { key: 'batch', title: 'Learns one batch by heart', find: byHeart },
  { key: 'mode', title: 'Mode', find: mode },
];

/** Runs all checks. The model, its optimizer and the random numbers come back as they were. */
export async function diagnose(model: Model, train: Dataset, options: HealthOptions = {}): Promise<Check[]> {
  const isClassifier = train.labelType === 'int32';
  const [x, y] = train.pick(Array.from({ length: Math.min(BATCH, train.length) }, (_, i) => i));
  const patient: Patient = { model, train, isClassifier, classes: train.classes.length, lossOf: options.loss ?? (isClassifier ? crossEntropy : mse), x: x.keep(), y: y.keep(), options };
  const checks: Check[] = [];
  for (const { key, title, find } of CHECKS) {
    await breath();
    let finding: Finding;
    try {
      finding = await find(patient);
    } catch (error) {
      if ((error as Error)?.name === 'Interrupted') throw error;
      finding = bad(`The check itself failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    checks.push({ key, title, ...finding });
  }
  return checks;
}

/** What the running loop does: asked again and again while it trains. */
export function loopChecks(): Check[] {
  const { steps, stepsWithoutZeroGrad } = loopFacts();
  const title = 'Gradients are dropped between steps';
  if (steps < 3) return [{ key: 'zeroGrad', title, ...skipped('Appears once the training loop has made three steps.') }];
  if (stepsWithoutZeroGrad >= steps - 1) return [{ key: 'zeroGrad', title, ...bad('No zeroGrad between the steps: gradients of all former batches add up. Call optimizer.zeroGrad() before loss.backward().', `${stepsWithoutZeroGrad} of ${steps} steps`) }];
  return [{ key: 'zeroGrad', title, ...good('zeroGrad() is called between steps.') }];
}

/** One sentence: the first thing that is wrong, or that nothing is. */
export function verdictOf(checks: readonly Check[]): string {
  const first = checks.find(({ state, key }) => state === 'bad' && key === 'zeroGrad') ?? checks.find(({ state }) => state === 'bad') ?? checks.find(({ state }) => state === 'warn');
  if (!first) return 'Nothing looks wrong.';
  return first.state === 'bad' ? `Likely wrong: ${first.words}` : `Worth a look: ${first.words}`;
}

function range({ x }: Patient): Finding {
  const { min, max, mean, std } = moments(x);
  const value = `${short(min)} to ${short(max)}`;
  if (![min, max].every(Number.isFinite)) return bad('The inputs hold values that are not finite. Look at where the data come from.', value);
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size > 20) return bad(`Inputs range from ${short(min)} to ${short(max)}: far too large. Divide them${max > 200 && max <= 255 && min >= 0 ? ' by 255' : ''}, or take away their mean and divide by their deviation.`, value);
  if (std < 1e-3) return warn('The inputs hardly differ from each other. Look at their scale.', value);
  return good(`Mean ${short(mean)}, deviation ${short(std)}.`, value);
}

/** Every example as one number that only an equal example shares. */
function prints(dataset: Dataset, direction: Tensor, count: number): Set<number> {
  const found = new Set<number>();
  for (let from = 0; from < count; from += 500) {
    const [x] = dataset.pick(Array.from({ length: Math.min(500, count - from) }, (_, i) => from + i));
    for (const value of noGrad(() => x.reshape([x.shape[0] as number, -1]).to('float64').matmul(direction)).values()) found.add(value as number);
  }
  return found;
}

function overlap({ train, options }: Patient): Finding {
  const { test } = options;
  if (!test) return skipped('Hand in { test } to look for examples that are in both.');
  const size = train.shape.reduce((product, each) => product * each, 1);
  const direction = withRandom(() => rand(size, 1, { dtype: 'float64' }));
  const known = prints(train, direction, Math.min(train.length, 20_000));
  const count = Math.min(test.length, 5000);
  const twice = [...prints(test, direction, count)].filter((print) => known.has(print)).length;
  const share = twice / count;
  const value = `${twice} of ${count}`;
  if (share > 0.02) return bad(`${percent(share)} of the test examples are in the training data: the exam is no exam. Split the data once, before anything else.`, value);
  return twice > 0 ? warn(`${twice} examples are in both train and test.`, value) : good('No example is in both.', value);
}

/** Do neighbours share their label more often than chance? */
function labels({ train, isClassifier, classes }: Patient): Finding {
  if (!isClassifier || train.length < 100) return skipped('For at least 100 examples with classes.');
  const count = Math.min(train.length, 600);
  const [x, y] = train.pick(Array.from({ length: count }, (_, i) => i));
  const nearest = noGrad(() => {
    const rows = x.reshape([count, -1]);
    const squares = rows.square().sum(1);
    const distances = squares.reshape([count, 1]).add(squares.reshape([1, count])).sub(rows.matmul(rows.transpose(0, 1)).mul(2));
    return distances.topkIndices(2, 1, false).values();
  });
  const ids = y.reshape([-1]).values();
  let hits = 0;
  const counts = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const other = nearest[i * 2] === i ? nearest[i * 2 + 1] : nearest[i * 2];
    if (ids[other as number] === ids[i]) hits++;
    counts.set(ids[i] as number, (counts.get(ids[i] as number) ?? 0) + 1);
  }
  const chance = [...counts.values()].reduce((sum, each) => sum + (each / count) ** 2, 0);
  const share = hits / count;
  const value = `${percent(share)}, chance ${percent(chance)}`;
  if (share < chance + 0.5 * (1 - chance) * 0.2 + 0.05) return bad(`Examples that look alike have the same label no more often than chance (${percent(share)}): labels and examples seem to be out of step. Were they shuffled apart?`, value);
  const largest = Math.max(...counts.values()) / count;
  if (largest > Math.max(0.6, 3 / Math.max(2, classes))) return warn(`One class holds ${percent(largest)} of the examples: accuracy alone says little.`, value);
  return good('Examples that look alike have the same label.', value);
}

function differ({ model }: Patient): Finding {
  for (const [name, weight] of namedParameters(model)) {
    if (weight.rank < 2 || weight.elementCount < 2) continue;
    const { mean, std } = moments(weight);
    if (!Number.isFinite(mean)) return bad(`${name} holds values that are not finite: the model is broken for good. Make it anew, and lower the learning rate.`, name);
    if (std === 0) return bad(`All weights of ${name} are ${short(mean)}: its units are twins and stay so. Start from random weights.`, name);
  }
  return good('Every layer has its own random weights.');
}

function scores({ model, x, isClassifier }: Patient): Finding {
  if (!isClassifier) return skipped('For models of classes.');
  const { min, sums, isWide } = looking(model, () => {
    const { output } = fitting('views.health', model, x);
    return { min: output.min().item(), sums: moments(output.sum(1)), isWide: (output.shape[1] as number) > 1 };
  });
  if (isWide && min >= 0 && Math.abs(sums.mean - 1) < 1e-4 && sums.std < 1e-3) return bad('The outputs are chances already (each row sums to 1), and crossEntropy takes softmax of them again. Remove softmax from the model.', 'sums to 1');
  if (isWide && min >= 0) return bad('No score is below zero: the last layer seems to end in ReLU, which cannot say "rather not". Remove it.', `least ${short(min)}`);
  const logs = looking(model, () => moments(fitting('views.health', model, x).output.exp().sum(1)));
  if (isWide && Math.abs(logs.mean - 1) < 1e-4 && logs.std < 1e-3) return warn('The outputs are log chances already; crossEntropy takes logSoftmax of them again. Harmless, but one is enough.', 'logSoftmax');
  return good('Scores of any sign, as crossEntropy wants them.');
}

function independent({ model, x }: Patient): Finding {
  return looking(model, () => {
    const whole = fitting('views.health', model, x).output;
    const part = fitting('views.health', model, x.narrow(0, 0, Math.max(2, Math.floor((x.shape[0] as number) / 2)))).output;
    const gap = whole.narrow(0, 0, part.shape[0] as number).sub(part).abs().max().item();
    const size = whole.abs().max().item() || 1;
    const rows = whole.sub(whole.narrow(0, 0, 1)).abs().max().item();
    if (gap > 1e-3 * size) return bad('The answer for one example depends on which others are in its batch: a mean, softmax or reshape runs over axis 0. Axis 0 is the batch; use axis 1.', short(gap));
    if (rows === 0) return bad('Every example gets the same answer: the model does not look at its input, or an average over the batch has replaced it.', 'same rows');
    return good('Each example is answered on its own.');
  });
}

function start({ model, x, y, isClassifier, lossOf }: Patient): Finding {
  const { loss, width } = looking(model, () => {
    const { output } = fitting('views.health', model, x);
    return { loss: lossOf(output, y).item(), width: output.shape[1] as number };
  });
  if (!isClassifier) return Number.isFinite(loss) ? good(`Loss ${short(loss)} now.`, short(loss)) : bad('The loss is not finite from the start.', String(loss));
  const expected = Math.log(width);
  const value = `${short(loss)}, ln ${width} = ${short(expected)}`;
  if (!Number.isFinite(loss)) return bad('The loss is not finite from the start: look for a logarithm of zero or a division by zero.', value);
  if (loss > 2 * expected) return warn(`The loss is ${short(loss)}; whoever knows nothing has ln ${width} = ${short(expected)}. The model is very sure and wrong: weights or inputs are too large, or it has been trained on something else.`, value);
  return good(loss < 0.9 * expected ? 'Below that of guessing: it has learned already.' : 'As large as that of guessing, as it should be before training.', value);
}

/**
 * Tries steps and puts everything back: all on one batch, or (`isSpread`) each on another one and the last loss again on the first.
 * `lrScale` times the optimizer's rate.
 */
async function tried(patient: Patient, optimizer: Optimizer, steps: number, { lrScale = 1, isSpread = false } = {}): Promise<{ first: number; last: number; worst: number }> {
  const { model, x, y, lossOf } = patient;
  const lossNow = (features: Tensor, labels: Tensor) => inEvaluation(model, () => lossOf(fitting('views.health', model, features).output, labels));
  const kept = packCheckpoint({ model, optimizer });
  const grads = namedParameters(model).map(([, weight]) => [weight, weight.grad] as const);
  let first = Number.NaN;
  let last = Number.NaN;
  let worst = Number.NEGATIVE_INFINITY;
  try {
    if (lrScale !== 1) optimizer.lr *= lrScale;
    for (let step = 0; step < steps; step++) {
      await breath();
      const loss = lossNow(...(isSpread && step > 0 ? batchAt(patient.train, step) : ([x, y] as const)));
      last = loss.item();
      if (step === 0) first = last;
      worst = Math.max(worst, last);
      if (!Number.isFinite(last)) break;
      optimizer.zeroGrad();
      loss.backward();
      optimizer.stepQuietly();
    }
    if (isSpread) last = noGrad(() => lossNow(x, y).item());
  } finally {
    loadCheckpoint(kept, { model, optimizer });
    for (const [weight, grad] of grads) weight.grad = grad;
  }
  return { first, last, worst };
}

/** The batch that begins `step` batches further on, from the start again at the end. */
function batchAt(train: Dataset, step: number): readonly [Tensor, Tensor] {
  return train.pick(Array.from({ length: Math.min(BATCH, train.length) }, (_, i) => (step * BATCH + i) % train.length));
}

async function rate(patient: Patient): Promise<Finding> {
  const { optimizer } = patient.options;
  if (!optimizer) return skipped('Hand in { optimizer } to try its learning rate for 20 steps.');
  const { first, last, worst } = await tried(patient, optimizer, 20);
  const value = `${short(first)} to ${short(last)} with lr ${short(optimizer.lr)}`;
  const isWild = !Number.isFinite(last) || last > 1.3 * first || worst > 4 * Math.max(first, 0.1);
  if (isWild) {
    const calm = await tried(patient, optimizer, 20, { lrScale: 0.01 });
    return bad(`With lr ${short(optimizer.lr)} the loss ${last < first ? `jumps from ${short(first)} to ${short(worst)}` : `goes from ${short(first)} to ${short(last)}`} on one batch in 20 steps${calm.last < calm.first ? `; with a hundredth of it, it falls` : ''}. The learning rate is too large: try ${short(optimizer.lr / 100)}.`, value);
  }
  // One batch may be learned by heart at any rate; what a large rate does shows on batches that differ.
  const spread = await tried(patient, optimizer, 20, { isSpread: true });
  const jumps = spread.worst > 2 * Math.max(spread.first, 0.5);
  if (jumps || !(spread.last < 0.95 * spread.first)) {
    const calm = await tried(patient, optimizer, 20, { isSpread: true, lrScale: 0.01 });
    if (calm.last < 0.9 * calm.first) {
      const what = jumps ? `jumps from ${short(spread.first)} to ${short(spread.worst)} within` : `goes from ${short(spread.first)} to ${short(spread.last)} in`;
      return bad(`With lr ${short(optimizer.lr)} the loss ${what} 20 steps on different batches; with a hundredth of it, it falls to ${short(calm.last)}. The learning rate is too large: try ${short(optimizer.lr / 100)}.`, `up to ${short(spread.worst)} with lr ${short(optimizer.lr)}`);
    }
  }
  if (last > 0.995 * first) return warn(`With lr ${short(optimizer.lr)} the loss hardly moves in 20 steps on one batch: too small, or nothing is learned.`, value);
  return good('The loss of one batch falls with it.', value);
}

/** Gradients against differences: in float64, element by element; where the model cannot be computed so, along the gradient. */
function slope(patient: Patient): Finding {
  const { model, x, y, lossOf } = patient;
  const found = checkGradients(model, lossOf, x, y);
  if (!found) return slopeAlong(patient);
  const { worst, name, count } = found;
  const value = `${worst < 1e-9 ? '< 1e-9' : worst.toExponential(1)}, ${count} elements, float64`;
  if (!Number.isFinite(worst)) return bad(`The gradient of ${name} is not finite.`, value);
  if (worst > 1e-2) return bad(`The gradient of ${name} is not the slope of the loss (relative error ${short(worst)} in float64): a detach(), a value made by hand from values(), or an operation without its gradient.`, value);
  if (worst > 1e-4) return warn(`The gradient of ${name} differs from the slope of the loss by ${short(worst)} (float64): likely a kink such as relu at 0.`, value);
  return good('Gradients equal the slopes that differences find in float64.', value);
}

/** The slope along the gradient, by differences: in float32 about two digits can be had. */
function slopeAlong({ model, x, y, lossOf }: Patient): Finding {
  const weights = namedParameters(model).filter(([, weight]) => weight.requiresGrad);
  const targets = weights.map(([, weight]) => weight);
  const lossNow = () => inEvaluation(model, () => lossOf(fitting('views.health', model, x).output, y));
  const grads = gradients(lossNow(), targets);
  const norm = Math.sqrt(grads.reduce((sum, grad) => sum + (grad ? noGrad(() => grad.square().sum().item()) : 0), 0));
  if (!Number.isFinite(norm)) return bad('A gradient is not finite.', String(norm));
  if (norm < 1e-12) return bad('All gradients are zero: the loss does not depend on the weights.', '0');
  const kept = noGrad(() => targets.map((weight) => weight.detach().add(0)));
  const size = Math.sqrt(kept.reduce((sum, weight) => sum + noGrad(() => weight.square().sum().item()), 0)) || 1;
  let best = Number.POSITIVE_INFINITY;
  try {
    for (const reach of [1e-2, 3e-3, 1e-3]) {
      const step = (reach * Math.min(size, 1)) / norm;
      const at = (sign: number) => {
        noGrad(() => targets.forEach((weight, i) => void weight.copy_(grads[i] ? (kept[i] as Tensor).add((grads[i] as Tensor).mul(sign * step)) : (kept[i] as Tensor))));
        return noGrad(() => lossNow().to('float64').item());
      };
      const found = (at(1) - at(-1)) / (2 * step);
      best = Math.min(best, Math.abs(found - norm * norm) / (norm * norm));
    }
  } finally {
    targets.forEach((weight, i) => void weight.copy_(kept[i] as Tensor));
  }
  const value = `off by ${percent(best)}, float32`;
  return best < 0.1 ? good('Moving along the gradient changes the loss as it says.', value) : warn(`Moving along the gradient changes the loss otherwise than it says (off by ${percent(best)}): a kink, a detach() or a part without gradient.`, value);
}

function flow({ model, x, y, lossOf }: Patient): Finding {
  const weights = namedParameters(model).filter(([, weight]) => weight.requiresGrad && weight.rank >= 2);
  const loss = inEvaluation(model, () => lossOf(fitting('views.health', model, x).output, y));
  const grads = gradients(loss, weights.map(([, weight]) => weight));
  const stopped = weights.filter((_, i) => !grads[i] || noGrad(() => (grads[i] as Tensor).abs().max().item()) === 0).map(([name]) => name);
  if (stopped.length > 0) return bad(`No gradient reaches ${stopped.join(', ')}: a layer that is not used, a detach(), or dead units before it.`, stopped.join(', '));
  const sizes = grads.map((grad) => moments(grad as Tensor).std);
  const ratio = Math.max(...sizes) / Math.min(...sizes);
  if (ratio > 1e5) return warn(`Gradients differ by a factor of ${short(ratio)} between layers: they vanish or explode on the way.`, short(ratio));
  return good('Every layer gets a gradient.');
}

function dead({ model, x }: Patient): Finding {
  const worst = activationsOf('views.health', model, x)
    .map(({ layer, module, output }) => ({ layer, ...idleUnits(module, output) }))
    .filter(({ idle }) => idle !== null)
    .sort((a, b) => (b.idle as number) - (a.idle as number))[0];
  if (!worst) return skipped('For layers with relu, tanh or sigmoid.');
  const share = worst.idle as number;
  const value = `${percent(share)} in ${worst.layer}`;
  if (share > 0.6) return bad(`${percent(share)} of the units of ${worst.layer} are ${worst.idleWord}: ${worst.idleWord === 'dead' ? 'they are zero for every example and learn no more' : 'they stand at the end of their range, where the gradient is next to zero'}. Smaller weights, smaller steps, or batchNorm.`, value);
  if (share > 0.3) return warn(`${percent(share)} of the units of ${worst.layer} are ${worst.idleWord}.`, value);
  return good('Few units do nothing.', value);
}

async function byHeart(patient: Patient): Promise<Finding> {
  const { model } = patient;
  const { first, last } = await tried(patient, optim.adam(model, { lr: 3e-3 }), 80);
  const value = `${short(first)} to ${short(last)} in 80 steps`;
  if (last < Math.max(0.35 * first, 0.02)) return good('It can learn 32 examples by heart.', value);
  return bad(`It cannot even learn 32 examples by heart (loss ${short(first)} to ${short(last)} in 80 steps): a fault in the model or the loss, not a lack of data.`, value);
}

function mode({ model }: Patient): Finding {
  const layers = modulesOf(model).map(({ module }) => module).filter((module) => /^(dropout|batchNorm)/i.test(String(module)));
  if (layers.length === 0) return good('No layer behaves otherwise while training.');
  const measured = layers.find((layer) => actedWithoutStep(layer));
  if (measured) return bad(`The model was in training mode when it was used last, and no step followed: ${measured} acted as in training while something was measured. Call model.eval() before you measure, or use evaluate(), which does.`, 'training');
  return isTraining(model) ? good('Training mode, and nothing was measured in it.', 'training') : good('Evaluation mode: fit for measuring. Call model.train() before training goes on.', 'evaluation');
}

/** Random numbers that leave no trace in those of the notebook. */
function withRandom<Result>(body: () => Result): Result {
  const before = engine().randomState();
  try {
    return body();
  } finally {
    engine().setRandomState(before);
  }
}
