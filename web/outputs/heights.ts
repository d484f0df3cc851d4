// How tall the outputs of a cell were when the same text ran before: known at the next run, so that nothing below moves. Before
// the first run, what its text says that it will show.
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

/** How tall each kind is without a height of its own, and what it has beside. What has no usual height gets some room. */
const HEIGHTS: Readonly<Record<Exclude<Expected['kind'], 'view' | 'call'>, { readonly usual: number; readonly beside: number }>> = {
  chart: { usual: 280, beside: 24 },
  heat: { usual: 280, beside: 46 },
  html: { usual: 240, beside: 0 },
  control: { usual: 32, beside: 0 },
  download: { usual: 32, beside: 0 },
  progress: { usual: 22, beside: 0 },
  prose: { usual: 34, beside: 0 },
  line: { usual: 21, beside: 0 },
  // What a loop writes scrolls inside itself.
  lines: { usual: 100, beside: 0 },
  table: { usual: 203, beside: 0 },
  picture: { usual: 160, beside: 0 },
  images: { usual: 110, beside: 0 },
};
const Y_LABEL = 18;
const TABLE_ROW = 29;
const TABLE_MOST = 420;
/** Live views of small models, on a wide screen. */
const VIEWS: Readonly<Record<string, number>> = {
  digitPad: 320, confusion: 416, mistakes: 420, calibration: 320, histograms: 611, filters: 128, featureMaps: 320, saliency: 208, surface: 360,
  embedding: 445, landscape: 377, health: 464, timeline: 40, rateFinder: 284, sweep: 408,
};
const VIEW = 320;

function heightOf({ kind, height, hasYLabel, name, rows }: Expected): number {
  if (kind === 'call') return 0;
  if (kind === 'view') return VIEWS[name] ?? VIEW;
  if (kind === 'table' && rows !== null) return Math.min(TABLE_MOST, (rows + 1) * TABLE_ROW);
  return (height ?? HEIGHTS[kind].usual) + HEIGHTS[kind].beside + (hasYLabel ? Y_LABEL : 0);
}

/** The room that a cell which never ran will need for what it is going to show; of what nobody knows the size of, one line. */
export function roomFor(expected: readonly Expected[]): number {
  const heights = expected.map(heightOf).filter((height) => height > 0);
  return heights.length === 0 ? 0 : PADDING + heights.reduce((sum, height) => sum + height + GAP, -GAP);
}
