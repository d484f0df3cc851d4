// An error under its cell: what happened, where (as links), what to do.
import { h } from '../dom.ts';
import { icon } from '../shell/icons.ts';

export interface Place {
  readonly cellId: string;
  readonly line: number;
  readonly column: number;
  /** For example "cell 3, line 5". */
  readonly words: string;
  readonly functionName: string;
  readonly isOld: boolean;
}

export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly places: readonly Place[];
  readonly hint: string;
  readonly note: string;
  readonly retry: (() => void) | null;
}

export function failureView(failure: Failure, open: (place: Place) => void): HTMLElement {
  const name = failure.name && failure.name !== 'Error' ? h('span', { class: 'name' }, `${failure.name}: `) : null;
  return h('div', { class: 'error-out', role: 'alert' },
    h('div', { class: 'what' }, icon('warn'), h('div', { class: 'message' }, name, failure.message)),
    failure.places.length ? h('div', { class: 'where' }, places(failure.places, open)) : null,
    failure.hint ? h('div', { class: 'hint' }, words(failure.hint)) : null,
    failure.note ? h('div', { class: 'hint quiet' }, failure.note) : null,
    failure.retry ? h('div', { class: 'choices' }, h('button', { class: 'button', type: 'button', on: { click: failure.retry } }, icon('restart'), 'Try again')) : null);
}

/** What stands between backticks is code. */
function words(text: string): (Node | string)[] {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? h('code', null, part) : part));
}

function places(all: readonly Place[], open: (place: Place) => void): Node[] {
  return all.slice(0, 6).flatMap((place, i) => [
    document.createTextNode(i === 0 ? 'At ' : ', called from '),
    h('button', { class: 'place', type: 'button', data: { cell: place.cellId, line: String(place.line) }, on: { click: () => open(place) } }, place.words),
    document.createTextNode(`${place.functionName ? ` in ${place.functionName}` : ''}${place.isOld ? ' (an earlier version of that cell)' : ''}`),
  ]);
}
