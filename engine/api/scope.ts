// Who frees what. Each tensor of JavaScript has a Slot, which holds its handle; this file decides when a handle is
// released. What a tensor is and does is left to tensor.ts.
//
// Learners free nothing. Five rules:
// 1. A FinalizationRegistry releases what JavaScript has collected. It only runs between turns of the event loop, so a
//    loop without `await` needs more than this.
// 2. A loop says where its rounds end: an iteration of `batches`, an optimizer's step, or backward() when there is no
//    optimizer. What was made in a round becomes a candidate at its end. What was made before the loop does not.
// 3. Candidates wait in a queue. Only when it holds more than 32 MB of larger tensors, or more than 20,000 small ones, the
//    oldest are released: tensors that were not used in the last two rounds, are not kept (parameters, state of layers and
//    optimizers, keep()), and are not reachable from the roots (variables of the notebook).
// 4. Layers that pass values on to the next layer release them at once, and so does a layer what lies inside of it; the engine's
//    records keep what backward() needs.
// 5. A released tensor that is used again throws and says how to keep it. It never gives a wrong value.
//
// What a captured step returns is often one number that nobody looks at. Its slot holds the number, and only a use makes a
// tensor of it: until then there is nothing to release.

import { type DType, engine, UNMADE } from './engine.ts';
import { StateError } from './error.ts';
import { hooks } from './hooks.ts';
import { shapeText } from './words.ts';

/** Limits of the queue of candidates. Tests make them smaller. */
export const limits = {
  /** Bytes of larger tensors that may wait. */
  bytes: 32 * 2 ** 20,
  /** Small tensors that may wait: a list of losses is no reason to let go of them. */
  smallCount: 20_000,
  /** Up to this size a tensor is small. */
  smallBytes: 256,
  /** Slots remembered within one round; beyond, only rule 1 holds. */
  roundCount: 200_000,
};

/** A candidate must not have been used in this many last rounds. */
const IDLE_ROUNDS = 2;

/** A clock is given up after this many ticks of others. */
const PATIENCE = 16;

/** How deep, and over how many values, roots are searched for tensors. */
const ROOT_DEPTH = 6;
const ROOT_VALUES = 50_000;

/** The engine's handle of one tensor, and what is known about its life. */
export class Slot {
  /** GONE when released; UNMADE when there is only a value. */
  handle: number;
  /** Name of the op or function that made the tensor. */
  readonly maker: string;
  /** The round in which it was last made or used. */
  usedIn: number;
  isKept = false;
  /** Filled by look(), for the tensor, for the queue and for the message of rule 5. */
  shape: readonly number[] | undefined;
  dtype: DType | undefined;
  elementCount = 0;
  /** Who released it. */
  end: '' | 'dispose' | 'queue' | 'layer' = '';
  /** While UNMADE: the value, whose tensor this is, and the frame that it was made in. */
  value = 0;
  owner: object | undefined;
  frame: Frame | undefined;

  constructor(handle: number, maker: string) {
    this.handle = handle;
    this.maker = maker;
    this.usedIn = round;
  }
}

const GONE = -1;

// A frame is one loop of batches, or the whole run. Slots since `from` belong to it.
interface Frame {
  /** Index in `made` where the frame begins. */
  from: number;
  /** Who ends the rounds of this frame: an optimizer, or `backward`. */
  clock: unknown;
  /** Index in `made` at the last tick of the clock; before the first tick nothing becomes a candidate. */
  since: number;
  /** Ticks of other clocks since the last tick of this one. */
  missed: number;
}

let round = 0;
let made: Slot[] = [];
let frames: Frame[] = [newFrame(0)];
const big = newQueue();
const small = newQueue();

interface Queue {
  slots: Slot[];
  bytes: number;
  /** Where the next collection starts; grows when much of the queue must stay. */
  trigger: number;
}

function newFrame(from: number): Frame {
  return { from, clock: undefined, since: from, missed: 0 };
}

function newQueue(): Queue {
  return { slots: [], bytes: 0, trigger: 0 };
}

const registry = new FinalizationRegistry<Slot>((slot) => release(slot, 'dispose'));

// -- life of one slot --------------------------------------------------------------------------------------------------

/** Begins the life of a handle that `owner` (a Tensor) holds. */
export function newSlot(owner: object, handle: number, maker: string): Slot {
  const slot = new Slot(handle, maker);
  if (handle === UNMADE) {
    slot.owner = owner;
    slot.frame = frames[frames.length - 1];
  } else {
    registry.register(owner, slot);
    enter(slot);
  }
  return slot;
}

function enter(slot: Slot): void {
  if (made.length >= limits.roundCount) forgetOldest();
  made.push(slot);
}

/** Somebody wants more of the tensor than its value. */
function make(slot: Slot): void {
  slot.handle = engine().programs.make(slot.value, slot.shape?.length ?? 0);
  registry.register(slot.owner as object, slot);
  // Rounds of another loop, or of work beside the training, must not carry off what was there before them.
  if (slot.frame === frames[frames.length - 1]) enter(slot);
  slot.owner = slot.frame = undefined;
}

/** The handle for a use now; `user` is who wants it. Throws when the tensor is gone. */
export function handleOf(slot: Slot, user: string): number {
  if (slot.handle <= 0) {
    if (slot.handle === GONE) throw gone(slot, user);
    make(slot);
  }
  slot.usedIn = round;
  return slot.handle;
}

/** The handle for a look from outside, which is no use. */
export function handleInPassing(slot: Slot): number {
  const { usedIn } = slot;
  const handle = handleOf(slot, 'inspector');
  slot.usedIn = usedIn;
  return handle;
}

/** Asks the engine once for shape and dtype, which never change. */
export function look(slot: Slot, user: string): void {
  const { shape, dtype, elementCount } = engine().tensorInfo(handleOf(slot, user));
  slot.shape = Object.freeze(shape);
  slot.dtype = dtype;
  slot.elementCount = elementCount;
}

const byteCount = ({ elementCount, dtype }: Slot): number =>
  elementCount * (dtype === 'float64' ? 8 : dtype === 'float16' ? 2 : dtype === 'uint8' || dtype === 'bool' ? 1 : 4);

export function isGone(slot: Slot): boolean {
  return slot.handle === GONE;
}

/** Releases a handle; a second time does nothing. */
export function release(slot: Slot, end: Slot['end']): void {
  if (slot.handle === GONE) return;
  if (slot.handle !== UNMADE) engine().release(slot.handle);
  slot.owner = slot.frame = undefined;
  slot.handle = GONE;
  slot.end = end;
}

/** Releases what a layer made and the next layer has used up (rule 4). */
export function passOn(slot: Slot): void {
  if (!slot.isKept) release(slot, 'layer');
}

/** What lies inside of a layer is marked with the function that `body` gets, and released at the end of it (rule 4). */
export function letGoOfInside<Result>(body: (inside: <Value extends { readonly [slotKey]: Slot }>(value: Value) => Value) => Result): Result {
  const slots: Slot[] = [];
  try {
    return body((value) => {
      slots.push(value[slotKey]);
      return value;
    });
  } finally {
    for (const slot of slots) passOn(slot);
  }
}

function gone(slot: Slot, user: string): StateError {
  const what = `the tensor${slot.shape ? ` of shape ${shapeText(slot.shape)}` : ''} that ${slot.maker} made`;
  if (slot.end === 'dispose') return new StateError(`${user}: ${what} has been disposed of`);
  const why =
    slot.end === 'layer'
      ? 'was passed on from layer to layer and let go of'
      : 'is from an earlier round of a training loop and was let go of to keep the memory flat';
  return new StateError(
    `${user}: ${what} ${why}. To hold on to a tensor, call keep() on it when you make it: const h = x.${slot.maker}(...).keep(). For a number, use item().`,
  );
}

// -- rounds ------------------------------------------------------------------------------------------------------------

/** A loop of batches begins: what exists is not a product of it. Returns what endIteration and endLoop want back. */
export function beginLoop(): object {
  const frame = newFrame(made.length);
  frames.push(frame);
  return frame;
}

/** An iteration of the loop is over: what it made becomes a candidate. */
export function endIteration(loop: object): void {
  const frame = loop as Frame;
  const at = frames.indexOf(frame);
  if (at < 0) return;
  // Loops inside of it that were left without notice end with it.
  frames.length = at + 1;
  enqueueFrom(frame.from);
  Object.assign(frame, newFrame(frame.from));
  nextRound();
}

/** The loop is over. */
export function endLoop(loop: object): void {
  endIteration(loop);
  const at = frames.indexOf(loop as Frame);
  if (at > 0) frames.length = at;
}

/**
 * Runs `body`, whose tensors nobody else may hold: what it made is released at its end, but for what it kept. For work beside a
 * training, whose rounds would otherwise carry it along. `body` gives no promise.
 */
export function passing<Result>(body: () => Result): Result {
  const frame = newFrame(made.length);
  const depth = frames.length;
  frames.push(frame);
  try {
    return body();
  } finally {
    for (let i = frame.from; i < made.length; i++) if (!(made[i] as Slot).isKept) release(made[i] as Slot, 'dispose');
    made.length = frame.from;
    frames.length = depth;
  }
}

/** A step of `clock` (an optimizer, or 'backward') is done. */
export function tick(clock: unknown): void {
  const frame = frames[frames.length - 1] as Frame;
  if (frame.clock !== clock) {
    // An optimizer is a better clock than backward(), and a clock that has stopped is replaced.
    const isBetter = frame.clock === undefined || (frame.clock === 'backward' && clock !== 'backward');
    const isStopped = ++frame.missed > PATIENCE;
    if (!isBetter && !isStopped) return;
    frame.clock = clock;
    frame.since = made.length;
    frame.missed = 0;
    return;
  }
  frame.missed = 0;
  enqueueFrom(frame.since);
  nextRound();
}

function nextRound(): void {
  round++;
  const bytesFull = big.bytes > Math.max(limits.bytes, big.trigger);
  const countFull = small.slots.length > Math.max(limits.smallCount, small.trigger);
  if (bytesFull || countFull) collect(bytesFull, countFull);
}

function enqueueFrom(from: number): void {
  if (made.length <= from) return;
  for (let i = from; i < made.length; i++) enqueue(made[i] as Slot);
  made.length = from;
}

function enqueue(slot: Slot): void {
  if (slot.isKept || slot.handle === GONE) return;
  if (!slot.shape) {
    const { usedIn } = slot;
    look(slot, 'enqueue');
    slot.usedIn = usedIn;
  }
  const size = byteCount(slot);
  const queue = size > limits.smallBytes ? big : small;
  queue.slots.push(slot);
  queue.bytes += size;
}

/** Inside of one endless round: dead slots are dropped, and when that is not enough, the older half of the round is left to the finalizer. */
function forgetOldest(): void {
  const from = (frames[frames.length - 1] as Frame).from;
  const alive = made.filter((slot) => slot.handle !== GONE && !slot.isKept);
  const excess = alive.length > limits.roundCount / 2 ? Math.floor((made.length - from) / 2) : 0;
  const rest: Slot[] = [];
  const moved = new Map<number, number>();
  const marks = new Set(frames.flatMap((frame) => [frame.from, frame.since]));
  made.forEach((slot, i) => {
    if (marks.has(i)) moved.set(i, rest.length);
    const isForgotten = i >= from && i < from + excess;
    if (!isForgotten && slot.handle !== GONE && !slot.isKept) rest.push(slot);
  });
  for (const frame of frames) {
    frame.from = moved.get(frame.from) ?? rest.length;
    frame.since = moved.get(frame.since) ?? rest.length;
  }
  made = rest;
}

/** Releases the oldest candidates until the queues are half full, so that the roots are not searched in every round. */
function collect(bytesFull: boolean, countFull: boolean): void {
  let reachable: Set<Slot> | undefined;
  const mustStay = (slot: Slot): boolean => {
    if (slot.usedIn > round - IDLE_ROUNDS) return true;
    reachable ??= reachableSlots();
    return reachable.has(slot);
  };
  if (bytesFull) {
    sweep(big, (queue) => queue.bytes > limits.bytes / 2, mustStay);
    big.trigger = big.bytes > limits.bytes / 2 ? big.bytes * 2 : 0;
  }
  if (countFull) {
    let left = small.slots.length;
    sweep(small, () => left-- > limits.smallCount / 2, mustStay);
    small.trigger = small.slots.length > limits.smallCount / 2 ? small.slots.length * 2 : 0;
  }
}

/** Goes once through the queue, oldest first. What must stay goes to its end. */
function sweep(queue: Queue, isTooFull: (queue: Queue) => boolean, mustStay: (slot: Slot) => boolean): void {
  const stay: Slot[] = [];
  let i = 0;
  for (; i < queue.slots.length; i++) {
    const slot = queue.slots[i] as Slot;
    if (slot.handle !== GONE && !slot.isKept) {
      if (!isTooFull(queue)) break;
      if (mustStay(slot)) {
        stay.push(slot);
        continue;
      }
      release(slot, 'queue');
    }
    queue.bytes -= byteCount(slot);
  }
  queue.slots = queue.slots.slice(i).concat(stay);
}

// -- runs of cells -----------------------------------------------------------------------------------------------------

interface Owner {
  slots: Slot[];
  keep: readonly unknown[];
}
const owners = new Map<string, Owner>();
let running: string | undefined;

/** A cell begins to run. What its former run made becomes a candidate. */
export function beginRun(owner: string): void {
  endRun([]);
  const former = owners.get(owner);
  owners.delete(owner);
  for (const slot of former?.slots ?? []) enqueue(slot);
  running = owner;
  nextRound();
}

/**
 * The run ends. `keep` are the values of the cell's variables and its result: tensors in them stay until the cell has run
 * again and they are reachable from nowhere else. The rest of the run becomes candidates at the next run of the cell.
 */
export function endRun(keep: Iterable<unknown>): void {
  if (running !== undefined) owners.set(running, { slots: made.filter((slot) => slot.handle !== GONE && !slot.isKept), keep: [...keep] });
  running = undefined;
  made = [];
  frames = [newFrame(0)];
  round++;
}

/** The cell is deleted: nothing of it is kept on its account. */
export function forgetRun(owner: string): void {
  for (const slot of owners.get(owner)?.slots ?? []) enqueue(slot);
  owners.delete(owner);
}

// -- roots -------------------------------------------------------------------------------------------------------------

const slotKey = Symbol('slot');
/** Under this key a Tensor gives its slot to the search. */
export { slotKey };

function reachableSlots(): Set<Slot> {
  const found = new Set<Slot>();
  const seen = new Set<unknown>();
  let level: unknown[] = [...hooks.roots()];
  for (const owner of owners.values()) level.push(...owner.keep);
  for (let depth = 0; depth <= ROOT_DEPTH && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (value === null || (typeof value !== 'object' && typeof value !== 'function')) continue;
      if (seen.has(value) || seen.size > ROOT_VALUES) continue;
      seen.add(value);
      try {
        const slot = (value as { [slotKey]?: Slot })[slotKey];
        if (slot) found.add(slot);
        else next.push(...partsOf(value));
      } catch {
        // A proxy may refuse any question; what it hides cannot be kept for it.
      }
    }
    level = next;
  }
  return found;
}

function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value.slice(0, ROOT_VALUES);
  if (value instanceof Map) return [...value.values(), ...value.keys()];
  if (value instanceof Set) return value;
  return ArrayBuffer.isView(value) ? [] : ownValues(value);
}

/** Values of own properties; getters are not called, since they may do anything. */
function ownValues(value: object): unknown[] {
  const values: unknown[] = [];
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property && 'value' in property) values.push(property.value);
  }
  return values;
}

/** For tests and displays: what waits to be released. */
export function waiting(): { readonly bytes: number; readonly count: number } {
  return { bytes: big.bytes + small.bytes, count: big.slots.length + small.slots.length };
}
