// files: tensors as bytes. The safetensors format is read and written in C++, checked against hostile headers; here are the names
// of what goes in. Where bytes are stored is left to whoever holds them.

import { engine } from './engine.ts';
import { ArgumentError } from './error.ts';
import type { ExponentialMovingAverage } from './ema.ts';
import type { BatchesState } from './dataset.ts';
import { log } from './log.ts';
import { loadStateDict, type StateDict, stateDict } from './module.ts';
import type { Optimizer, OptimizerState } from './optim.ts';
import type { SchedulerState } from './schedule.ts';
import { handleOfTensor, requireTensor, Tensor } from './tensor.ts';
import { describeValue } from './words.ts';

export { loadNpy, loadNpz, saveNpy, saveNpz } from './npy.ts';

/** Bytes of a safetensors file with these tensors, such as model.stateDict(); `metadata` holds texts. Other programs can read it. */
export function saveTensors(tensors: Readonly<Record<string, Tensor>>, metadata: Readonly<Record<string, string>> = {}): Uint8Array {
  const list = Object.entries(tensors).map(
    ([name, tensor]) => [name, handleOfTensor(requireTensor(tensor, 'saveTensors', name), 'saveTensors')] as const,
  );
  const file = new Tensor(engine().writeSafetensors({ tensors: list, metadata }), 'saveTensors');
  const bytes = file.values() as Uint8Array;
  file.dispose();
  return bytes;
}

/** Tensors and texts of a safetensors file. */
export function loadTensors(bytes: Uint8Array | ArrayBuffer): {
  readonly tensors: StateDict;
  readonly metadata: Readonly<Record<string, string>>;
} {
  const data = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  if (!(data instanceof Uint8Array)) throw new ArgumentError(`loadTensors: needs the bytes of a file, got ${describeValue(bytes)}`);
  const file = new Tensor(engine().createFrom('uint8', [data.length], data), 'loadTensors');
  try {
    const { tensors, metadata } = engine().readSafetensors(handleOfTensor(file, 'loadTensors'));
    return { tensors: Object.fromEntries(tensors.map(([name, handle]) => [name, new Tensor(handle, 'loadTensors').keep()])), metadata };
  } finally {
    file.dispose();
  }
}

/** What a checkpoint holds, or is put back into. */
export interface Training {
  readonly model: unknown;
  readonly optimizer?: Optimizer;
  readonly scheduler?: { stateDict(): SchedulerState; loadStateDict(state: SchedulerState): void };
  readonly ema?: ExponentialMovingAverage;
  /** The loop over batches, so that going on begins with the batch after the last: `const batches = train.batches(...)`. */
  readonly batches?: { stateDict(): BatchesState; loadStateDict(state: BatchesState): void };
}

interface CheckpointHead {
  readonly version: 1;
  readonly random: readonly number[];
  readonly optimizer?: { readonly name: string; readonly groups: OptimizerState['groups']; readonly steps: readonly number[] };
  readonly scheduler?: SchedulerState;
  readonly ema?: number;
  readonly batches?: BatchesState;
  readonly extra: unknown;
}

/**
 * Bytes of everything that training needs to go on: parameters and buffers, the optimizer's state, the schedule, averaged
 * weights, the place in the data and in the random numbers, and `extra`, anything that JSON can hold (the epoch). Going on from
 * it equals not having stopped, bit for bit. While a training logs, its chart shows a tick at this step.
 */
export function saveCheckpoint(training: Training, extra: unknown = null): Uint8Array {
  const bytes = packCheckpoint(training, extra);
  if (log.step > 0) log.mark('checkpoint');
  return bytes;
}

/** As saveCheckpoint(), without a word to anybody: for those who keep many, or put everything back. */
export function packCheckpoint(training: Training, extra: unknown = null): Uint8Array {
  const tensors: Record<string, Tensor> = {};
  for (const [name, tensor] of Object.entries(stateDict(training.model))) tensors[`model.${name}`] = tensor;
  const state = training.optimizer?.stateDict();
  state?.state.forEach(({ slots }, i) => {
    for (const [slot, tensor] of Object.entries(slots)) tensors[`optimizer.${i}.${slot}`] = tensor;
  });
  const averages = training.ema?.stateDict();
  for (const [name, tensor] of Object.entries(averages?.averages ?? {})) tensors[`ema.${name}`] = tensor;
  const head: CheckpointHead = {
    version: 1,
    random: engine().randomState(),
    ...(state && { optimizer: { name: state.name, groups: state.groups, steps: state.state.map(({ step }) => step) } }),
    ...(training.scheduler && { scheduler: training.scheduler.stateDict() }),
    ...(averages && { ema: averages.updates }),
    ...(training.batches && { batches: training.batches.stateDict() }),
    extra,
  };
  const bytes = saveTensors(tensors, { gradbook: JSON.stringify(head) });
  // All of them are copies made for this.
  for (const tensor of Object.values(tensors)) tensor.dispose();
  return bytes;
}

/** Puts a checkpoint back into a model of the same build, its optimizer, scheduler, averages and batches. Returns what was given as `extra`. */
export function loadCheckpoint(bytes: Uint8Array | ArrayBuffer, training: Training): unknown {
  const { tensors, metadata } = loadTensors(bytes);
  if (metadata.gradbook === undefined) {
    throw new ArgumentError('loadCheckpoint: these bytes hold tensors, but no checkpoint; use loadTensors() and model.loadStateDict()');
  }
  const head = JSON.parse(metadata.gradbook) as CheckpointHead;
  const part = (prefix: string): StateDict =>
    Object.fromEntries(
      Object.entries(tensors).flatMap(([name, tensor]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [])),
    );
  loadStateDict(training.model, part('model.'));
  if (training.optimizer) {
    if (!head.optimizer) throw new ArgumentError('loadCheckpoint: the checkpoint was saved without an optimizer');
    const { name, groups, steps } = head.optimizer;
    training.optimizer.loadStateDict({ name, groups, state: steps.map((step, i) => ({ step, slots: part(`optimizer.${i}.`) })) });
  }
  if (training.scheduler) {
    if (!head.scheduler) throw new ArgumentError('loadCheckpoint: the checkpoint was saved without a scheduler');
    training.scheduler.loadStateDict(head.scheduler);
  }
  if (training.ema) {
    if (head.ema === undefined) throw new ArgumentError('loadCheckpoint: the checkpoint was saved without averaged weights (ema)');
    training.ema.loadStateDict({ updates: head.ema, averages: part('ema.') });
  }
  if (training.batches) {
    if (!head.batches) throw new ArgumentError('loadCheckpoint: the checkpoint was saved without batches');
    training.batches.loadStateDict(head.batches);
  }
  engine().setRandomState(head.random);
  for (const tensor of Object.values(tensors)) tensor.dispose();
  return head.extra;
}
