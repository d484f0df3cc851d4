// How amounts are said all over the page.

/** 1.6 MB, 212 MB, 3.1 GB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** 3 ms, 1.8 s, 12.4 s, 2 min 05 s. */
export function formatDuration(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < 950) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h ${String(Math.floor(seconds / 60) % 60).padStart(2, '0')} min`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** Between thousands: narrow, and no line ends there. */
const THIN = '\u202f';

/** Thousands set apart: 12 345. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US').replace(/,/g, THIN);
}

/** The same for whole numbers within a sentence; decimals and names are left alone. */
export function spaceCounts(words: string): string {
  return words.replace(/(?<![\w.])\d{4,}(?![\w.]*\w)/g, (digits) => formatCount(Number(digits)));
}
