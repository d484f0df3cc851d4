// Everything under one cell: keeps displays in order, replaces them in place, and keeps what a rerun will replace until it does.
import type { DisplayData, StreamChunk } from '../../notebook/protocol/messages.ts';
import type { Curves } from '../charts/curves.ts';
import { LiveChart, type Ghost, type MetricRows } from '../charts/live.ts';
import { h } from '../dom.ts';
import { PADDING } from './heights.ts';
import { ConsoleView } from './console.ts';
import { packCurves, type KeptItem, type NoteFact } from './items.ts';
import type { ViewQuestion } from '../../notebook/protocol/views.ts';
import { Room } from './room.ts';
import { makeView, placeOf, type View } from './views.ts';

interface Item {
  /** What may take its place in a rerun: the kind of display, and for live views their name. */
  readonly kind: string;
  readonly element: HTMLElement;
  displayId: string | null;
  view: View | null;
  /** What it shows, for files; null for what is no display. */
  data: DisplayData | null;
  /** What kind of text it is, for consoles and notes. */
  fact?: ConsoleView | NoteFact;
  /** Belongs to the run before this one. */
  isFormer: boolean;
}

/** Outputs out of the page. */
export interface TakenOutputs {
  readonly items: Item[];
  readonly live: LiveChart | null;
}

/** How much is left of what a run has not replaced yet: fainter, and still read with ease. */
const FORMER = '0.75';

export class OutputArea {
  readonly element = h('div', { class: 'outputs' });
  /** Carries what a reader does with a live view to the kernel. */
  ask: (displayId: string, question: ViewQuestion) => void = () => {};
  private items: Item[] = [];
  private live: LiveChart | null = null;
  private console: ConsoleView | null = null;
  private isRunning = false;
  /** Gets the console's text as a file. */
  saveLog: (() => void) | null = null;
  private ghosts: readonly Ghost[] = [];
  /** Told when what stands here has changed. */
  onChange: (() => void) | null = null;
  /** What comes now was shown before. */
  isRestoring = false;
  /** Something was shown or cleared since the notebook was opened. */
  isTouched = false;
  private readonly room = new Room(this.element, {
    height: () => this.height,
    shrink: (by) => this.shrinkConsole(by),
    followsEnd: () => !this.items.some(({ kind, isFormer }) => isFormer || kind === 'metrics' || kind.startsWith('view ')),
  });

  /** A run begins. `metrics`: what it logs again and again, as far as is known; the chart's place is kept from the start. Null: it does not. */
  begin(metrics: readonly string[] | null): void {
    this.isRunning = true;
    this.changed();
    this.console = null;
    this.room.keep(this.element.offsetHeight);
    for (const item of this.items) item.isFormer = true;
    if (this.live) {
      this.live.restart();
      this.itemOf(this.live.element)!.isFormer = metrics === null;
    } else if (metrics) {
      this.addLive(metrics);
      this.room.keep(this.element.offsetHeight);
    }
    this.room.begin();
    this.dim();
  }

  /**
   * The cell waits for its turn. Its outputs will be about so tall; when it will log these numbers, an empty chart keeps the place,
   * and `room` is what its text says that it will need beside.
   */
  reserve(height: number, will: { readonly log: readonly string[] | null; readonly room: number } = { log: null, room: 0 }): void {
    const isNew = this.items.length === 0;
    if (will.log && !this.live) this.addLive(will.log, false, true);
    const chart = will.log && isNew ? this.height : 0;
    this.room.keep(Math.max(height, this.element.offsetHeight, chart, isNew && will.room > 0 ? chart + will.room : 0));
    this.room.begin();
  }

  /** What was shown here before will come back, and be so tall. */
  awaitRestoring(height: number): void {
    this.room.keep(height);
  }

  /** It has come. */
  endRestoring(): void {
    this.freeze();
    this.room.end();
  }

  /** How tall this is with what stands here, whatever is reserved, and without what the run has not replaced yet. */
  get height(): number {
    const items = this.items.some(({ isFormer }) => !isFormer) ? this.items.filter(({ isFormer }) => !isFormer) : this.items;
    const [first] = items;
    if (!first) return 0;
    const bottom = items.reduce((lowest, { element }) => Math.max(lowest, element.offsetTop + element.offsetHeight), 0);
    const hidden = items.reduce((sum, { fact }) => sum + (fact instanceof ConsoleView ? fact.hiddenHeight : 0), 0);
    return bottom - first.element.offsetTop + PADDING + hidden;
  }

  /** The console at the end scrolls inside itself, a few lines tall at least. */
  private shrinkConsole(by: number): boolean {
    for (const { fact } of this.items) if (fact instanceof ConsoleView) fact.limit(0);
    const last = this.items.findLast(({ isFormer }) => !isFormer)?.fact;
    return by > 0 && last instanceof ConsoleView ? last.limit(by) : false;
  }

  /** The cell will not run after all. */
  release(): void {
    if (this.live?.isEmpty && !this.isRunning) this.drop((item) => item.kind === 'metrics');
    if (!this.isRunning) this.room.end();
  }

  /** The run has ended: what it did not replace goes. */
  end(): void {
    this.isRunning = false;
    this.drawConsoles();
    this.live?.finish();
    this.drop((item) => item.isFormer || (item.kind === 'metrics' && this.live?.isEmpty === true));
    this.room.end();
    this.dim();
    this.changed();
  }

  private drawConsoles(): void {
    for (const { fact } of this.items) if (fact instanceof ConsoleView) fact.draw();
  }

  private changed(): void {
    this.isTouched = true;
    if (!this.isRestoring) this.onChange?.();
  }

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  /** Takes everything out, alive, to be given back by an undo. */
  take(): TakenOutputs {
    this.changed();
    const taken = { items: this.items, live: this.live };
    for (const { element } of this.items) {
      this.room.forget(element);
      element.remove();
    }
    this.items = [];
    this.live = null;
    this.console = null;
    this.room.settle();
    return taken;
  }

  /** Puts back what was taken, before what has come since. */
  give({ items, live }: TakenOutputs): void {
    this.element.prepend(...items.map(({ element }) => element));
    for (const { element } of items) this.room.watch(element);
    this.items = [...items, ...this.items];
    this.live ??= live;
    this.changed();
  }

  /** What stands here as data, in order. Progress bars and what came with a file are not part of it. */
  keep(): KeptItem[] {
    return this.items.flatMap(({ kind, displayId, view, data, fact }): KeptItem[] => {
      if (kind === 'metrics') return this.live && !this.live.isEmpty ? [packCurves(this.live.curves)] : [];
      if (fact instanceof ConsoleView) return [fact.keep()];
      if (fact) return [fact];
      return data && data.kind !== 'progress' && displayId !== null ? [{ kind: 'display', displayId, data, isFolded: view?.isFolded === true }] : [];
    });
  }

  /** The kernel that made these outputs is gone: they can be read, and nothing in them can be moved. */
  freeze(): void {
    this.console = null;
    for (const { kind, element, fact } of this.items) {
      if (kind === 'control' || kind.startsWith('view ')) setFrozen(element, true);
      if (fact instanceof ConsoleView) fact.freeze();
    }
  }

  /** What stands here, in order. */
  get shown(): readonly Pick<Item, 'kind' | 'element' | 'data'>[] {
    this.drawConsoles();
    return this.items;
  }

  /** Shows what a file holds, until the cell runs. */
  showSaved(element: HTMLElement): void {
    this.add({ kind: 'saved', element, displayId: null, view: null, data: null, isFormer: false });
  }

  clear(): void {
    this.drop(() => true);
    this.console = null;
    this.room.settle();
  }

  /** Shows a display as it was left: values that were folded are again. */
  redisplay(displayId: string, data: DisplayData, isFolded: boolean): void {
    this.display(displayId, data, false);
    if (isFolded) this.items.find((item) => item.displayId === displayId)?.view?.fold?.(true);
  }

  display(displayId: string, data: DisplayData, isUpdate: boolean): void {
    const known = isUpdate ? this.items.find((item) => item.displayId === displayId && !item.isFormer) : undefined;
    const kind = placeOf(data);
    this.dropFormerNotes();
    if (known?.view && known.kind === kind) {
      known.view.update(data as never);
      known.data = data;
      return this.changed();
    }
    const former = data.kind === 'progress' ? undefined : this.items.find((item) => item.isFormer && item.kind === kind && item.view);
    if (former) {
      former.isFormer = false;
      former.displayId = displayId;
      former.view!.update(data as never);
      former.data = data;
      setFrozen(former.element, false);
    } else {
      const view = makeView(data, (question) => { if (item.displayId) this.ask(item.displayId, question); });
      const item: Item = { kind, element: view.element, displayId, view, data, isFormer: false };
      if (known) this.replace(known, item);
      else this.add(item);
      this.fit(view);
    }
    this.console = null;
    this.dim();
    this.changed();
  }

  /** A value or a tensor that needs more than the room that was kept shows its first line, and the rest when a reader opens it. */
  private fit({ fold }: View): void {
    if (!fold || !this.isRunning) return;
    const overflows = () => this.height > this.room.held + 1;
    if (this.room.held === 0 || !overflows() || this.room.mayGrow()) return;
    fold(true);
    if (overflows()) fold(false);
  }

  stream(chunks: readonly StreamChunk[]): void {
    this.dropFormerNotes();
    if (!this.console) {
      this.console = new ConsoleView();
      this.console.onSave = () => this.saveLog?.();
      this.add({ kind: 'console', element: this.console.element, displayId: null, view: null, data: null, fact: this.console, isFormer: false });
    }
    this.console.add(chunks);
    this.changed();
  }

  metrics(rows: MetricRows): void {
    this.dropFormerNotes();
    if (!this.live) this.addLive([], rows.steps.length < 2);
    this.itemOf(this.live!.element)!.isFormer = false;
    this.live!.add(rows);
    if (!this.isRunning) this.live!.finish();
    this.changed();
  }

  /** The curves of the run that logs now; null when nothing was logged. */
  get curves(): Curves | null {
    return this.live?.curves ?? null;
  }

  /** Another run begins within this one. */
  trial(): void {
    this.live?.trial();
  }

  /** Other runs to draw behind this cell's own. */
  showGhosts(ghosts: readonly Ghost[]): void {
    this.ghosts = ghosts;
    this.live?.showGhosts(ghosts);
  }

  /** Something happened at a step: a tick on the live chart. */
  mark(step: number, text: string): void {
    this.live?.mark({ step, text });
  }

  /** An error or a note, after everything else. */
  note(element: HTMLElement, fact: NoteFact): void {
    this.console = null;
    this.dropFormerNotes();
    this.drop((each) => each.isFormer && each.kind === 'console');
    this.add({ kind: 'note', element, displayId: null, view: null, data: null, fact, isFormer: false });
    this.changed();
  }

  /** `isFirst`: above what stands here, which the run to come will replace. */
  private addLive(metrics: readonly string[], isCompact = false, isFirst = false): void {
    this.live = new LiveChart(isCompact, metrics);
    if (this.ghosts.length) this.live.showGhosts(this.ghosts);
    this.console = null;
    this.add({ kind: 'metrics', element: this.live.element, displayId: null, view: null, data: null, isFormer: false }, isFirst);
  }

  private itemOf(element: HTMLElement): Item | undefined {
    return this.items.find((item) => item.element === element);
  }

  /** New things stand before what the former run left. */
  private add(item: Item, isFirst = false): void {
    const at = isFirst && this.items.length > 0 ? 0 : this.items.findIndex((each) => each.isFormer);
    const before = at < 0 ? null : this.items[at]!.element;
    this.items.splice(at < 0 ? this.items.length : at, 0, item);
    this.element.insertBefore(item.element, before);
    this.room.watch(item.element);
    // A console line replaces the former console at once: text does not pile up while a cell runs again.
    if (item.kind === 'console') this.drop((each) => each.isFormer && each.kind === 'console');
    this.dim();
  }

  /** The run has shown something: what the former one ended with, such as an error, is no longer true. */
  private dropFormerNotes(): void {
    if (this.items.some(({ isFormer, kind }) => isFormer && kind === 'note')) this.drop(({ isFormer, kind }) => isFormer && kind === 'note');
  }

  private replace(old: Item, item: Item): void {
    this.items[this.items.indexOf(old)] = item;
    old.element.replaceWith(item.element);
    this.room.forget(old.element);
    this.room.watch(item.element);
    old.view?.close?.();
  }

  private drop(condition: (item: Item) => boolean): void {
    this.items = this.items.filter((item) => {
      if (!condition(item)) return true;
      item.view?.close?.();
      if (item.kind === 'metrics') {
        this.live?.close();
        this.live = null;
      }
      this.room.forget(item.element);
      item.element.remove();
      return false;
    });
  }

  private dim(): void {
    for (const { element, isFormer, kind } of this.items) element.style.opacity = isFormer && kind !== 'metrics' ? FORMER : '';
  }
}

/** `inert` keeps clicks, keys and screen readers' cursors out; the words say what helps. */
function setFrozen(element: HTMLElement, isFrozen: boolean): void {
  element.inert = isFrozen;
  element.title = isFrozen ? 'Run the cell to use this' : '';
}
