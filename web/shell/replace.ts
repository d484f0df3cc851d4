// What stands in the place of a match once it is replaced. Leaves finding and showing to find.ts.

/**
 * `by` with the groups of the match filled in (`$1`, `$<name>`). The pattern looks at the whole text: what it asks of the
 * text before and after the match still holds there.
 */
export function replacement(text: string, { start, length }: { readonly start: number; readonly length: number }, pattern: RegExp, by: string): string {
  const here = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}y`);
  here.lastIndex = start;
  const rest = text.length - start - length;
  const whole = text.replace(here, by);
  return whole.slice(start, whole.length - rest);
}
