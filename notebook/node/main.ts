// Entry of `npm run notebook`: reads the command line, runs one notebook, sets the exit code.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatOf } from '../document/formats.ts';
import type { Notebook } from '../document/notebook.ts';
import { convert, readTrouble, UsageError } from './convert.ts';
import { Report, type Writer } from './report.ts';
import { runNotebook } from './run.ts';

const HELP = `Runs a notebook without a browser, on the same engine and kernel.

  npm run notebook -- FILE [options]
  npm run notebook -- convert IN OUT

FILE is a notebook: .md (for example lessons/linear-regression.md), .ipynb, .ts in percent format, or .html saved by Gradbook.
convert writes IN as another kind of file, by what OUT ends with; outputs travel to .ipynb and .html.

  --json         print one line: {"cells":n,"errors":n,"metrics":{...},"seconds":s}
  --threads N    threads of the engine; all cores, 8 at most, unless given
  --seed N       start of the random numbers; the notebook's own seed, or 0, unless given
  --help         this text

Cells run in order, up to the first that fails. A metric is the last value that any cell logged under its name.
The exit code is 0 when all cells ran, 1 when one failed, 2 when the command line or the file is wrong.
Ctrl-C stops the running cell.
`;

const MOST_THREADS = 8;

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        threads: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const whole = (name: 'threads' | 'seed', least: number): number | undefined => {
      const text = values[name];
      if (text === undefined) return undefined;
      const value = Number(text);
      if (!Number.isSafeInteger(value) || value < least) {
        throw new UsageError(`--${name}: expected a whole number of at least ${least}, got '${text}'`);
      }
      return value;
    };
    const [first = '', ...files] = positionals;
    const isConvert = first === 'convert';
    if (!values.help && isConvert && files.length !== 2) throw new UsageError(`convert: expected two files, got ${files.length}`);
    if (!values.help && !isConvert && positionals.length !== 1) throw new UsageError(`expected one file, got ${positionals.length}`);
    return { ...values, threads: whole('threads', 1), seed: whole('seed', 0), file: first, convert: isConvert ? files : null };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function readNotebook(file: string): Promise<Notebook> {
  try {
    // A name without an ending is Markdown, as lessons are.
    const text = readFileSync(file, 'utf8');
    return await formatOf(/\.\w+$/.test(file) ? file : `${file}.md`).parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${readTrouble(error)}`.replace(`${file}: ${file}: `, `${file}: `));
  }
}

/** Standard output; a terminal also shows lines that are written over. */
function terminal(): Writer {
  const { stdout } = process;
  return {
    write: (text) => void stdout.write(text),
    replaceLine: stdout.isTTY ? (text) => void stdout.write(`\r\u001b[K${text.slice(0, (stdout.columns ?? 80) - 1)}`) : null,
  };
}

/** Returns the exit code. */
async function main(): Promise<number> {
  const { help, json, threads = Math.min(availableParallelism(), MOST_THREADS), seed, file, convert: files } = options();
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (files) {
    await convert(files[0] as string, files[1] as string);
    return 0;
  }
  const notebook = await readNotebook(file);
  // With --json the one line stands alone on the output; what went wrong is still told, on the error stream.
  const report = new Report(json ? { write: (text) => void process.stderr.write(text), replaceLine: null } : terminal());
  const run = runNotebook(notebook, {
    folder: dirname(resolve(file)),
    threads,
    ...(seed === undefined ? {} : { seed }),
    onEvent: (event) => report.event(event),
  });
  // The second Ctrl-C ends the process, as without us.
  process.once('SIGINT', () => run.stop());
  const result = await run.result;
  if (json) process.stdout.write(`${JSON.stringify({ ...result, seconds: Number(result.seconds.toFixed(3)) })}\n`);
  else report.result(result);
  return result.errors === 0 ? 0 : 1;
}

main().then(
  // The engine's threads would keep the process alive.
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(error instanceof UsageError ? `notebook: ${error.message}\nSee --help.\n` : `notebook: ${error.stack}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
