// One drawing turn per animation frame for all charts. A chart that is slow to draw is asked less often.

interface Turn {
  draw: () => void;
  costMs: number;
  earliest: number;
}

const waiting = new Map<object, Turn>();
let isAsked = false;

/** Draws `owner` at the next frame; many calls before it count as one. */
export function drawSoon(owner: object, draw: () => void): void {
  const turn = waiting.get(owner);
  if (turn) turn.draw = draw;
  else waiting.set(owner, { draw, costMs: 0, earliest: costs.get(owner) ?? 0 });
  ask();
}

const costs = new WeakMap<object, number>();

function ask(): void {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(run);
}

function run(now: number): void {
  isAsked = false;
  for (const [owner, turn] of waiting) {
    if (turn.earliest > now) continue;
    waiting.delete(owner);
    const start = performance.now();
    turn.draw();
    const spent = performance.now() - start;
    // Never more than a third of the time goes into drawing one chart.
    costs.set(owner, now + (spent > 5 ? spent * 3 : 0));
  }
  if (waiting.size) ask();
}

/** Forgets a chart that has left the page. */
export function drawNever(owner: object): void {
  waiting.delete(owner);
}
