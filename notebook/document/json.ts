// JSON whose text survives: reading gives every value the place where it stands, so that a change of one value leaves all
// other characters alone. Takes what Python writes too (NaN, Infinity). What the values mean is left to ipynb.ts.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One value and its place in the text: `text.slice(start, end)` is the value as it was written. */
export type JsonNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string' | 'number' | 'word' }
);

export interface JsonMember {
  readonly key: string;
  /** Where the key's opening quote stands. */
  readonly start: number;
  readonly value: JsonNode;
}

/** How a file is laid out, so that what is added looks like what is there. */
export interface JsonStyle {
  /** Indentation of one level; null when everything stands on one line. */
  readonly indent: string | null;
  readonly newline: string;
  /** Between key and value. */
  readonly colon: string;
  /** Between members on one line. */
  readonly comma: string;
  /** Characters beyond ASCII are written as \uXXXX. */
  readonly isAscii: boolean;
}

/** As Jupyter writes. */
export const JUPYTER_STYLE: JsonStyle = { indent: ' ', newline: '\n', colon: ': ', comma: ', ', isAscii: false };

const MOST_DEPTH = 200;
const SPACE = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:Infinity|(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const WORD = /true|false|null|NaN/y;

/** Reads a text. Throws SyntaxError with line and column. */
export function parseJson(text: string): JsonNode {
  return new Reader(text).whole();
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonNode {
    if (this.#text.startsWith('\uFEFF')) this.#at = 1;
    const node = this.#value(0);
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the file');
    return node;
  }

  #value(depth: number): JsonNode {
    if (depth > MOST_DEPTH) throw this.#fail(`values are nested more than ${MOST_DEPTH} deep`);
    this.#match(SPACE);
    const start = this.#at;
    switch (this.#text[start]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        this.#string();
        return { kind: 'string', start, end: this.#at };
      default:
        if (this.#match(WORD)) return { kind: 'word', start, end: this.#at };
        if (this.#match(NUMBER)) return { kind: 'number', start, end: this.#at };
        throw this.#unexpected('a value');
    }
  }

  #object(depth: number): JsonNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    this.#match(SPACE);
    if (!this.#take('}')) {
      do {
        this.#match(SPACE);
        const at = this.#at;
        if (this.#text[at] !== '"') throw this.#unexpected('a name in quotes');
        const key = JSON.parse(this.#string()) as string;
        this.#match(SPACE);
        if (!this.#take(':')) throw this.#unexpected("':'");
        members.push({ key, start: at, value: this.#value(depth + 1) });
        this.#match(SPACE);
      } while (this.#take(','));
      if (!this.#take('}')) throw this.#unexpected("',' or '}'");
    }
    return { kind: 'object', members, start, end: this.#at };
  }

  #array(depth: number): JsonNode {
    const start = this.#at++;
    const items: JsonNode[] = [];
    this.#match(SPACE);
    if (!this.#take(']')) {
      do {
        items.push(this.#value(depth + 1));
        this.#match(SPACE);
      } while (this.#take(','));
      if (!this.#take(']')) throw this.#unexpected("',' or ']'");
    }
    return { kind: 'array', items, start, end: this.#at };
  }

  // A loop, since a picture's text is millions of characters long and a pattern would run out of room.
  #string(): string {
    const start = this.#at++;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        if (this.#match(ESCAPE) === null) throw this.#fail('a text in quotes holds a bad escape');
      } else if (code >= 0x20) this.#at += 1;
      else if (Number.isNaN(code)) throw this.#fail('a text in quotes is never closed');
      else throw this.#fail('a text in quotes holds a line end or a control character; write it as an escape');
    }
    this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #unexpected(wanted: string): SyntaxError {
    const found = this.#text[this.#at];
    return this.#fail(`expected ${wanted}, got ${found === undefined ? 'the end of the file' : JSON.stringify(found)}`);
  }

  #fail(message: string): SyntaxError {
    const before = this.#text.slice(0, this.#at).split('\n');
    return new SyntaxError(`line ${before.length}, column ${(before.at(-1) as string).length + 1}: ${message}`);
  }
}

/** The last member with this name, which is the one that counts; undefined when there is none. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.key === key)?.value : undefined;
}

/** The value as JavaScript sees it: 1.0 becomes 1 and NaN null here, so write the text where nothing changed. */
export function valueOf(text: string, node: JsonNode): Json {
  switch (node.kind) {
    case 'object':
      // A name such as __proto__ stays a name.
      return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(text, value)]));
    case 'array':
      return node.items.map((item) => valueOf(text, item));
    case 'string':
      return JSON.parse(text.slice(node.start, node.end)) as string;
    default: {
      const word = text.slice(node.start, node.end);
      return /NaN|Infinity/.test(word) ? null : (JSON.parse(word) as Json);
    }
  }
}

/** How a text is laid out, judged by its outermost object, and by the escapes in all `parts` of the file. */
export function styleOf(text: string, root: JsonNode, parts: readonly string[]): JsonStyle {
  const first = root.kind === 'object' ? root.members[0] : undefined;
  const lead = first ? text.slice(root.start + 1, first.start) : '\n ';
  const lineStart = /^[ \t]*(\r\n|\n|\r)((?:\r\n|\n|\r)*)([ \t]*)$/.exec(lead);
  const isTight = first !== undefined && text[first.value.start - 1] === ':';
  const hasEscapes = parts.some((part) => /\\u(?:00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])/.test(part));
  const isAscii = hasEscapes && !parts.some((part) => /[\u0080-\ufefe\uff00-\uffff]/.test(part));
  return { indent: lineStart ? (lineStart[3] as string) : null, newline: lineStart?.[1] ?? '\n', colon: isTight ? ':' : ': ', comma: isTight ? ',' : ', ', isAscii };
}

/** A value as text. `indent` is the indentation of the line that it begins on. */
export function printJson(value: Json, style: JsonStyle, indent = ''): string {
  if (typeof value === 'string') return quote(value, style);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = indent + (style.indent ?? '');
  const isList = Array.isArray(value);
  const parts = isList
    ? (value as readonly Json[]).map((item) => printJson(item, style, inner))
    : Object.entries(value).map(([key, item]) => `${quote(key, style)}${style.colon}${printJson(item, style, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  if (style.indent === null) return open + parts.join(style.comma) + close;
  return `${open}${style.newline}${inner}${parts.join(`,${style.newline}${inner}`)}${style.newline}${indent}${close}`;
}

function quote(text: string, { isAscii }: JsonStyle): string {
  const quoted = JSON.stringify(text);
  return isAscii ? quoted.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`) : quoted;
}

/** The text of an object after some members changed: a string is a member's new text, null takes the member away. */
export function patchObject(text: string, node: JsonNode, changes: ReadonlyMap<string, string | null>, style: JsonStyle): string {
  if (node.kind !== 'object') throw new TypeError('patchObject: expected an object');
  const { members } = node;
  const keys = members.map(({ key }) => key);
  const isSorted = keys.every((key, i) => i === 0 || (keys[i - 1] as string) < key);
  // Each part is a member with the space before it and, but for the last, the space up to the comma.
  const parts = members.flatMap((member, i) => {
    const { key, value } = member;
    const change = changes.get(key);
    if (change === null) return [];
    const from = i === 0 ? node.start + 1 : commaAfter(text, (members[i - 1] as JsonMember).value.end) + 1;
    const until = i === members.length - 1 ? value.end : commaAfter(text, value.end);
    return [{ key, text: text.slice(from, value.start) + (change ?? text.slice(value.start, value.end)) + text.slice(value.end, until) }];
  });
  const first = members[0];
  const lead = first ? text.slice(node.start + 1, first.start) : '';
  const tail = text.slice(members.at(-1)?.value.end ?? node.start + 1, node.end - 1);
  const between = lead === '' ? style.comma.slice(1) : lead;
  for (const [key, value] of changes) {
    if (value === null || keys.includes(key)) continue;
    const at = isSorted ? parts.findIndex((part) => part.key > key) : -1;
    const space = parts.length === 0 || at === 0 ? lead : between;
    parts.splice(at < 0 ? parts.length : at, 0, { key, text: `${space}${quote(key, style)}${style.colon}${value}` });
  }
  return parts.length === 0 ? '{}' : `{${parts.map((part) => part.text).join(',')}${tail}}`;
}

function commaAfter(text: string, at: number): number {
  return text.indexOf(',', at);
}
