// Wavy lines under static code, where no editor draws them: ranges in the text, painted by the browser's highlight registry.

export interface Squiggle {
  readonly start: number;
  readonly length: number;
  readonly isError: boolean;
}

const registry = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : null;
const errors = registry ? new Highlight() : null;
const warnings = registry ? new Highlight() : null;
if (registry) {
  registry.set('code-error', errors!);
  registry.set('code-warning', warnings!);
}
const drawn = new WeakMap<HTMLElement, Range[]>();

/** Draws the squiggles of one static text, in place of those it had. */
export function drawSquiggles(target: HTMLElement, squiggles: readonly Squiggle[]): void {
  for (const range of drawn.get(target) ?? []) {
    errors?.delete(range);
    warnings?.delete(range);
  }
  const ranges: Range[] = [];
  for (const { start, length, isError } of squiggles) {
    const range = rangeAt(target, start, Math.max(1, length));
    if (!range) continue;
    (isError ? errors : warnings)?.add(range);
    ranges.push(range);
  }
  drawn.set(target, ranges);
}

/** A stretch of the text that an element shows. */
export function rangeAt(target: HTMLElement, start: number, length: number): Range | null {
  const walker = document.createTreeWalker(target, NodeFilter.SHOW_TEXT);
  const range = new Range();
  let before = 0;
  let hasStart = false;
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const end = before + node.length;
    if (!hasStart && start < end) {
      range.setStart(node, start - before);
      hasStart = true;
    }
    if (hasStart && start + length <= end) {
      range.setEnd(node, start + length - before);
      return range;
    }
    before = end;
    if (hasStart) range.setEnd(node, node.length);
  }
  return hasStart ? range : null;
}
