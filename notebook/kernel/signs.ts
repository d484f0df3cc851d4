// How a run that never gives way hears of Stop and Pause when threads share no memory. The frame has put up rows of signs,
// empty scripts behind addresses of its own, and takes some of the next row down for each word it has for the run. Whether a
// sign is up can be seen at once, without a turn of the event loop: its script loads, or does not.
import { PAUSE, SIGN_ROW, SIGN_WORDS } from '../protocol/frame.ts';

/** A run counts as deaf when messages have had no turn for so long. */
const DEAF_MS = 300;
/** A deaf run looks this often; one look takes about a millisecond. */
const LOOK_MS = 150;

export interface SignHost {
  readonly count: number;
  /** Whether the sign with this number, from 0, is up. */
  isUp(number: number): boolean;
}

export class Signs {
  readonly #host: SignHost;
  readonly #now: () => number;
  #next = 0;
  #heardAt = 0;
  #lookedAt = 0;
  #isStop = false;
  #pause: number = PAUSE.off;

  constructor(host: SignHost, now: () => number) {
    this.#host = host;
    this.#now = now;
  }

  /** A run begins or has ended: signs that were taken down before say nothing about what comes. */
  pass(): void {
    while (this.#read()) {}
    this.#isStop = false;
    this.#pause = PAUSE.off;
    this.heard();
  }

  /** Messages have had their turn. */
  heard(): void {
    this.#heardAt = this.#now();
  }

  /** True, from then on, when the run is deaf and was told to stop. Loops may ask as often as they like. */
  isStop(): boolean {
    this.#look();
    return this.#isStop;
  }

  /** What the run was last told of standing still, when it is deaf. */
  pause(): number {
    this.#look();
    return this.#pause;
  }

  /** The run has done the one step that it was let go for. */
  stepped(): void {
    if (this.#pause === PAUSE.step) this.#pause = PAUSE.on;
  }

  #look(): void {
    const now = this.#now();
    if (this.#isStop || now - this.#heardAt < DEAF_MS || now - this.#lookedAt < LOOK_MS) return;
    while (this.#read()) {}
    this.#lookedAt = this.#now();
  }

  /** Takes in the next word; false when there is none yet. */
  #read(): boolean {
    const at = this.#next * SIGN_ROW;
    // The first of a row goes last: when it is down, the others tell which word it is.
    if (at >= this.#host.count || this.#host.isUp(at)) return false;
    const word = (this.#host.isUp(at + 1) ? 0 : 1) + (this.#host.isUp(at + 2) ? 0 : 2);
    if (word === SIGN_WORDS.stop) this.#isStop = true;
    else this.#pause = word - SIGN_WORDS.pause;
    this.#next += 1;
    return true;
  }
}
