// Which results are out of date, and why, in words: the page's runs and values through notebook/dataflow. Reads the names
// of cells from the compiler; re-runs nothing but cells that asked for it.
import { effect, signal } from '@preact/signals-core';
import { type CellNames, dependents, type Graph, graph } from '../notebook/dataflow/graph.ts';
import { type Freshness, freshness, learnValues, moveValue, recordRun, type RunRecord, type Runs, type Values } from '../notebook/dataflow/schedule.ts';
import { codeNumber } from '../notebook/document/notebook.ts';
import type { ControlDisplay, ControlValue, ValueFact } from '../notebook/protocol/messages.ts';
import { compileCell } from './editor/compiler.ts';
import { changeRun, runOf } from './runs.ts';
import { hasCell, notebook } from './store.ts';

const SETTLE_MS = 150;
const REACT_MS = 120;

type Names = Omit<CellNames, 'id'>;
const NONE: Names = { declared: [], references: [], writes: [] };

/** Names by text: a text that is seen again costs nothing. */
const known = new Map<string, Names>();
let current: Graph = graph([]);
let runs: Runs = new Map();
let values: Values = new Map();
/** Name of each control's variable. */
const controlNames = new Map<string, string>();
let timer = 0;
let reaction = 0;
let isStarted = false;

/** Every code cell's state, in document order. */
export const states = signal<ReadonlyMap<string, Freshness>>(new Map());

const codeCells = () => notebook.peek().cells.filter(({ kind }) => kind === 'code');

/** Follows the notebook from now on. `run` starts cells that are marked `reactive`. */
export function startFreshness(run: (ids: readonly string[]) => void): void {
  if (isStarted) return;
  isStarted = true;
  runReactive = run;
  effect(() => {
    void notebook.value;
    clearTimeout(timer);
    timer = window.setTimeout(() => void readNames(), SETTLE_MS);
  });
}

let runReactive: (ids: readonly string[]) => void = () => undefined;

/** All values are gone: another kernel, or another notebook. */
export function forgetFreshness(): void {
  runs = new Map();
  values = new Map();
  controlNames.clear();
  judge();
}

/** A run has ended, or was taken back before it began. */
export function noteRun(cellId: string, state: RunRecord['state'], source: string, run: number, facts: readonly ValueFact[]): void {
  values = learnValues(values, cellId, facts);
  for (const { name, controlId } of facts) if (controlId !== null) controlNames.set(controlId, name);
  void readNames().then(() => {
    runs = recordRun(runs, current, cellId, { state, source, run, values });
    judge();
    if (state === 'ok') react(cellId);
  });
}

/** These cells show what a kernel that is gone had made of these texts. */
export function noteRestored(cells: readonly { readonly id: string; readonly source: string }[]): void {
  if (cells.length === 0) return;
  void readNames().then(() => {
    for (const { id, source } of cells) if (!runs.has(id)) runs = recordRun(runs, current, id, { state: 'restored', source, run: 0 });
    judge();
  });
}

/** Somebody moved a control. */
export function noteMove({ controlId }: ControlDisplay, value: ControlValue): void {
  const name = controlNames.get(controlId);
  if (name === undefined) return;
  values = moveValue(values, name, JSON.stringify(value));
  judge();
  const owner = values.get(name)?.by;
  if (owner !== undefined) react(owner);
}

/** What the notebook's names hold: models, datasets, optimizers and the rest, in the order in which they came. */
export function* valueKinds(): Generator<readonly [name: string, kind: ValueFact['kind']]> {
  for (const [name, { kind }] of values) yield [name, kind];
}

/** The cell that gives this one a name, as far as texts tell: the nearest above, else one below. Null when none does. */
export function declarerOf(cellId: string, name: string): { readonly id: string; readonly isBelow: boolean } | null {
  const above = current.sources.get(cellId)?.find((each) => each.name === name);
  if (above) return { id: above.owner, isBelow: false };
  const below = current.early.find((each) => each.cell === cellId && each.name === name);
  return below ? { id: below.owner, isBelow: true } : null;
}

/** Cells that asked to follow what they use (`reactive`) run again, once the hand rests. */
function react(changed: string): void {
  const followers = dependents(current, changed).filter((id) => {
    const cell = codeCells().find((each) => each.id === id);
    return cell?.attributes.reactive !== undefined && states.peek().get(id)?.state === 'upstream';
  });
  if (followers.length === 0) return;
  clearTimeout(reaction);
  reaction = window.setTimeout(() => runReactive(followers.filter(hasCell)), REACT_MS);
}

async function readNames(): Promise<void> {
  const cells = codeCells();
  const missing = [...new Set(cells.map(({ source }) => source))].filter((source) => !known.has(source));
  await Promise.all(missing.map(async (source) => {
    const answer = await compileCell(source).catch(() => null);
    known.set(source, answer?.uses ?? NONE);
  }));
  current = graph(codeCells().map(({ id, source }) => ({ id, ...(known.get(source) ?? NONE) })));
  // Texts of long ago are not needed again.
  if (known.size > 2000) for (const text of [...known.keys()].slice(0, 1000)) known.delete(text);
  judge();
}

function judge(): void {
  const cells = codeCells();
  const sources = new Map(cells.map(({ id, source }) => [id, source]));
  const label = (id: string) => (hasCell(id) ? `cell ${codeNumber(notebook.peek(), id)}` : 'a cell that is gone');
  const next = freshness(current, runs, sources, label, values);
  for (const { id } of cells) {
    const state = next.get(id);
    const stale = state?.state === 'upstream' ? state.reason : null;
    if (runOf(id).peek().stale !== stale) changeRun(id, { stale });
  }
  states.value = next;
}
