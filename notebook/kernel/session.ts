// The notebook's running state: one scope, one run at a time. Takes requests, gives events. The same code runs in the
// page's worker and in Node; how code becomes a function and how events travel is the host's part.
import type { DatasetHost } from '../../datasets/load.ts';
import { STOP_ALL } from '../protocol/frame.ts';
import type { CellError, CellProgram, Events, KernelStatus, Requests } from '../protocol/messages.ts';
import { PROTOCOL_VERSION } from '../protocol/messages.ts';
import { ask } from './ask.ts';
import { Checkpoints } from './checkpoints.ts';
import { CellConsole } from './console.ts';
import { Controls } from './controls.ts';
import { Displays, type DisplaySink, isShown } from './display.ts';
import type { EngineLink } from './engine.ts';
import { cellFrames, describeFailure, type FindRun } from './failure.ts';
import { summarize } from './inspection.ts';
import { Metrics } from './metrics.ts';
import { numbersWait, Outbox, type Send } from './outbox.ts';
import { Plots } from './plot.ts';
import { Pause, sharedWords, signWords } from './pause.ts';
import { inspect, preview } from './preview.ts';
import { Run, sourceName } from './run.ts';
import { type Accessor, Scope } from './scope.ts';
import { type SignHost, Signs } from './signs.ts';
import { importFor, settle, Thrown } from './thrown.ts';
import { CellTimers, realTimers } from './timers.ts';
import { Views } from './views.ts';
import { Values } from './values.ts';

/** What a compiled cell is called with; see `compile` in notebook/transpile. */
export interface CellContext {
  declare(accessors: Record<string, Accessor>): void;
  result: unknown;
  import(specifier: string, names: readonly string[], options?: object): Promise<unknown>;
  thrown<T>(value: T): T;
  tick(): void;
  round(): Promise<void> | null;
}

export type CellFunction = (context: CellContext) => Promise<void>;

export interface SessionHost {
  readonly send: Send;
  /** Runs code as a script that stack traces call `name`; it leaves a function under a global name. Throws SyntaxError. */
  runScript(code: string, name: string): void;
  importModule(specifier: string, options: object | undefined, signal: AbortSignal): Promise<unknown>;
  /** Memory that another thread writes to, laid out by SHARED; its first number asks for a stop. Null when threads share no memory. */
  readonly stopFlag: Int32Array | null;
  /** How loops that never give way hear of Stop and Pause when there is no such memory. */
  readonly signs?: SignHost | null;
  readonly datasets: DatasetHost;
  readonly engine: EngineLink | null;
}

/** A stopped run that does not end by itself is let go of after this time; its loops and timers end at their next tick. */
const GRACE_MS = 300;
const STATUS_MS = 1000;
/** Runs per cell whose places in stack traces are still known. */
const KNOWN_RUNS = 20;

class Interrupted extends Error {
  override name = 'Interrupted';
}

export class Session {
  readonly #host: SessionHost;
  readonly #outbox: Outbox;
  readonly #scope = new Scope(globalThis);
  readonly #console: CellConsole;
  readonly #timers: CellTimers;
  readonly #displays: Displays;
  readonly #views: Views;
  readonly #controls: Controls;
  readonly #pause: Pause;
  readonly #values: Values;
  readonly #signs: Signs | null;
  readonly #checkpoints: Checkpoints | null;
  readonly #real = realTimers();
  readonly #thrown = new Thrown();
  /** Runs of each cell, the latest last. */
  readonly #runs = new Map<string, Run[]>();
  readonly #waitingDisplays = new Map<string, Events['display']>();
  #metrics: Metrics | null = null;
  #active: Run | null = null;
  /** In whose name code runs now: the active run, or that of a timer. */
  #current: Run | null = null;
  #abandon: (() => void) | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #statusAt = -Infinity;
  #state: KernelStatus['state'] = 'starting';

  constructor(host: SessionHost) {
    this.#host = host;
    // V8 keeps ten frames unless asked; the engine's own frames alone may be as many.
    Reflect.set(Error, 'stackTraceLimit', 50);
    this.#outbox = new Outbox(host.send, () => performance.now(), this.#real.setTimeout);
    const currentRun = () => this.#currentRun();
    this.#console = new CellConsole(this.#outbox, currentRun);
    this.#timers = new CellTimers(this.#real, currentRun, (run, task) => this.#perform(run, task));
    const sink = this.#sink();
    this.#displays = new Displays(host.engine, sink);
    const plots = new Plots(host.engine, sink);
    this.#views = new Views(sink, () => performance.now(), () => this.#active !== null, (value) => this.#scope.nameOf(value));
    this.#controls = new Controls({ shared: host.stopFlag, sink, currentRun, perform: (run, task) => this.#perform(run, task), moved: (text) => this.#mark(text) });
    this.#signs = host.signs ? new Signs(host.signs, () => performance.now()) : null;
    this.#pause = new Pause({
      words: host.stopFlag ? sharedWords(host.stopFlag) : this.#signs && signWords(this.#signs),
      now: () => performance.now(),
      isStopped: () => this.#isAskedToStop(),
      report: (isPaused) => this.#reportPause(isPaused),
    });
    this.#values = new Values(host.engine);
    this.#checkpoints = host.engine && new Checkpoints({
      engine: host.engine,
      now: () => performance.now(),
      names: () => this.#scope.names(),
      send: ({ runId, cellId }, checkpoint) => host.send({ type: 'checkpoint', runId, cellId, ...checkpoint }, [checkpoint.bytes]),
    });
    this.#installGlobals(plots);
    if (host.engine) this.#connect(host.engine, plots);
    this.#outbox.addSource(() => this.#console.drain());
    this.#outbox.addSource(() => this.#sendDisplays());
    this.#outbox.addSource(() => {
      if (this.#active) this.#checkpoints?.poll(this.#active);
    });
    this.#outbox.addSource(() => {
      if (this.#outbox.now() - this.#statusAt >= STATUS_MS) this.#sendStatus();
    });
    this.#setState('ready');
  }

  /** Runs a cell after all runs asked for before it. Settles when it has ended; never rejects. */
  execute(request: Requests['execute']): Promise<Events['reply']> {
    const result = this.#queue.then(() => this.#run(request)).catch((thrown: unknown) => this.#broke(request, thrown));
    this.#queue = result;
    return result;
  }

  /** The kernel's own code failed around a run: the run ends and says so, where otherwise it and all after it would wait for ever. */
  #broke({ runId, cellId, cellIndex, program }: Requests['execute'], thrown: unknown): Events['reply'] {
    const run = this.#active ?? new Run(runId, cellId, cellIndex, program, performance.now());
    const error = this.#describe(thrown, run, 'run');
    const hint = 'This is no fault of the cell: the kernel itself failed, perhaps because its parts come from different builds. Reload the page; what you wrote is kept.';
    this.#host.send({ type: 'error', ...error, hint });
    const reply: Events['reply'] = { runId, cellId, state: 'error', elapsedMs: performance.now() - run.startedAt, step: run.step, values: [] };
    this.#host.send({ type: 'reply', ...reply });
    this.#active = null;
    this.#current = null;
    this.#abandon = null;
    return reply;
  }

  /** Asks a run to end. Nothing happens when it has ended. */
  interrupt(runId: number): void {
    const run = this.#active;
    if (run?.runId !== runId || run.isStopped) return;
    run.isStopped = true;
    run.controller.abort(new Interrupted('stopped'));
    this.#pause.release();
    this.#real.setTimeout(() => {
      if (this.#active === run) this.#abandon?.();
    }, GRACE_MS);
  }

  /** A reader does something with a live view: its answer is drawn in its place, also while a cell runs. */
  ask({ displayId, question }: Requests['ask']): void {
    const view = this.#views.find(displayId);
    const found = view && this.#findRun(view.cellId, view.runId);
    if (found?.isLatest) this.#perform(found.run, () => this.#views.answer(displayId, question));
  }

  /** Lets the run stand still, go on, or do one step. Nothing happens when it has ended. */
  pause({ runId, mode }: Requests['pause']): void {
    if (this.#active?.runId === runId) this.#pause.set(mode);
  }

  /** Somebody moved a control. */
  control({ controlId, value }: Requests['control']): void {
    this.#controls.set(controlId, value);
    this.#outbox.poll();
  }

  /** Sends all that the cell's last run wrote to its console. */
  readLog({ cellId }: Requests['readLog']): void {
    const run = this.#runs.get(cellId)?.at(-1);
    if (!run) return;
    const { text, lostCharacters } = this.#console.logOf(run);
    const { buffer } = new TextEncoder().encode(text);
    this.#host.send({ type: 'log', runId: run.runId, cellId, bytes: buffer, lostCharacters }, [buffer]);
  }

  /** Weights that wait for models of their names. */
  restore({ checkpoints }: Requests['restore']): void {
    this.#checkpoints?.offer(checkpoints);
  }

  /** Takes a deleted cell's names away and ends its timers. */
  forget(cellId: string): void {
    this.#endRuns(cellId);
    this.#controls.endAll((run) => run.cellId === cellId);
    this.#console.forget(cellId);
    this.#scope.forget(cellId);
    this.#views.forget(cellId);
    this.#runs.delete(cellId);
    this.#host.engine?.forgetRun(cellId);
  }

  /** Answers with the engine's state as bytes. Cheap while a cell runs: only what is new is looked at closely. */
  inspect({ requestId, ...options }: Requests['inspect']): void {
    const startedAt = performance.now();
    let bytes = new Uint8Array();
    try {
      const request = { ...options, isRunning: this.#active !== null, named: this.#scope.entries() };
      bytes = this.#host.engine?.inspect(request) ?? bytes;
    } catch {
      // An engine that is out of memory cannot tell; whoever asked hears at once that there is nothing.
    }
    const event = { requestId, bytes, elapsedMs: performance.now() - startedAt };
    this.#host.send({ type: 'snapshot', ...event }, [event.bytes.buffer]);
  }

  /** Says what names hold, between runs. */
  summarize({ token, cellId, names, isDetailed }: Requests['summarize']): Promise<void> {
    return this.#queue.then(() => {
      const values = names.map((name) => summarize(this.#host.engine, name, this.#scope.lookUp(name, cellId), isDetailed));
      this.#host.send({ type: 'summaries', token, values });
    });
  }

  /** Reports an error that nobody caught, such as a rejected promise, under the cell it came from. */
  reportUncaught(thrown: unknown): void {
    const fallback = this.#current ?? this.#lastRun();
    if (!fallback) return;
    const place = this.#describe(thrown, fallback, 'background').frames[0];
    this.#reportBackground((place && this.#runs.get(place.cellId)?.at(-1)) ?? fallback, thrown);
  }

  /** Ends all timers and leaves the global object as it was found. The session is of no use afterwards. */
  dispose(): void {
    this.#timers.endAll(() => true);
    for (const runs of this.#runs.values()) for (const run of runs) run.controller.abort();
    this.#scope.restore();
  }

  // Order in time, for one run:
  //   end the cell's old run -> busy -> evaluate -> call -> (declare, tick..., result) -> flush -> error? -> reply -> idle
  async #run({ runId, cellId, cellIndex, program }: Requests['execute']): Promise<Events['reply']> {
    this.#endRuns(cellId);
    this.#views.forget(cellId);
    this.#controls.endAll((former) => former.cellId === cellId);
    this.#console.forget(cellId);
    this.#pause.reset();
    const run = new Run(runId, cellId, cellIndex, program, performance.now());
    this.#runs.set(cellId, [...(this.#runs.get(cellId) ?? []), run].slice(-KNOWN_RUNS));
    this.#active = run;
    this.#current = run;
    // A stop meant for left-over work must not end this run.
    if (this.#host.stopFlag) Atomics.compareExchange(this.#host.stopFlag, 0, STOP_ALL, 0);
    this.#signs?.pass();
    this.#host.engine?.beginRun(cellId);
    this.#setState('busy');
    const context: CellContext = {
      declare: (accessors) => this.#scope.declare(cellId, run.label, program.declared, accessors),
      result: undefined,
      // Programs under Node import the engine's names by this module; in cells they are there anyway.
      import: (specifier, names, options) => importFor(
        () => (specifier === 'gradbook' && this.#host.engine
          ? Promise.resolve(this.#host.engine.globals)
          : this.#host.importModule(specifier, options, run.controller.signal)),
        specifier, names),
      thrown: (value) => this.#thrown.note(value),
      tick: () => this.#tick(run),
      round: () => (this.#active ? this.#pause.round() : null),
    };
    let state: Events['reply']['state'] = 'ok';
    let failure: { readonly thrown: unknown } | null = null;
    try {
      const cell = this.#load(program, sourceName(cellId, runId));
      const abandoned = new Promise<never>((_, reject) => {
        this.#abandon = () => reject(new Interrupted('stopped'));
      });
      const { value } = await Promise.race([abandoned, cell(context).then(() => settle(context.result))]);
      if (program.hasResult && value !== undefined && !isShown(value)) this.#showResult(run, value);
    } catch (thrown) {
      const isStop = isInterrupted(thrown) || (run.isStopped && isAbort(thrown));
      state = isStop ? 'stopped' : 'error';
      if (!isStop) failure = { thrown };
      this.#scope.explainMissing(cellId, run.label);
    }
    this.#views.rested();
    await this.#displays.settled();
    this.#current = null;
    this.#pause.reset();
    if (state === 'stopped') this.#endRuns(cellId);
    this.#outbox.flush();
    this.#metrics?.ended(run);
    this.#host.engine?.endRun(this.#scope.values());
    const values = this.#account(run, new Set(program.declared.map(({ name }) => name)));
    if (failure) {
      const error = this.#describe(failure.thrown, run, 'run');
      this.#host.send({ type: 'error', ...error });
    }
    const reply = { runId, cellId, state, elapsedMs: performance.now() - run.startedAt, step: run.step, values };
    this.#host.send({ type: 'reply', ...reply });
    this.#active = null;
    this.#abandon = null;
    this.#signs?.pass();
    this.#setState('idle');
    return reply;
  }

  /** What the run left: weights go to the page, weights that waited go into new models, and what changed is listed. */
  #account(run: Run, declared: ReadonlySet<string>): Events['reply']['values'] {
    const { runId, cellId } = run;
    const mine = [...this.#scope.names()].filter(([name]) => declared.has(name));
    for (const { name, step } of this.#checkpoints?.restore(mine) ?? []) this.#host.send({ type: 'restored', runId, cellId, name, step });
    if (run.step !== null) this.#checkpoints?.take(run);
    return this.#values.look(this.#scope.names(), declared);
  }

  #reportPause(isPaused: boolean): void {
    const run = this.#active;
    if (!run) return;
    this.#outbox.flush();
    this.#host.send({ type: 'paused', runId: run.runId, cellId: run.cellId, isPaused, step: run.step });
  }

  #mark(text: string): void {
    const run = this.#active;
    if (!run) return;
    this.#outbox.flush();
    if (run.step !== null) this.#host.send({ type: 'mark', runId: run.runId, cellId: run.cellId, step: run.step, kind: 'tick', text, settings: null });
  }

  #load({ code, entry }: CellProgram, name: string): CellFunction {
    this.#host.runScript(code, name);
    const cell = Reflect.get(globalThis, entry);
    Reflect.deleteProperty(globalThis, entry);
    return cell;
  }

  #showResult(run: Run, value: unknown): void {
    // A text in quotes, as every console shows a value; `display` shows it bare.
    const place = this.#sink(run).open();
    if (typeof value === 'string') place.show({ kind: 'value', value: preview(value) });
    else this.#displays.show(place, value);
  }

  /**
   * Called now and then by every loop that a run of a cell brought into being. Throws to end it.
   * A function of an old run may serve a new one, so a loop of an ended run goes on while anything else runs.
   */
  #tick(run: Run): void {
    this.#pause.block(true);
    const isLeftOver = run.isStopped && this.#current === null;
    if (isLeftOver || this.#isAskedToStop()) throw new Interrupted('stopped');
    this.#outbox.turn();
  }

  #isAskedToStop(): boolean {
    const { stopFlag } = this.#host;
    const asked = stopFlag ? Atomics.load(stopFlag, 0) : 0;
    if (asked !== 0 && (asked === STOP_ALL || asked === this.#active?.runId)) return true;
    if (this.#active?.isStopped) return true;
    return (this.#active ?? this.#current) !== null && (this.#signs?.isStop() ?? false);
  }

  /** Runs a task in the name of a run, outside of any run of a cell, and reports what it throws. */
  #perform(run: Run, task: () => unknown): void {
    const before = this.#current;
    this.#current = run;
    try {
      const result = task();
      if (result instanceof Promise) result.catch((thrown: unknown) => this.#reportBackground(run, thrown));
    } catch (thrown) {
      this.#reportBackground(run, thrown);
    } finally {
      this.#current = before;
    }
  }

  #describe(thrown: unknown, run: Run, origin: CellError['origin']): CellError {
    return describeFailure(thrown, run, origin, this.#findRun, inspect, this.#scope, this.#thrown.stackOf(thrown));
  }

  #reportBackground(run: Run, thrown: unknown): void {
    if (isInterrupted(thrown)) return;
    this.#outbox.flush();
    this.#host.send({ type: 'error', ...this.#describe(thrown, run, 'background') });
  }

  #endRuns(cellId: string): void {
    for (const run of this.#runs.get(cellId) ?? []) {
      run.isStopped = true;
      run.controller.abort(new Interrupted('the cell was stopped, ran again or was deleted'));
    }
    this.#timers.endAll((run) => run.cellId === cellId);
  }

  readonly #findRun: FindRun = (cellId, runId) => {
    const runs = this.#runs.get(cellId) ?? [];
    const run = runs.find((candidate) => candidate.runId === runId);
    return run ? { run, isLatest: run === runs.at(-1) } : null;
  };

  #currentRun(): Run {
    const run = this.#current ?? this.#lastRun();
    if (!run) throw new Error('this works only while a cell runs');
    return run;
  }

  #lastRun(): Run | null {
    let last: Run | null = null;
    for (const runs of this.#runs.values()) {
      const run = runs.at(-1);
      if (run && (!last || run.runId > last.runId)) last = run;
    }
    return last;
  }

  #sink(owner?: Run): DisplaySink {
    return {
      open: () => {
        const run = owner ?? this.#currentRun();
        const displayId = run.nextDisplayId();
        let update = false;
        return {
          displayId,
          cellId: run.cellId,
          runId: run.runId,
          show: (data) => {
            // Only the last of many updates within a frame leaves; a new display always keeps its first turn.
            const waiting = this.#waitingDisplays.get(displayId);
            const event = { runId: run.runId, cellId: run.cellId, displayId, data, update: waiting ? waiting.update : update };
            this.#waitingDisplays.set(displayId, event);
            update = true;
            this.#outbox.poll();
          },
        };
      },
    };
  }

  #sendDisplays(): void {
    for (const event of this.#waitingDisplays.values()) this.#host.send({ type: 'display', ...event });
    this.#waitingDisplays.clear();
  }

  #installGlobals(plots: Plots): void {
    const { engine } = this.#host;
    for (const [name, value] of Object.entries(engine?.globals ?? {})) this.#scope.install(name, value);
    this.#scope.install('display', this.#displays.global());
    this.#scope.install('plot', plots.global());
    if (engine) for (const [name, value] of Object.entries(this.#views.globals())) this.#scope.install(name, value);
    this.#scope.install('ui', this.#controls.global());
    this.#scope.install('progress', (label: string, total?: number) => plots.progress(label, total ?? null, ''));
    this.#scope.replace('console', this.#console.globals());
    for (const [name, value] of Object.entries(this.#timers.globals())) this.#scope.replace(name, value);
    this.#scope.installGetter('cell', () => {
      const run = this.#currentRun();
      return { id: run.cellId, index: run.cellIndex, signal: run.controller.signal };
    });
  }

  #connect(engine: EngineLink, plots: Plots): void {
    const warn = (run: Run, text: string) => this.#console.write(run, 'warn', text);
    const metrics = new Metrics(engine, this.#outbox, () => this.#current ?? this.#lastRun(), warn, () => this.#scope.settings(), () => engine.trainingFacts());
    this.#metrics = metrics;
    // Before the console, so that a warning about a value leaves together with it.
    this.#outbox.addSource(() => metrics.drain());
    engine.setHooks({
      shouldStop: () => {
        this.#pause.block(false);
        return this.#isAskedToStop();
      },
      pause: () => (this.#active ? this.#pause.gate() : null),
      stepped: () => {
        if (this.#active) this.#active.hasOptimizer = true;
        this.#pause.stepped();
      },
      breathed: () => {
        this.#signs?.heard();
        this.#outbox.turn();
      },
      logged: (numbers) => {
        // A loop without an optimizer steps from log to log.
        if (this.#active && !this.#active.hasOptimizer) this.#pause.stepped();
        this.#pause.block(true);
        const run = this.#current ?? this.#lastRun();
        this.#views.logged(run?.runId);
        this.#outbox.poll(metrics.logged(numbers) ? 0 : run ? numbersWait(run.loggedFor(this.#outbox.now())) : undefined);
      },
      marked: (mark) => {
        metrics.mark(mark);
        const run = this.#current ?? this.#lastRun();
        if (mark.kind === 'trial' && run) this.#views.trial(run.runId);
      },
      datasets: this.#host.datasets,
      progress: (label, total, unit) => plots.progress(label, total, unit),
      roots: () => this.#scope.values(),
      place: () => cellFrames(new Error().stack ?? '', this.#findRun)[0] ?? null,
    });
  }

  #setState(state: KernelStatus['state']): void {
    this.#state = state;
    this.#sendStatus();
  }

  #sendStatus(): void {
    this.#statusAt = this.#outbox.now();
    const { engine, send } = this.#host;
    send({
      type: 'status',
      runId: this.#active?.runId ?? null,
      state: this.#state,
      protocol: PROTOCOL_VERSION,
      flavour: engine?.info.flavour ?? 'none',
      threads: engine?.info.threads ?? 1,
      memory: engine?.memoryUse() ?? null,
    });
  }
}

function isInterrupted(thrown: unknown): boolean {
  return ask(() => thrown instanceof Error && thrown.name === 'Interrupted', false);
}

/** What `fetch` and others reject with when the cell's signal is aborted. */
function isAbort(thrown: unknown): boolean {
  return ask(() => thrown instanceof Error && thrown.name === 'AbortError', false);
}
