// The errors that the engine throws in JavaScript. What is wrong is said in C++, next to the check;
// this file only gives each kind its class. Cell and line are added by the notebook.

/** Every error of the engine. `message` says what happened, what was expected and what came. */
export class EngineError extends Error {
  override name = 'EngineError';
}

/** A value is outside of what an operation accepts. */
export class ValueError extends EngineError {
  override name = 'ValueError';
}

/** Shapes do not fit together. */
export class ShapeError extends EngineError {
  override name = 'ShapeError';
}

/** A dtype does not suit the operation. */
export class DTypeError extends EngineError {
  override name = 'DTypeError';
}

/** The call comes at a wrong time: a second backward(), a tensor that is gone. */
export class StateError extends EngineError {
  override name = 'StateError';
}

/** The engine cannot get the memory it needs. */
export class MemoryError extends EngineError {
  override name = 'MemoryError';
}

/** An argument has the wrong kind: missing, too many, a text where a tensor belongs. */
export class ArgumentError extends EngineError {
  override name = 'ArgumentError';
}

/** A loss is no number any more, and training has stopped. */
export class NotFiniteError extends EngineError {
  override name = 'NotFiniteError';
}

/** Stop was pressed. Not a failure: weights and everything computed so far are kept. */
export class Interrupted extends Error {
  override name = 'Interrupted';

  constructor(message = 'Stopped.') {
    super(message);
  }
}

const INTERRUPTED = 6;

const classes: Readonly<Record<number, new (message: string) => EngineError>> = {
  1: ValueError,
  2: ShapeError,
  3: DTypeError,
  4: StateError,
  5: MemoryError,
};

let errorHint = '';

/** Errors of the engine carry this as `hint`, for whoever shows them; '' for none. */
export function setErrorHint(hint: string): void {
  errorHint = hint;
}

/** The error for a code of the engine (engine/base/error.h). */
export function errorOf(code: number, message: string): Error {
  if (code === INTERRUPTED) return new Interrupted();
  const error = new (classes[code] ?? EngineError)(message || `the engine failed without a message (code ${code})`);
  return errorHint ? Object.assign(error, { hint: errorHint }) : error;
}
