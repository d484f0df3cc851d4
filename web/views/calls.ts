// The views as one-line calls: what each is called in menus, and the line that opens it over the names that a notebook has. Pure.

/** What the values of a notebook are, by name, in the order in which they came. */
export type Kinds = Iterable<readonly [name: string, kind: string]>;

/** The names that a call is made of; null where the notebook has no such value. */
export interface Names {
  readonly model: string | null;
  readonly train: string | null;
  readonly test: string | null;
  readonly optimizer: string | null;
}

type Needed = 'model' | 'train' | 'test';

interface Call {
  readonly id: string;
  readonly words: string;
  /** Names that the line cannot do without. */
  readonly needs: readonly Needed[];
  /** `given` are the names that are there; `names` always has one to write. */
  line(names: Readonly<Record<Needed, string>>, given: Names): string;
}

/** `{ test, optimizer: adam }`, or nothing. */
function options(named: Readonly<Record<string, string | null>>): string {
  const fields = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [value === name ? name : `${name}: ${value}`]));
  return fields.length ? `{ ${fields.join(', ')} }` : '';
}

const list = (...parts: readonly (string | null)[]) => parts.filter(Boolean).join(', ');
const TESTED = ['model', 'test'] as const;
const TRAINED = ['model', 'train'] as const;

export const VIEW_CALLS: readonly Call[] = [
  { id: 'confusion', words: 'Confusion matrix', needs: TESTED, line: ({ model, test }) => `views.confusion(${model}, ${test});` },
  { id: 'mistakes', words: 'Worst mistakes', needs: TESTED, line: ({ model, test }) => `views.mistakes(${model}, ${test});` },
  { id: 'calibration', words: 'Calibration', needs: TESTED, line: ({ model, test }) => `views.calibration(${model}, ${test});` },
  { id: 'histograms', words: 'Weights, activations and gradients', needs: TRAINED, line: ({ model, train }) => `views.histograms(${model}, ${train});` },
  { id: 'filters', words: 'Filters', needs: ['model'], line: ({ model }) => `views.filters(${model});` },
  { id: 'featureMaps', words: 'Feature maps', needs: TESTED, line: ({ model, test }) => `views.featureMaps(${model}, ${test}.at(0)[0]);` },
  { id: 'saliency', words: 'Where it looks', needs: TESTED, line: ({ model, test }) => `views.saliency(${model}, ${test}.at(0)[0]);` },
  { id: 'surface', words: 'Decision surface', needs: TRAINED, line: ({ model, train }) => `views.surface(${model}, ${train});` },
  { id: 'embedding', words: 'Embedding', needs: TESTED, line: ({ model, test }) => `views.embedding(${model}, ${test});` },
  { id: 'landscape', words: 'Loss landscape', needs: TESTED, line: ({ model, test }) => `await views.landscape(${model}, ${test});` },
  { id: 'digitPad', words: 'Draw a digit', needs: ['model'], line: ({ model }, { train }) => `views.digitPad(${list(model, train)});` },
  { id: 'timeline', words: 'Time: checkpoints and scrubber', needs: ['model'], line: ({ model }, { optimizer }) => `views.timeline(${list(model, optimizer)});` },
  { id: 'health', words: 'Health checks', needs: TRAINED, line: ({ model, train }, { test, optimizer }) => `await views.health(${list(model, train, options({ test: test === train ? null : test, optimizer }))});` },
  { id: 'rateFinder', words: 'Learning-rate finder', needs: TRAINED, line: ({ model, train }) => `await views.rateFinder(${model}, ${train});` },
];

/** The names to look at: those that lessons use when they are there, else the latest of each kind. */
export function namesIn(kinds: Kinds): Names {
  const all = [...kinds];
  const of = (wanted: string) => all.filter(([, kind]) => kind === wanted).map(([name]) => name);
  const pick = (names: readonly string[], usual: RegExp) => names.findLast((name) => usual.test(name)) ?? names.at(-1) ?? null;
  const sets = of('dataset');
  return { model: pick(of('model'), /^model$/), train: pick(sets, /train/i), test: pick(sets, /test|exam/i), optimizer: pick(of('optimizer'), /^optimizer$/) };
}

/** The line of a view, and whether all that it names is there. */
export function callFor(id: string, names: Names): { readonly line: string; readonly isComplete: boolean } {
  const call = VIEW_CALLS.find((each) => each.id === id);
  if (!call) throw new Error(`there is no view ${id}`);
  const line = call.line({ model: names.model ?? 'model', train: names.train ?? 'train', test: names.test ?? 'test' }, names);
  return { line, isComplete: call.needs.every((name) => names[name] !== null) };
}
