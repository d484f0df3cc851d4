// capture(step): the first two calls run the function as it stands and record what the engine does; when both did the same,
// the rest of the calls run a program, in one call into the engine. What cannot be a program goes on as before, with a reason.
//
// The function itself is not run by a program, so what it does besides operations (a variable that it reads, a message that
// it prints) stands still. Therefore it is run and recorded again now and then, and whenever a model changed its mode: a step
// that has become another one is noticed, named, and becomes another program, or none.

import { changeCount } from './changes.ts';
import { type DType, engine, UNMADE } from './engine.ts';
import { ArgumentError, Interrupted } from './error.ts';
import { hooks } from './hooks.ts';
import { lastLoggedStep, noteLogs, noteSamples } from './log.ts';
import { slotKey, tick } from './scope.ts';
import { handleOfTensor, singleTensor, Tensor } from './tensor.ts';
import { describeValue } from './words.ts';

/** A step that runs as a program where it can. */
export interface CapturedStep<Args extends unknown[], Result> {
  (...args: Args): Result;
  /** The operations of each program with shapes, bytes, floating-point operations and memory; or why there is none. */
  explain(): string;
  /** Why the last call did not run as a program; '' when it did. */
  readonly reason: string;
  /** Set to true, each run is timed op by op (small steps become slower), and explain() has the shortest time of each op. */
  timed: boolean;
}

interface Look {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly elementCount: number;
}

/** One program, for arguments of one kind. */
interface Version {
  readonly program: number;
  readonly trace: number;
  readonly gradMode: boolean;
  /** What the function returned, with numbers for its tensors. */
  readonly shape: unknown;
  /** It returned one tensor and nothing else. */
  readonly isSingle: boolean;
  readonly shapeText: string;
  readonly logs: number;
  readonly replays: readonly (() => void)[];
  /** Shapes and dtypes of the results. */
  readonly looks: readonly Look[];
  runs: number;
  /** Runs until the function is recorded again. */
  nextCheck: number;
  changes: number;
  lastMs: number;
}

/** What is known of arguments of one kind. */
interface Kind {
  readonly title: string;
  versions: Version[];
  /** Recorded once, waiting for a second time. More than one: steps that begin with and without gradients take turns. */
  pending: { readonly trace: number; readonly shapeText: string }[];
  refusal: string;
  surprises: number;
}

/** Programs of one kind of arguments: they differ in which parameters have a gradient when the step begins. */
const MOST_VERSIONS = 4;
/** A step that changes more often than this is no step for a program. */
const MOST_SURPRISES = 6;
/** Kinds of arguments; beyond, steps run as they stand. */
const MOST_KINDS = 32;
/** Recording again may cost this share of the time. */
const CHECK_SHARE = 0.03;
/** The same for steps that are nothing but layers of ours, which nothing is expected to change. */
const SURE_CHECK_SHARE = 0.005;
const FEWEST_RUNS = 8;
const MOST_RUNS = 256;

/** What run() gives when the program does not fit. */
const NOT_RUN = Symbol('not run');

const finished = new FinalizationRegistry<Kind[]>((kinds) => {
  for (const kind of kinds) forget(kind);
});

function forget(kind: Kind): void {
  const { programs } = engine();
  for (const version of kind.versions) {
    programs.release(version.program);
    programs.releaseTrace(version.trace);
  }
  for (const { trace } of kind.pending) programs.releaseTrace(trace);
  kind.versions = [];
  kind.pending = [];
}

/**
 * Makes a training step fast: `const step = capture((x, y) => { ...; return loss; })`, then `step(x, y)` in the loop. The
 * function should hold what a step does, forward, backward() and the optimizer's step(); what it returns (tensors, or
 * arrays and objects of them) comes back without history. From the third call with arguments of the same shapes on, the
 * whole step is one call into the engine. log() works inside. A step that reads values (item()), or changes from call to
 * call, runs as it stands: `step.explain()` says why.
 */
export function capture<Args extends unknown[], Result>(step: (...args: Args) => Result): CapturedStep<Args, Result> {
  if (typeof step !== 'function')
    throw new ArgumentError(`capture: needs a function, as in capture((x, y) => { ... }), got ${describeValue(step)}`);
  return capturing(step, CHECK_SHARE);
}

/** capture() for loops of ours over models made of nothing but layers of ours. */
export function captureSure<Args extends unknown[], Result>(step: (...args: Args) => Result): CapturedStep<Args, Result> {
  return capturing(step, SURE_CHECK_SHARE);
}

/** The step will not be called again: its programs and their memory go at once, not when somebody collects it. */
export function releaseStep(step: object): void {
  for (const kind of kindsOf.get(step) ?? []) forget(kind);
}

const kindsOf = new WeakMap<object, Kind[]>();

function capturing<Args extends unknown[], Result>(step: (...args: Args) => Result, checkShare: number): CapturedStep<Args, Result> {
  const kinds = new Map<string, Kind>();
  const list: Kind[] = [];
  let last: { readonly kind: Kind; readonly version: Version; readonly plain: readonly unknown[] } | undefined;
  let reason = 'it has not been called yet';
  let changesSeen = changeCount();
  let timed = false;

  /** A result, with the shape that it has each time: nobody needs to ask the engine for it. */
  const resultOf = (version: Version, i: number): Tensor => {
    const { programs } = engine();
    const look = version.looks[i] as Look;
    const handle = programs.result(i);
    if (handle === UNMADE) return singleTensor(programs.single(i, version.looks.length), look.shape, 'captured step');
    const tensor = new Tensor(handle, 'captured step');
    const slot = tensor[slotKey];
    slot.shape = look.shape;
    slot.dtype = look.dtype;
    slot.elementCount = look.elementCount;
    return tensor;
  };

  const run = (kind: Kind, version: Version, args: readonly unknown[]): unknown => {
    if (hooks.shouldStop()) throw new Interrupted();
    const e = engine();
    const isTimed = version.runs + 1 >= version.nextCheck;
    const before = isTimed ? performance.now() : 0;
    let count = 0;
    for (const arg of args) if (arg instanceof Tensor) count++;
    e.begin(count);
    for (const arg of args) if (arg instanceof Tensor) e.handle(handleOfTensor(arg, 'captured step'));
    let results: number;
    try {
      results = e.programs.run(version.program, count, lastLoggedStep());
    } catch (error) {
      if (error instanceof Interrupted || e.programs.changedAnything(version.program)) throw error;
      // Nothing has happened yet: the function itself gives the error its line, or does what the program cannot.
      reason = `the program stopped (${(error as Error).message}), so the function was run`;
      last = undefined;
      if (++kind.surprises > MOST_SURPRISES) {
        kind.refusal = reason;
        forget(kind);
      }
      return detached(step(...(args as Args)));
    }
    if (results < 0) return NOT_RUN;
    const result = version.isSingle ? resultOf(version, 0) : build(version.shape, (i) => resultOf(version, i), results);
    if (isTimed) version.lastMs = performance.now() - before;
    version.runs++;
    for (const replay of version.replays) replay();
    if (version.logs > 0) noteLogs(version.logs);
    tick(captured);
    reason = '';
    if (last?.version !== version) last = { kind, version, plain: args.map((arg) => (arg instanceof Tensor ? Tensor : arg)) };
    return result;
  };

  /** Runs the function and records it; makes a program when it did the same as before. */
  const record = (kind: Kind, args: Args, expected: Version | undefined): Result => {
    const e = engine();
    const { programs } = e;
    const logsBefore = lastLoggedStep();
    const before = performance.now();
    const gradMode = e.isRecordingGradients;
    programs.begin(
      args.filter((arg) => arg instanceof Tensor).map((arg) => handleOfTensor(arg as Tensor, 'capture')),
      logsBefore,
    );
    let result: Result;
    let trace: number;
    let shape: unknown;
    let looks: Version['looks'];
    try {
      result = step(...args);
      if (result instanceof Promise)
        throw new ArgumentError('capture: the step must not be async: leave `await` to the loop around it');
      const tensors: Tensor[] = [];
      shape = shapeOf(result, tensors);
      looks = tensors.map((tensor) => ({ shape: tensor.shape, dtype: tensor.dtype, elementCount: tensor.elementCount }));
      trace = programs.end(tensors.map((tensor) => handleOfTensor(tensor, 'capture')));
    } catch (error) {
      programs.abort();
      throw error;
    }
    const elapsedMs = performance.now() - before;
    if (lastLoggedStep() > logsBefore) noteSamples();
    const shapeText = JSON.stringify(shape) ?? 'undefined';
    const differs = (from: { readonly trace: number; readonly shapeText: string }): { readonly text: string; readonly isOtherStart: boolean } => {
      const found = programs.difference(from.trace, trace);
      return found.text !== '' || from.shapeText === shapeText
        ? found
        : { text: 'what the step returns differs from step to step', isOtherStart: false };
    };
    /** Keeps the trace until the next step that begins with the same gradients. */
    const wait = (why: string): void => {
      reason = why;
      const same = kind.pending.find((each) => !differs(each).isOtherStart);
      kind.pending = kind.pending.filter((each) => each !== same);
      if (same) programs.releaseTrace(same.trace);
      kind.pending.push({ trace, shapeText });
      if (same || kind.pending.length > MOST_VERSIONS) kind.surprises++;
      if (kind.surprises > MOST_SURPRISES) kind.refusal = why;
    };
    if (expected) {
      const difference = differs(expected).text;
      if (difference === '') {
        programs.releaseTrace(trace);
        expected.changes = changeCount();
        const gap = (elapsedMs - expected.lastMs) / (checkShare * Math.max(expected.lastMs, 1e-4));
        expected.nextCheck = expected.runs + Math.min(MOST_RUNS, Math.max(FEWEST_RUNS, Math.ceil(gap)));
        reason = 'the function was run once more, to see that it still does the same';
      } else {
        const isSilent = changesSeen === changeCount() && expected.runs > 0;
        programs.release(expected.program);
        programs.releaseTrace(expected.trace);
        kind.versions = kind.versions.filter((version) => version !== expected);
        last = undefined;
        wait(`the step has changed: ${difference}`);
        if (isSilent) {
          console.warn(
            `capture: the step has changed: ${difference}. The runs since the last check, at most ${MOST_RUNS}, did what it was before. Hand values that change to the step as arguments.`,
          );
        }
      }
    } else {
      const refusal = programs.difference(trace, trace).text;
      const same = kind.pending.find((each) => !differs(each).isOtherStart);
      const difference = same ? differs(same).text : '';
      if (refusal !== '') {
        programs.releaseTrace(trace);
        kind.refusal = reason = refusal;
      } else if (!same || difference !== '' || kind.versions.length >= MOST_VERSIONS) {
        wait(difference || 'the step was recorded for the first time');
      } else {
        kind.pending = kind.pending.filter((each) => each !== same);
        programs.releaseTrace(same.trace);
        const program = programs.compile(trace);
        if (timed) programs.setTimed(program, true);
        kind.versions.push({
          program,
          trace,
          gradMode,
          shape,
          isSingle: result instanceof Tensor,
          shapeText,
          logs: lastLoggedStep() - logsBefore,
          looks,
          replays: programs.replays,
          runs: 0,
          nextCheck: FEWEST_RUNS,
          changes: changeCount(),
          lastMs: 0,
        });
        reason = 'the step was recorded for the second time';
      }
    }
    changesSeen = changeCount();
    if (kind.refusal !== '') forget(kind);
    return detached(result);
  };

  const kindOf = (args: readonly unknown[]): Kind | undefined => {
    const title = args.map(titleOf).join(', ');
    let kind = kinds.get(title);
    if (!kind && kinds.size < MOST_KINDS) {
      kind = { title, versions: [], pending: [], refusal: '', surprises: 0 };
      kinds.set(title, kind);
      list.push(kind);
    }
    return kind;
  };

  const captured = ((...args: Args): Result => {
    const e = engine();
    // A captured step inside another one is part of it.
    if (e.programs.isRecording) return step(...args);
    if (e.isWatched || hooks.aroundStep) {
      reason = 'operations are watched one by one, for a profile or for anomalies';
      return detached(step(...args));
    }
    if (last && isFresh(last.version, e.isRecordingGradients) && sameArguments(last.plain, args)) {
      const done = run(last.kind, last.version, args);
      if (done !== NOT_RUN) return done as Result;
    }
    const kind = kindOf(args);
    if (!kind || kind.refusal !== '') {
      reason = kind?.refusal ?? `there are more than ${MOST_KINDS} kinds of arguments`;
      return detached(step(...args));
    }
    for (const version of kind.versions) {
      if (version.gradMode !== e.isRecordingGradients || !e.programs.applies(version.program)) continue;
      if (!isFresh(version, e.isRecordingGradients)) return record(kind, args, version);
      const done = run(kind, version, args);
      if (done !== NOT_RUN) return done as Result;
    }
    return record(kind, args, undefined);
  }) as CapturedStep<Args, Result>;

  Object.defineProperty(captured, 'reason', { get: () => reason });
  Object.defineProperty(captured, 'timed', {
    get: () => timed,
    set: (value: boolean) => {
      timed = value;
      for (const { versions } of list) for (const { program } of versions) engine().programs.setTimed(program, timed);
    },
  });
  captured.explain = () => explain(list, reason);
  finished.register(captured, list);
  kindsOf.set(captured, list);
  return captured;
}

function isFresh(version: Version, gradMode: boolean): boolean {
  return version.runs < version.nextCheck && version.changes === changeCount() && version.gradMode === gradMode;
}

/** Tensors, for which `before` has the class, may differ (the engine compares their shapes); all else must be the same. */
function sameArguments(before: readonly unknown[], now: readonly unknown[]): boolean {
  if (before.length !== now.length) return false;
  for (let i = 0; i < now.length; i++) {
    if (now[i] instanceof Tensor ? before[i] !== Tensor : !Object.is(before[i], now[i])) return false;
  }
  return true;
}

const objectNumbers = new WeakMap<object, number>();
let objectCount = 0;

function titleOf(arg: unknown): string {
  if (arg instanceof Tensor) return `${arg.dtype}[${arg.shape.join(', ')}]`;
  if ((typeof arg !== 'object' || arg === null) && typeof arg !== 'function')
    return typeof arg === 'string' ? JSON.stringify(arg) : String(arg);
  let number = objectNumbers.get(arg as object);
  if (number === undefined) objectNumbers.set(arg as object, (number = ++objectCount));
  return `${describeValue(arg)} #${number}`;
}

/** A stand-in for a result: tensors become { tensor: number }. Other values stay. */
function shapeOf(value: unknown, tensors: Tensor[]): unknown {
  if (value instanceof Tensor) return { tensor: tensors.push(value) - 1 };
  if (Array.isArray(value)) return { list: value.map((each) => shapeOf(each, tensors)) };
  if (value !== null && typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value)))
    return { fields: Object.entries(value).map(([name, each]) => [name, shapeOf(each, tensors)]) };
  return { value };
}

interface Shape {
  readonly tensor?: number;
  readonly list?: readonly unknown[];
  readonly fields?: readonly (readonly [string, unknown])[];
  readonly value?: unknown;
}

function build(shape: unknown, tensorAt: (i: number) => Tensor, count: number): unknown {
  // Handles are read before any other call uses the block.
  const tensors = Array.from({ length: count }, (_, i) => tensorAt(i));
  const make = (part: unknown): unknown => {
    const { tensor, list, fields, value } = part as Shape;
    if (tensor !== undefined) return tensors[tensor];
    if (list) return list.map(make);
    if (fields) return Object.fromEntries(fields.map(([name, each]) => [name, make(each)]));
    return value;
  };
  return make(shape);
}

/** The result without history, as a program gives it. */
function detached<Result>(result: Result): Result {
  const tensors: Tensor[] = [];
  const shape = shapeOf(result, tensors);
  if (tensors.length === 0) return result;
  const plain = tensors.map((tensor) => tensor.detach());
  return build(shape, (i) => plain[i] as Tensor, plain.length) as Result;
}

function explain(kinds: readonly Kind[], reason: string): string {
  if (kinds.length === 0) return 'The step has not been called yet.';
  return kinds
    .map((kind) => {
      const title = `step(${kind.title})`;
      if (kind.refusal !== '') return `${title} runs as it stands: ${kind.refusal}.`;
      if (kind.versions.length === 0) return `${title} has no program yet: ${reason}.`;
      return kind.versions
        .map((version) => `${title}, run ${version.runs} times\n${engine().programs.explain(version.program).text}`)
        .join('\n');
    })
    .join('\n');
}
