// How tall the outputs of a cell were when the same text ran before: known at the next run, so that nothing below moves. Before
// the first run, what its text says that it will show.
import type { CompileAnswer } from '../editor/compiler.ts';
import type { Expected } from '../editor/expected.ts';

const PLACE = 'gradbook heights';
const MOST = 400;
// Those of the lessons, on a wide screen: tests/web/heights.mjs measures them.
type LessonHeights = Readonly<Record<string, { readonly cells: Readonly<Record<string, number>> }>>;
const LESSONS = Object.values(import.meta.glob<LessonHeights>('../../lessons/heights.json', { import: 'default', eager: true }))[0] ?? {};
const SHIPPED: Readonly<Record<string, number>> = Object.assign({}, ...Object.values(LESSONS).map(({ cells }) => cells));

let known: Map<string, number> | null = null;
let timer = 0;

function all(): Map<string, number> {
  if (known) return known;
  try {
    known = new Map(JSON.parse(localStorage.getItem(PLACE) ?? '[]') as [string, number][]);
  } catch {
    known = new Map();
  }
  return known;
}

/** A text in a few characters; a rare clash costs nothing but a wrong height. */
function keyOf(source: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source.charCodeAt(i), 0x01000193);
  return `${source.length.toString(36)}.${(hash >>> 0).toString(36)}`;
}

export function knownHeight(source: string): number | null {
  const key = keyOf(source);
  return all().get(key) ?? SHIPPED[key] ?? null;
}

export function rememberHeight(source: string, height: number): void {
  const key = keyOf(source);
  const heights = all();
  heights.delete(key);
  heights.set(key, height);
  for (const [oldest] of heights) {
    if (heights.size <= MOST) break;
    heights.delete(oldest);
  }
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    try {
      localStorage.setItem(PLACE, JSON.stringify([...heights]));
    } catch {
      // Heights are then known as long as the page lives.
    }
  }, 1000);
}

/** Above and below all outputs, and between two of them. */
export const PADDING = 16;
const GAP = 10;

/** How tall each kind is without a height of its own, and what it has beside. Tables and pictures have no usual height. */
const HEIGHTS: Readonly<Record<Expected['kind'], { readonly usual: number; readonly beside: number }>> = {
  chart: { usual: 280, beside: 24 },
  heat: { usual: 280, beside: 46 },
  html: { usual: 240, beside: 0 },
  control: { usual: 32, beside: 0 },
  download: { usual: 32, beside: 0 },
  progress: { usual: 22, beside: 0 },
  prose: { usual: 34, beside: 0 },
  line: { usual: 21, beside: 0 },
};
const Y_LABEL = 18;

/** The room that a cell which never ran will need for what it is sure to show; of what nobody knows the size of, one line. */
export function roomFor({ expected, doesPrint }: CompileAnswer): number {
  const all: readonly Expected[] = expected.length === 0 && doesPrint ? [{ kind: 'line', height: null, hasYLabel: false }] : expected;
  const heights = all.map(({ kind, height, hasYLabel }) => (height ?? HEIGHTS[kind].usual) + HEIGHTS[kind].beside + (hasYLabel ? Y_LABEL : 0));
  return heights.length === 0 ? 0 : PADDING + heights.reduce((sum, height) => sum + height + GAP, -GAP);
}

let inputAt = Number.NEGATIVE_INFINITY;
for (const type of ['pointerdown', 'keydown']) addEventListener(type, () => { inputAt = performance.now(); }, { capture: true, passive: true });

/** Somebody has just done something: what moves now is an answer to it. Browsers allow half a second. */
export function hasRecentInput(): boolean {
  return performance.now() - inputAt < 400;
}

/** Space that turned out not to be needed goes when nobody sees it go. */
const spare = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) continue;
    (target as HTMLElement).style.minHeight = '';
    spare.unobserve(target);
  }
}, { rootMargin: '200px' });

/** Ends a reservation: at once when the outputs fill it, later when that would move what is in view. */
export function endReservation(element: HTMLElement): void {
  const reserved = Number.parseFloat(element.style.minHeight) || 0;
  element.style.minHeight = '';
  if (reserved <= element.offsetHeight) return;
  element.style.minHeight = `${reserved}px`;
  spare.observe(element);
}

export function keepReservation(element: HTMLElement): void {
  spare.unobserve(element);
}
