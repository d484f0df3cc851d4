// Controls that a cell puts under itself with `ui`: sliders, numbers, choices, toggles, buttons. Moving one reaches the
// kernel at once; what it means there is kernel/controls.ts.
import type { ControlDisplay, ControlValue } from '../../notebook/protocol/messages.ts';
import { h, setText } from '../dom.ts';
import type { View } from './views.ts';

/** Gives what to wait for before what runs can have seen the value; null when it sees it at once, or nothing runs. */
type Move = (control: ControlDisplay, value: ControlValue) => Promise<void> | null;
let move: Move = () => null;

/** What runs counts as deaf when it has not heard of a value for so long. Shorter than the time in which a page may answer a hand by moving. */
const DEAF_MS = 350;

/** Who tells the kernel; set once at start. */
export function onMove(tell: Move): void {
  move = tell;
}

const DEAF = 'What runs has not seen the new value yet. On this page a loop that never awaits sees it only after it has ended.';

/** Positions of a slider whose steps are factors. */
const FINE = 1000;

export function controlView(data: ControlDisplay): View<'control'> {
  let current = data;
  const element = h('div', { class: 'control', data: { control: data.control } });
  const part = PARTS[data.control](data, (value) => {
    if (value === current.value) return;
    current = { ...current, value };
    reach(move(current, value));
  });
  const note = h('p', { class: 'note-out', role: 'status', hidden: true });
  element.append(part.element, note);
  let moves = 0;
  const reach = (heard: Promise<void> | null) => {
    const mine = ++moves;
    // The line keeps its place, so that nothing moves when it is no longer true.
    note.replaceChildren();
    if (!heard) return;
    const timer = setTimeout(() => {
      if (mine !== moves) return;
      note.hidden = false;
      note.textContent = DEAF;
    }, DEAF_MS);
    void heard.then(() => {
      clearTimeout(timer);
      if (mine === moves) note.replaceChildren();
    });
  };
  const show = (next: ControlDisplay) => {
    current = next;
    part.show(next);
  };
  show(data);
  return { element, update: show };
}

interface Part {
  readonly element: HTMLElement;
  show(data: ControlDisplay): void;
}

const PARTS: Record<ControlDisplay['control'], (data: ControlDisplay, set: (value: ControlValue) => void) => Part> = {
  slider({ label, min, max, step, isLogarithmic }, set) {
    const [low, high] = [min ?? 0, max ?? 1];
    const toValue = (position: number) => (isLogarithmic ? low * (high / low) ** (position / FINE) : position);
    const toPosition = (value: number) => (isLogarithmic ? (Math.log(value / low) / Math.log(high / low)) * FINE : value);
    const range = h('input', {
      type: 'range', 'aria-label': label,
      min: String(isLogarithmic ? 0 : low), max: String(isLogarithmic ? FINE : high), step: isLogarithmic ? '1' : step === null ? 'any' : String(step),
      on: {
        input: () => {
          const value = rounded(toValue(Number(range.value)));
          range.setAttribute('aria-valuetext', written(value));
          setText(shown, written(value));
          set(value);
        },
      },
    });
    const shown = h('output', { class: 'figures' });
    return {
      element: h('label', null, h('span', { class: 'name' }, label), range, shown),
      show({ value }) {
        range.value = String(toPosition(Number(value)));
        range.setAttribute('aria-valuetext', written(Number(value)));
        setText(shown, written(Number(value)));
      },
    };
  },
  number({ label, min, max, step }, set) {
    const input = h('input', {
      type: 'number', class: 'figures',
      ...(min === null ? {} : { min: String(min) }), ...(max === null ? {} : { max: String(max) }), step: step === null ? 'any' : String(step),
      on: {
        change: () => {
          if (input.value === '' || !input.checkValidity()) return void input.reportValidity();
          set(Number(input.value));
        },
      },
    });
    return {
      element: h('label', null, h('span', { class: 'name' }, label), input),
      show({ value }) {
        if (document.activeElement !== input) input.value = String(value);
      },
    };
  },
  choice({ label, options }, set) {
    const select = h('select', { on: { change: () => set(select.value) } }, options.map((option) => h('option', { value: option }, option)));
    return {
      element: h('label', null, h('span', { class: 'name' }, label), select),
      show({ value }) {
        select.value = String(value);
      },
    };
  },
  toggle({ label }, set) {
    const box = h('input', { type: 'checkbox', on: { change: () => set(box.checked) } });
    return {
      element: h('label', null, box, h('span', { class: 'name' }, label)),
      show({ value }) {
        box.checked = value === true;
      },
    };
  },
  button({ label }, set) {
    let clicks = 0;
    const button = h('button', { class: 'button', type: 'button', on: { click: () => set(clicks + 1) } }, label);
    return {
      element: button,
      show({ value }) {
        clicks = Number(value);
      },
    };
  },
};

/** Four digits say enough, and 0.30000000000000004 says too much. */
const rounded = (value: number): number => Number(value.toPrecision(4));

function written(value: number): string {
  const size = Math.abs(value);
  const text = value !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2).replace('e+', 'e').replace(/\.?0+e/, 'e') : String(rounded(value));
  return text.replaceAll('-', '−');
}
