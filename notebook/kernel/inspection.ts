// A variable in a few words, for the editor: what a tensor is and how its values spread, any other value on one line.
import type { TensorSummary, ValueSummary } from '../protocol/messages.ts';
import { ask } from './ask.ts';
import type { EngineLink, Tensor } from './engine.ts';
import { inspect } from './preview.ts';
import { elementCount, RANGE_LIMIT, statistics, typeText } from './printing.ts';

const BINS = 24;
const TEXT_LIMIT = 1200;

/** `found` is null when the name has no value. */
export function summarize(engine: EngineLink | null, name: string, found: { readonly value: unknown } | null, isDetailed: boolean): ValueSummary {
  if (!found) return { name, text: '', tensor: null };
  const { value } = found;
  const tensor = engine && ask(() => (engine.isTensor(value) ? value : null), null);
  if (!engine || !tensor) return { name, text: isDetailed ? cut(inspect(value)) : '', tensor: null };
  try {
    return { name, text: typeText(tensor), tensor: tensorSummary(engine, tensor, isDetailed) };
  } catch (error) {
    // A tensor that was given back has a shape no more; its error says so.
    return { name, text: cut(error instanceof Error ? error.message : String(error)), tensor: null };
  }
}

function tensorSummary(engine: EngineLink, tensor: Tensor, isDetailed: boolean): TensorSummary {
  const { shape, dtype, requiresGrad } = tensor;
  const facts = { shape: [...shape], dtype, requiresGrad };
  if (!isDetailed || elementCount(shape) > RANGE_LIMIT) return { ...facts, range: null, nonFinite: 0, histogram: null };
  const values = engine.readValues(tensor);
  const { range, nonFinite } = statistics(values);
  return { ...facts, range, nonFinite, histogram: range && range.max > range.min && dtype !== 'bool' ? histogram(values, range) : null };
}

function histogram(values: ArrayLike<number>, { min, max }: { min: number; max: number }): number[] {
  const counts = new Array<number>(BINS).fill(0);
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    if (!Number.isFinite(value)) continue;
    const bin = Math.min(BINS - 1, Math.floor(((value - min) / (max - min)) * BINS));
    counts[bin] = (counts[bin] as number) + 1;
  }
  return counts;
}

function cut(text: string): string {
  return text.length <= TEXT_LIMIT ? text : `${text.slice(0, TEXT_LIMIT)}…`;
}
