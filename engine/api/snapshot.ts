// Snapshots for the inspector: what only TypeScript knows (names of variables, cells, lines) is told to the engine, which
// writes the bytes. What they hold is said in engine/inspect/collect.h.

import { engine } from './engine.ts';
import { handleInPassing, isGone, slotKey } from './scope.ts';
import { Tensor } from './tensor.ts';

export interface InspectRequest {
  /** Watch the next step, for a later snapshot. */
  readonly trace: boolean;
  /** Forget what traced steps have cost so far. */
  readonly clear: boolean;
  /** Key of the tensor whose values are wanted, 0 for none. */
  readonly selected: number;
  /** First element wanted. */
  readonly from: number;
  /** A cell runs: as little time as possible is spent. */
  readonly isRunning: boolean;
  /** Variables with their names. */
  readonly named: Iterable<readonly [name: string, value: unknown]>;
}

/** Elements that may be read for statistics: a millisecond or less while training, what takes a moment else. */
const ALLOWANCE_RUNNING = 250_000;
const ALLOWANCE_IDLE = 8_000_000;

/** Somebody watches steps: each run begins with one, since a short run is over before anybody could ask. */
let isWatching = false;

/** Position + 1 is the number that the engine knows the cell by. */
const owners: string[] = [];

/** A run of a cell begins: tensors made from now on belong to it. */
export function ownTensors(cellId: string): void {
  if (!owners.includes(cellId)) owners.push(cellId);
  engine().setOwner(owners.indexOf(cellId) + 1);
  engine().trace(2);
  if (isWatching) engine().trace(1);
}

/** The state of the engine as bytes. */
export function inspect({ trace, clear, selected, from, isRunning, named }: InspectRequest): Uint8Array<ArrayBuffer> {
  const it = engine();
  // What a cell did without a step of an optimizer is a trace, too, once it has ended.
  if (!isRunning) it.trace(0);
  if (clear) it.clearTraced();
  const cells = owners.map((cell, i) => `owner\t${i + 1}\t${cell}\n`);
  const notes = [`flavour\t${it.info.flavour}\n`, ...cells, it.placeNotes(), ...tensorNames(named)];
  const bytes = it.snapshot(notes.join(''), selected, from, isRunning, isRunning ? ALLOWANCE_RUNNING : ALLOWANCE_IDLE);
  isWatching = trace;
  if (trace) it.trace(1);
  return bytes;
}

/** How deep, and over how many values, variables are searched for tensors. */
const DEPTH = 6;
const VALUES = 20_000;

/** Names of the tensors in variables: `x`, or `model.0.weight` for what a model holds, by PyTorch's names. */
function tensorNames(named: Iterable<readonly [name: string, value: unknown]>): string[] {
  const lines: string[] = [];
  const seen = new Set<unknown>();
  const enter = (name: string, value: unknown, depth: number): void => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || ArrayBuffer.isView(value)) return;
    if (seen.has(value) || seen.size > VALUES || depth > DEPTH) return;
    seen.add(value);
    if (value instanceof Tensor) {
      if (!isGone(value[slotKey])) lines.push(`name\t${handleInPassing(value[slotKey])}\t${name.slice(-200).replace(/[\t\n]/g, ' ')}\n`);
      return;
    }
    if (value instanceof Map) {
      for (const [key, item] of value) enter(`${name}.${String(key)}`, item, depth + 1);
      return;
    }
    const stateNames = (value.constructor as { stateNames?: Readonly<Record<string, string>> } | undefined)?.stateNames;
    for (const key of Object.keys(value)) {
      // Getters are not called, since they may do anything.
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (property && 'value' in property) enter(`${name}.${stateNames?.[key] ?? key}`, property.value, depth + 1);
      if (seen.size > VALUES) return;
    }
  };
  for (const [name, value] of named) enter(name, value, 0);
  return lines;
}
