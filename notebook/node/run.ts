// Runs a whole notebook in Node, cell after cell, through the kernel's own session. Says what happened as events;
// how they are written is in report.ts.
import { nodeHost } from '../../datasets/node.ts';
import * as engineHost from '../../engine/api/host.ts';
import * as api from '../../engine/api/index.ts';
import { startNodeEngine } from '../../engine/api/node.ts';
import type { Cell, Notebook } from '../document/notebook.ts';
import type { EngineLink } from '../kernel/engine.ts';
import { Session } from '../kernel/session.ts';
import type { Events, KernelEvent } from '../protocol/messages.ts';
import { compile } from '../transpile/compile.ts';
import type { Diagnostic } from '../transpile/program.ts';
import { createImporter, runScript } from './host.ts';

export interface RunOptions {
  /** Folder that `import './x.js'` in cells starts from. */
  readonly folder: string;
  readonly threads: number;
  /** Start of the random numbers; the notebook's own `seed`, or 0, unless given. */
  readonly seed?: number;
  readonly onEvent?: (event: NotebookEvent) => void;
}

export type NotebookEvent =
  | { readonly type: 'engine'; readonly flavour: string; readonly threads: number }
  | { readonly type: 'begin'; readonly cell: Cell; readonly number: number }
  | { readonly type: 'diagnostics'; readonly cell: Cell; readonly number: number; readonly diagnostics: readonly Diagnostic[] }
  | { readonly type: 'kernel'; readonly event: KernelEvent }
  | { readonly type: 'end'; readonly cell: Cell; readonly reply: Events['reply'] };

export interface NotebookResult {
  /** Code cells in the notebook. */
  readonly cells: number;
  /** Cells that failed, could not be compiled, were stopped, or left work behind that failed. */
  readonly errors: number;
  /** The last value logged under each name, over the whole notebook. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** A notebook that is running. */
export interface NotebookRun {
  readonly result: Promise<NotebookResult>;
  /** Stops the running cell; the cells after it do not run. */
  stop(): void;
}

/**
 * Starts the engine and runs all code cells in order, up to the first that fails.
 * Rejects only when the engine cannot start. One notebook per process: cells share the process's global names.
 */
export function runNotebook(notebook: Notebook, options: RunOptions): NotebookRun {
  const stopFlag = new Int32Array(new SharedArrayBuffer(4));
  let running = 0;
  let stop = (): void => {};
  const result = run(notebook, options, stopFlag, (session, runId) => {
    running = runId;
    stop = () => session.interrupt(runId);
  });
  return {
    result,
    stop: () => {
      Atomics.store(stopFlag, 0, running);
      stop();
    },
  };
}

async function run(
  notebook: Notebook,
  { folder, threads, seed, onEvent = () => {} }: RunOptions,
  stopFlag: Int32Array,
  onBegin: (session: Session, runId: number) => void,
): Promise<NotebookResult> {
  const startedAt = performance.now();
  const info = await startNodeEngine({ threads });
  onEvent({ type: 'engine', flavour: info.flavour, threads: info.threads });
  api.manualSeed(seed ?? Number(notebook.metadata.seed ?? 0));
  const engine: EngineLink = { ...engineHost, globals: api, info };
  const metrics: Record<string, number> = {};
  const failed = new Set<string>();
  const session = new Session({
    engine,
    stopFlag,
    runScript,
    importModule: createImporter(folder),
    datasets: nodeHost(),
    send: (event) => {
      if (event.type === 'metrics') {
        event.names.forEach((name, i) => {
          metrics[name] = event.columns[i]?.at(-1) ?? Number.NaN;
        });
      }
      if (event.type === 'error') failed.add(event.cellId);
      onEvent({ type: 'kernel', event });
    },
  });
  const reportUncaught = (thrown: unknown) => session.reportUncaught(thrown);
  process.on('unhandledRejection', reportUncaught);
  process.on('uncaughtException', reportUncaught);
  const cells = notebook.cells.filter(({ kind }) => kind === 'code');
  try {
    for (const [index, cell] of cells.entries()) {
      const cellIndex = index + 1;
      onEvent({ type: 'begin', cell, number: cellIndex });
      const { program, diagnostics } = compile(cell.source);
      if (!program) {
        failed.add(cell.id);
        onEvent({ type: 'diagnostics', cell, number: cellIndex, diagnostics });
        break;
      }
      onBegin(session, cellIndex);
      const reply = await session.execute({ runId: cellIndex, cellId: cell.id, cellIndex, program });
      onEvent({ type: 'end', cell, reply });
      if (reply.state !== 'ok') {
        failed.add(cell.id);
        break;
      }
    }
    // A rejection that nobody handles is reported after the microtasks of the last cell.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    session.dispose();
    process.off('unhandledRejection', reportUncaught);
    process.off('uncaughtException', reportUncaught);
  }
  return { cells: cells.length, errors: failed.size, metrics, seconds: (performance.now() - startedAt) / 1000 };
}
