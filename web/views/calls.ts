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

interface Call {
  readonly id: string;
  readonly words: string;
  line(names: { readonly model: string; readonly train: string; readonly test: string; readonly optimizer: string | null }): string;
}

/** `{ test, optimizer: adam }`, or nothing. */
function options(named: Readonly<Record<string, string | null>>): string {
  const fields = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [value === name ? name : `${name}: ${value}`]));
  return fields.length ? `{ ${fields.join(', ')} }` : '';
}

export const VIEW_CALLS: readonly Call[] = [
  { id: 'confusion', words: 'Confusion matrix', line: ({ model, test }) => `views.confusion(${model}, ${test});` },
  { id: 'mistakes', words: 'Worst mistakes', line: ({ model, test }) => `views.mistakes(${model}, ${test});` },
  { id: 'calibration', words: 'Calibration', line: ({ model, test }) => `views.calibration(${model}, ${test});` },
  { id: 'histograms', words: 'Weights, activations and gradients', line: ({ model, train }) => `views.histograms(${model}, ${train});` },
  { id: 'filters', words: 'Filters', line: ({ model }) => `views.filters(${model});` },
  { id: 'featureMaps', words: 'Feature maps', line: ({ model, test }) => `views.featureMaps(${model}, ${test}.at(0)[0]);` },
  { id: 'saliency', words: 'Where it looks', line: ({ model, test }) => `views.saliency(${model}, ${test}.at(0)[0]);` },
  { id: 'surface', words: 'Decision surface', line: ({ model, train }) => `views.surface(${model}, ${train});` },
  { id: 'embedding', words: 'Embedding', line: ({ model, test }) => `views.embedding(${model}, ${test});` },
  { id: 'landscape', words: 'Loss landscape', line: ({ model, test }) => `await views.landscape(${model}, ${test});` },
  { id: 'digitPad', words: 'Draw a digit', line: ({ model, train }) => `views.digitPad(${model}, ${train});` },
  { id: 'timeline', words: 'Time: checkpoints and scrubber', line: ({ model, optimizer }) => `views.timeline(${model}${optimizer ? `, ${optimizer}` : ''});` },
  { id: 'health', words: 'Health checks', line: ({ model, train, test, optimizer }) => `await views.health(${[model, train, options({ test: test === train ? null : test, optimizer })].filter(Boolean).join(', ')});` },
  { id: 'rateFinder', words: 'Learning-rate finder', line: ({ model, train }) => `await views.rateFinder(${model}, ${train});` },
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
  const line = call.line({ model: names.model ?? 'model', train: names.train ?? 'train', test: names.test ?? 'test', optimizer: names.optimizer });
  const usesData = !['filters', 'timeline'].includes(id);
  return { line, isComplete: names.model !== null && (!usesData || names.test !== null) };
}
