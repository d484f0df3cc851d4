// How a run that never gives way hears of Stop when threads share no memory. The frame has put up a row of signs, empty
// scripts behind addresses of its own, and takes the next one down for each Stop. Whether a sign is up can be seen at
// once, without a turn of the event loop: its script loads, or does not.

/** A run counts as deaf when messages have had no turn for so long. */
const DEAF_MS = 300;
/** A deaf run looks this often; one look takes about a millisecond. */
const LOOK_MS = 150;

export interface SignHost {
  readonly count: number;
  /** Whether the sign with this number, from 0, is up. */
  isUp(number: number): boolean;
}

export class StopSigns {
  readonly #host: SignHost;
  readonly #now: () => number;
  #next = 0;
  #heardAt = 0;
  #lookedAt = 0;
  #isDown = false;

  constructor(host: SignHost, now: () => number) {
    this.#host = host;
    this.#now = now;
  }

  /** A run begins or has ended: signs that were taken down before say nothing about what comes. */
  pass(): void {
    this.#isDown = false;
    while (this.#next < this.#host.count && !this.#host.isUp(this.#next)) this.#next += 1;
    this.heard();
  }

  /** Messages have had their turn. */
  heard(): void {
    this.#heardAt = this.#now();
  }

  /** True, from then on, when the run is deaf and the next sign is down. Loops may ask as often as they like. */
  isStop(): boolean {
    if (this.#isDown) return true;
    const now = this.#now();
    if (now - this.#heardAt < DEAF_MS || now - this.#lookedAt < LOOK_MS || this.#next >= this.#host.count) return false;
    this.#isDown = !this.#host.isUp(this.#next);
    this.#lookedAt = this.#now();
    return this.#isDown;
  }
}
