// The room under a cell while it runs. What stands below keeps its place in view: outputs that need more room than was kept
// scroll inside it, with a button that shows them all. Where growing moves nothing that anybody sees, they grow.
import { h, setText } from '../dom.ts';

/** Browsers count what moves within half a second of a press as an answer to it. */
const ANSWER_MS = 400;
/** Room that a reader who asks for all outputs gets on top, for what is still to come. */
const MORE = 240;
/** Less room than this shows nothing. */
const LINE = 30;
/** Nobody sees what happens so far outside of the view. */
const MARGIN = '200px';

let press: { readonly at: number; readonly target: Node | null } = { at: Number.NEGATIVE_INFINITY, target: null };
let touchedAt = Number.NEGATIVE_INFINITY;
for (const type of ['pointerdown', 'keydown']) {
  addEventListener(type, ({ target }) => { press = { at: performance.now(), target: target instanceof Node ? target : null }; }, { capture: true, passive: true });
}
for (const type of ['pointerdown', 'keydown', 'wheel', 'touchmove']) addEventListener(type, () => { touchedAt = performance.now(); }, { capture: true, passive: true });

let resizedAt = Number.NEGATIVE_INFINITY;
addEventListener('resize', () => { resizedAt = performance.now(); }, { passive: true });

let askedAt = Number.NEGATIVE_INFINITY;

/** Somebody has asked for a run, now. */
export function runAsked(): void {
  askedAt = performance.now();
}

const isAnswer = () => performance.now() - press.at < ANSWER_MS;
/** Nothing was pressed or scrolled since the run was asked for: whoever asked still waits for it. */
const isWaitedFor = () => touchedAt <= askedAt;

/** Space that turned out not to be needed goes, and outputs come to their full height, when nobody sees it. */
const unseen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (!isIntersecting) rooms.get(target)?.settle();
}, { rootMargin: MARGIN });
const rooms = new WeakMap<Element, Room>();
/** Those whose outputs do not fit, of cells that run and of others. */
const bounded = new Set<Room>();

/** Nothing runs any more. Who has waited for it gets to see all of it. */
export function settleWaitedFor(): void {
  if (isWaitedFor()) for (const room of [...bounded]) room.settle();
}

/** What is in the room, as far as it matters. */
export interface Contents {
  /** How tall everything is, unbounded. */
  height(): number;
  /** Gives what can scroll inside itself less room, by so much; or its own height again (0). False when that is not possible. */
  shrink(by: number): boolean;
  /** Whether the latest is at the end, and what stands before it need not stay in view. */
  followsEnd(): boolean;
}

export class Room {
  readonly #element: HTMLElement;
  readonly #contents: Contents;
  readonly #sizes = new ResizeObserver(() => this.#fit());
  #held = 0;
  /** A cell runs or waits: the height is what was kept, whatever comes. */
  #isHeld = false;
  #button: HTMLButtonElement | null = null;
  #scrolledTo = 0;

  constructor(element: HTMLElement, contents: Contents) {
    this.#element = element;
    this.#contents = contents;
    rooms.set(element, this);
  }

  /** The height that is kept. */
  get held(): number {
    return this.#held;
  }

  /** Something new stands in it. */
  watch(item: Element): void {
    this.#sizes.observe(item);
  }

  forget(item: Element): void {
    this.#sizes.unobserve(item);
  }

  /** Keeps at least this height. */
  keep(height: number): void {
    unseen.unobserve(this.#element);
    this.#hold(Math.max(height, this.#held));
  }

  /** From now on nothing that comes makes it taller at the cost of what is below. */
  begin(): void {
    this.#isHeld = true;
    this.#hold(this.#held);
  }

  /** The cell has ended, or will not run: spare room goes, when nobody sees it. */
  end(): void {
    this.#fit();
    this.#isHeld = false;
    if (bounded.has(this)) return unseen.observe(this.#element);
    this.#element.classList.remove('cut-off', 'roomless');
    this.#element.style.maxHeight = '';
    const reserved = this.#held;
    this.#element.style.minHeight = '';
    if (reserved > this.#element.offsetHeight) {
      this.#element.style.minHeight = `${reserved}px`;
      unseen.observe(this.#element);
    } else this.#held = 0;
  }

  /** The height that all that stands here needs, at once. */
  settle(): void {
    if (this.#isHeld) return this.#grow(this.#contents.height());
    unseen.unobserve(this.#element);
    this.#unbind();
    this.#element.classList.remove('cut-off', 'roomless');
    this.#held = 0;
    this.#element.style.minHeight = '';
    this.#element.style.maxHeight = '';
  }

  #hold(height: number): void {
    this.#held = height;
    this.#element.style.minHeight = height > 0 ? `${height}px` : '';
    this.#element.style.maxHeight = this.#isHeld && this.#element.isConnected ? `${height}px` : '';
    if (this.#isHeld) this.#element.classList.toggle('roomless', height === 0);
  }

  #grow(height: number): void {
    this.#unbind();
    this.#hold(height);
  }

  /** After the browser has measured what stands here, before it draws. */
  #fit(): void {
    if (!this.#isHeld || !this.#element.isConnected || this.#element.offsetParent === null) return;
    const wanted = this.#contents.height();
    // What the run has not replaced yet may reach further: it is cut off.
    this.#element.classList.toggle('cut-off', this.#element.scrollHeight > this.#held + 1);
    if (wanted <= this.#held + 1) return bounded.has(this) ? this.#unbind() : undefined;
    if (this.mayGrow()) return this.#grow(wanted);
    this.#bind(wanted);
  }

  /** Growing moves nothing that anybody sees, or answers what somebody has just done. */
  mayGrow(): boolean {
    const { top, bottom } = this.#element.getBoundingClientRect();
    if (bottom >= innerHeight) return true;
    // The browser keeps what is in view in its place when something above it grows.
    if (bottom < 0 && top < 0 && CSS.supports('overflow-anchor', 'auto')) return true;
    // Everything finds a new place in a window of another size.
    if (performance.now() - resizedAt < ANSWER_MS) return true;
    if (!isAnswer()) return false;
    const cell = this.#element.closest('.cell');
    return askedAt >= press.at || cell?.contains(press.target) === true;
  }

  #bind(wanted: number): void {
    bounded.add(this);
    const { style, dataset } = this.#element;
    dataset.bounded = '';
    style.maxHeight = `${this.#held}px`;
    this.#contents.shrink(wanted - this.#held);
    if (this.#contents.followsEnd()) this.#followEnd();
    this.#showButton();
  }

  /** To the newest, unless a reader has gone elsewhere. */
  #followEnd(): void {
    if (this.#element.scrollTop < this.#scrolledTo - 1) return;
    this.#element.scrollTop = this.#element.scrollHeight;
    this.#scrolledTo = this.#element.scrollTop;
  }

  #showButton(): void {
    this.#button ??= h('button', { class: 'show-all', type: 'button', on: { click: () => this.#open() } }, 'Show all');
    const button = this.#button;
    if (!button.isConnected) this.#element.after(button);
    setText(button, this.#element.querySelector('.error-out') ? 'Show the error' : this.#held < LINE ? 'Show the output' : 'Show all');
    const { offsetTop, offsetHeight } = this.#element;
    button.toggleAttribute('data-placeless', this.#held < LINE);
    button.style.setProperty('--end', `${offsetTop + Math.max(offsetHeight - 30, -24)}px`);
  }

  /** A reader wants to see it all, and a little room for what comes next. */
  #open(): void {
    const isRunning = this.#isHeld;
    this.settle();
    if (isRunning) this.#hold(this.#held + MORE);
    // The button is gone; the keyboard goes on from the outputs' cell.
    this.#element.closest<HTMLElement>('.cell')?.focus({ preventScroll: true });
  }

  #unbind(): void {
    if (!bounded.delete(this)) return;
    delete this.#element.dataset.bounded;
    this.#contents.shrink(0);
    this.#scrolledTo = 0;
    this.#button?.remove();
  }
}
