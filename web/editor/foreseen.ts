// What functions of other cells show, put in where a cell calls them. Without the compiler, which the page does not load.
import type { Expected } from './expected.ts';

/** Functions call functions; so far they are followed. */
const DEPTH = 4;

/** What the cell shows, with what functions of other cells show for it. `showersOf`: what each such function is known to show. */
export function withCalls(expected: readonly Expected[], showersOf: ReadonlyMap<string, readonly Expected[]>, depth = 0): readonly Expected[] {
  if (depth > DEPTH) return [];
  return expected.flatMap((each) => (each.kind === 'call' ? withCalls(showersOf.get(each.name) ?? [], showersOf, depth + 1) : [each]));
}
