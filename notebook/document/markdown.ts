// Notebooks as Markdown files, for lessons and repositories: text is Markdown cells, `ts` fences are code cells.
// Law: parseMarkdown(printMarkdown(n)) equals n. The other way round a file may come back in our own spelling.
//
//   ---
//   title: A first network          front matter: one `name: value` a line; a value is JSON, or else plain text
//   seed: 7
//   ---
//   # Heading                        text up to the next fence or mark is one Markdown cell
//
//   ```ts id=train tags=slow collapse    words after `ts` are attributes; `id` names the cell
//   const a = 1
//   ```
//
//   <!-- cell id=notes -->           a mark begins a Markdown cell: between two of them, or to give one a name
//   <!-- cell lines=3 -->            this one is exactly the next three lines, whatever stands in them
import { parseFrontMatter, parseWords, printFrontMatter, printWords, toSpec } from './attributes.ts';
import { type Attributes, type Cell, type CellSpec, defaultId, headingOf, type MetadataValue, type Notebook, normalizeNewlines, toNotebook } from './notebook.ts';

const FENCE = /^(`{3,})[ \t]*(ts|typescript)(?:[ \t]+(.*?))?[ \t]*$/;
const OTHER_FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const MARK = /^<!-- cell(?: (.*?))? -->$/;

/** Reads a file. Throws with the line number when a code fence is never closed or an attribute is malformed. */
export function parseMarkdown(text: string): Notebook {
  const lines = normalizeNewlines(text.replace(/^\uFEFF/, '')).split('\n');
  const { metadata, next } = parseFrontMatter(lines);
  const cells = parseCells(lines, next);
  const { title, ...others } = metadata;
  return toNotebook({ title: typeof title === 'string' ? title : headingOf(cells), metadata: others, cells });
}

/** Writes a file. Ids are written only where they are not the ones that reading would give anyway. */
export function printMarkdown(notebook: Notebook): string {
  const { title, metadata, cells } = notebook;
  const front: Record<string, MetadataValue> = title === headingOf(cells) ? metadata : { title, ...metadata };
  const parts: string[] = [];
  if (Object.keys(front).length > 0) parts.push(printFrontMatter(front).join('\n'));
  cells.forEach((cell, index) => {
    const attributes = { ...(cell.id === defaultId(index) ? {} : { id: cell.id }), ...cell.attributes };
    parts.push(cell.kind === 'code' ? printCode(cell.source, attributes) : printText(cell.source, attributes, cells[index - 1]));
  });
  return `${parts.join('\n\n')}\n`;
}

function parseCells(lines: readonly string[], start: number): CellSpec[] {
  const cells: CellSpec[] = [];
  let text: string[] = [];
  let mark: CellSpec | null = null;
  const endText = (): void => {
    const source = text.join('\n').replace(/^\n+|\n+$/g, '');
    if (source !== '' || mark) cells.push({ ...mark, kind: 'markdown', source });
    text = [];
    mark = null;
  };
  for (let i = start; i < lines.length; i++) {
    const line = lines[i] as string;
    const fence = FENCE.exec(line);
    const marked = MARK.exec(line);
    if (fence) {
      endText();
      const end = lines.findIndex((each, k) => k > i && isClosing(each, fence[1] as string));
      if (end < 0) throw new SyntaxError(`line ${i + 1}: the code cell that begins here is never closed with ${fence[1]}`);
      cells.push({ ...toSpec(parseWords(fence[3] ?? '', i)), kind: 'code', source: lines.slice(i + 1, end).join('\n') });
      i = end;
    } else if (marked) {
      endText();
      const { lines: count, ...attributes } = parseWords(marked[1] ?? '', i);
      if (count === undefined) {
        mark = toSpec(attributes);
      } else {
        const source = lines.slice(i + 1, i + 1 + Number(count)).join('\n');
        cells.push({ ...toSpec(attributes), kind: 'markdown', source });
        i += Number(count);
      }
    } else {
      // Fences of other languages are text, whatever stands in them.
      const other = OTHER_FENCE.exec(line);
      const end = other ? endOfFence(lines, i, other[1] as string) : -1;
      text.push(...lines.slice(i, Math.max(i, end) + 1));
      i = Math.max(i, end);
    }
  }
  endText();
  return cells;
}

/** Line that closes a fence of another language, or -1. */
function endOfFence(lines: readonly string[], start: number, opening: string): number {
  return lines.findIndex((each, k) => k > start && isClosing(each.trim(), opening));
}

function isClosing(line: string, opening: string): boolean {
  const trimmed = line.trimEnd();
  return trimmed.length >= opening.length && trimmed === (opening[0] as string).repeat(trimmed.length);
}

function printCode(source: string, attributes: Attributes): string {
  const longest = Math.max(2, ...[...source.matchAll(/^`+/gm)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const head = [`${fence}ts`, ...printWords(attributes)].join(' ');
  return source === '' ? `${head}\n${fence}` : `${head}\n${source}\n${fence}`;
}

function printText(source: string, attributes: Attributes, previous: Cell | undefined): string {
  const isPlain = source !== '' && !/^\n|\n$/.test(source) && hasOneCell(source);
  if (!isPlain) {
    const count = String(source.split('\n').length);
    return `<!-- cell ${[...printWords(attributes), `lines=${count}`].join(' ')} -->\n${source}`;
  }
  const needsMark = previous?.kind === 'markdown' || Object.keys(attributes).length > 0 || source.startsWith('---');
  return needsMark ? `${['<!-- cell', ...printWords(attributes)].join(' ')} -->\n\n${source}` : source;
}

/** Whether a text, read back, is one Markdown cell and leaves no fence open behind it. */
function hasOneCell(source: string): boolean {
  const lines = source.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const fence = OTHER_FENCE.exec(lines[i] as string);
    if (!fence) continue;
    i = endOfFence(lines, i, fence[1] as string);
    if (i < 0) return false;
  }
  try {
    const cells = parseCells([...source.split('\n'), '', '```ts', '```'], 0);
    return cells.length === 2 && cells[0]?.kind === 'markdown' && cells[0].source === source;
  } catch {
    return false;
  }
}
