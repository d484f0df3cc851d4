// Standing still in the middle of a run, and going on by single steps. A loop that gives way hears of it by message and
// waits at its next breath. A loop of a cell that awaits things of its own and never breathes waits where its next round begins.
// A loop that never gives way is deaf: it sees the shared memory and sleeps on it, or looks at signs where there is none.
import { PAUSE, SHARED } from '../protocol/frame.ts';
import type { Signs } from './signs.ts';

/** Time a message has to arrive before what reaches deaf loops alone makes a run stand still. */
const DEAF_MS = 250;
/** Time a loop has to come to its next breath before it waits at the beginning of a round. */
const BREATHLESS_MS = 100;
/** Time a deaf run has to come to the end of a step. */
const PLACE_MS = 1000;
/** A sleeping run wakes this often to look whether it was stopped. */
const NAP_MS = 200;

/** How a loop that never gives way hears what was asked for. */
export interface DeafWords {
  /** One of PAUSE. */
  asked(): number;
  /** Another run begins, or none runs: nothing is asked for. */
  forget(): void;
  /** The one step is done. */
  stepped(): void;
  /** Sleeps, at most so long, while it is to stand still. */
  nap(ms: number): void;
}

/** `memory` is written to by another thread, and laid out by SHARED. Null when it has no such place. */
export function sharedWords(memory: Int32Array): DeafWords | null {
  if (memory.length <= SHARED.pause) return null;
  return {
    asked: () => Atomics.load(memory, SHARED.pause),
    forget: () => void Atomics.store(memory, SHARED.pause, PAUSE.off),
    stepped: () => void Atomics.compareExchange(memory, SHARED.pause, PAUSE.step, PAUSE.on),
    nap: (ms) => void Atomics.wait(memory, SHARED.pause, PAUSE.on, ms),
  };
}

export function signWords(signs: Signs): DeafWords {
  let bed: Int32Array | null | undefined;
  return {
    asked: () => signs.pause(),
    // The session passes the signs when a run begins and ends.
    forget: () => {},
    stepped: () => signs.stepped(),
    nap: (ms) => {
      bed ??= sleepingPlace();
      if (bed) Atomics.wait(bed, 0, 0, ms / 2);
    },
  };
}

/** Memory to sleep on that nobody else has: shared memory may be made where it may not be given away. Null where not even that. */
function sleepingPlace(): Int32Array | null {
  try {
    return new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
  } catch {
    return null;
  }
}

export interface PauseHost {
  /** Null where nothing reaches a deaf loop. */
  readonly words: DeafWords | null;
  now(): number;
  /** True when the run must end: then it does not stand still. */
  isStopped(): boolean;
  /** Tells the page. Called before the run stands still, and when it goes on. */
  report(isPaused: boolean): void;
}

export class Pause {
  readonly #host: PauseHost;
  #mode: 'off' | 'on' | 'step' = 'off';
  /** Several loops of one run may wait. */
  #waiting = new Set<() => void>();
  /** When a deaf run was first seen to be asked for what no message has asked for. */
  #seenAt: number | null = null;
  /** The running loop gives no way: it steps by other words than messages, too. */
  #isDeaf = false;
  /** When it was last between two steps. */
  #placeAt = 0;
  #isPaused = false;
  /** The running loop breathes: it will wait there. */
  #hasBreathed = false;
  /** It has breathed since it was asked to stand still. */
  #breathesNow = false;
  /** Since the run was asked to stand still it has waited at the beginning of a round: it will wait there again. */
  #waitsAtRounds = false;
  /** When a message last asked the run to stand still. */
  #askedAt = 0;

  constructor(host: PauseHost) {
    this.#host = host;
  }

  /** A message of the page. */
  set(mode: 'off' | 'on' | 'step'): void {
    this.#mode = mode;
    this.#seenAt = null;
    if (mode === 'on') {
      this.#askedAt = this.#host.now();
      this.#breathesNow = false;
    }
    if (mode === 'off') this.#waitsAtRounds = false;
    if (mode !== 'on') this.release();
  }

  /** A run begins or ends: nothing stands still. */
  reset(): void {
    this.#host.words?.forget();
    this.#isDeaf = false;
    this.#isPaused = false;
    this.#hasBreathed = false;
    this.set('off');
  }

  /** For loops that await: what to wait for before the next step, or null. */
  gate(): Promise<void> | null {
    this.#hasBreathed = true;
    this.#breathesNow = true;
    return this.#nextStep();
  }

  /** For loops of cells that await: what to wait for before the next round, or null. Those that breathe wait at their breath. */
  round(): Promise<void> | null {
    if (this.#mode === 'off' || this.#breathesNow || this.#isDeaf) return null;
    if (!this.#waitsAtRounds && this.#host.now() - this.#askedAt < BREATHLESS_MS) return null;
    this.#waitsAtRounds = true;
    return this.#nextStep();
  }

  /** One step is the way to here from where the run was let go. */
  #nextStep(): Promise<void> | null {
    if (this.#mode === 'step') this.#mode = 'on';
    else if (this.#mode === 'off') return null;
    return this.#sleep();
  }

  async #sleep(): Promise<void> {
    this.#report(true);
    while (this.#mode === 'on' && !this.#host.isStopped()) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    this.#report(false);
  }

  /** The run was stopped: it must not wait any longer. */
  release(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /**
   * For loops that never breathe: stands still here and now when it is asked for and nothing else made the run do so.
   * `isPlace`: between two rounds, or where numbers were logged. In the midst of a step it stands still only when no such place comes.
   */
  block(isPlace: boolean): void {
    const { words, now } = this.#host;
    if (!words) return;
    if (isPlace) this.#placeAt = now();
    const asked = words.asked();
    if (asked === PAUSE.off) this.#seenAt = null;
    if (asked === PAUSE.off || (asked === PAUSE.step && !this.#isPaused)) return;
    if (!this.#isDeaf) {
      if (this.#mode !== 'off' && (this.#hasBreathed || this.#waitsAtRounds)) return;
      this.#seenAt ??= this.#mode === 'off' ? now() : this.#askedAt;
      if (now() - this.#seenAt < DEAF_MS) return;
      this.#isDeaf = true;
    }
    if (!isPlace && now() - this.#placeAt < PLACE_MS) return;
    this.#report(true);
    while (words.asked() === PAUSE.on && !this.#host.isStopped()) words.nap(NAP_MS);
    this.#placeAt = now();
    this.#report(false);
  }

  /** A step is done: a deaf run that was let go for one stands still again. */
  stepped(): void {
    if (this.#isDeaf) this.#host.words?.stepped();
  }

  #report(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.#host.report(isPaused);
  }
}
