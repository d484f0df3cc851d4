// Writes what a notebook does as plain text for a terminal or a log file.
import type { Cell } from '../document/notebook.ts';
import type { CellError, DisplayData, ProgressDisplay, TableDisplay } from '../protocol/messages.ts';
import type { ViewData } from '../protocol/views.ts';
import type { NotebookEvent, NotebookResult } from './run.ts';

/** Time between two lines of training progress in a log file. */
const PROGRESS_MS = 2000;

export interface Writer {
  write(text: string): void;
  /** A line that is written over by the next one; null where lines cannot be written over. */
  readonly replaceLine: ((text: string) => void) | null;
}

export class Report {
  readonly #out: Writer;
  readonly #now: () => number;
  readonly #cells = new Map<string, { readonly cell: Cell; readonly number: number }>();
  #metricsLine = '';
  #progressAt = 0;
  #isLineOpen = false;

  constructor(out: Writer, now: () => number = () => performance.now()) {
    this.#out = out;
    this.#now = now;
  }

  event(event: NotebookEvent): void {
    switch (event.type) {
      case 'engine':
        this.#line(`engine: ${event.flavour}, ${event.threads} ${event.threads === 1 ? 'thread' : 'threads'}`);
        break;
      case 'begin':
        this.#progressAt = this.#now();
        this.#cells.set(event.cell.id, { cell: event.cell, number: event.number });
        this.#line(`\n[${event.number}] ${firstLine(event.cell.source)}`);
        break;
      case 'diagnostics':
        for (const { line, column, message } of event.diagnostics) {
          this.#line(`error: cell ${event.number}, line ${line}, column ${column}: ${message}`);
          this.#excerpt(event.cell, line, column);
        }
        break;
      case 'end':
        this.#endProgress();
        if (event.reply.state === 'stopped') this.#line('stopped');
        break;
      case 'kernel':
        this.#kernelEvent(event.event);
    }
  }

  result({ cells, errors, metrics, seconds }: NotebookResult): void {
    const outcome = errors === 0 ? `${cells} cells ran` : `${errors} of ${cells} cells failed`;
    this.#line(`\n${outcome} in ${seconds.toFixed(1)} s`);
    const names = Object.keys(metrics);
    if (names.length > 0) this.#line(`final: ${names.map((name) => `${name} ${short(metrics[name] as number)}`).join('  ')}`);
  }

  #kernelEvent(event: Extract<NotebookEvent, { type: 'kernel' }>['event']): void {
    if (event.type === 'stream') {
      for (const { text, droppedLines } of event.chunks) {
        if (droppedLines) this.#line(`... ${droppedLines} lines left out ...`);
        this.#text(text);
      }
    } else if (event.type === 'display') {
      this.#display(event.data);
    } else if (event.type === 'error') {
      this.#error(event);
    } else if (event.type === 'metrics') {
      const values = event.names.map((name, i) => `${name} ${short(event.columns[i]?.at(-1) ?? Number.NaN)}`);
      this.#progress(`step ${event.steps.at(-1)}  ${values.join('  ')}`);
    }
  }

  #display(data: DisplayData): void {
    if (data.kind === 'progress') this.#bar(data);
    // A chart changes many times a second; a terminal shows the numbers instead.
    else if (data.kind !== 'chart') this.#line(displayText(data));
  }

  #bar({ label, value, total, unit, isDone }: ProgressDisplay): void {
    const write = (amount: number) => (unit === 'bytes' ? `${(amount / 1e6).toFixed(1)} MB` : short(amount));
    const text = `${label}: ${write(value)}${total ? ` of ${write(total)}` : ''}`;
    if (isDone) this.#line(text);
    else this.#out.replaceLine?.(text);
  }

  #error({ cellId, name, message, frames, hint, line, column, origin }: CellError): void {
    this.#endProgress();
    const at = this.#cells.get(cellId);
    const place = line === null ? '' : `, line ${line}, column ${column}`;
    const when = origin === 'background' ? ' (in work it left behind)' : '';
    this.#line(`error: cell ${at?.number ?? cellId}${place}${when}: ${name}: ${message}`);
    if (at && line !== null) this.#excerpt(at.cell, line, column ?? 1);
    for (const frame of frames.filter((each) => each.cellId !== cellId || each.line !== line)) {
      const number = this.#cells.get(frame.cellId)?.number ?? frame.cellId;
      this.#line(`  at ${frame.name || 'the top level'} (cell ${number}, line ${frame.line}, column ${frame.column})`);
    }
    if (hint) this.#line(`  ${hint}`);
  }

  #excerpt({ source }: Cell, line: number, column: number): void {
    const text = source.split('\n')[line - 1];
    if (text === undefined) return;
    this.#line(`  ${text}`);
    this.#line(`  ${text.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`);
  }

  #progress(text: string): void {
    this.#metricsLine = text;
    if (this.#out.replaceLine) this.#out.replaceLine(text);
    else if (this.#now() - this.#progressAt >= PROGRESS_MS) this.#endProgress();
  }

  /** The last numbers of a training stay. */
  #endProgress(): void {
    if (this.#metricsLine === '') return;
    this.#progressAt = this.#now();
    const text = this.#metricsLine;
    this.#metricsLine = '';
    this.#line(text);
  }

  #line(text: string): void {
    this.#text(`${this.#isLineOpen ? '\n' : ''}${text}\n`);
  }

  #text(text: string): void {
    this.#out.replaceLine?.('');
    this.#out.write(text);
    this.#isLineOpen = !text.endsWith('\n');
  }
}

function displayText(data: Exclude<DisplayData, ProgressDisplay>): string {
  switch (data.kind) {
    case 'text':
    case 'markdown':
      return data.text;
    case 'value':
      return data.value.text;
    case 'tensor':
      return `${data.text}\n${data.dtype} [${data.shape.join(', ')}]`;
    case 'images':
      return `${data.count} of ${data.total} images, ${data.width} x ${data.height}`;
    case 'chart':
      return `chart: ${data.chart.title}`;
    case 'table':
      return tableText(data);
    case 'view':
      return viewText(data.view);
    case 'control':
      return `${data.label}: ${data.value}`;
    case 'picture':
      return `picture: ${data.mediaType}, ${data.bytes.length} bytes`;
    case 'html':
      return 'HTML';
    case 'download':
      return `file: ${data.name}, ${data.bytes.length} bytes`;
  }
}

function viewText(view: ViewData): string {
  if (view.name === 'health') return [view.verdict, ...view.checks.map(({ state, title, words }) => `  ${state}: ${title}. ${words}`)].join('\n');
  if (view.name === 'confusion') return `confusion matrix: ${(100 * view.accuracy).toFixed(2)} % of ${view.total} right`;
  return `view: ${view.name}`;
}

function tableText({ columns, rows, totalRows }: TableDisplay): string {
  const cells = [columns, ...rows.map((row) => row.map((value) => (value === null ? '' : String(value))))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ').trimEnd());
  return [...lines, ...(totalRows > rows.length ? [`... ${totalRows - rows.length} more rows`] : [])].join('\n');
}

function firstLine(source: string): string {
  const line = source.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.length > 76 ? `${line.slice(0, 73)}...` : line;
}

function short(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(5)));
}
