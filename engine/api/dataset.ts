// Dataset: examples with their labels, and the loops over batches of them. Where data come from is in data.ts.
// Images stay bytes in the engine and become float32 batch by batch, so a dataset takes a quarter of the memory.

import { createRandom } from '../../datasets/random.ts';
import { breath, checkStop } from './breath.ts';
import { batchGiven } from './clock.ts';
import { LoopWatch } from './detective.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { rand } from './create.ts';
import { beginLoop, endIteration, endLoop } from './scope.ts';
import { type DType, engine, MOST_POSITIONS } from './engine.ts';
import { handleOfTensor, noGrad, Tensor } from './tensor.ts';
import { describeValue, didYouMean, shapeText } from './words.ts';

export interface BatchOptions {
  /** How often to go through all examples. Default 1. */
  readonly epochs?: number;
  /** A new random order in each epoch. Default false. */
  readonly shuffle?: boolean;
  /** Seed of the order. Default: drawn from the random numbers that manualSeed() starts. */
  readonly seed?: number;
  /** Batches to leave out at the beginning: goes on where a training was after so many steps. Default 0. */
  readonly start?: number;
  /** Leaves out a last batch that is smaller than the others. Default false. */
  readonly dropLast?: boolean;
}

export interface SplitOptions {
  /** Mix the examples before they are parted. Default true. */
  readonly shuffle?: boolean;
  readonly seed?: number;
}

/** How stored values become what a model sees: float32(value) * scale + shift. */
export interface Scaling {
  readonly scale: number;
  readonly shift: number;
}

export interface DatasetContents {
  readonly name: string;
  /** All examples along the first axis. */
  readonly features: Tensor;
  /** One entry per example: class ids as int32 [n], or numbers as float32 [n, k]. */
  readonly labels: Tensor;
  /** Names of the classes; empty when labels are numbers. */
  readonly classes?: readonly string[];
  readonly scaling?: Scaling;
  /** Features are pictures [channels, height, width]. */
  readonly isImage?: boolean;
  /** Applied to every batch, in this order. */
  readonly transforms?: readonly Transform[];
}

/** Where a loop over batches stands. */
export interface BatchesState {
  /** Epochs behind it. */
  readonly epoch: number;
  /** Batches of this epoch behind it. */
  readonly batch: number;
  /** Of the order; null without shuffling. */
  readonly seed: number | null;
}

/** Changes a batch on its way to the model. Random ones draw from the random numbers that manualSeed() starts. */
export type Transform = (x: Tensor, y: Tensor) => Batch;

/** One batch: features [size, ...] and labels [size] or [size, k]. */
export type Batch = [x: Tensor, y: Tensor];

/**
 * Examples with labels.
 * ```ts
 * for await (const [x, y] of train.batches(64, { epochs: 3, shuffle: true })) { ... }
 * ```
 */
export class Dataset {
  readonly name: string;
  /** Names of the classes; empty when labels are numbers. */
  readonly classes: readonly string[];
  readonly #contents: DatasetContents;
  /** Positions of the examples in the contents; undefined: all of them in order. */
  readonly #order: Int32Array | undefined;

  constructor(contents: DatasetContents, order?: Int32Array) {
    const { features, labels } = contents;
    if (features.rank === 0 || labels.rank === 0 || features.shape[0] !== labels.shape[0]) {
      throw new ShapeError(
        `dataset: features and labels must have one entry per example; features have shape ${shapeText(features.shape)}, labels ${shapeText(labels.shape)}`,
      );
    }
    features.keep();
    labels.keep();
    this.name = contents.name;
    this.classes = contents.classes ?? [];
    this.#contents = contents;
    this.#order = order;
  }

  /** Number of examples. */
  get length(): number {
    return this.#order?.length ?? (this.#contents.labels.shape[0] as number);
  }

  /** Shape of the features of one example, for example [1, 28, 28]. */
  get shape(): readonly number[] {
    return this.#contents.features.shape.slice(1);
  }

  /** dtype of the labels: 'int32' for class ids. */
  get labelType(): DType {
    return this.#contents.labels.dtype;
  }

  /** Features of all examples, as batches have them: float32 [length, ...]. Images take 4 bytes a pixel here. */
  get features(): Tensor {
    if (this.#contents.transforms) return this.#whole()[0];
    return this.#featuresOf(this.#order);
  }

  /** Labels of all examples: class ids as int32 [length], or numbers as float32 [length, k]. */
  get labels(): Tensor {
    if (this.#contents.transforms) return this.#whole()[1];
    return this.#labelsOf(this.#order);
  }

  /** One example: features and label without the batch axis. */
  at(index: number): Batch {
    const position = index < 0 ? index + this.length : index;
    if (!Number.isInteger(position) || position < 0 || position >= this.length) {
      throw new ArgumentError(
        `dataset.at: index must be a whole number from ${-this.length} to ${this.length - 1}, got ${describeValue(index)}`,
      );
    }
    const [x, y] = this.pick([position]);
    const features = x.select(0, 0);
    features.isImage = x.isImage;
    return [features, y.select(0, 0)];
  }

  /** The examples at these positions, as one batch. */
  pick(positions: ArrayLike<number>): Batch {
    const order = this.#order;
    const chosen = new Int32Array(positions.length);
    for (let i = 0; i < chosen.length; i++) {
      const position = positions[i] as number;
      if (!Number.isInteger(position) || position < 0 || position >= this.length) {
        throw new ArgumentError(
          `dataset.pick: positions must be whole numbers from 0 to ${this.length - 1}, got ${describeValue(position)}`,
        );
      }
      chosen[i] = order ? (order[position] as number) : position;
    }
    return this.#transformed(this.#batchOf(chosen));
  }

  /**
   * The same examples, with `change` applied to every batch: `train.transform((x, y) => [x.flip([3]), y])`, or one of
   * data.transforms. Several follow each other. It runs anew for each batch, so that random ones differ from epoch to epoch.
   */
  transform(change: Transform): Dataset {
    if (typeof change !== 'function')
      throw new ArgumentError(`transform: needs a function (x, y) => [x, y], got ${describeValue(change)}`);
    return new Dataset({ ...this.#contents, transforms: [...(this.#contents.transforms ?? []), change] }, this.#order);
  }

  /**
   * Goes through the examples in batches of `size`: [x, y] with x float32 [size, ...] and y the labels. Use it with
   * `for await`, which keeps the page alive and lets Stop work at once; a plain `for` works too. What one round of the
   * loop made is let go of when memory is needed, unless a variable of a cell holds it.
   */
  batches(size: number, options: BatchOptions = {}): Batches {
    return new Batches(this, size, options);
  }

  /** Values as the dataset stores them (bytes of pictures) turned into what a model sees: float32, scaled as batches are. */
  encode(stored: Tensor): Tensor {
    const { scaling } = this.#contents;
    return noGrad(() => {
      const floats = stored.to('float32');
      return scaling ? floats.mul(scaling.scale).add(scaling.shift) : floats;
    });
  }

  /** True when features are pictures [channels, height, width]. */
  get isImage(): boolean {
    return this.#contents.isImage ?? false;
  }

  /** The first `count` examples, or those from `start` up to `end`. */
  slice(start: number, end = this.length): Dataset {
    const positions = Array.from({ length: this.length }, (_, i) => i).slice(start, end);
    return this.#subset(Int32Array.from(positions));
  }

  /** The first `count` examples. */
  take(count: number): Dataset {
    return this.slice(0, count);
  }

  /**
   * Two datasets: `const [train, test] = all.split(0.8)` puts four fifths of the examples in the first. Several with a list of
   * fractions: `const [train, validation, test] = all.split([0.7, 0.15, 0.15])`; what they leave over is in none.
   */
  split(fraction: number, options?: SplitOptions): [Dataset, Dataset];
  split(fractions: readonly number[], options?: SplitOptions): Dataset[];
  split(fraction: number | readonly number[], options: SplitOptions = {}): Dataset[] {
    const isList = Array.isArray(fraction);
    const fractions = isList ? (fraction as readonly number[]) : [fraction as number, 1 - (fraction as number)];
    const total = fractions.reduce((sum, each) => sum + each, 0);
    if (fractions.length === 0 || !fractions.every((each) => each > 0 && each < 1) || total > 1 + 1e-9) {
      throw new ArgumentError(
        isList
          ? `split: needs fractions between 0 and 1 that add up to at most 1, as in split([0.7, 0.15, 0.15]), got ${fractions.join(', ')}`
          : `split: needs a fraction between 0 and 1, as in split(0.8), got ${describeValue(fraction)}`,
      );
    }
    const order = Int32Array.from({ length: this.length }, (_, i) => i);
    if (options.shuffle ?? true) createRandom(options.seed ?? drawSeed()).shuffle(order);
    let behind = 0;
    return fractions.map((each) => {
      const from = Math.round(this.length * behind);
      behind += each;
      return this.#subset(order.slice(from, Math.round(this.length * Math.min(behind, 1))));
    });
  }

  /** Pairs for cross-validation: each of `count` equal parts is the test set once, the others together are the training set. */
  folds(count: number, options: SplitOptions = {}): { readonly train: Dataset; readonly test: Dataset }[] {
    if (!Number.isInteger(count) || count < 2 || count > this.length)
      throw new ArgumentError(`folds: needs a whole number from 2 to ${this.length}, got ${describeValue(count)}`);
    const order = Int32Array.from({ length: this.length }, (_, i) => i);
    if (options.shuffle ?? true) createRandom(options.seed ?? drawSeed()).shuffle(order);
    const edge = (i: number): number => Math.round((this.length * i) / count);
    return Array.from({ length: count }, (_, i) => ({
      train: this.#subset(order.filter((_value, at) => at < edge(i) || at >= edge(i + 1))),
      test: this.#subset(order.slice(edge(i), edge(i + 1))),
    }));
  }

  toString(): string {
    const labels = this.classes.length > 0 ? `${this.classes.length} classes` : `labels ${shapeText(this.#contents.labels.shape.slice(1))}`;
    return `Dataset(${this.name}: ${this.length} examples, features ${shapeText(this.shape)}, ${labels})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #whole(): Batch {
    return this.#transformed([this.#featuresOf(this.#order), this.#labelsOf(this.#order)]);
  }

  #transformed(batch: Batch): Batch {
    const { transforms } = this.#contents;
    if (!transforms) return batch;
    return noGrad(() =>
      transforms.reduce((before, change) => {
        const after: unknown = change(...before);
        if (Array.isArray(after) && after.length === 2 && after.every((each) => each instanceof Tensor)) {
          (after[0] as Tensor).isImage ||= before[0].isImage && (after[0] as Tensor).rank === before[0].rank;
          return after as Batch;
        }
        throw new ArgumentError(`transform: the function must return [x, y], got ${describeValue(after)}`);
      }, batch),
    );
  }

  #subset(positions: Int32Array): Dataset {
    const order = this.#order;
    return new Dataset(this.#contents, order ? positions.map((position) => order[position] as number) : positions);
  }

  /** One call into the engine picks the examples and converts them. */
  #batchOf(positions: Int32Array): Batch {
    if (positions.length > MOST_POSITIONS) return [this.#featuresOf(positions), this.#labelsOf(positions)];
    const { features, labels, scaling, isImage } = this.#contents;
    const [x, y] = engine().batch(
      handleOfTensor(features, 'pick'),
      handleOfTensor(labels, 'pick'),
      positions,
      scaling?.scale ?? 1,
      scaling?.shift ?? 0,
    );
    const batch: Batch = [new Tensor(x, 'pick'), new Tensor(y, 'pick')];
    batch[0].isImage = isImage ?? false;
    return batch;
  }

  #featuresOf(positions: Int32Array | undefined): Tensor {
    const { features, scaling, isImage } = this.#contents;
    return noGrad(() => {
      let result = positions ? pickRows(features, positions) : features;
      if (result.dtype !== 'float32') result = passing(result, features, result.to('float32'));
      if (scaling) {
        if (scaling.scale !== 1) result = passing(result, features, result.mul(scaling.scale));
        if (scaling.shift !== 0) result = passing(result, features, result.add(scaling.shift));
      }
      if (result !== features) result.isImage = isImage ?? false;
      return result;
    });
  }

  #labelsOf(positions: Int32Array | undefined): Tensor {
    return noGrad(() => (positions ? pickRows(this.#contents.labels, positions) : this.#contents.labels));
  }
}

/** Lets go of an intermediate result once the next one exists. */
function passing(before: Tensor, source: Tensor, after: Tensor): Tensor {
  if (before !== source) before.dispose();
  return after;
}

/** Rows of `source` along its first axis. A run of neighbours is a view. */
function pickRows(source: Tensor, positions: Int32Array): Tensor {
  const first = positions[0] ?? 0;
  if (positions.every((position, i) => position === first + i)) return source.narrow(0, first, positions.length);
  const index = new Tensor(engine().createFrom('int32', [positions.length], positions), 'pick');
  return passing(index, source, source.indexSelect(index, 0));
}

/** A seed from the engine's random numbers, so that one manualSeed() settles everything. */
function drawSeed(): number {
  const word = rand(1, { dtype: 'float64' });
  const seed = Math.floor(word.item() * 2 ** 32);
  word.dispose();
  return seed;
}

const optionNames = ['epochs', 'shuffle', 'seed', 'start', 'dropLast'];

/** A loop over batches; made by dataset.batches(). Each `for` starts it anew. */
export class Batches {
  readonly #dataset: Dataset;
  readonly #size: number;
  readonly #options: BatchOptions;
  #place: BatchesState = { epoch: 0, batch: 0, seed: null };
  #resumesAt: BatchesState | undefined;

  constructor(dataset: Dataset, size: number, options: BatchOptions) {
    if (!Number.isInteger(size) || size < 1)
      throw new ArgumentError(`batches: the batch size must be a whole number from 1 on, as in batches(64), got ${describeValue(size)}`);
    for (const key of Object.keys(options)) {
      if (!optionNames.includes(key))
        throw new ArgumentError(`batches: unknown option "${key}"${didYouMean(key, optionNames) || `; known: ${optionNames.join(', ')}`}`);
    }
    const { epochs = 1 } = options;
    if (!(epochs === Number.POSITIVE_INFINITY || (Number.isInteger(epochs) && epochs >= 0)))
      throw new ArgumentError(`batches: \`epochs\` must be a whole number, got ${describeValue(epochs)}`);
    const { start = 0 } = options;
    if (!(Number.isInteger(start) && start >= 0)) throw new ArgumentError(`batches: \`start\` must be a number of batches, got ${describeValue(start)}`);
    this.#dataset = dataset;
    this.#size = size;
    this.#options = options;
  }

  /** Batches in one epoch. */
  get perEpoch(): number {
    const { length } = this.#dataset;
    return this.#options.dropLast ? Math.floor(length / this.#size) : Math.ceil(length / this.#size);
  }

  /** Batches in all epochs. */
  get length(): number {
    return Math.max(0, this.perEpoch * (this.#options.epochs ?? 1) - (this.#options.start ?? 0));
  }

  /** Where the loop stands: batches given so far, and the seed of their order. For checkpoints. */
  stateDict(): BatchesState {
    return this.#resumesAt ?? this.#place;
  }

  /** The next `for` goes on from there, with the batches that it would have had. */
  loadStateDict(state: BatchesState): void {
    const { epoch, batch, seed } = state;
    if (![epoch, batch].every((each) => Number.isInteger(each) && each >= 0) || batch > this.perEpoch)
      throw new ArgumentError(`batches: the saved place is epoch ${epoch}, batch ${batch}, but an epoch has ${this.perEpoch} batches here`);
    this.#resumesAt = { epoch, batch, seed };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch, void, undefined> {
    const loop = beginLoop();
    const watch = new LoopWatch();
    try {
      for (const positions of this.#plan()) {
        await breath();
        watch.began(positions);
        batchGiven(positions.length, this.#dataset);
        yield this.#dataset.pick(positions);
        endIteration(loop);
        const again = watch.rewound();
        if (again) yield* this.#again(again, loop, watch);
      }
      await breath();
    } finally {
      watch.end();
      endLoop(loop);
    }
  }

  *[Symbol.iterator](): Generator<Batch, void, undefined> {
    const loop = beginLoop();
    const watch = new LoopWatch();
    try {
      for (const positions of this.#plan()) {
        checkStop();
        watch.began(positions);
        batchGiven(positions.length, this.#dataset);
        yield this.#dataset.pick(positions);
        endIteration(loop);
        const again = watch.rewound();
        if (again) yield* this.#again(again, loop, watch);
      }
    } finally {
      watch.end();
      endLoop(loop);
    }
  }

  /** Hands former batches out once more, in checked mode, after a loss that is no number. Ends in an error: the loop's own, or this one's. */
  *#again(former: readonly Int32Array[], loop: object, watch: LoopWatch): Generator<Batch, void, undefined> {
    const end = watch.replay(former.length);
    try {
      for (const positions of former) {
        checkStop();
        yield this.#dataset.pick(positions);
        endIteration(loop);
      }
    } finally {
      end();
    }
    throw watch.unexplained();
  }

  /** The positions of each batch, epoch by epoch. */
  *#plan(): Generator<Int32Array> {
    const { length } = this.#dataset;
    const { epochs = 1, shuffle = false, seed, start = 0 } = this.#options;
    const per = Math.max(this.perEpoch, 1);
    const first = this.#resumesAt ?? { epoch: Math.floor(start / per), batch: start % per, seed: null };
    this.#resumesAt = undefined;
    const orderSeed = shuffle ? (first.seed ?? seed ?? drawSeed()) : null;
    const random = orderSeed === null ? undefined : createRandom(orderSeed);
    const order = Int32Array.from({ length }, (_, i) => i);
    for (let epoch = 0; epoch < epochs && this.perEpoch > 0; epoch++) {
      // Each order is made from the one before it, so those of epochs that are done are made again.
      random?.shuffle(order);
      if (epoch < first.epoch) continue;
      for (let i = epoch === first.epoch ? first.batch : 0; i < this.perEpoch; i++) {
        const isLast = i + 1 === this.perEpoch;
        this.#place = { epoch: isLast ? epoch + 1 : epoch, batch: isLast ? 0 : i + 1, seed: orderSeed };
        yield order.slice(i * this.#size, (i + 1) * this.#size);
      }
    }
  }
}
