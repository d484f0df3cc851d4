// Turns whatever a cell threw into an error event: places in cells, in the learner's own lines and columns.
import type { CellError, ColumnShift, RunId, StackFrame } from '../protocol/messages.ts';
import { ask } from './ask.ts';
import { type Clues, hintFor } from './hints.ts';
import type { Run } from './run.ts';
import type { Scope } from './scope.ts';

/** Finds the run a stack frame belongs to; null when it is too old to be known. */
export type FindRun = (cellId: string, runId: RunId) => { readonly run: Run; readonly isLatest: boolean } | null;

// V8: `at name (cell-id.7.ts:3:9)` or `at async cell-id.7.ts:3:9`. Firefox and Safari: `name@cell-id.7.ts:3:9`.
const PLACE = /cell-([A-Za-z0-9_-]{1,64})\.(\d+)\.ts:(\d+):(\d+)/;

/** Source column for a column of the compiled text; both count from 1. */
export function sourceColumn(shifts: readonly ColumnShift[], line: number, column: number): number {
  let by = 0;
  let from = 1;
  let until = Number.POSITIVE_INFINITY;
  for (const shift of shifts) {
    if (shift.line !== line) continue;
    if (shift.column > column) {
      until = shift.column - shift.by;
      break;
    }
    by = shift.by;
    from = shift.column;
  }
  // Places inside inserted text count as the place where it was inserted.
  return Math.max(Math.min(column - by, until), from - by, 1);
}

/** Frames of a stack trace that lie in cells, innermost first. */
export function cellFrames(stack: string, findRun: FindRun): StackFrame[] {
  const frames: StackFrame[] = [];
  for (const text of stack.split('\n')) {
    const place = PLACE.exec(text);
    if (!place) continue;
    const [, cellId = '', runId = '', line = '', column = ''] = place;
    const found = findRun(cellId, Number(runId));
    frames.push({
      cellId,
      line: Number(line),
      column: sourceColumn(found?.run.shifts ?? [], Number(line), Number(column)),
      name: functionName(text, place.index),
      old: !found?.isLatest,
    });
  }
  return frames;
}

function functionName(text: string, placeStart: number): string {
  const before = text.slice(0, placeStart).trim();
  const name = before.endsWith('@')
    ? before.slice(0, -1)
    : before.replace(/^at\b\s*/, '').replace(/^async\b\s*/, '').replace(/\($/, '').trim();
  return /^(eval|__gbCell|<anonymous>|Object\.<anonymous>|async\*|)$/.test(name) ? '' : name.replace(/^async\*/, '');
}

/** The error event for a thrown value, which need not be an Error. */
export function describeFailure(
  thrown: unknown,
  run: Run,
  origin: CellError['origin'],
  findRun: FindRun,
  toText: (value: unknown) => string,
  scope: Pick<Scope, 'known' | 'lookUp'>,
  /** Where it was thrown, for what does not say so itself. */
  thrownAt = '',
): CellError {
  const { name, message, stack, hint } = facts(thrown, toText);
  const frames = cellFrames(stack || thrownAt, findRun);
  const place = frames.find((frame) => frame.cellId === run.cellId);
  return {
    runId: run.runId,
    cellId: run.cellId,
    name,
    message,
    line: place?.line ?? null,
    column: place?.column ?? null,
    // What calls itself stands there once.
    frames: frames.filter((frame, i) => i === 0 || !isSame(frame, frames[i - 1]!)),
    hint: hint || hintFor(name, message, clues(run, place?.line ?? null, scope)),
    origin,
  };
}

/** Reading names may run getters of the cell, which may throw. */
function membersOf(name: string): string[] {
  const found = new Set<string>();
  try {
    let holder: unknown = Reflect.get(globalThis, name);
    for (let depth = 0; depth < 5 && typeof holder === 'object' && holder !== null && holder !== Object.prototype; depth++) {
      for (const each of Object.getOwnPropertyNames(holder)) found.add(each);
      holder = Object.getPrototypeOf(holder);
    }
  } catch {
    return [];
  }
  return [...found];
}

const isSame = (a: StackFrame, b: StackFrame): boolean => a.cellId === b.cellId && a.line === b.line && a.name === b.name;

function clues(run: Run, line: number | null, scope: Pick<Scope, 'known' | 'lookUp'>): Clues {
  return {
    line: line === null ? '' : (run.code.split('\n')[line - 1] ?? ''),
    names: [...scope.known()],
    members: (name) => membersOf(name),
    holdsPromise: (name) => ask(() => scope.lookUp(name, run.cellId)?.value instanceof Promise, false),
  };
}

interface Facts {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly hint: string;
}

/** Errors within an error that are put into words; causes may go in a circle. */
const MOST_INNER = 3;

// Reading a thrown object may itself throw: its properties belong to the cell.
function facts(thrown: unknown, toText: (value: unknown) => string, depth = 0): Facts {
  try {
    if (!(thrown instanceof Error)) return { name: 'Thrown', message: toText(thrown), stack: '', hint: '' };
    const inner = (value: unknown) => facts(value, toText, depth + 1);
    const cause = thrown.cause === undefined || depth === MOST_INNER ? '' : ` (because: ${inner(thrown.cause).message})`;
    const each = thrown instanceof AggregateError && depth < MOST_INNER ? thrown.errors.slice(0, MOST_INNER).map(inner) : [];
    const more = thrown instanceof AggregateError && thrown.errors.length > each.length && each.length > 0 ? `; ${thrown.errors.length - each.length} more` : '';
    return {
      name: String(thrown.name),
      message: String(thrown.message) + (each.length > 0 ? ` (${each.map(({ message }) => message).join('; ')}${more})` : '') + cause,
      // What gathers errors comes from nowhere; the first of them comes from somewhere.
      stack: [String(thrown.stack ?? ''), ...each.slice(0, 1).map(({ stack }) => stack)].find((stack) => PLACE.test(stack)) ?? String(thrown.stack ?? ''),
      hint: 'hint' in thrown && typeof thrown.hint === 'string' ? thrown.hint : '',
    };
  } catch {
    return { name: 'Thrown', message: 'a value that cannot be read', stack: '', hint: '' };
  }
}
