// Runs cells through the real transpiler and the real session, with or without the engine, and gives back what came out.
import { compile } from '../../notebook/transpile/compile.ts';
import { createImporter, runScript } from '../../notebook/node/host.ts';
import type { EngineLink } from '../../notebook/kernel/engine.ts';
import { Session } from '../../notebook/kernel/session.ts';
import { SHARED_BYTES } from '../../notebook/protocol/frame.ts';
import type { DisplayData, KernelEvent } from '../../notebook/protocol/messages.ts';

/** What one cell gave: the text of its value, or its error, or a diagnostic; and what it printed. */
export interface CellOutcome {
  value?: string;
  error?: string;
  /** `cell:line:column` of each frame, innermost first. */
  at?: string[];
  diagnostic?: string;
  stopped?: true;
  printed?: string;
}

export interface Kernel {
  readonly events: KernelEvent[];
  readonly session: Session;
  readonly stopFlag: Int32Array;
  /** Runs a cell; the id is also its place: cell `a` is cell 1. */
  run(id: string, source: string): Promise<CellOutcome>;
  /** Sends a cell and gives its run id at once. */
  begin(id: string, source: string): { runId: number; outcome: Promise<CellOutcome> };
  end(): void;
}

/** `isIsolated`: whether threads share memory, as they do where the page is isolated. */
export function openKernel(engine: EngineLink | null = null, isIsolated = true): Kernel {
  const events: KernelEvent[] = [];
  const stopFlag = new Int32Array(new SharedArrayBuffer(SHARED_BYTES));
  const session = new Session({
    send: (event) => events.push(event),
    runScript,
    importModule: createImporter(import.meta.dirname),
    stopFlag: isIsolated ? stopFlag : null,
    datasets: { read: () => Promise.reject(new Error('these tests read no data')) },
    engine,
  });
  let nextRunId = 1;
  const begin: Kernel['begin'] = (id, source) => {
    const runId = nextRunId++;
    const { program, diagnostics } = compile(source);
    if (!program) {
      const [first] = diagnostics;
      return { runId, outcome: Promise.resolve({ diagnostic: `${first?.line}:${first?.column} ${first?.message}` }) };
    }
    const cellIndex = id.charCodeAt(0) - 96;
    const outcome = session.execute({ runId, cellId: id, cellIndex, program }).then(() => collect(events, runId));
    return { runId, outcome };
  };
  return {
    events,
    session,
    stopFlag,
    begin,
    run: (id, source) => begin(id, source).outcome,
    end: () => session.dispose(),
  };
}

/** Runs cells named a, b, c, ... in order. `b: text` at the start names another cell, so `a: 1` runs cell a again. */
export async function runCells(sources: readonly string[]): Promise<CellOutcome[]> {
  const kernel = openKernel();
  try {
    const outcomes: CellOutcome[] = [];
    for (const [i, source] of sources.entries()) {
      const named = /^([a-z]): /.exec(source);
      const id = named?.[1] ?? String.fromCharCode(97 + i);
      outcomes.push(await kernel.run(id, source.slice(named?.[0].length ?? 0)));
    }
    return outcomes;
  } finally {
    kernel.end();
  }
}

export function collect(events: readonly KernelEvent[], runId: number): CellOutcome {
  const outcome: CellOutcome = {};
  for (const event of events) {
    if (event.type === 'need' || event.type === 'pong' || event.type === 'status' || event.type === 'snapshot' || event.type === 'summaries' || event.runId !== runId) continue;
    if (event.type === 'display') outcome.value = textOf(event.data);
    if (event.type === 'stream') outcome.printed = (outcome.printed ?? '') + event.chunks.map(({ text }) => text).join('');
    if (event.type === 'error') {
      outcome.error = `${event.name}: ${event.message}`;
      if (event.frames.length > 0) outcome.at = event.frames.map(({ cellId, line, column }) => `${cellId}:${line}:${column}`);
    }
    if (event.type === 'reply' && event.state === 'stopped') outcome.stopped = true;
  }
  return outcome;
}

function textOf(data: DisplayData): string {
  if (data.kind === 'value') return data.value.text;
  if (data.kind === 'text' || data.kind === 'markdown') return data.text;
  return data.kind;
}
