// When charts and views are drawn: at most a few milliseconds in one animation frame, what can be seen before what cannot, and while
// something trains a small share of the time, since the training wants the processor that drawing takes.

interface Turn {
  draw(): void;
  /** Something that the reader did: it shows at once. */
  isAsked: boolean;
  /** What is drawn into, to know whether it can be seen. */
  readonly element: Element;
}

/** Drawing in one frame ends when it has taken so long; what is left waits for the next. */
const SLICE_MS = 4;
/**
 * While something trains, the pause after a frame in which something was drawn: at least so long, since each frame is laid out,
 * painted and put together for the whole page, and so many times as long as it took. Longer where a training uses all processors:
 * one that is taken away for a frame holds up the other, too.
 */
const GENTLE_MS = navigator.hardwareConcurrency > 2 ? 300 : 500;
const REST = 20;
/** A machine with too much to do holds up single frames for seconds; what is shown still follows. */
const MOST_REST_MS = 3000;

const waiting = new Map<object, Turn>();
const outOfSight = new WeakSet<Element>();
const watched = new WeakSet<Element>();
/** Who wants to hear whether an element can be seen. */
const watchers = new WeakMap<Element, (isSeen: boolean) => void>();
const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) outOfSight.delete(target);
    else outOfSight.add(target);
    watchers.get(target)?.(isIntersecting);
  }
  ask();
}, { rootMargin: '100px' });
/** Tells when the browser has put the drawn frame on the screen: with what was drawn, laid out and painted. */
const frameDone = new MessageChannel();
let frameBegan = 0;
let restsUntil = 0;
let isGentle = false;
let request = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

const rest = (cost: number): number => Math.min(MOST_REST_MS, Math.max(GENTLE_MS, REST * cost));

frameDone.port1.onmessage = () => { restsUntil = Math.max(restsUntil, performance.now() + rest(performance.now() - frameBegan)); };

/** Draws `owner` at one of the next frames; many calls before it count as one. News of what cannot be seen wait until it can, or until nothing trains. */
export function drawSoon(owner: object, element: Element, draw: () => void, isAsked = false): void {
  observe(element);
  const turn = waiting.get(owner);
  if (turn) Object.assign(turn, { draw, isAsked: turn.isAsked || isAsked });
  else waiting.set(owner, { draw, isAsked, element });
  ask();
}

function observe(element: Element): void {
  if (watched.has(element)) return;
  watched.add(element);
  sight.observe(element);
}

/** Tells, soon and then with each change, whether an element can be seen. */
export function watchSight(element: Element, tell: (isSeen: boolean) => void): void {
  watchers.set(element, tell);
  observe(element);
}

/** Forgets what has left the page. */
export function drawNever(owner: object): void {
  waiting.delete(owner);
}

/** Something trains: drawing takes a small share of the time, and only what can be seen. */
export function drawGently(isTraining: boolean): void {
  isGentle = isTraining;
  ask();
}

const isDue = (turn: Turn): boolean => turn.isAsked || !isGentle || !outOfSight.has(turn.element);

function ask(): void {
  if (request) return;
  const due = [...waiting.values()].filter(isDue);
  if (!due.length) return;
  const wait = isGentle && !due.some(({ isAsked }) => isAsked) ? restsUntil - performance.now() : 0;
  clearTimeout(timer);
  // An animation frame that draws nothing costs a layout of the page all the same.
  if (wait > 0) timer = setTimeout(ask, wait);
  else request = requestAnimationFrame(run);
}

function run(): void {
  request = 0;
  frameBegan = performance.now();
  const isResting = isGentle && frameBegan < restsUntil;
  let isNews = false;
  for (const [owner, turn] of waiting) {
    if (!isDue(turn) || (!turn.isAsked && (isResting || performance.now() - frameBegan > SLICE_MS))) continue;
    isNews ||= !turn.isAsked;
    waiting.delete(owner);
    turn.draw();
  }
  if (isNews && isGentle) {
    // Until the frame is done nobody knows what it costs.
    restsUntil = frameBegan + rest(performance.now() - frameBegan);
    frameDone.port2.postMessage(null);
  }
  ask();
}
