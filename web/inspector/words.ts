// How the inspector writes numbers; the canvas (ui/view.cpp) writes them the same way.
import { formatCount } from '../shell/words.ts';

const three = (value: number, unit: string) => `${value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)} ${unit}`;

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes.toFixed(0)} B`;
  if (bytes < 1e6) return three(bytes / 1e3, 'kB');
  if (bytes < 1e9) return three(bytes / 1e6, 'MB');
  return three(bytes / 1e9, 'GB');
}

export const millisecondsText = (ms: number): string => (ms < 1 ? `${ms.toFixed(3)} ms` : three(ms, 'ms'));

export function countText(count: number): string {
  // A thing that one step in many does may be less than one.
  if (!(count >= 0.5)) return '';
  if (count < 1e3) return count.toFixed(0);
  if (count < 1e6) return three(count / 1e3, 'k');
  if (count < 1e9) return three(count / 1e6, 'M');
  return three(count / 1e9, 'G');
}

export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value);
  return size >= 1e6 || size < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}

export const wholeText = (value: number): string => (Number.isFinite(value) ? formatCount(Math.round(value)) : '');
