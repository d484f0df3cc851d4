// The console of cells: levels, formatting, batches and the limit on floods. Where text is shown is up to the page.
import type { StreamChunk, StreamLevel } from '../protocol/messages.ts';
import type { Outbox } from './outbox.ts';
import { inspect } from './preview.ts';
import type { Run } from './run.ts';

/** Characters kept of one line. */
const LINE_LIMIT = 10_000;
/** Once a run has used its free lines, each batch carries only so many. */
const FLOOD_LINES = 400;
/** Characters of a run that can be read again when lines were left out. */
const LOG_LIMIT = 16 << 20;

/** All that a run wrote, as long as it fits. */
interface Log {
  readonly cellId: string;
  readonly parts: string[];
  size: number;
  lost: number;
}

interface Waiting {
  readonly run: Run;
  /** Lines within the run's free ones: all are sent. */
  readonly free: StreamChunk[];
  /** Lines after those: the last ones are sent. */
  flood: StreamChunk[];
  dropped: number;
}

export class CellConsole {
  readonly #outbox: Outbox;
  readonly #currentRun: () => Run;
  readonly #waiting = new Map<number, Waiting>();
  readonly #logs = new Map<number, Log>();
  readonly #counts = new Map<string, number>();
  readonly #started = new Map<string, number>();
  #indent = '';

  constructor(outbox: Outbox, currentRun: () => Run) {
    this.#outbox = outbox;
    this.#currentRun = currentRun;
  }

  /** Adds text to a run's console. A text without newline at its end leaves the line open. */
  write(run: Run, level: StreamLevel, text: string): void {
    let waiting = this.#waiting.get(run.runId);
    if (!waiting) {
      waiting = { run, free: [], flood: [], dropped: 0 };
      this.#waiting.set(run.runId, waiting);
    }
    this.#keep(run, text);
    const chunk = { level, text: text.split('\n').map(cutLine).join('\n') };
    if (run.freeLines > 0) {
      run.freeLines -= 1;
      waiting.free.push(chunk);
    } else {
      waiting.flood.push(chunk);
      // Twice the limit, so that the list is not cut at every line.
      if (waiting.flood.length > 2 * FLOOD_LINES) trim(waiting);
    }
    this.#outbox.poll();
  }

  /** All that a run wrote, lines that were left out too. */
  logOf(run: Run): { readonly text: string; readonly lostCharacters: number } {
    const log = this.#logs.get(run.runId);
    return { text: log?.parts.join('') ?? '', lostCharacters: log?.lost ?? 0 };
  }

  /** The cell runs again or is gone: its former text is not needed. */
  forget(cellId: string): void {
    for (const [runId, log] of this.#logs) if (log.cellId === cellId) this.#logs.delete(runId);
  }

  #keep({ runId, cellId }: Run, text: string): void {
    let log = this.#logs.get(runId);
    if (!log) this.#logs.set(runId, (log = { cellId, parts: [], size: 0, lost: 0 }));
    const isFull = log.size + text.length > LOG_LIMIT;
    if (isFull) log.lost += text.length;
    else {
      log.parts.push(text);
      log.size += text.length;
    }
  }

  /** Sends what waits. */
  drain(): void {
    for (const waiting of this.#waiting.values()) {
      const { run, free } = waiting;
      trim(waiting);
      const [first, ...rest] = joined(waiting.flood);
      const flood = first && waiting.dropped > 0 ? [{ ...first, droppedLines: waiting.dropped }, ...rest] : joined(waiting.flood);
      const chunks = [...joined(free), ...flood];
      this.#outbox.send({ type: 'stream', runId: run.runId, cellId: run.cellId, chunks });
    }
    this.#waiting.clear();
  }

  /** The `console` object of cells. */
  globals(): Record<string, unknown> {
    const print =
      (level: StreamLevel) =>
      (...values: unknown[]): void =>
        this.#print(level, values);
    const log = print('log');
    return {
      log,
      info: print('info'),
      warn: print('warn'),
      error: print('error'),
      debug: print('debug'),
      trace: print('debug'),
      dir: (value: unknown) => this.#print('log', [value]),
      table: (value: unknown) => this.#print('log', [value]),
      assert: (condition: unknown, ...values: unknown[]) => {
        if (!condition) this.#print('error', ['Assertion failed:', ...values]);
      },
      count: (label = 'default') => {
        const count = (this.#counts.get(label) ?? 0) + 1;
        this.#counts.set(label, count);
        this.#print('log', [`${label}: ${count}`]);
      },
      countReset: (label = 'default') => this.#counts.delete(label),
      time: (label = 'default') => this.#started.set(label, this.#outbox.now()),
      timeLog: (label = 'default', ...values: unknown[]) => this.#time(label, values),
      timeEnd: (label = 'default') => {
        this.#time(label, []);
        this.#started.delete(label);
      },
      group: (...values: unknown[]) => {
        if (values.length > 0) this.#print('log', values);
        this.#indent += '  ';
      },
      groupCollapsed: (...values: unknown[]) => {
        if (values.length > 0) this.#print('log', values);
        this.#indent += '  ';
      },
      groupEnd: () => {
        this.#indent = this.#indent.slice(2);
      },
      clear: () => {},
    };
  }

  #print(level: StreamLevel, values: readonly unknown[]): void {
    const text = format(values);
    const indented = this.#indent === '' ? text : this.#indent + text.replaceAll('\n', `\n${this.#indent}`);
    // A line that ends with a carriage return is written over by the next one, as progress bars want.
    this.write(this.#currentRun(), level, text.endsWith('\r') ? indented : `${indented}\n`);
  }

  #time(label: string, values: readonly unknown[]): void {
    const started = this.#started.get(label);
    if (started === undefined) this.#print('warn', [`console.time: no timer is named '${label}'`]);
    else this.#print('log', [`${label}: ${(this.#outbox.now() - started).toFixed(3)} ms`, ...values]);
  }
}

/** Text of console arguments, with `%s %d %i %f %o %O %j %c` in a first string replaced. */
export function format(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== 'string') return values.map(toText).join(' ');
  let used = 0;
  const text = first.replace(/%[sdifoOjc%]/g, (code) => {
    if (code === '%%') return '%';
    if (used >= rest.length) return code;
    const value = rest[used];
    used += 1;
    if (code === '%c') return '';
    if (code === '%d' || code === '%f') return String(Number(value));
    if (code === '%i') return String(Math.trunc(Number(value)));
    return toText(value);
  });
  return [text, ...rest.slice(used).map(toText)].join(' ');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value);
}

function cutLine(line: string): string {
  if (line.length <= LINE_LIMIT) return line;
  return `${line.slice(0, LINE_LIMIT)}... (${line.length - LINE_LIMIT} more characters)`;
}

/** Keeps the last lines of a flood and counts the others. */
function trim(waiting: Waiting): void {
  const excess = waiting.flood.length - FLOOD_LINES;
  if (excess <= 0) return;
  waiting.flood = waiting.flood.slice(excess);
  waiting.dropped += excess;
}

/** Neighbours of one level become one chunk. */
function joined(chunks: readonly StreamChunk[]): StreamChunk[] {
  const result: { level: StreamLevel; text: string }[] = [];
  for (const { level, text } of chunks) {
    const last = result.at(-1);
    if (last?.level === level) last.text += text;
    else result.push({ level, text });
  }
  return result;
}
