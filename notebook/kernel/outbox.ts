// Decides when the kernel speaks. Everything that can come in floods (console, chart updates, metrics, status) waits
// in a source and leaves in one go: what somebody waits for within 16 ms, logged numbers a few times a second. Works in loops
// that never give way, because whoever adds to a source calls `poll`, which reads the clock.
import type { KernelEvent } from '../protocol/messages.ts';

export type Send = (event: KernelEvent, transfer?: Transferable[]) => void;

/** Time between two flushes when somebody waits for what leaves; one frame of the page. */
export const FLUSH_MS = 16;
/** The most that logged numbers wait, and what is sent of its own accord in loops that log nothing. */
export const NUMBERS_MS = 250;
/** Numbers wait this share of the time since the first of them came. */
const NUMBERS_SHARE = 1 / 8;

/**
 * How long numbers may wait that are logged so long after the first. A page that is told of every few steps is busy with hearing of
 * them (about half a millisecond each), and the training wants the processor that it takes.
 */
export const numbersWait = (sinceFirstMs: number): number => Math.min(NUMBERS_MS, Math.max(FLUSH_MS, NUMBERS_SHARE * sinceFirstMs));

export class Outbox {
  readonly send: Send;
  readonly now: () => number;
  readonly #later: (task: () => void, ms: number) => unknown;
  readonly #sources: (() => void)[] = [];
  #flushedAt = -Infinity;
  /** When the next flush is to be. */
  #dueAt = -Infinity;
  /** Something was added since the last flush. */
  #isWaiting = false;
  /** For when the timer is set that counts; one for an earlier time takes its place. */
  #timerAt = Infinity;

  /** `later` is the real `setTimeout`, which cells cannot replace. */
  constructor(send: Send, now: () => number, later: (task: () => void, ms: number) => unknown) {
    this.send = send;
    this.now = now;
    this.#later = later;
  }

  /** A source sends what it holds when it is called, and nothing when it holds nothing. */
  addSource(drain: () => void): void {
    this.#sources.push(drain);
  }

  /** Call after adding to a source: it leaves now when the last flush is so long ago, else when it will be. */
  poll(waitMs = FLUSH_MS): void {
    this.#isWaiting = true;
    this.#dueAt = Math.min(this.#dueAt, this.#flushedAt + waitMs);
    this.turn();
  }

  /** Call now and then: flushes when it is time. */
  turn(): void {
    if (this.now() >= this.#dueAt) this.flush();
    else if (this.#isWaiting && this.#dueAt < this.#timerAt) this.#setTimer(this.#dueAt);
  }

  flush(): void {
    // First, so that a source that fails does not make every later call fail at full speed.
    this.#flushedAt = this.now();
    this.#dueAt = this.#flushedAt + NUMBERS_MS;
    this.#isWaiting = false;
    for (const drain of this.#sources) drain();
  }

  #setTimer(at: number): void {
    this.#timerAt = at;
    this.#later(() => {
      if (this.#timerAt !== at) return;
      this.#timerAt = Infinity;
      if (this.#isWaiting) this.turn();
    }, at - this.now());
  }
}
