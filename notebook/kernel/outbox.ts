// Decides when the kernel speaks. Everything that can come in floods (console, chart updates, metrics, status) waits
// in a source and leaves in one go, at most once per 16 ms. Works in loops that never give way, because whoever adds
// to a source calls `poll`, which reads the clock.
import type { KernelEvent } from '../protocol/messages.ts';

export type Send = (event: KernelEvent, transfer?: Transferable[]) => void;

/** Time between two flushes; one frame of the page. */
export const FLUSH_MS = 16;

export class Outbox {
  readonly send: Send;
  readonly now: () => number;
  readonly #later: (task: () => void, ms: number) => unknown;
  readonly #sources: (() => void)[] = [];
  #flushedAt = -Infinity;
  #isScheduled = false;

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

  /** Call after adding to a source. Sends now when the last flush is long ago, else soon. */
  poll(): void {
    if (this.now() - this.#flushedAt >= FLUSH_MS) {
      this.flush();
    } else if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#later(() => {
        this.#isScheduled = false;
        this.flush();
      }, FLUSH_MS);
    }
  }

  flush(): void {
    // First, so that a source that fails does not make every later call fail at full speed.
    this.#flushedAt = this.now();
    for (const drain of this.#sources) drain();
  }
}
