// The page's side of the kernel: starts it, sends cells, hears events, stops it, and replaces it when it is gone.
// Network, storage and the iframe itself are handed in; the document and the order of runs belong to the page.
import {
  type Capabilities,
  FLAVOURS,
  type Flavour,
  type FrameEvent,
  type FrameRequest,
  hasThreads,
  PAUSE,
  STOP_ALL,
} from '../protocol/frame.ts';
import {
  type CellProgram,
  type Checkpoint,
  type ControlDisplay,
  type ControlValue,
  type Events,
  type InspectOptions,
  type KernelEvent,
  type KernelStatus,
  PROTOCOL_VERSION,
  type Request,
  type RunId,
  type ValueSummary,
} from '../protocol/messages.ts';
import type { ViewQuestion } from '../protocol/views.ts';
import { frameDocument } from './sandbox.ts';
import { asKernelEvent } from './validate.ts';

/** What the page must offer. Every promise may reject; its message is shown to the learner. */
export interface ClientHost {
  /**
   * Appends an iframe with FRAME_ATTRIBUTES and this `srcdoc`. Calls `onMessage` with the data of messages whose
   * source is that frame's window, and no others.
   */
  createFrame(srcdoc: string, onMessage: (data: unknown) => void): FrameHandle;
  frameText(): Promise<string> | string;
  workerText(): Promise<string> | string;
  /** Glue script and wasm of one build. The bytes are handed over, so give a copy when they are kept. */
  engine(flavour: Flavour): Promise<{ readonly glue: string; readonly wasm: ArrayBuffer }>;
  /** A file that the kernel asks for: `data/<file>` or `modules/<file>`. Rejects for any other name. */
  file(name: string, onProgress: (receivedBytes: number, totalBytes: number | null) => void): Promise<ArrayBuffer>;
}

export interface FrameHandle {
  post(message: unknown, transfer?: Transferable[]): void;
  remove(): void;
}

export type Phase = 'off' | 'starting' | 'ready' | 'busy' | 'stopping' | 'dead';

export interface ClientState {
  readonly phase: Phase;
  /** One sentence for people, or ''. */
  readonly detail: string;
  readonly status: KernelStatus | null;
  /** Null before the first frame has answered. */
  readonly capabilities: Capabilities | null;
  /** Why the kernel runs on one thread, or ''. */
  readonly threadsNote: string;
  /** Stop was asked for two seconds ago and the run goes on: only dropping the kernel will end it. */
  readonly canForceStop: boolean;
  readonly runId: RunId | null;
  readonly cellId: string | null;
}

/** How a run ended. `lost`: the kernel was dropped or died. */
export type Outcome =
  | Events['reply']
  | { readonly runId: RunId; readonly cellId: string; readonly state: 'lost'; readonly elapsedMs: 0; readonly step: null; readonly values: readonly [] };

export interface ClientOptions {
  readonly host: ClientHost;
  /** Events of the latest run of each cell; older ones are dropped. Status, need, pong, snapshot and summaries stay inside. */
  onEvent(event: Exclude<KernelEvent, { type: 'status' | 'need' | 'pong' | 'snapshot' | 'summaries' }>): void;
  onState(state: ClientState): void;
  /** Most threads to use; 8 unless given. 1 chooses a build without threads. */
  readonly maxThreads?: number;
  /** Start of the random numbers at each start of the kernel; 0 unless given. */
  readonly seed?: number;
}

const HELLO_MS = 10_000;
const START_THREADS_MS = 8_000;
const START_MS = 20_000;
const FORCE_STOP_MS = 2_000;
const WATCH_MS = 1_000;
/** Ticks of the watch without a sign of life. Hidden pages slow all timers alike, so ticks are counted, not time. */
const SILENT_TICKS = 10;
const DEFAULT_THREADS = 8;
/** The ping that asks for nothing but a turn. Those of the watch count from 1. */
const TURN = 0;

const OFF: ClientState = {
  phase: 'off',
  detail: '',
  status: null,
  capabilities: null,
  threadsNote: '',
  canForceStop: false,
  runId: null,
  cellId: null,
};

interface Pending {
  readonly runId: RunId;
  readonly cellId: string;
  readonly request: Request;
  readonly settle: (outcome: Outcome) => void;
  isSent: boolean;
}

/** One frame with its worker. A dropped one is never used again. */
interface Connection {
  readonly frame: FrameHandle;
  port: MessagePort | null;
  silentTicks: number;
  onFrameEvent: (event: FrameEvent) => void;
}

export class KernelClient {
  readonly #options: ClientOptions;
  #state = OFF;
  #connection: Connection | null = null;
  #workerText: Promise<string> | null = null;
  #starting: Promise<void> | null = null;
  #nextRunId = 1;
  /** Not ended yet, in order; the first is the one that runs. */
  #pending: Pending[] = [];
  readonly #latestRun = new Map<string, RunId>();
  #watch: ReturnType<typeof setInterval> | null = null;
  #forceTimer: ReturnType<typeof setTimeout> | undefined;
  #pingToken = 0;
  #pongToken = 0;
  #turns: (() => void)[] = [];
  readonly #inspections = new Map<number, (snapshot: Events['snapshot'] | null) => void>();
  #inspectionCount = 0;
  #summaryToken = 0;
  readonly #summaries = new Map<number, (values: readonly ValueSummary[]) => void>();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Starts the kernel when it is off or dead. Rejects, and the state says why, when the browser cannot run it. */
  start(): Promise<void> {
    if (this.#starting) return this.#starting;
    // Begins a moment later, so that `#starting` already holds this attempt when it looks.
    const attempt: Promise<void> = Promise.resolve().then(() => this.#startFirstThatWorks()).catch((error: Error) => {
      // A restart may have put another attempt in its place.
      if (this.#starting === attempt) {
        this.#drop();
        this.#die(error.message);
      }
      throw error;
    });
    this.#starting = attempt;
    return attempt;
  }

  /** Sends a cell; it waits until the kernel is ready and earlier runs have ended. `reply` never rejects. */
  execute(cellId: string, cellIndex: number, program: CellProgram): { runId: RunId; reply: Promise<Outcome> } {
    const runId = this.#nextRunId++;
    this.#latestRun.set(cellId, runId);
    const reply = new Promise<Outcome>((settle) => {
      const request: Request = { type: 'execute', runId, cellId, cellIndex, program };
      this.#pending.push({ runId, cellId, request, settle, isSent: false });
    });
    this.start().then(
      () => this.#sendNext(),
      () => {},
    );
    return { runId, reply };
  }

  /** Takes back runs that have not begun. They end as `stopped`. */
  cancelWaiting(): void {
    const waiting = this.#pending.filter(({ isSent }) => !isSent);
    this.#pending = this.#pending.filter(({ isSent }) => isSent);
    for (const { runId, cellId, settle } of waiting) settle({ runId, cellId, state: 'stopped', elapsedMs: 0, step: null, values: [] });
  }

  /** Stops the running cell, and whatever cells left behind. After two seconds without an end, force stop is offered. */
  interrupt(): void {
    const run = this.#pending.find(({ isSent }) => isSent);
    this.#toFrame({ type: 'stop', value: run?.runId ?? STOP_ALL });
    if (!run) return;
    this.#send({ type: 'interrupt', runId: run.runId });
    this.#change({ phase: 'stopping', detail: 'Stopping.' });
    clearTimeout(this.#forceTimer);
    this.#forceTimer = setTimeout(() => {
      if (this.#pending[0] !== run) return;
      this.#change({ canForceStop: true, detail: 'The cell does not answer. Force stop ends it; its variables are lost.' });
    }, FORCE_STOP_MS);
  }

  /** Lets the running cell stand still at its next step, go on, or do one step; a `paused` event tells when it does. */
  pause(mode: 'on' | 'off' | 'step'): void {
    const run = this.#pending.find(({ isSent }) => isSent);
    if (!run) return;
    this.#toFrame({ type: 'pause', value: PAUSE[mode] });
    this.#send({ type: 'pause', runId: run.runId, mode });
  }

  /** Somebody moved a control to a value that its display allows. */
  moveControl({ controlId, slot, options }: ControlDisplay, value: ControlValue): void {
    if (slot >= 0) this.#toFrame({ type: 'control', slot, value: typeof value === 'string' ? options.indexOf(value) : Number(value) });
    this.#send({ type: 'control', controlId, value });
  }

  /** Resolves when messages have had a turn in the kernel, or it is gone: a loop that never gives way hears none before its end. */
  turn(): Promise<void> {
    if (!this.#connection?.port) return Promise.resolve();
    return new Promise((resolve) => {
      this.#turns.push(resolve);
      if (this.#turns.length === 1) this.#send({ type: 'ping', token: TURN });
    });
  }

  /** Asks for all that the cell's last run wrote to its console; a `log` event brings it. */
  readLog(cellId: string): void {
    this.#send({ type: 'readLog', cellId });
  }

  /** Weights for models that will be declared: see `checkpoint` events. They wait in the kernel that runs or starts. */
  async restore(checkpoints: readonly Checkpoint[]): Promise<void> {
    await this.start();
    this.#send({ type: 'restore', checkpoints });
  }

  /** Drops the kernel with everything in it and starts a new one. Ends any code, whatever it does. */
  forceStop(): Promise<void> {
    return this.restart();
  }

  /** The same, for a fresh start. */
  restart(): Promise<void> {
    this.#drop();
    this.#change({ ...OFF, capabilities: this.#state.capabilities, detail: 'Restarting.' });
    return this.start();
  }

  /** A reader does something with a live view of this kernel. A view of a kernel that is gone stays as it is. */
  ask(displayId: string, question: ViewQuestion): void {
    if (this.#state.status) this.#send({ type: 'ask', displayId, question });
  }

  /** A cell was deleted: its names vanish. */
  forget(cellId: string): void {
    this.#latestRun.delete(cellId);
    if (this.#starting) this.#send({ type: 'forget', cellId });
  }

  /** The state of the engine, or null when the kernel is not there or goes before it answers. Waits for the next yield. */
  inspect(options: InspectOptions): Promise<Events['snapshot'] | null> {
    if (this.#state.status === null) return Promise.resolve(null);
    this.#inspectionCount += 1;
    const requestId = this.#inspectionCount;
    return new Promise((resolve) => {
      this.#inspections.set(requestId, resolve);
      this.#send({ type: 'inspect', requestId, ...options });
    });
  }

  /** What names hold, as this cell sees them. Waits for the running cell; gives nothing when the kernel is not there or goes. */
  summarize(cellId: string, names: readonly string[], isDetailed: boolean): Promise<readonly ValueSummary[]> {
    if (!this.#connection?.port || names.length === 0) return Promise.resolve([]);
    this.#summaryToken += 1;
    const token = this.#summaryToken;
    return new Promise((resolve) => {
      this.#summaries.set(token, resolve);
      this.#send({ type: 'summarize', token, cellId, names, isDetailed });
    });
  }

  dispose(): void {
    this.#drop();
    this.#change(OFF);
  }

  async #startFirstThatWorks(): Promise<void> {
    this.#change({ phase: 'starting', detail: 'Starting the kernel.' });
    // On its way while the frame opens.
    this.#workerText ??= Promise.resolve(this.#options.host.workerText());
    this.#workerText.catch(() => {
      this.#workerText = null;
    });
    let note = '';
    for (;;) {
      const { connection, capabilities } = await this.#openFrame();
      this.#change({ capabilities });
      const maxThreads = note === '' ? (this.#options.maxThreads ?? DEFAULT_THREADS) : 1;
      const choice = chooseFlavour(capabilities, maxThreads);
      if (note === '') note = choice.note;
      this.#change({ threadsNote: note });
      try {
        await this.#startWorker(connection, choice.flavour, choice.threads);
        this.#beginWatch(connection);
        return;
      } catch (error) {
        if (connection !== this.#connection) throw error;
        this.#close(connection);
        if (!hasThreads(choice.flavour)) throw error;
        note = `Threads did not start here (${(error as Error).message}), so the kernel runs on one.`;
      }
    }
  }

  async #openFrame(): Promise<{ connection: Connection; capabilities: Capabilities }> {
    const attempt = this.#starting;
    const srcdoc = frameDocument(await this.#options.host.frameText());
    if (attempt !== this.#starting) throw new Error('the kernel was restarted');
    let connection: Connection | undefined;
    const capabilities = await withTimeout<Capabilities>(
      HELLO_MS,
      "the kernel's frame did not answer; a content policy of the page or an extension may block its script",
      (resolve, reject) => {
        const onFrameEvent = (event: FrameEvent): void => {
          if (event.type === 'hello') resolve(event.capabilities);
          if (event.type === 'failed') reject(new Error(event.message));
        };
        const opened: Connection = {
          onFrameEvent,
          port: null,
          silentTicks: 0,
          frame: this.#options.host.createFrame(srcdoc, (data) => {
            if (connection) connection.silentTicks = 0;
            const event = data as FrameEvent;
            (connection ?? { onFrameEvent }).onFrameEvent(event);
          }),
        };
        connection = opened;
        this.#connection = opened;
      },
    );
    return { connection: connection as Connection, capabilities };
  }

  async #startWorker(connection: Connection, flavour: Flavour, threads: number): Promise<void> {
    const { host, seed = 0 } = this.#options;
    const [workerText, { glue, wasm }] = await Promise.all([this.#workerText ?? host.workerText(), host.engine(flavour)]);
    if (connection !== this.#connection) throw new Error('the kernel was restarted');
    const { port1, port2 } = new MessageChannel();
    connection.port = port1;
    const limit = hasThreads(flavour) ? START_THREADS_MS : START_MS;
    await withTimeout<void>(limit, `no answer within ${limit / 1000} seconds`, (resolve, reject) => {
      connection.onFrameEvent = (event) => {
        if (event.type === 'failed') reject(new Error(event.message));
      };
      port1.onmessage = ({ data }) => {
        const event = asKernelEvent(data);
        if (!event || connection !== this.#connection) return;
        if (event.type === 'status' && event.protocol !== PROTOCOL_VERSION) {
          reject(new Error('page and kernel come from different versions; reload the page'));
        } else if (event.type === 'status' && event.state === 'ready') {
          this.#hear(event);
          resolve();
        } else {
          this.#hear(event);
        }
      };
      const { frame } = connection;
      const request: FrameRequest = { type: 'start', flavour, threads, seed, workerText, glueText: glue, wasm };
      frame.post(request, [port2, wasm]);
    });
    connection.onFrameEvent = (event) => {
      if (event.type === 'failed') this.#lose(`The kernel broke: ${event.message}.`);
    };
    this.#change({ phase: 'ready', detail: '' });
    this.#sendNext();
  }

  #hear(event: KernelEvent): void {
    const connection = this.#connection;
    if (connection) connection.silentTicks = 0;
    switch (event.type) {
      case 'status':
        this.#change({ status: event });
        return;
      case 'pong':
        if (event.token === TURN) this.#endTurns();
        else this.#pongToken = event.token;
        return;
      case 'summaries':
        this.#summaries.get(event.token)?.(event.values);
        this.#summaries.delete(event.token);
        return;
      case 'need':
        void this.#supply(event.requestId, event.file);
        return;
      case 'reply':
        this.#end(event);
        return;
      case 'snapshot':
        this.#inspections.get(event.requestId)?.(event);
        this.#inspections.delete(event.requestId);
        return;
      default:
        if (this.#latestRun.get(event.cellId) === event.runId) this.#options.onEvent(event);
    }
  }

  #end(reply: Events['reply']): void {
    const at = this.#pending.findIndex(({ runId, isSent }) => isSent && runId === reply.runId);
    const ended = this.#pending[at];
    if (!ended) return;
    this.#pending.splice(at, 1);
    clearTimeout(this.#forceTimer);
    this.#change({ phase: 'ready', detail: '', canForceStop: false, runId: null, cellId: null });
    if (this.#latestRun.get(reply.cellId) === reply.runId) this.#options.onEvent({ type: 'reply', ...reply });
    ended.settle(reply);
    this.#sendNext();
  }

  #sendNext(): void {
    const next = this.#pending[0];
    if (!next || next.isSent || this.#state.phase !== 'ready') return;
    next.isSent = true;
    this.#change({ phase: 'busy', runId: next.runId, cellId: next.cellId });
    this.#send(next.request);
  }

  async #supply(requestId: number, file: string): Promise<void> {
    const connection = this.#connection;
    const answer = (fields: object, transfer: Transferable[] = []): void => {
      if (connection === this.#connection) connection?.port?.postMessage({ type: 'supply', requestId, ...fields }, transfer);
    };
    try {
      const bytes = await this.#options.host.file(file, (receivedBytes, totalBytes) =>
        answer({ progress: { receivedBytes, totalBytes } }),
      );
      answer({ bytes }, [bytes]);
    } catch (error) {
      answer({ error: error instanceof Error ? error.message : String(error) });
    }
  }

  #beginWatch(connection: Connection): void {
    this.#watch = setInterval(() => {
      connection.silentTicks += 1;
      if (connection.silentTicks > SILENT_TICKS) {
        this.#lose('The kernel is gone: its frame no longer answers.');
        return;
      }
      // A cell can end its worker without a sound; a busy one may be silent for good reason.
      if (this.#pending.some(({ isSent }) => isSent)) {
        this.#pongToken = this.#pingToken;
      } else if (this.#pingToken - this.#pongToken > SILENT_TICKS) {
        this.#lose('The kernel is gone: its worker no longer answers.');
      } else {
        this.#pingToken += 1;
        this.#send({ type: 'ping', token: this.#pingToken });
      }
    }, WATCH_MS);
  }

  #send(request: Request): void {
    this.#connection?.port?.postMessage(request);
  }

  #toFrame(request: FrameRequest): void {
    this.#connection?.frame.post(request);
  }

  #change(change: Partial<ClientState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onState(this.#state);
  }

  /** The kernel ended by itself. */
  #lose(detail: string): void {
    this.#drop();
    this.#die(`${detail} Restart it to go on; the notebook's text is safe.`);
  }

  #die(detail: string): void {
    this.#change({ ...OFF, capabilities: this.#state.capabilities, phase: 'dead', detail });
  }

  #drop(): void {
    if (this.#connection) this.#close(this.#connection);
    this.#starting = null;
    for (const resolve of this.#inspections.values()) resolve(null);
    this.#inspections.clear();
    this.#endTurns();
    this.#loseRuns();
  }

  #endTurns(): void {
    const waiting = this.#turns;
    this.#turns = [];
    for (const resolve of waiting) resolve();
  }

  #close(connection: Connection): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
    clearTimeout(this.#forceTimer);
    this.#pongToken = this.#pingToken;
    connection.port?.close();
    // Removing the frame ends its process, whatever the code in it does.
    connection.frame.remove();
    if (this.#connection === connection) this.#connection = null;
  }

  #loseRuns(): void {
    for (const answer of this.#summaries.values()) answer([]);
    this.#summaries.clear();
    const lost = this.#pending;
    this.#pending = [];
    for (const { runId, cellId, settle } of lost) settle({ runId, cellId, state: 'lost', elapsedMs: 0, step: null, values: [] });
  }
}

/** The fastest build this browser can run. `note` says why it has one thread, or ''. Throws when it can run none. */
export function chooseFlavour(capabilities: Capabilities, maxThreads: number): { flavour: Flavour; threads: number; note: string } {
  const { hasSimd, hasRelaxedSimd, coreCount } = capabilities;
  if (!hasSimd) {
    throw new Error(
      'This browser cannot run the engine: it lacks WebAssembly SIMD. Chrome and Edge have it since version 91, Firefox since 89, Safari since 16.4.',
    );
  }
  const note = reasonForOneThread(capabilities);
  const threads = note === '' ? Math.max(1, Math.min(coreCount, maxThreads)) : 1;
  const simd = hasRelaxedSimd ? 'relaxed' : 'simd';
  const flavour = FLAVOURS.find((each) => each.startsWith(simd) && hasThreads(each) === threads > 1) as Flavour;
  return { flavour, threads, note };
}

function reasonForOneThread({ isIsolated, areThreadsReliable, coreCount }: Capabilities): string {
  if (!isIsolated) {
    return 'The page is not cross-origin isolated, so the kernel runs on one thread. The host must send the COOP and COEP headers.';
  }
  if (!areThreadsReliable) return 'Threads hang now and then in this browser, so the kernel runs on one.';
  return coreCount > 1 ? '' : 'This machine offers one core.';
}

function withTimeout<T>(
  limitMs: number,
  message: string,
  begin: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    // Seconds in which the page had a turn: an answer that waits behind something that held the page up is none too late.
    let seconds = 0;
    const timer = setInterval(() => {
      seconds += 1;
      if (seconds * 1000 < limitMs) return;
      clearInterval(timer);
      reject(new Error(message));
    }, 1000);
    const settle =
      <V>(done: (value: V) => void) =>
      (value: V): void => {
        clearInterval(timer);
        done(value);
      };
    begin(settle(resolve), settle(reject));
  });
}
