// A bounded look at any JavaScript value: it never runs the learner's getters, never follows a cycle and stops at
// fixed depth, length and size. Gives data for the page and one-line text for the console.
import type { ValuePreview } from '../protocol/messages.ts';

const MAX_DEPTH = 5;
const MAX_ENTRIES = 100;
const MAX_NODES = 1500;
const MAX_TEXT = 2000;
const MAX_INNER_TEXT = 200;
const MAX_LINE = 88;
const MAX_OWN_WORDS = 20_000;

// Tensors, models and datasets say by this well-known name how they want to be written; so may classes of learners.
const OWN_WORDS = Symbol.for('nodejs.util.inspect.custom');

export function preview(value: unknown): ValuePreview {
  return new Look().at(value, 0, []);
}

/** One value as text, members on one line when they fit, else one per line. */
export function inspect(value: unknown): string {
  return unfolded(preview(value), '');
}

function unfolded(node: ValuePreview, indent: string): string {
  if (!node.entries || node.text.length + indent.length <= MAX_LINE) {
    if (!node.entries || !node.text.includes('…')) return node.text;
  }
  const inner = `${indent}  `;
  const lines = node.entries.map(({ key, value }) => `${inner}${key === '' ? '' : `${key}: `}${unfolded(value, inner)}`);
  if (node.more) lines.push(`${inner}... ${node.more} more`);
  const [open, close] = node.type === 'array' ? ['[', ']'] : ['{', '}'];
  const head = /^(Array\(|\[|\{)/.test(node.text) ? '' : `${node.text.replace(/ ?[{[].*$/s, '')} `;
  return `${head}${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

class Look {
  #nodes = 0;

  at(value: unknown, depth: number, path: readonly object[]): ValuePreview {
    this.#nodes += 1;
    try {
      return this.#any(value, depth, path);
    } catch {
      // A proxy or an exotic object may refuse to be looked at.
      return { type: 'cut', text: '[cannot be shown]' };
    }
  }

  #any(value: unknown, depth: number, path: readonly object[]): ValuePreview {
    switch (typeof value) {
      case 'undefined':
        return { type: 'undefined', text: 'undefined' };
      case 'boolean':
        return { type: 'boolean', text: String(value) };
      case 'number':
        return { type: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
      case 'bigint':
        return { type: 'bigint', text: `${cut(String(value), MAX_TEXT)}n` };
      case 'symbol':
        return { type: 'symbol', text: String(value) };
      case 'string':
        return { type: 'string', text: JSON.stringify(cut(value, depth === 0 ? MAX_TEXT : MAX_INNER_TEXT)) };
      case 'function':
        return ownWords(value, depth) ?? { type: 'function', text: functionText(value) };
      default:
        return value === null ? { type: 'null', text: 'null' } : this.#object(value as object, depth, path);
    }
  }

  #object(value: object, depth: number, path: readonly object[]): ValuePreview {
    const own = ownWords(value, depth);
    if (own) return own;
    if (path.includes(value)) return { type: 'cut', text: '[circular]' };
    if (value instanceof Date) return { type: 'date', text: Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString() };
    if (value instanceof RegExp) return { type: 'object', text: String(value) };
    if (value instanceof Error) return { type: 'error', text: cut(`${value.name}: ${value.message}`, MAX_TEXT) };
    if (value instanceof Promise) return { type: 'object', text: 'Promise' };
    const inside = [...path, value];
    if (Array.isArray(value)) return this.#list('array', '', value.length, (i) => value[i], depth, inside);
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
      const numbers = value as unknown as ArrayLike<number>;
      return this.#list('array', className(value), numbers.length, (i) => numbers[i], depth, inside);
    }
    if (value instanceof Map) return this.#map(value, depth, inside);
    if (value instanceof Set) {
      const members = [...take(value)];
      return this.#list('set', `Set(${value.size})`, value.size, (i) => members[i], depth, inside);
    }
    return this.#plain(value, depth, inside);
  }

  #list(
    type: 'array' | 'set',
    name: string,
    length: number,
    member: (index: number) => unknown,
    depth: number,
    path: readonly object[],
  ): ValuePreview {
    const fold = name === '' ? `Array(${length})` : name.includes('(') ? name : `${name}(${length})`;
    if (this.#isTooDeep(depth) && length > 0) return { type, text: fold };
    const entries = this.#entries(length, (i) => ({ key: '', value: this.at(member(i), depth + 1, path) }));
    const text = oneLine(entries, length, type === 'set' ? '{ ' : '[', type === 'set' ? ' }' : ']');
    return {
      type,
      text: text === null ? fold : name === '' ? text : `${fold} ${text}`,
      ...members(entries, length),
    };
  }

  #map(value: Map<unknown, unknown>, depth: number, path: readonly object[]): ValuePreview {
    const fold = `Map(${value.size})`;
    if (this.#isTooDeep(depth) && value.size > 0) return { type: 'map', text: fold };
    const pairs = [...take(value)];
    const entries = this.#entries(value.size, (i) => {
      const [key, item] = pairs[i] as [unknown, unknown];
      return { key: typeof key === 'string' ? key : this.at(key, MAX_DEPTH, path).text, value: this.at(item, depth + 1, path) };
    });
    const text = oneLine(entries, value.size, '{ ', ' }');
    return { type: 'map', text: text === null ? fold : `${fold} ${text}`, ...members(entries, value.size) };
  }

  #plain(value: object, depth: number, path: readonly object[]): ValuePreview {
    const name = className(value);
    const keys = Object.keys(value);
    const fold = name === 'Object' ? '{…}' : `${name} {…}`;
    if (this.#isTooDeep(depth) && keys.length > 0) return { type: 'object', text: fold };
    const entries = this.#entries(keys.length, (i) => {
      const key = keys[i] as string;
      const property = Object.getOwnPropertyDescriptor(value, key);
      const shown: ValuePreview =
        property && 'value' in property ? this.at(property.value, depth + 1, path) : { type: 'cut', text: '[getter]' };
      return { key: /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(cut(key, MAX_INNER_TEXT)), value: shown };
    });
    const text = oneLine(entries, keys.length, '{ ', ' }');
    const prefix = name === 'Object' ? '' : `${name} `;
    return { type: 'object', text: text === null ? fold : prefix + text, ...members(entries, keys.length) };
  }

  #isTooDeep(depth: number): boolean {
    return depth >= MAX_DEPTH || this.#nodes > MAX_NODES;
  }

  #entries(length: number, entry: (index: number) => { key: string; value: ValuePreview }) {
    const entries: { key: string; value: ValuePreview }[] = [];
    for (let i = 0; i < length && i < MAX_ENTRIES && this.#nodes <= MAX_NODES; i++) entries.push(entry(i));
    return entries;
  }
}

function ownWords(value: object, depth: number): ValuePreview | null {
  const say: unknown = Reflect.get(value, OWN_WORDS);
  if (typeof say !== 'function') return null;
  const words: unknown = Reflect.apply(say, value, [MAX_DEPTH - depth, {}]);
  return typeof words === 'string' ? { type: 'object', text: cut(words, depth === 0 ? MAX_OWN_WORDS : MAX_INNER_TEXT) } : null;
}

function members(entries: readonly { key: string; value: ValuePreview }[], length: number): Partial<ValuePreview> {
  if (length === 0) return {};
  return length > entries.length ? { entries, more: length - entries.length } : { entries };
}

/** All members on one short line, or null when they do not fit. */
function oneLine(
  entries: readonly { key: string; value: ValuePreview }[],
  length: number,
  open: string,
  close: string,
): string | null {
  if (length === 0) return (open + close).replace(/\s/g, '');
  if (length > entries.length) return null;
  const text = entries.map(({ key, value }) => (key === '' ? value.text : `${key}: ${value.text}`)).join(', ');
  return text.length > MAX_LINE || text.includes('\n') ? null : open + text + close;
}

function* take<T>(values: Iterable<T>): Iterable<T> {
  let count = 0;
  for (const value of values) {
    if (count === MAX_ENTRIES) return;
    count += 1;
    yield value;
  }
}

function className(value: object): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return 'Object';
  const constructor = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return (typeof constructor === 'function' && constructor.name) || 'Object';
}

function functionText(value: object): string {
  const text = Function.prototype.toString.call(value);
  const name = (value as { name?: unknown }).name;
  const label = typeof name === 'string' && name !== '' ? ` ${name}` : '';
  return text.startsWith('class') ? `class${label}` : `function${label}`;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
