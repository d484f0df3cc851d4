// Standing still in the middle of a run, and going on by single steps. A loop that gives way hears of it by message and
// waits at its next breath. A loop of a cell that awaits things of its own and never breathes waits where its next round begins.
// A loop that never gives way is deaf: it sees the shared memory and sleeps on it.
import { PAUSE, SHARED } from '../protocol/frame.ts';

/** Time a message has to arrive before the shared memory alone makes a run stand still. */
const DEAF_MS = 250;
/** Time a loop has to come to its next breath before it waits at the beginning of a round. */
const BREATHLESS_MS = 100;
/** A sleeping run wakes this often to look whether it was stopped. */
const NAP_MS = 200;

export interface PauseHost {
  readonly shared: Int32Array | null;
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
  /** When the shared memory was first seen to ask for what no message has asked for. */
  #seenAt: number | null = null;
  /** The running loop gives no way: it steps by the shared memory too. */
  #isDeaf = false;
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
    const { shared } = this.#host;
    if (shared && shared.length > SHARED.pause) Atomics.store(shared, SHARED.pause, PAUSE.off);
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

  /** For loops that never breathe: stands still here and now when the shared memory says so and nothing else made the run do so. */
  block(): void {
    const { shared, now } = this.#host;
    if (!shared || shared.length <= SHARED.pause) return;
    const asked = Atomics.load(shared, SHARED.pause);
    if (asked === PAUSE.off) this.#seenAt = null;
    if (asked === PAUSE.off || (asked === PAUSE.step && !this.#isPaused)) return;
    if (!this.#isDeaf) {
      if (this.#mode !== 'off' && (this.#hasBreathed || this.#waitsAtRounds)) return;
      this.#seenAt ??= this.#mode === 'off' ? now() : this.#askedAt;
      if (now() - this.#seenAt < DEAF_MS) return;
      this.#isDeaf = true;
    }
    this.#report(true);
    while (Atomics.load(shared, SHARED.pause) === PAUSE.on && !this.#host.isStopped()) Atomics.wait(shared, SHARED.pause, PAUSE.on, NAP_MS);
    this.#report(false);
  }

  /** A step is done: a deaf run that was let go for one stands still again. */
  stepped(): void {
    const { shared } = this.#host;
    if (this.#isDeaf && shared) Atomics.compareExchange(shared, SHARED.pause, PAUSE.step, PAUSE.on);
  }

  #report(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.#host.report(isPaused);
  }
}
