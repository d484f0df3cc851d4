// Formats the text of a cell, in a worker that is started on demand.
import { compileCell } from './compiler.ts';

export interface FormatRequest {
  readonly token: number;
  readonly text: string;
  readonly cursor: number;
}

export interface FormatAnswer {
  readonly token: number;
  readonly text: string;
  readonly cursor: number;
  /** Why the text was left as it is, or ''. */
  readonly error: string;
}

let worker: Worker | null = null;
let token = 0;
const waiting = new Map<number, { resolve(answer: FormatAnswer): void; reject(error: Error): void }>();

async function start(): Promise<Worker> {
  if (worker) return worker;
  const { default: FormatWorker } = await import('./format.worker.ts?worker');
  worker ??= new FormatWorker({ name: 'format' });
  worker.onmessage = ({ data }: MessageEvent<FormatAnswer>) => {
    waiting.get(data.token)?.resolve(data);
    waiting.delete(data.token);
  };
  worker.onerror = () => {
    worker = null;
    for (const { reject } of waiting.values()) reject(new Error('The formatter did not load. Check the connection and try again.'));
    waiting.clear();
  };
  return worker;
}

/** The formatted text and where the cursor then is. Rejects, with words for people, when the text has a syntax error. */
export async function formatCode(text: string, cursor = 0): Promise<{ readonly text: string; readonly cursor: number }> {
  const mine = ++token;
  const running = await start();
  const answer = await new Promise<FormatAnswer>((resolve, reject) => {
    waiting.set(mine, { resolve, reject });
    running.postMessage({ token: mine, text, cursor } satisfies FormatRequest);
  });
  if (answer.error) throw new Error(`Not formatted: ${answer.error}`);
  return { text: await withResult(text, answer.text), cursor: answer.cursor };
}

/** A cell shows its last expression when no `;` follows it, and the formatter writes one after each statement. */
async function withResult(before: string, after: string): Promise<string> {
  if (!(await hasResult(before)) || (await hasResult(after))) return after;
  for (let at = after.lastIndexOf(';'); at >= 0; at = after.lastIndexOf(';', at - 1)) {
    const without = after.slice(0, at) + after.slice(at + 1);
    if (await hasResult(without)) return without;
    if (after.slice(at + 1).trim() !== '' && !/^\s*\/[/*]/.test(after.slice(at + 1))) break;
  }
  return after;
}

const hasResult = async (text: string) => (await compileCell(text)).compiled.program?.hasResult ?? false;
