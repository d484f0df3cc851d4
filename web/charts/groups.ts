// Decides which logged metrics share a panel, how a panel counts, and which names are the validation side of another.

export interface Group {
  readonly key: string;
  readonly title: string;
  readonly yLabel: string;
  /** `share`: 0 to 1, shown in percent. `positive`: the axis starts at zero. */
  readonly scale: 'share' | 'positive' | 'free';
}

const TABLE: readonly { readonly group: Group; readonly pattern: RegExp }[] = [
  { group: { key: 'loss', title: 'Loss', yLabel: 'loss', scale: 'positive' }, pattern: /loss|cross.?entropy|nll|mse|mae/i },
  { group: { key: 'accuracy', title: 'Accuracy', yLabel: 'accuracy (%)', scale: 'share' }, pattern: /acc|precision|recall|f1/i },
  { group: { key: 'rate', title: 'Learning rate', yLabel: 'learning rate', scale: 'positive' }, pattern: /^lr$|learning.?rate/i },
  { group: { key: 'norm', title: 'Norms', yLabel: 'norm', scale: 'positive' }, pattern: /norm/i },
];

const OTHER: Group = { key: 'other', title: 'Values', yLabel: 'value', scale: 'free' };

/** The panel a metric belongs to; names that say nothing share one. */
export function groupOf(name: string): Group {
  return TABLE.find((row) => row.pattern.test(name))?.group ?? OTHER;
}

const HELD_OUT = /(^|[^a-z])(val|valid|validation|test|eval|heldout)(?=$|[^a-z])/i;

/** Words of a name: `valLoss`, `val_loss` and `val/loss` all read "val loss". */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_/.-]+/g, ' ').toLowerCase();
}

/** Whether the metric was measured on examples that the model does not train on; drawn dashed. */
export function isHeldOut(name: string): boolean {
  return HELD_OUT.test(words(name));
}

/** What is left without the words for train and validation: metrics with the same stem share a colour. */
export function stemOf(name: string): string {
  return words(name).replace(HELD_OUT, ' ').replace(/(^| )(train|training)(?=$| )/, ' ').trim() || words(name);
}

/** What stands at a line's end: `validation` for `validationLoss`, since the panel says that it is a loss. */
export function shortName(name: string): string {
  return (isHeldOut(name) && HELD_OUT.exec(words(name))?.[2]) || name;
}
