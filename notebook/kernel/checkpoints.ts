// Weights of the notebook's models, handed to the page every few seconds: when the kernel has to be dropped they are what
// is left of a training. The page hands them back, and each is put into the model that is declared under its name.
import type { Checkpoint } from '../protocol/messages.ts';
import type { EngineLink, Tensor } from './engine.ts';
import type { Run } from './run.ts';
import { isModelOf } from './values.ts';

const EVERY_MS = 3000;
/** A checkpoint may take this share of the time. */
const SHARE = 0.02;
/** One that something else held up must not be the last for minutes. */
const MOST_WAIT_MS = 30_000;
const MOST_BYTES = 256 << 20;

interface Files {
  saveTensors(tensors: Readonly<Record<string, Tensor>>, metadata?: Readonly<Record<string, string>>): Uint8Array;
  loadTensors(bytes: Uint8Array): { readonly tensors: Readonly<Record<string, Tensor>>; readonly metadata: Readonly<Record<string, string>> };
}

interface Layers {
  stateDict(model: unknown): Record<string, Tensor>;
  loadStateDict(model: unknown, state: Readonly<Record<string, Tensor>>): void;
}

export interface CheckpointsHost {
  readonly engine: EngineLink;
  now(): number;
  /** Names and values of all cells. */
  names(): Iterable<readonly [name: string, value: unknown]>;
  send(run: Run, checkpoint: Checkpoint): void;
}

export class Checkpoints {
  readonly #host: CheckpointsHost;
  #pending = new Map<string, Checkpoint>();
  #takenAt: number;
  #waitMs = EVERY_MS;
  /** The run whose weights were saved after its last step. */
  #savedStep = new Map<string, number>();

  constructor(host: CheckpointsHost) {
    this.#host = host;
    this.#takenAt = host.now();
  }

  /** Called between steps of a run. Costs a look at the clock unless a few seconds have passed and the run has logged. */
  poll(run: Run): void {
    if (run.step === null || this.#host.now() - this.#takenAt < this.#waitMs) return;
    this.take(run);
  }

  /** Saves all models whose run has made steps since they were last saved. */
  take(run: Run): void {
    const startedAt = this.#host.now();
    for (const [name, value] of this.#host.names()) {
      const key = `${run.runId} ${name}`;
      if (this.#savedStep.get(key) === run.step || !isModelOf(this.#host.engine, value)) continue;
      const bytes = this.#bytesOf(value);
      if (!bytes) continue;
      this.#savedStep.set(key, run.step ?? 0);
      this.#host.send(run, { name, bytes, step: run.step });
    }
    this.#takenAt = this.#host.now();
    // Large models are saved less often.
    this.#waitMs = Math.min(MOST_WAIT_MS, Math.max(EVERY_MS, (this.#takenAt - startedAt) / SHARE));
  }

  /** Weights of a kernel that is gone wait here for their models. */
  offer(checkpoints: readonly Checkpoint[]): void {
    this.#pending = new Map(checkpoints.map((each) => [each.name, each]));
  }

  /** After a run: models that it declared get weights that wait for them. Returns what was put back. */
  restore(declared: Iterable<readonly [name: string, value: unknown]>): { readonly name: string; readonly step: number | null }[] {
    const restored: { name: string; step: number | null }[] = [];
    for (const [name, value] of declared) {
      const waiting = this.#pending.get(name);
      if (!waiting || !isModelOf(this.#host.engine, value)) continue;
      this.#pending.delete(name);
      const { files, nn } = this.#tools();
      try {
        const { tensors } = files.loadTensors(new Uint8Array(waiting.bytes));
        nn.loadStateDict(value, tensors);
        for (const tensor of Object.values(tensors)) tensor.dispose();
        restored.push({ name, step: waiting.step });
      } catch {
        // The model has another shape now: it starts afresh, as its cell says.
      }
    }
    return restored;
  }

  #bytesOf(model: unknown): ArrayBuffer | null {
    const { files, nn } = this.#tools();
    try {
      const state = nn.stateDict(model);
      const tensors = Object.values(state);
      try {
        const size = tensors.reduce((sum, { elementCount }) => sum + 4 * elementCount, 0);
        if (tensors.length === 0 || size > MOST_BYTES) return null;
        const bytes = files.saveTensors(state);
        return bytes.buffer.byteLength === bytes.byteLength ? (bytes.buffer as ArrayBuffer) : bytes.slice().buffer;
      } finally {
        for (const tensor of tensors) tensor.dispose();
      }
    } catch {
      // A model that is half built has nothing to save.
      return null;
    }
  }

  #tools(): { files: Files; nn: Layers } {
    const { files, nn } = this.#host.engine.globals;
    return { files: files as Files, nn: nn as Layers };
  }
}
