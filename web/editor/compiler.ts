// Page side of the cell worker before and beside Monaco: compiles cells. Owns the worker; Monaco borrows it once.
import type { Compiled } from '../../notebook/transpile/compile.ts';
import CellWorker from './cell.worker.ts?worker';
import type { Expected, Reading } from './expected.ts';

export interface CompileRequest {
  readonly token: number;
  readonly text: string;
}

export interface CompileAnswer {
  readonly token: number;
  readonly compiled: Compiled;
  /** Names that the cell declares with a value, and the line (from 1) where each stands. */
  readonly names: readonly { readonly name: string; readonly line: number }[];
  /** Whether the cell logs numbers again and again: it calls `log` in a loop, or `fit`. */
  readonly doesLog: boolean;
  /** Functions of the cell that do: a cell that uses one of them logs, too. */
  readonly loggers: readonly string[];
  /** Names of the numbers that calls of `log` in its text log. */
  readonly metrics: readonly string[];
  /** What it will show, in order. */
  readonly expected: readonly Expected[];
  /** Its functions that show something, for cells that call them. */
  readonly showers: Reading['showers'];
  /** Names that give values to other cells and take them from others: what staleness is judged by. */
  readonly uses: { readonly declared: readonly string[]; readonly references: readonly string[]; readonly writes: readonly string[] };
}

let worker: Worker | null = null;
let isLent = false;
let port: MessagePort | null = null;
let failure: string | null = null;
let token = 0;
const waiting = new Map<number, { resolve(answer: CompileAnswer): void; reject(error: Error): void }>();
/** Answers by text: a cell is compiled when it is read, when it is queued and when it runs, and most texts stay as they are. */
const answers = new Map<string, Promise<CompileAnswer>>();
const MOST_ANSWERS = 500;

/** Starts the worker; asked again it does nothing. */
export function startCompiler(): void {
  if (worker) return;
  worker = new CellWorker({ name: 'cells' });
  const channel = new MessageChannel();
  port = channel.port1;
  port.onmessage = ({ data }: MessageEvent<CompileAnswer>) => {
    waiting.get(data.token)?.resolve(data);
    waiting.delete(data.token);
  };
  worker.addEventListener('error', (event) => {
    failure = `The TypeScript compiler did not load${event.message ? ` (${event.message})` : ''}. Check the connection and reload the page.`;
    for (const { reject } of waiting.values()) reject(new Error(failure));
    waiting.clear();
  });
  worker.postMessage({ type: 'compiler' }, [channel.port2]);
}

/** Compiles the text of one cell. Rejects only when the worker could not be loaded. */
export function compileCell(text: string): Promise<CompileAnswer> {
  startCompiler();
  if (failure) return Promise.reject(new Error(failure));
  const answer = answers.get(text) ?? ask(text);
  // The text that was asked for last is forgotten last.
  answers.delete(text);
  answers.set(text, answer);
  if (answers.size > MOST_ANSWERS) answers.delete(answers.keys().next().value!);
  return answer;
}

function ask(text: string): Promise<CompileAnswer> {
  const mine = ++token;
  return new Promise((resolve, reject) => {
    waiting.set(mine, { resolve, reject });
    port!.postMessage({ token: mine, text } satisfies CompileRequest);
  });
}

/** The worker for Monaco. After Monaco has dropped it once, Monaco gets one of its own. */
export function lendWorker(): Worker {
  startCompiler();
  if (isLent) return new CellWorker({ name: 'cells' });
  isLent = true;
  return worker!;
}
