// Words beside a cell and values above a notebook, as the text formats (Markdown, TypeScript) write them.
import { type Attributes, type CellSpec, isCellId, type MetadataValue } from './notebook.ts';

/** `a=1 b="two words" flag` */
export function parseWords(text: string, line: number): Record<string, string> {
  const words: Record<string, string> = {};
  let rest = text.trim();
  while (rest !== '') {
    const word = /^([A-Za-z][\w-]*)(?:=("(?:[^"\\]|\\.)*"|[^\s"]+))?(?:\s+|$)/.exec(rest);
    if (!word) throw new SyntaxError(`line ${line + 1}: expected attributes such as id=name or tags="a,b", got ${JSON.stringify(rest)}`);
    const [all, name = '', value = ''] = word;
    words[name] = value.startsWith('"') ? unquote(value, line) : value;
    rest = rest.slice(all.length);
  }
  if (words.id !== undefined && !isCellId(words.id)) {
    throw new SyntaxError(`line ${line + 1}: a cell id has letters, digits, '-' and '_', got ${JSON.stringify(words.id)}`);
  }
  return words;
}

/** The same, one word per attribute. */
export function printWords(attributes: Attributes): string[] {
  return Object.entries(attributes).map(([name, value]) => {
    if (value === '') return name;
    return `${name}=${/^[^\s"\\<>]+$/.test(value) ? value : JSON.stringify(value).replaceAll('>', '\\u003e')}`;
  });
}

/** Values between two lines `---` at the start of a file. `next` is the line after them. */
export function parseFrontMatter(lines: readonly string[]): { metadata: Record<string, MetadataValue>; next: number } {
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  const metadata: Record<string, MetadataValue> = {};
  if (end < 0) return { metadata, next: 0 };
  for (let i = 1; i < end; i++) {
    const line = lines[i] as string;
    if (line.trim() === '' || line.startsWith('#')) continue;
    const entry = /^([A-Za-z][\w-]*):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (!entry) throw new SyntaxError(`line ${i + 1}: expected 'name: value' in the front matter, got ${JSON.stringify(line)}`);
    metadata[entry[1] as string] = parseValue(entry[2] as string);
  }
  return { metadata, next: end + 1 };
}

/** The same as lines, with the `---` around them. */
export function printFrontMatter(values: Readonly<Record<string, MetadataValue>>): string[] {
  return ['---', ...Object.entries(values).map(([name, value]) => `${name}: ${printValue(value)}`), '---'];
}

/** A cell with these attributes; `id` becomes its id. */
export function toSpec({ id, ...attributes }: Record<string, string>): CellSpec {
  return id === undefined ? { attributes } : { id, attributes };
}

function unquote(text: string, line: number): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new SyntaxError(`line ${line + 1}: expected a text in quotes with the escapes of JSON, got ${text}`);
  }
}

function parseValue(text: string): MetadataValue {
  try {
    return JSON.parse(text) as MetadataValue;
  } catch {
    return text;
  }
}

function printValue(value: MetadataValue): string {
  const isPlain = typeof value === 'string' && value !== '' && !/\n|^\s|\s$/.test(value) && parseValue(value) === value;
  return isPlain ? value : JSON.stringify(value);
}
