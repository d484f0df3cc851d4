// Colours and fonts for canvases, read from the tokens; asks charts to redraw when the theme changes.

export interface ChartTheme {
  ink: string;
  soft: string;
  grid: string;
  axis: string;
  paper: string;
  raised: string;
  line: string;
  error: string;
  accent: string;
  series: string[];
  seriesText: string[];
  font: string;
}

let cached: ChartTheme | null = null;
const listeners = new Set<() => void>();

export function chartTheme(): ChartTheme {
  if (cached) return cached;
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  cached = {
    ink: token('--ink'),
    soft: token('--ink-soft'),
    grid: token('--chart-grid'),
    axis: token('--chart-axis'),
    paper: token('--paper'),
    raised: token('--raised'),
    line: token('--line-strong'),
    error: token('--error'),
    accent: token('--accent'),
    series: [1, 2, 3, 4, 5, 6].map((number) => token(`--series-${number}`)),
    seriesText: [1, 2, 3, 4, 5, 6].map((number) => token(`--series-text-${number}`)),
    font: token('--font-text'),
  };
  return cached;
}

/** Calls `listener` after each change of theme; returns how to stop. */
export function onChartTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** To be called once the tokens have changed. */
export function chartThemeChanged(): void {
  cached = null;
  for (const listener of listeners) listener();
}

/** The order in which series take colours: neighbours are easy to tell apart. */
const ORDER = [0, 3, 2, 4, 1, 5];

/** Colour of the series at `place` (0, 1, ...), counted from `start`. */
export function seriesColour(place: number, start = 0): number {
  return ORDER[(place + start) % ORDER.length]!;
}
