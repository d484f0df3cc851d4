// When a loss is no number any more: the loop over batches ends, and its last steps are done again in checked mode, so that the
// error names the operation, the layer and the line of the first value that went wrong. log() tells; batches() does the steps again.

import { zeros } from './create.ts';
import { detectAnomaly } from './debug.ts';
import { engine } from './engine.ts';
import { NotFiniteError, setErrorHint } from './error.ts';
import type { OptimizerState } from './optim.ts';
import { noGrad, type Tensor } from './tensor.ts';

/** An optimizer, as far as its steps can be done again. */
interface Trainer {
  parameters(): Tensor[];
  stateDict(): OptimizerState;
  loadStateDict(saved: OptimizerState): void;
}

interface Broken {
  readonly name: string;
  readonly step: number;
  readonly value: number;
}

/** What a loop began one of its last steps with, and the batches since. */
interface Copy {
  readonly of: readonly { readonly trainer: Trainer; readonly weights: readonly Tensor[]; readonly state: OptimizerState }[];
  readonly random: readonly number[];
  readonly batches: Int32Array[];
}

/** Time between two copies: a copy may cost a hundredth of the time, and doing again what came since should not be felt. */
const LEAST_MS = 200;
const REST = 100;
/** Steps that are done again at most; they take a few times as long as before. */
const MOST_STEPS = 2000;
/** Weights that are copied: two copies with the state of an optimizer should not be felt in the engine's memory. */
const MOST_WEIGHTS = 2 << 20;

/** Loops over batches that run now, the innermost last. */
const loops: LoopWatch[] = [];
let replaying = false;
let keepsGoing = false;

/** Steps are done again: log() says nothing. */
export const isReplaying = (): boolean => replaying;

/** An optimizer is about to step: the loop learns what it has to copy. */
export function beforeStep(trainer: Trainer): void {
  loops.at(-1)?.stepped(trainer);
}

/** A loss that came as a tensor is not finite. Throws when no loop over batches can say more. */
export function lossBroke(broken: Broken): void {
  if (keepsGoing) return;
  const loop = loops.at(-1);
  if (loop) loop.broken ??= broken;
  else throw new NotFiniteError(`${sentence(broken)}. ${ADVICE}`);
}

/** With true a broken loss ends nothing: a sweep goes on with its next settings. Returns what it was. */
export function keepGoing(isOn: boolean): boolean {
  const before = keepsGoing;
  keepsGoing = isOn;
  return before;
}

/** A run begins: loops of former runs are gone. */
export function forgetLoops(): void {
  for (const loop of [...loops]) loop.end();
}

const ADVICE = 'Try a smaller learning rate, or look for a division by zero or a logarithm of zero; log({ loss }, { keepGoing: true }) goes on regardless';

function sentence({ name, step, value }: Broken): string {
  return `${name} became ${Number.isNaN(value) ? 'NaN (not a number)' : value} at step ${step}, so training has stopped`;
}

/** Looks after one loop over batches. */
export class LoopWatch {
  broken: Broken | null = null;
  readonly #trainers = new Set<Trainer>();
  #copy: Copy | null = null;
  /** The one before: weights may have broken in the step before the loss did. */
  #former: Copy | null = null;
  #nextAt = 0;
  /** Of the step that runs: its batch, and the random numbers it began with. */
  #now: { readonly batch: Int32Array; readonly random: readonly number[] } | null = null;

  constructor() {
    loops.push(this);
  }

  /** A batch is about to be handed out. */
  began(batch: Int32Array): void {
    if (replaying) return;
    const isDue = performance.now() >= this.#nextAt;
    if (this.#trainers.size > 0 && isDue) this.#take([], engine().randomState());
    // The random state is only wanted while there is no copy yet.
    this.#now = this.#copy ? null : { batch, random: engine().randomState() };
    this.#copy?.batches.push(batch);
    this.#former?.batches.push(batch);
    if (this.#former && this.#former.batches.length > MOST_STEPS) this.#former = dropped(this.#former);
  }

  stepped(trainer: Trainer): void {
    if (replaying || this.#trainers.has(trainer)) return;
    // Reading the state would keep a captured step from becoming a program.
    if (engine().programs.isRecording) {
      this.#trainers.add(trainer);
      return;
    }
    this.#trainers.add(trainer);
    if (this.#now) this.#take([this.#now.batch], this.#now.random);
  }

  /** After a step: null when all is well, else the batches since the copy, with the state put back as it was then. */
  rewound(): readonly Int32Array[] | null {
    if (!this.broken || replaying) return null;
    const copy = this.#former && (this.#copy?.batches.length ?? 0) < 4 ? this.#former : this.#copy;
    if (!copy) throw new NotFiniteError(`${sentence(this.broken)}. ${ADVICE}`);
    for (const { trainer, weights, state } of copy.of) {
      noGrad(() => trainer.parameters().forEach((weight, i) => void weight.copy_(weights[i] as Tensor)));
      trainer.loadStateDict(withZeros(state, trainer.stateDict()));
    }
    engine().setRandomState(copy.random);
    return copy.batches;
  }

  /** Begins checked mode; returns how to end it. */
  replay(steps: number): () => void {
    const { broken } = this as { broken: Broken };
    const before = detectAnomaly(true);
    replaying = true;
    setErrorHint(`${sentence(broken)}. Its last ${steps === 1 ? 'step was' : `${steps} steps were`} done again in checked mode, and this is the first value that went wrong. ${ADVICE}.`);
    return () => {
      replaying = false;
      setErrorHint('');
      detectAnomaly(before);
    };
  }

  /** All steps were done again, and nothing went wrong. */
  unexplained(): NotFiniteError {
    return new NotFiniteError(`${sentence(this.broken as Broken)}. Its last steps were done again in checked mode, and every operation gave finite values then. ${ADVICE}`);
  }

  end(): void {
    this.#copy = dropped(this.#copy);
    this.#former = dropped(this.#former);
    const at = loops.indexOf(this);
    if (at >= 0) loops.length = at;
  }

  #take(batches: Int32Array[], random: readonly number[]): void {
    const startedAt = performance.now();
    const weights = [...this.#trainers].flatMap((trainer) => trainer.parameters()).reduce((sum, weight) => sum + weight.elementCount, 0);
    if (weights > MOST_WEIGHTS) {
      this.#nextAt = Number.POSITIVE_INFINITY;
      return;
    }
    dropped(this.#former);
    this.#former = this.#copy;
    const of = [...this.#trainers].map((trainer) => ({ trainer, weights: noGrad(() => trainer.parameters().map((weight) => weight.mul(1).keep())), state: trainer.stateDict() }));
    this.#copy = { of, random, batches };
    const now = performance.now();
    this.#nextAt = now + Math.max(LEAST_MS, (now - startedAt) * REST);
  }
}

function dropped(copy: Copy | null): null {
  for (const { weights, state } of copy?.of ?? []) for (const tensor of [...weights, ...slotsOf(state)]) tensor.dispose();
  return null;
}

const slotsOf = ({ state }: OptimizerState): Tensor[] => state.flatMap(({ slots }) => Object.values(slots));

/** The state as it was, with zeros for what only later steps made. */
function withZeros(saved: OptimizerState, now: OptimizerState): OptimizerState {
  return {
    ...saved,
    state: saved.state.map(({ step, slots }, i) => ({
      step,
      slots: { ...Object.fromEntries(Object.entries(now.state[i]?.slots ?? {}).map(([name, tensor]) => [name, zeros(tensor.shape, { dtype: tensor.dtype })])), ...slots },
    })),
  };
}
