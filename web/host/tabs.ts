// One tab at a time may change a notebook (Web Locks). The others hear when it saves, may ask it to let go, and get the
// notebook when it does or is closed. Where the browser has no locks every tab holds what it opens; then only storage.ts
// sees that another tab has written.

/** How long a tab that is asked to let go may be silent: one that the browser has put to sleep does not answer at all. */
const PATIENCE_MS = 1500;
/** How long one may take that has answered: it is saving. */
const SAVING_MS = 15_000;
/** Waiting is counted in turns of this page, so that an answer is heard that came while the page was held up. */
const TURN_MS = 250;

type Message = { readonly type: 'let go' | 'heard' | 'saved'; readonly key: string };

export interface HoldHost {
  /** The notebook is this tab's from now on. */
  gained(): void;
  /** It is another tab's. `isAsked`: after `letGo` had its time. */
  lost(isAsked: boolean): void;
  /** Saves what is not saved yet. */
  letGo(): Promise<void>;
  /** The tab that holds it has saved. */
  saved(): void;
}

const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel('gradbook') : null;
const locks: LockManager | undefined = navigator.locks;
let current: Hold | null = null;

channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => current?.hear(data));

/** Another tab has saved some notebook. */
export function onSavedElsewhere(act: () => void): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'saved') act();
  });
}

/** What this tab has of the notebook that it shows. */
export class Hold {
  readonly key: string;
  isMine = false;
  readonly #host: HoldHost;
  #release: (() => void) | null = null;
  #waiting: AbortController | null = null;
  #isOver = false;
  /** Who holds it was asked to let go and has answered. */
  #isHeard = false;

  private constructor(key: string, host: HoldHost) {
    this.key = key;
    this.#host = host;
  }

  /** Lets go of the notebook before and tries to get this one; see `isMine`. */
  static async begin(key: string, host: HoldHost): Promise<Hold> {
    if (current?.key === key) return current;
    current?.end();
    current = new Hold(key, host);
    const hold = current;
    if (!locks) hold.isMine = true;
    else if (!(await hold.#get({ ifAvailable: true }))) hold.#wait();
    return hold;
  }

  /** Asks the other tab to let go; takes the notebook away from it when it does not answer. */
  takeOver(): void {
    if (this.isMine) return;
    channel?.postMessage({ type: 'let go', key: this.key } satisfies Message);
    this.#isHeard = false;
    let waited = 0;
    const turn = () => {
      if (this.isMine || this.#isOver) return;
      waited += TURN_MS;
      if (channel && waited <= (this.#isHeard ? SAVING_MS : PATIENCE_MS)) return void setTimeout(turn, TURN_MS);
      this.#waiting?.abort();
      void this.#get({ steal: true }).then((isMine) => { if (isMine) this.#host.gained(); });
    };
    turn();
  }

  /** To be called after each save. */
  tell(): void {
    channel?.postMessage({ type: 'saved', key: this.key } satisfies Message);
  }

  hear({ type, key }: Message): void {
    if (key !== this.key) return;
    if (type === 'saved' && !this.isMine) this.#host.saved();
    if (type === 'heard') this.#isHeard = true;
    if (type === 'let go' && this.isMine && locks) void this.#letGo();
  }

  end(): void {
    this.#isOver = true;
    this.isMine = false;
    this.#waiting?.abort();
    this.#release?.();
  }

  async #letGo(): Promise<void> {
    channel?.postMessage({ type: 'heard', key: this.key } satisfies Message);
    await this.#host.letGo();
    this.isMine = false;
    this.#release?.();
    this.#release = null;
    this.#host.lost(true);
    this.#wait();
  }

  #wait(): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    void this.#get({ signal: waiting.signal }).then((isMine) => { if (isMine) this.#host.gained(); });
  }

  /** False when the lock is another tab's, or nobody wants it any more. */
  #get(options: LockOptions): Promise<boolean> {
    return new Promise((resolve) => {
      let release: (() => void) | null = null;
      locks!.request(`gradbook notebook ${this.key}`, options, (lock) => {
        if (!lock || this.#isOver) return resolve(false);
        return new Promise<void>((done) => {
          release = done;
          this.#release = done;
          this.isMine = true;
          resolve(true);
        });
      }).catch((error: Error) => {
        // A browser that forbids locks forbids storage as well: there is nothing to agree about.
        if (error.name !== 'AbortError') this.isMine = true;
        // Given up before it came, or taken away afterwards.
        resolve(this.isMine && !release);
        if (!release || this.#release !== release || this.#isOver) return;
        this.isMine = false;
        this.#release = null;
        this.#host.lost(false);
        this.#wait();
      });
    });
  }
}
