// Where operations were called, for detectAnomaly(): the layers that were running, and the stack. backward() runs long after the
// forward pass; with this an error in it still leads to the line whose gradient it was.

import { engine } from './engine.ts';
import { EngineError } from './error.ts';

/** Operations remembered at a time: more than a step of a large model has. */
const MOST = 50_000;
/** Frames kept of each stack: those of layers lie between an operation and the cell. */
const FRAMES = 40;

interface Place {
  readonly layers: string;
  readonly stack: string;
}

interface Named {
  errorName(): string;
}

const running: Named[] = [];
const places = new Map<number, Place>();
let last = 0;

/** A layer begins: operations are its own until leaveLayer(). */
export function enterLayer(layer: Named): void {
  running.push(layer);
}

export function leaveLayer(): void {
  running.pop();
}

/** The innermost layer that is running. */
export function runningLayer(): unknown {
  return running.at(-1);
}

/** Begins or ends remembering. Slow: every operation notes its stack. */
export function markPlaces(enabled: boolean): void {
  if (!enabled) places.clear();
  engine().markPlaces(enabled ? note : undefined);
}

function note(): number {
  // V8 keeps ten frames unless told otherwise; other engines keep all.
  const limits = Error as { stackTraceLimit?: number };
  const before = limits.stackTraceLimit;
  limits.stackTraceLimit = FRAMES;
  const stack = new Error().stack ?? '';
  if (before !== undefined) limits.stackTraceLimit = before;
  // "linear(2, 3)" inside of "Net": the models around a layer come first.
  places.set(++last, { layers: running.map((layer) => layer.errorName()).join(' > '), stack });
  places.delete(last - MOST);
  return last;
}

/** Runs a backward pass; an error in it tells the layer, and begins its stack where the forward pass called the operation. */
export function withPlaces(backward: () => void): void {
  try {
    backward();
  } catch (error) {
    const place = places.size > 0 && error instanceof EngineError ? places.get(engine().failedPlace()) : undefined;
    if (place && error instanceof EngineError) {
      if (place.layers !== '') error.message += `; the forward pass computed it in ${place.layers}`;
      const own = (stack = ''): string => stack.slice(stack.search(/^\s*(at |[^\n]*@)/m));
      error.stack = `${error.name}: ${error.message}\n${own(place.stack)}\n${own(error.stack)}`;
    }
    throw error;
  }
}
