// A short sum of everything that a run showed, so that two runs can be compared: the same text, values, pictures and curves
// give the same sum. What depends on time alone (progress bars, how events were cut into pieces) does not count.
import type { Json } from '../notebook/document/json.ts';
import type { DisplayData, KernelEvent } from '../notebook/protocol/messages.ts';

export class Digest {
  private readonly displays = new Map<string, DisplayData>();
  private readonly streams = new Map<string, number>();
  private readonly curves = new Map<string, number>();
  /** Lines were left out, and which ones is a matter of time. */
  private isFlooded = false;
  private failure = '';

  add(event: KernelEvent): void {
    if (event.type === 'display' && event.data.kind !== 'progress') this.displays.set(event.displayId, event.data);
    else if (event.type === 'stream') {
      for (const { level, text, droppedLines } of event.chunks) {
        if (droppedLines) this.isFlooded = true;
        this.streams.set(level, hashText(text, this.streams.get(level)));
      }
    } else if (event.type === 'metrics') {
      event.names.forEach((name, i) => {
        const column = event.columns[i];
        if (column) this.curves.set(name, hashNumbers(column, hashNumbers(event.steps, this.curves.get(name))));
      });
    } else if (event.type === 'error') this.failure += `${event.name}: ${event.message}\n`;
  }

  /** The sum; two runs that showed the same have the same. */
  sum(): string {
    const shown = [...this.displays.values()].map((data) => hashText(JSON.stringify(data, plain)));
    const curves = [...this.curves].sort(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify([shown, this.isFlooded ? 'flood' : [...this.streams], curves, this.failure]);
  }
}

const START = 0x811c9dc5;

function hashText(text: string, from = START): number {
  let hash = from;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function hashNumbers(numbers: Float64Array, from = START): number {
  const words = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
  let hash = from;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
  return hash >>> 0;
}

/** Typed arrays by what they hold, and no names that belong to one run alone. */
function plain(key: string, value: unknown): unknown {
  if (key === 'controlId' || key === 'slot') return undefined;
  if (value instanceof Float64Array) return hashNumbers(value);
  if (value instanceof Uint8Array) return value.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, START);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/**
 * A sum over outputs in nbformat's words, for comparing a run with what a file holds. What looks other on another screen, as
 * pictures of charts do, counts by the words beside it; colours of terminals and the pieces that text came in do not count.
 */
export function sumOfSaved(outputs: readonly Json[]): string {
  const found: string[][] = [];
  for (const output of outputs) {
    if (typeof output !== 'object' || output === null || Array.isArray(output)) continue;
    const { output_type: type, data, text, name, ename, evalue } = output as { readonly [key: string]: Json };
    if (type === 'stream') {
      const last = found.at(-1);
      if (last?.[0] === 'stream' && last[1] === name) last[2] += joined(text);
      else found.push(['stream', String(name), joined(text)]);
    } else if (type === 'error') found.push(['error', joined(ename), joined(evalue)]);
    else if (typeof data === 'object' && data !== null && !Array.isArray(data)) {
      const bundle = data as { readonly [key: string]: Json };
      const spoken = ['text/plain', 'text/markdown', 'text/html', 'image/svg+xml', 'image/png', 'image/jpeg'].find((kind) => bundle[kind] !== undefined);
      found.push(['data', spoken ? joined(bundle[spoken]) : JSON.stringify(bundle)]);
    }
  }
  return JSON.stringify(found.map((parts) => parts.map((part) => part.trimEnd())));
}

const joined = (value: Json | undefined): string => (Array.isArray(value) ? value.join('') : value === undefined || value === null ? '' : String(value));

/** What "restart and run all" found, in words; `cells` are the numbers of those that differ. */
export function comparison(same: number, cells: readonly number[], isSaved = false): string {
  const what = isSaved ? 'the saved outputs' : 'before the restart';
  const outputs = (count: number) => `${count} ${count === 1 ? 'cell shows' : 'cells show'}`;
  if (cells.length === 0) return same === 0 ? 'There was nothing to compare with.' : `Reproducible: ${outputs(same)} the same as ${what}.`;
  const list = cells.length === 1 ? `cell ${cells[0]}` : `cells ${cells.slice(0, -1).join(', ')} and ${cells.at(-1)}`;
  return `Not the same as ${what}: ${list}.${same > 0 ? ` ${outputs(same)} the same.` : ''}`;
}
