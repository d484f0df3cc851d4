// Words for messages: the nearest known name to a wrong one, and how a wrong argument is described.

/** `; did you mean keepDims?` when a known name is close to `name`, else ''. */
export function didYouMean(name: string, known: readonly string[]): string {
  const limit = Math.max(2, Math.ceil(name.length / 3));
  let nearest = '';
  let least = limit + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest === '' ? '' : `; did you mean ${nearest}?`;
}

/** Levenshtein distance: single insertions, removals and replacements. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

/** What came instead of what was asked for: `undefined`, `text "abc"`, `an array of 3`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'string') return `text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)}`;
  if (typeof value === 'function') return value.name ? `the function ${value.name}` : 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name}`;
  if (value instanceof Promise) return 'a promise (is an `await` missing?)';
  if (typeof value === 'object') {
    // In the page, classes of ours have names of one letter or two.
    const { shape, dtype } = value as { readonly shape?: unknown; readonly dtype?: unknown };
    if (Array.isArray(shape) && typeof dtype === 'string') return 'a Tensor';
    const kind = value.constructor?.name ?? 'Object';
    if (kind === 'Object') return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no members'}`;
    return kind.length > 2 ? `a ${kind}` : 'an object';
  }
  return `${typeof value} ${String(value)}`;
}

/** `[64, 10]` */
export const shapeText = (shape: readonly number[]): string => `[${shape.join(', ')}]`;
