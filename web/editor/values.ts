// What variables hold after a run: shapes at the ends of lines, and the words of a hover. Knows neither Monaco nor the kernel.
import { signal, type Signal } from '@preact/signals-core';
import type { TensorSummary, ValueSummary } from '../../notebook/protocol/messages.ts';
import { formatValue } from '../charts/numbers.ts';
import { compileCell } from './compiler.ts';

/** Shapes of the tensors that a line declares. */
export interface ShapeHint {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Hints belong to this text and to no other. */
export interface ShapeHints {
  readonly source: string;
  readonly hints: readonly ShapeHint[];
}

export type Inspect = (cellId: string, names: readonly string[], isDetailed: boolean) => Promise<readonly ValueSummary[]>;

const NONE: ShapeHints = { source: '', hints: [] };
const shapes = new Map<string, Signal<ShapeHints>>();

export function shapesOf(cellId: string): Signal<ShapeHints> {
  let found = shapes.get(cellId);
  if (!found) shapes.set(cellId, (found = signal(NONE)));
  return found;
}

export function forgetShapes(): void {
  for (const each of shapes.values()) each.value = NONE;
}

/** After a run: asks for the tensors that the cell declares. */
export async function renewShapes(cellId: string, source: string, inspect: Inspect): Promise<void> {
  const { names } = await compileCell(source);
  const found = await inspect(cellId, names.map(({ name }) => name), false);
  const lines = new Map<number, string[]>();
  found.forEach(({ name, tensor }, i) => {
    const line = names[i]?.line;
    if (!tensor || line === undefined) return;
    lines.set(line, [...(lines.get(line) ?? []), `${name} ${shapeWords(tensor)}`]);
  });
  const hints = [...lines].map(([line, parts]) => ({ line, text: parts.length === 1 ? parts[0]!.slice(parts[0]!.indexOf(' ') + 1) : parts.join('  ') }));
  shapesOf(cellId).value = { source, hints };
}

export function shapeWords({ shape, dtype }: TensorSummary): string {
  return `${shape.length ? `[${shape.join(', ')}]` : 'scalar'}${dtype === 'float32' ? '' : ` ${dtype}`}`;
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** Markdown for a hover, or null when the variable holds nothing. */
export function hoverWords({ text, tensor }: ValueSummary): string[] | null {
  const fenced = (words: string) => `\`\`\`text\n${words.replaceAll('```', "'''")}\n\`\`\``;
  if (!tensor) return text ? [`Now\n${fenced(text)}`] : null;
  const parts = [`Now **${shapeWords({ ...tensor, dtype: 'float32' })}** ${tensor.dtype}, cpu${tensor.requiresGrad ? ', records gradients' : ''}`];
  if (tensor.range) parts.push(`${formatValue(tensor.range.min)} to ${formatValue(tensor.range.max)}, mean ${formatValue(tensor.range.mean)}`);
  if (tensor.nonFinite) parts.push(`**${tensor.nonFinite} ${tensor.nonFinite === 1 ? 'value is' : 'values are'} not finite**`);
  if (tensor.histogram) {
    const most = Math.max(...tensor.histogram);
    const bars = tensor.histogram.map((count) => (count === 0 ? ' ' : BLOCKS[Math.min(7, Math.floor((count / most) * 7.999))]!)).join('');
    parts.push(fenced(bars));
  }
  return [parts.join('\n\n')];
}
