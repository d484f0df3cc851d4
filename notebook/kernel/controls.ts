// `ui`: controls under a cell whose values running code reads at any moment. How they look is up to the page.
// A value comes by message, and by the shared memory for loops that never give way; the newer of the two counts.
import { SHARED, SHARED_CONTROLS } from '../protocol/frame.ts';
import type { ControlDisplay, ControlValue } from '../protocol/messages.ts';
import { asShown, type DisplayPlace, type DisplaySink } from './display.ts';
import { inspect } from './preview.ts';
import type { Run } from './run.ts';

type Spec = Omit<ControlDisplay, 'kind' | 'controlId' | 'slot' | 'value'>;
type Listener = (value: never) => unknown;

interface Control {
  readonly run: Run;
  readonly place: DisplayPlace;
  readonly listeners: Listener[];
  display: ControlDisplay;
  value: ControlValue;
  /** What the shared memory held when it was last read. */
  shared: number;
}

export interface ControlsHost {
  readonly shared: Int32Array | null;
  readonly sink: DisplaySink;
  currentRun(): Run;
  /** Runs a listener in the name of the cell that made the control. */
  perform(run: Run, task: () => unknown): void;
  /** A control was moved: `text` says from what to what. */
  moved(text: string): void;
}

/** Under this name a hot value tells what it is set to. */
const HOT = Symbol('hot');

interface ControlState {
  readonly controlId: string;
  readonly value: ControlValue;
}

/** What a control is set to; null for any other value. */
export function controlState(value: unknown): ControlState | null {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, HOT) ? (value as { readonly [HOT]: () => ControlState })[HOT]() : null;
}

const NONE: Spec = { control: 'button', label: '', min: null, max: null, step: null, isLogarithmic: false, options: [] };

export class Controls {
  readonly #host: ControlsHost;
  readonly #shared: Float64Array | null;
  readonly #controls = new Map<string, Control>();
  #nextSlot = 0;

  constructor(host: ControlsHost) {
    this.#host = host;
    const { shared } = host;
    const isLarge = shared !== null && shared.length >= SHARED.firstControl + 2 * SHARED_CONTROLS;
    this.#shared = isLarge ? new Float64Array(shared.buffer, SHARED.firstControl * 4, SHARED_CONTROLS) : null;
  }

  /** The `ui` object of cells. */
  global(): typeof ui {
    return {
      slider: (label, options = {}) => {
        const isLogarithmic = options.scale === 'log';
        const { min = isLogarithmic ? 1e-4 : 0, max = 1 } = options;
        const value = options.value ?? (isLogarithmic ? Math.sqrt(min * max) : (min + max) / 2);
        checkNumbers('ui.slider', { min, max, value, step: options.step ?? 1 });
        if (!(min < max)) throw new RangeError(`ui.slider: min must be smaller than max, got ${min} and ${max}`);
        if (isLogarithmic && min <= 0) throw new RangeError(`ui.slider: a logarithmic scale needs a min above 0, got ${min}`);
        return this.#open<number>({ ...NONE, control: 'slider', label, min, max, step: options.step ?? null, isLogarithmic }, Math.min(max, Math.max(min, value)));
      },
      number: (label, { min = null, max = null, step = null, value = 0 } = {}) => {
        checkNumbers('ui.number', { min: min ?? 0, max: max ?? 0, value, step: step ?? 1 });
        return this.#open<number>({ ...NONE, control: 'number', label, min, max, step }, value);
      },
      choice: (label, options, { value = options?.[0] } = {}) => {
        const isList = Array.isArray(options) && options.length > 0 && options.every((each) => typeof each === 'string');
        if (!isList) throw new TypeError(`ui.choice: expected a list of texts, got ${inspect(options).slice(0, 80)}`);
        if (!options.includes(value as never)) throw new RangeError(`ui.choice: ${JSON.stringify(value)} is none of ${options.join(', ')}`);
        return this.#open({ ...NONE, control: 'choice', label, options: [...options] }, value as string) as never;
      },
      toggle: (label, { value = false } = {}) => this.#open<boolean>({ ...NONE, control: 'toggle', label }, value === true),
      button: (label, onClick) => {
        const button = this.#open<number>({ ...NONE, label }, 0);
        if (onClick) button.onChange(onClick);
        return button;
      },
    };
  }

  /** A message of the page. Unknown controls and values that do not fit are dropped. */
  set(controlId: string, value: ControlValue): void {
    const control = this.#controls.get(controlId);
    const fitting = control && fit(control.display, value);
    if (!control || fitting === null || fitting === undefined) return;
    if (this.#shared && control.display.slot >= 0) {
      // The frame's own write may come a moment later, or may have been overtaken: the message counts.
      control.shared = asNumber(control.display, fitting);
      this.#shared[control.display.slot] = control.shared;
    }
    this.#take(control, fitting);
  }

  /** Forgets the controls of a cell that runs again or is deleted; `keep` spares those of one run. */
  endAll(isEnded: (run: Run) => boolean): void {
    for (const [id, { run }] of this.#controls) if (isEnded(run)) this.#controls.delete(id);
  }

  #open<Value extends ControlValue>(spec: Spec, initial: Value): HotValue<Value> {
    if (typeof spec.label !== 'string') throw new TypeError(`ui.${spec.control}: expected a label, got ${inspect(spec.label).slice(0, 80)}`);
    const run = this.#host.currentRun();
    const place = this.#host.sink.open();
    const controlId = run.nextDisplayId();
    const slot = this.#shared && this.#nextSlot < SHARED_CONTROLS ? this.#nextSlot++ : -1;
    const display: ControlDisplay = { kind: 'control', controlId, slot, value: initial, ...spec };
    const control: Control = { run, place, listeners: [], display, value: initial, shared: asNumber(display, initial) };
    if (this.#shared && slot >= 0) this.#shared[slot] = control.shared;
    this.#controls.set(controlId, control);
    place.show(display);
    const read = (): Value => this.#read(control) as Value;
    const hot = {
      get value(): Value {
        return read();
      },
      set value(value: Value) {
        const fitting = fit(control.display, value);
        if (fitting === null) throw new TypeError(`ui.${spec.control}: "${spec.label}" cannot be ${inspect(value).slice(0, 80)}`);
        control.value = fitting;
        control.display = { ...control.display, value: fitting };
        place.show(control.display);
      },
      onChange: (listener: Listener) => {
        if (typeof listener !== 'function') throw new TypeError(`ui.${spec.control}: onChange needs a function`);
        control.listeners.push(listener);
      },
      // So that `lr * 2` and `${lr}` work.
      valueOf: () => read(),
      toString: () => String(read()),
      toJSON: () => read(),
      [HOT]: (): ControlState => ({ controlId, value: read() }),
      [Symbol.for('nodejs.util.inspect.custom')]: () => `ui.${spec.control}(${JSON.stringify(spec.label)}): ${JSON.stringify(read())}`,
    };
    return asShown(hot) as unknown as HotValue<Value>;
  }

  #read(control: Control): ControlValue {
    const { slot } = control.display;
    if (this.#shared && slot >= 0) {
      const now = this.#shared[slot] as number;
      if (now !== control.shared) {
        control.shared = now;
        const fitting = fit(control.display, fromNumber(control.display, now));
        if (fitting !== null) this.#take(control, fitting);
      }
    }
    return control.value;
  }

  #take(control: Control, value: ControlValue): void {
    const before = control.value;
    if (before === value) return;
    control.value = value;
    control.display = { ...control.display, value };
    const { control: kind, label } = control.display;
    this.#host.moved(kind === 'button' ? label : `${label} ${short(before)} → ${short(value)}`);
    for (const listener of control.listeners) this.#host.perform(control.run, () => (listener as (value: ControlValue) => unknown)(value));
  }
}

const short = (value: ControlValue): string => (typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value));

function checkNumbers(user: string, numbers: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`${user}: \`${name}\` must be a number, got ${inspect(value).slice(0, 80)}`);
  }
}

/** The value when the control can have it, else null. */
function fit({ control, min, max, options }: ControlDisplay, value: ControlValue): ControlValue | null {
  if (control === 'toggle') return typeof value === 'boolean' ? value : null;
  if (control === 'choice') return typeof value === 'string' && options.includes(value) ? value : null;
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Math.min(max ?? value, Math.max(min ?? value, value));
}

function asNumber({ control, options }: ControlDisplay, value: ControlValue): number {
  return control === 'choice' ? options.indexOf(value as string) : Number(value);
}

function fromNumber({ control, options }: ControlDisplay, value: number): ControlValue {
  if (control === 'toggle') return value !== 0;
  return control === 'choice' ? (options[value] ?? '') : value;
}
