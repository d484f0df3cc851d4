// When a loss is no number any more: the loop over batches ends, and its last steps are done again in checked mode, so that the
// error names the operation, the layer and the line of the first value that went wrong. log() tells; batches() does the steps again.
//
// Whatever a step changes (weights, running averages, the state of optimizers and schedules, averaged weights, the place in the
// random numbers) is put back before. A loop learns what that is as it goes: whoever is about to change something for the first
// time says so, and what it is then is what it was when the copy was taken.

import { watchOverwriting } from './changes.ts';
import { zeros } from './create.ts';
import { detectAnomaly } from './debug.ts';
import { engine } from './engine.ts';
import { NotFiniteError, setErrorHint } from './error.ts';
import { copyOf } from './module.ts';
import type { OptimizerState } from './optim.ts';
import { slotKey } from './scope.ts';
import { noGrad, Tensor } from './tensor.ts';

/** An optimizer, as far as its steps can be done again. */
interface Trainer {
  parameters(): Tensor[];
  stateDict(): OptimizerState;
  loadStateDict(saved: OptimizerState): void;
}

/** Anything else with a state: a schedule, averaged weights. */
interface Stateful<State> {
  stateDict(): State;
  loadStateDict(saved: State): void;
}

interface Broken {
  readonly name: string;
  readonly step: number;
  readonly value: number;
}

/** Something that steps change. */
interface Changing {
  /** Numbers in it, to keep copies small. */
  size(): number;
  /** What it is now. */
  copy(): Part;
}

interface Part {
  restore(): void;
  dispose(): void;
}

/** What a loop began one of its last steps with, and the batches since. */
interface Copy {
  readonly parts: Part[];
  readonly random: readonly number[];
  readonly batches: Int32Array[];
}

/** Time between two copies: a copy may cost a hundredth of the time, and doing again what came since should not be felt. */
const LEAST_MS = 200;
const REST = 100;
/** A copy that something else held up must not be the last for minutes: nothing older than it can be done again. */
const MOST_REST_MS = 10_000;
/** Steps that are done again at most; they take a few times as long as before. */
const MOST_STEPS = 2000;
/** Numbers that are copied, the state of optimizers apart: two copies should not be felt in the engine's memory. */
const MOST_NUMBERS = 2 << 20;

/** Loops over batches that run now, the innermost last. */
const loops: LoopWatch[] = [];
let replaying = false;
let keepsGoing = false;

/** Steps are done again: log() says nothing. */
export const isReplaying = (): boolean => replaying;

/** An optimizer is about to step. */
export function beforeStep(trainer: Trainer): void {
  loops.at(-1)?.changes(trainer, () => trained(trainer));
}

/** A schedule or averaged weights are about to make a step. */
export function beforeChange<State>(holder: Stateful<State>): void {
  loops.at(-1)?.changes(holder, () => stateful(holder));
}

// Running averages, and weights that a loop of its own moves by hand. What nobody keeps is made anew by each step.
watchOverwriting((tensor) => {
  if (loops.length > 0 && (tensor[slotKey].isKept || tensor.requiresGrad)) loops.at(-1)?.changes(tensor, () => overwritten(tensor));
});

function trained(trainer: Trainer): Changing {
  return {
    size: () => sizeOf(trainer.parameters()),
    copy() {
      const weights = trainer.parameters().map(copied);
      const state = trainer.stateDict();
      return {
        restore() {
          noGrad(() => trainer.parameters().forEach((weight, i) => void weight.copy_(weights[i] as Tensor)));
          trainer.loadStateDict(withZeros(state, trainer.stateDict()));
        },
        dispose: () => disposeAll([...weights, ...slotsOf(state)]),
      };
    },
  };
}

function overwritten(tensor: Tensor): Changing {
  return {
    size: () => tensor.elementCount,
    copy() {
      const before = copied(tensor);
      return { restore: () => void noGrad(() => tensor.copy_(before)), dispose: () => before.dispose() };
    },
  };
}

function stateful<State>(holder: Stateful<State>): Changing {
  return {
    size: () => 0,
    copy() {
      const state = holder.stateDict();
      return { restore: () => holder.loadStateDict(state), dispose: () => disposeAll(tensorsIn(state)) };
    },
  };
}

/** Without an operation: none shall be seen in a traced step, nor counted. */
const copied = (tensor: Tensor): Tensor => copyOf(tensor).keep();
const sizeOf = (tensors: readonly Tensor[]): number => tensors.reduce((sum, { elementCount }) => sum + elementCount, 0);

function disposeAll(tensors: readonly Tensor[]): void {
  for (const tensor of tensors) tensor.dispose();
}

function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof Tensor) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(tensorsIn) : [];
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
  /** What its steps change, in the order in which it was met. */
  readonly #changing = new Map<object, Changing>();
  #copy: Copy | null = null;
  /** The one before: weights may have broken in the step before the loss did. */
  #former: Copy | null = null;
  /** Too much changes to be copied. */
  #isTooLarge = false;
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
    if (this.#changing.size > 0 && isDue && !this.#isTooLarge) this.#take();
    // The random state is only wanted while there is no copy yet.
    this.#now = this.#copy || this.#isTooLarge ? null : { batch, random: engine().randomState() };
    this.#copy?.batches.push(batch);
    this.#former?.batches.push(batch);
    if (this.#former && this.#former.batches.length > MOST_STEPS) this.#former = dropped(this.#former);
  }

  /** The step that runs is about to change something; `describe` is asked the first time. */
  changes(key: object, describe: () => Changing): void {
    if (replaying || this.#isTooLarge || this.#changing.has(key)) return;
    const it = describe();
    this.#changing.set(key, it);
    if (this.#gaveUp()) return;
    // Reading the state would keep a captured step from becoming a program: the next step begins with a copy.
    if (engine().programs.isRecording) {
      this.#drop();
      this.#nextAt = 0;
      return;
    }
    if (!this.#copy && this.#now) this.#copy = { parts: [], random: this.#now.random, batches: [this.#now.batch] };
    for (const copy of [this.#copy, this.#former]) copy?.parts.push(it.copy());
  }

  /** After a step: null when all is well, else the batches since the copy, with the state put back as it was then. */
  rewound(): readonly Int32Array[] | null {
    if (!this.broken || replaying) return null;
    const copy = this.#former && (this.#copy?.batches.length ?? 0) < 4 ? this.#former : this.#copy;
    if (!copy) throw new NotFiniteError(`${sentence(this.broken)}. ${ADVICE}`);
    // The other way round: what was met first knows best what it was.
    for (const part of [...copy.parts].reverse()) part.restore();
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
    this.#drop();
    const at = loops.indexOf(this);
    if (at >= 0) loops.length = at;
  }

  /** At the beginning of a step. */
  #take(): void {
    const startedAt = performance.now();
    if (this.#gaveUp()) return;
    dropped(this.#former);
    this.#former = this.#copy;
    this.#copy = { parts: [...this.#changing.values()].map((it) => it.copy()), random: engine().randomState(), batches: [] };
    const now = performance.now();
    this.#nextAt = now + Math.min(MOST_REST_MS, Math.max(LEAST_MS, (now - startedAt) * REST));
  }

  #gaveUp(): boolean {
    const size = [...this.#changing.values()].reduce((sum, it) => sum + it.size(), 0);
    if (size <= MOST_NUMBERS) return false;
    this.#isTooLarge = true;
    this.#drop();
    return true;
  }

  #drop(): void {
    this.#copy = dropped(this.#copy);
    this.#former = dropped(this.#former);
  }
}

function dropped(copy: Copy | null): null {
  for (const part of copy?.parts ?? []) part.dispose();
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
