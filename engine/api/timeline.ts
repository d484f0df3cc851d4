// The past of a training: checkpoints within a budget of memory, thinned evenly as they grow old. Going back restores parameters,
// optimizer and random numbers to the bit; with the same data from there on (`batches(..., { start })`) training repeats itself.

import { examplesSeen, setExamplesSeen } from './clock.ts';
import { engine } from './engine.ts';
import { loadCheckpoint, packCheckpoint } from './files.ts';
import { log } from './log.ts';
import type { Optimizer } from './optim.ts';

export interface TimelineOptions {
  /** Bytes that checkpoints may take; 64 MB unless given. */
  readonly budget?: number;
  /** Steps between two checkpoints; by time, up to ten a second, unless given. */
  readonly every?: number;
}

interface Kept {
  readonly step: number;
  readonly bytes: Uint8Array;
  readonly samples: number;
  readonly flops: number;
}

const MEGABYTES_64 = 64 * 2 ** 20;
const LEAST_MS = 100;
/** A checkpoint rests at least this many times as long as it took. */
const REST = 600;
/** At the beginning of a training it rests less, until checkpoints have taken so long together: short trainings have a past, too. */
const EARLY_REST = 20;
const EARLY_MS = 60;
/** A machine with too much to do holds up single checkpoints for seconds; the past must not end there. */
const MOST_REST_MS = 60_000;

export class Timeline {
  readonly budget: number;
  readonly #model: unknown;
  readonly #optimizer: Optimizer | undefined;
  readonly #every: number | undefined;
  #kept: Kept[] = [];
  #at = -1;
  #nextAt = 0;
  #early = EARLY_MS;
  #loggedStep = -1;

  constructor(model: unknown, optimizer?: Optimizer, { budget = MEGABYTES_64, every }: TimelineOptions = {}) {
    this.budget = budget;
    this.#model = model;
    this.#optimizer = optimizer;
    this.#every = every;
  }

  get steps(): number[] {
    return this.#kept.map(({ step }) => step);
  }

  get byteCount(): number {
    return this.#kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Place of the checkpoint that the model was put back to; -1 while it goes on. */
  get at(): number {
    return this.#at;
  }

  /** A step was logged: keeps a checkpoint when one is due. Steps that trained another model are none of this one's past. */
  logged(): void {
    const { step } = log;
    const now = performance.now();
    if (!(step > this.#loggedStep)) this.#early = EARLY_MS;
    this.#loggedStep = step;
    const isDue = this.#every ? step % this.#every === 0 : now >= this.#nextAt;
    if (!isDue || (this.#at < 0 && this.#kept.at(-1)?.step === step)) return;
    this.take(step);
    const took = performance.now() - now;
    this.#nextAt = now + took + Math.min(MOST_REST_MS, Math.max(LEAST_MS, took * (this.#early > 0 ? EARLY_REST : REST)));
    this.#early -= took;
  }

  /** Training rests: where it ended is kept, too. */
  rested(): void {
    if (log.step > 0 && this.#at < 0 && this.#kept.length > 0 && this.#kept.at(-1)?.step !== log.step) this.take(log.step);
  }

  /** Keeps what is there now as `step`, unless the model stands where it stood. Later checkpoints of a former course are dropped. */
  take(step: number): void {
    const bytes = packCheckpoint({ model: this.#model, ...(this.#optimizer && { optimizer: this.#optimizer }) });
    const before = this.#kept.at(this.#at);
    if (before && holdsTheSame(bytes, before.bytes)) return;
    this.#at = -1;
    this.#kept = [...this.#kept.filter((kept) => kept.step < step), { step, bytes, samples: examplesSeen().samples, flops: engine().flops() }];
    // Every second one of the past goes; the first and the last stay.
    while (this.byteCount > this.budget && this.#kept.length > 2) this.#kept = this.#kept.filter((_, i, all) => i % 2 === 0 || i === all.length - 1);
    if (this.byteCount > this.budget && this.#kept.length === 2) this.#kept = this.#kept.slice(1);
  }

  /** Puts the model back to the last checkpoint not after `step` (the first when there is none). Returns its step. */
  rewind(step: number): number {
    const found = this.#kept.findLastIndex((kept) => kept.step <= step);
    return this.go(Math.max(0, found));
  }

  /** Puts the model back to checkpoint number `index`. Returns its step. */
  go(index: number): number {
    const kept = this.#kept[index];
    if (!kept) throw new RangeError(`rewind: nothing is kept yet; the timeline fills while log() is called`);
    loadCheckpoint(kept.bytes, { model: this.#model, ...(this.#optimizer && { optimizer: this.#optimizer }) });
    setExamplesSeen(kept.samples);
    engine().flops(kept.flops);
    this.#at = index;
    this.#nextAt = 0;
    return kept.step;
  }
}

/** The numbers of two checkpoints are the same; their heads (the state of the random numbers) may differ. */
function holdsTheSame(a: Uint8Array, b: Uint8Array): boolean {
  const [valuesA, valuesB] = [valuesIn(a), valuesIn(b)];
  return valuesA.length === valuesB.length && valuesA.every((value, i) => value === valuesB[i]);
}

/** A safetensors file: the length of its head in eight bytes, the head, the numbers. */
function valuesIn(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true));
}
