// What has run, what is stale and why. Pure values: the page keeps them and asks the kernel.
import type { Graph } from './graph.ts';

/** The last run of a cell. */
export interface RunRecord {
  readonly state: 'ok' | 'error' | 'stopped' | 'cancelled' | 'restored';
  /** Text of the cell when it began. */
  readonly source: string;
  /** Number of the run; later runs have higher ones. */
  readonly run: number;
  /** For each name it used: the cells the value came from, with their runs at that time. */
  readonly used: ReadonlyMap<string, readonly { readonly cell: string; readonly run: number }[]>;
  /** For each name it used: its value when the run ended. Names whose values are not known are missing. */
  readonly values: Values;
}

/** A value as the kernel described it: see ValueFact of the protocol. */
export interface KnownValue {
  /** The whole value when it is plain and short, else ''. */
  readonly text: string;
  readonly version: number;
  readonly kind: 'plain' | 'model' | 'dataset' | 'optimizer' | 'other';
  /** The cell whose run, or whose control, gave it this value. */
  readonly by: string;
  /** Somebody moved the control that it is. */
  readonly isMoved?: boolean;
}

export type Values = ReadonlyMap<string, KnownValue>;

export type Runs = ReadonlyMap<string, RunRecord>;

export type Freshness =
  | { readonly state: 'never' | 'fresh' }
  /** `reason` is a sentence part for people: "uses `lr`, which cell 2 set again". */
  | { readonly state: 'edited' | 'upstream' | 'error' | 'stopped' | 'cancelled' | 'restored'; readonly reason: string };

/** How messages call a cell, for example `cell 2`. */
export type Label = (cellId: string) => string;

/** What is known of values after a run of `by` that told these facts. */
export function learnValues(known: Values, by: string, facts: readonly (Omit<KnownValue, 'by'> & { readonly name: string })[]): Values {
  const next = new Map(known);
  for (const { name, text, version, kind } of facts) {
    // A value that is as it was stays that of the cell that gave it.
    if (known.get(name)?.version !== version) next.set(name, { text, version, kind, by });
  }
  return next;
}

/** The same after somebody moved a control: its text is what it is set to now. */
export function moveValue(known: Values, name: string, text: string): Values {
  const before = known.get(name);
  return before && before.text !== text ? new Map(known).set(name, { ...before, text, version: before.version + 0.5, isMoved: true }) : known;
}

/** Notes that a cell has run. `run` is the number of its run, `source` its text when it began, `values` what is known after it. */
export function recordRun(
  runs: Runs,
  of: Graph,
  cell: string,
  result: { readonly state: RunRecord['state']; readonly source: string; readonly run: number; readonly values?: Values },
): Runs {
  const values = new Map<string, KnownValue>();
  const used = new Map<string, { cell: string; run: number }[]>();
  for (const { name, owner, writers } of of.sources.get(cell) ?? []) {
    used.set(name, [owner, ...writers].map((each) => ({ cell: each, run: runs.get(each)?.run ?? 0 })));
    const value = result.values?.get(name);
    if (value) values.set(name, value);
  }
  return new Map(runs).set(cell, { ...result, used, values });
}

/** The runs after cells were deleted: what used them notices. */
export function forgetRuns(runs: Runs, isLeft: (cellId: string) => boolean): Runs {
  return new Map([...runs].filter(([id]) => isLeft(id)));
}

/** For every cell of the graph, whether its result still holds, and why not. */
export function freshness(
  of: Graph,
  runs: Runs,
  sources: ReadonlyMap<string, string>,
  label: Label,
  values: Values = new Map(),
): Map<string, Freshness> {
  const result = new Map<string, Freshness>();
  // Document order: what a cell builds on is judged before it.
  for (const id of of.order) result.set(id, judge(id, of, runs, sources, label, result, values));
  return result;
}

function judge(
  id: string,
  of: Graph,
  runs: Runs,
  sources: ReadonlyMap<string, string>,
  label: Label,
  judged: ReadonlyMap<string, Freshness>,
  values: Values,
): Freshness {
  const record = runs.get(id);
  if (!record) return { state: 'never' };
  if (sources.get(id) !== record.source) return { state: 'edited', reason: 'edited since it ran' };
  if (record.state === 'error') return { state: 'error', reason: 'ended with an error' };
  if (record.state === 'stopped') return { state: 'stopped', reason: 'was stopped' };
  if (record.state === 'cancelled') return { state: 'cancelled', reason: 'did not run: a cell before it failed or was stopped' };
  if (record.state === 'restored') return { state: 'restored', reason: 'its output was kept from an earlier session; its names have no values now' };
  for (const { name, owner, writers } of of.sources.get(id) ?? []) {
    // What a cell further down did, as training a model does, changes nothing for the cells above it: run from the top they would
    // give the same again.
    const value = values.get(name);
    const isOfLater = value !== undefined && of.order.indexOf(value.by) > of.order.indexOf(id);
    const known = isOfLater ? new Map([...values].filter(([each]) => each !== name)) : values;
    const reason = changeOf(name, [owner, ...writers], record, runs, label, judged, known);
    if (reason) return { state: 'upstream', reason };
  }
  for (const [name, [source]] of record.used) {
    const isStillUsed = of.sources.get(id)?.some((each) => each.name === name);
    if (source && !isStillUsed) return { state: 'upstream', reason: `uses \`${name}\`, which no cell above declares now` };
  }
  return { state: 'fresh' };
}

function changeOf(
  name: string,
  cells: readonly string[],
  record: RunRecord,
  runs: Runs,
  label: Label,
  judged: ReadonlyMap<string, Freshness>,
  values: Values,
): string | null {
  const before = record.used.get(name) ?? [];
  const value = values.get(name);
  const seen = record.values.get(name);
  const isKnown = value !== undefined && seen !== undefined;
  if (isKnown && value.version !== seen.version) return `uses \`${name}\`, ${howItChanged(seen, value, label, cells[0])}`;
  for (const cell of cells) {
    const then = before.find((each) => each.cell === cell);
    const now = runs.get(cell);
    // A cell that has never run has changed nothing.
    if (now && !then) return `uses \`${name}\`, which now comes from ${label(cell)}`;
    // A cell that ran again and gave the same plain value has changed nothing.
    if (now && then && now.run !== then.run && !(isKnown && value.text !== '')) return `uses \`${name}\`, which ${label(cell)} set again`;
    const state = judged.get(cell)?.state;
    if (state === 'upstream') return `uses \`${name}\` from ${label(cell)}, which is not up to date`;
  }
  const lost = before.find(({ cell, run }) => run > 0 && !cells.includes(cell));
  return lost ? `uses \`${name}\`, which came from a cell that is gone or has moved` : null;
}

function howItChanged(seen: KnownValue, value: KnownValue, label: Label, owner: string | undefined): string {
  const fromTo = seen.text !== '' && value.text !== '' ? ` from ${seen.text} to ${value.text}` : '';
  if (value.isMoved) return `which was moved${fromTo}`;
  if (fromTo !== '') return `which ${label(value.by)} changed${fromTo}`;
  if (value.kind === 'model' && seen.kind === 'model' && value.by !== owner) return `which ${label(value.by)} has trained further since`;
  return `which ${label(value.by)} set again`;
}
