// Notebooks as TypeScript files in percent format, which editors and Jupytext know: `// %%` begins a cell.
// Law: parsePercent(printPercent(n)) equals n. The other way round a file may come back in our own spelling.
//
//   // ---
//   // title: A first network       values, as in Markdown's front matter
//   // ---
//
//   // %% [markdown]                a text cell: its lines are comments
//   // # Heading
//
//   // %% id=train tags=slow        a code cell, with attributes
//   const a = 1
//
//   // %% lines=2                   this one is exactly the next two lines
//
// A line of code that looks like a mark gets a backslash: `// \%%`.
import { parseFrontMatter, parseWords, printFrontMatter, printWords, toSpec } from './attributes.ts';
import { type Cell, type CellSpec, defaultId, headingOf, type MetadataValue, type Notebook, normalizeNewlines, toNotebook } from './notebook.ts';

const MARK = /^\/\/ ?%%[ \t]*(.*?)[ \t]*$/;
const COMMENT = /^\/\/ ?(.*)$/;

/** Reads a file. Throws with the line number when an attribute is malformed. */
export function parsePercent(text: string): Notebook {
  const lines = normalizeNewlines(text.replace(/^\uFEFF/, '')).split('\n');
  const { metadata, next } = readFrontMatter(lines);
  const cells: CellSpec[] = [];
  const markFrom = (from: number): number => {
    const at = lines.findIndex((line, i) => i >= from && MARK.test(line));
    return at < 0 ? lines.length : at;
  };
  let at = markFrom(next);
  // What stands above the first mark is code, as in any file that has none.
  const above = withoutBlankEnds(lines.slice(next, at)).map(unescape).join('\n');
  if (above !== '') cells.push({ kind: 'code', source: above });
  while (at < lines.length) {
    const { isText, attributes, count } = readMark(MARK.exec(lines[at] as string)?.[1] as string, at);
    const end = count === null ? markFrom(at + 1) : Math.min(lines.length, at + 1 + count);
    const body = lines.slice(at + 1, end);
    const inside = (count === null ? withoutBlankEnds(body) : body).map(unescape);
    cells.push({ ...toSpec(attributes), kind: isText ? 'markdown' : 'code', source: (isText ? uncomment(inside) : inside).join('\n') });
    at = count === null ? end : markFrom(end);
  }
  const { title, ...others } = metadata;
  return toNotebook({ title: typeof title === 'string' ? title : headingOf(cells), metadata: others, cells });
}

/** Writes a file. Ids are written only where they are not the ones that reading would give anyway. */
export function printPercent({ title, metadata, cells }: Notebook): string {
  const front: Record<string, MetadataValue> = title === headingOf(cells) ? metadata : { title, ...metadata };
  const parts = Object.keys(front).length > 0 ? [printFrontMatter(front).map((line) => `// ${line}`).join('\n')] : [];
  return `${[...parts, ...cells.map(printCell)].join('\n\n')}\n`;
}

function printCell({ id, kind, source, attributes }: Cell, index: number): string {
  const lines = source.split('\n');
  const isPlain = (lines[0] as string).trim() !== '' && (lines.at(-1) as string).trim() !== '';
  const words = printWords({
    ...(id === defaultId(index) ? {} : { id }),
    ...attributes,
    ...(isPlain ? {} : { lines: String(lines.length) }),
  });
  const head = ['// %%', ...(kind === 'markdown' ? ['[markdown]'] : []), ...words].join(' ');
  return [head, ...lines.map((line) => escape(kind === 'code' ? line : line === '' ? '//' : `// ${line}`))].join('\n');
}

interface Mark {
  readonly isText: boolean;
  readonly attributes: Record<string, string>;
  /** Lines that belong to the cell whatever stands in them; null: all up to the next mark. */
  readonly count: number | null;
}

function readMark(head: string, line: number): Mark {
  const type = /(?:^|\s)\[(\w+)\](?:\s|$)/.exec(head)?.[1] ?? '';
  const rest = type === '' ? head : head.replace(`[${type}]`, '');
  const { lines: count, ...attributes } = /=/.test(rest) || /^[\s\w-]*$/.test(rest) ? parseWords(rest, line) : {};
  const isText = /^(markdown|md|raw)$/.test(type);
  return {
    isText,
    attributes: type === 'raw' ? { type, ...attributes } : (attributes as Record<string, string>),
    count: count !== undefined && /^\d+$/.test(count) ? Number(count) : null,
  };
}

function withoutBlankEnds(lines: readonly string[]): string[] {
  const isText = (line: string): boolean => line.trim() !== '';
  const from = lines.findIndex(isText);
  return from < 0 ? [] : lines.slice(from, lines.findLastIndex(isText) + 1);
}

/** Text lines without their `//`; a text that stands in a block comment loses the comment's marks. */
function uncomment(lines: readonly string[]): string[] {
  const block = /^\s*\/\*\n?([\s\S]*?)\n?\*\/\s*$/.exec(lines.join('\n'));
  if (block) return (block[1] as string).split('\n');
  const isCommented = lines.every((line) => line.trim() === '' || COMMENT.test(line));
  return isCommented ? lines.map((line) => COMMENT.exec(line)?.[1] ?? '') : [...lines];
}

// Applied to every line of a cell, so that no text can begin another one.
const escape = (line: string): string => line.replace(/^(\/\/ ?)(\\*%%)/, '$1\\$2');
const unescape = (line: string): string => line.replace(/^(\/\/ ?)\\(\\*%%)/, '$1$2');

function readFrontMatter(lines: readonly string[]): { metadata: Record<string, MetadataValue>; next: number } {
  const end = lines[0] === '// ---' ? lines.indexOf('// ---', 1) : -1;
  if (end < 0) return { metadata: {}, next: 0 };
  // Jupytext writes nested values here; they are not ours.
  const own = lines.slice(0, end + 1).map((line) => line.replace(/^\/\/ ?/, ''));
  return { metadata: parseFrontMatter(own.map((line) => (/^\s|^[\w-]+:\s*$/.test(line) ? '' : line))).metadata, next: end + 1 };
}
