// The inspector beside the notebook: tabs, a field to filter, the canvas or its table, and what is selected. Opened from the top
// bar, the rail and by key; a sheet from the bottom on narrow screens.
import { effect, signal, untracked } from '@preact/signals-core';
import { codeNumber } from '../../notebook/document/notebook.ts';
import { h, setText } from '../dom.ts';
import { caretLine } from '../editor/caret.ts';
import { icon } from '../shell/icons.ts';
import { theme } from '../shell/theme.ts';
import { hasCell, notebook } from '../store.ts';
import { InspectorCanvas } from './canvas.ts';
import { markLine } from './place.ts';
import { emptyWords, PANELS, type PanelTwin, type TwinSeat } from './twins.ts';
import { isPast, restartProfile, snapshot, startWatching, takenAt, wantedTensor, wantsTrace } from './watch.ts';

export const isInspectorOpen = signal(false);

const panel = signal<PanelTwin>(PANELS[0]!);
const shows = signal<'canvas' | 'table'>('canvas');
const filter = signal('');
const node = signal(-1);
/** Why there is no canvas, or ''. */
const trouble = signal('');
const KEY = 'gradbook inspector width';
const NARROWEST = 320;
/** A table that changes all the time can be neither read nor spoken. */
const TWIN_MS = 1000;

let close: (() => void) | null = null;

export function toggleInspector(): void {
  if (close) closeInspector();
  else openInspector();
}

export function closeInspector(): void {
  close?.();
  close = null;
  isInspectorOpen.value = false;
}

/** What a cell is called, '' being the engine itself. */
function cellName(cellId: string): string {
  if (cellId === '') return 'engine and step';
  return hasCell(cellId) ? `cell ${codeNumber(notebook.value, cellId)}` : 'a deleted cell';
}

export function openInspector(): void {
  if (close) return;
  const dock = makeDock();
  document.body.append(dock.element);
  document.body.dataset.dock = 'open';
  isInspectorOpen.value = true;
  const stops = [startWatching(), dock.start()];
  close = () => {
    for (const stop of stops) stop();
    markLine(null);
    dock.element.remove();
    delete document.body.dataset.dock;
  };
}

function makeDock() {
  const canvas = h('canvas', { class: 'inspector-canvas', role: 'img', 'aria-label': 'Picture of the panel. The Table button shows the same as a table.' });
  const twin = h('div', { class: 'twin', id: 'inspector-panel', role: 'tabpanel' });
  const words = h('p', { class: 'inspector-words quiet', role: 'status' });
  const past = h('span', { class: 'past' });
  const tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panels of the inspector' }, PANELS.map((each) =>
    h('button', { type: 'button', role: 'tab', 'aria-controls': 'inspector-panel', data: { panel: each.name }, on: { click: () => { panel.value = each; }, keydown: (event: Event) => moveTab(event as KeyboardEvent) } }, each.name)));
  const search = h('input', { type: 'search', placeholder: 'Filter by name', 'aria-label': 'Filter by name', on: { input: () => { filter.value = search.value.trim().toLowerCase(); } } });
  const asTable = h('button', { class: 'button', type: 'button', data: { action: 'inspector-table' }, on: { click: () => { shows.value = shows.value === 'table' ? 'canvas' : 'table'; } } }, 'Table');
  const tool = (action: string, label: string, text: string, act: () => void) => h('button', { class: 'button', type: 'button', 'aria-label': label, title: label, data: { action, tool: '' }, on: { click: act } }, text);
  let view: InspectorCanvas | null = null;
  const graphTools = [tool('zoom-out', 'Smaller', '−', () => view?.zoom(1 / 1.4)), tool('zoom-in', 'Larger', '+', () => view?.zoom(1.4)), tool('fit', 'Show as much of the graph as can be read', 'Fit', () => view?.zoom(0))];
  const pageTools = [tool('earlier', 'Values before these', 'Earlier', () => turn(-1)), tool('later', 'Values after these', 'Later', () => turn(1))];
  const profileTools = [tool('restart-profile', 'Sum up the costs from now on', 'Start anew', restartProfile)];
  const shut = h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close the inspector', title: 'Close the inspector', data: { action: 'close-inspector' }, on: { click: closeInspector } }, icon('cross'));
  const whole = h('button', { class: 'button', type: 'button', 'aria-pressed': 'false', data: { action: 'inspector-whole' }, on: { click: () => {
    const isWhole = element.toggleAttribute('data-whole');
    whole.setAttribute('aria-pressed', String(isWhole));
  } } }, 'Whole page');
  const edge = h('div', { class: 'dock-edge', role: 'separator', 'aria-orientation': 'vertical', 'aria-label': 'Width of the inspector', 'aria-valuemin': String(NARROWEST), tabIndex: 0 });
  const element = h('aside', { class: 'dock inspector', 'aria-label': 'Inspector', data: { inspector: '' } }, edge,
    h('header', null, h('h2', null, 'Inspector'), past, h('div', { class: 'space' }), whole, shut),
    tabs,
    h('div', { class: 'inspector-tools' }, search, ...graphTools, ...pageTools, ...profileTools, asTable),
    words, h('div', { class: 'inspector-view' }, canvas, twin));
  resize(element, edge);

  const seat: TwinSeat = {
    cellName,
    selectTensor: (key) => { wantedTensor.value = { key: key === wantedTensor.value.key ? 0 : key, from: 0 }; },
    selectNode: (row) => { node.value = row === node.value ? -1 : row; },
    get tensor() { return wantedTensor.value.key; },
    get node() { return node.value; },
    get filter() { return filter.value; },
  };

  function moveTab(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    panel.value = PANELS[(PANELS.indexOf(panel.value) + by + PANELS.length) % PANELS.length]!;
    tabs.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  function turn(by: 1 | -1): void {
    const shown = snapshot.value?.table('selected');
    const { key, from } = wantedTensor.value;
    if (shown?.rows) wantedTensor.value = { key, from: Math.max(0, from + by * 16_384) };
  }

  function start(): () => void {
    let isClosed = false;
    InspectorCanvas.load(canvas, {
      selected: (tensor, row) => {
        if (tensor !== wantedTensor.value.key) wantedTensor.value = { key: tensor, from: 0 };
        node.value = row;
      },
      lost: (why) => { trouble.value = why; },
    }).then((loaded) => {
      if (isClosed) return loaded.dispose();
      view = loaded;
      element.dataset.canvas = 'ready';
      stops.push(...drive(loaded));
    }, (error: Error) => { trouble.value = error.message; });
    const stops = [...driveDom()];
    return () => {
      isClosed = true;
      for (const stop of stops) stop();
      view?.dispose();
    };
  }

  /** Keeps the canvas up to date. */
  const drive = (loaded: InspectorCanvas): (() => void)[] => [
    effect(() => { if (snapshot.value) loaded.show(snapshot.value.bytes); }),
    effect(() => loaded.showPanel(panel.value.name)),
    effect(() => loaded.filter(filter.value)),
    effect(() => loaded.select(wantedTensor.value.key, node.value)),
    effect(() => loaded.lookAt(caretLine.value?.cellId ?? '', caretLine.value?.line ?? 0)),
    effect(() => loaded.nameCells([...notebook.value.cells.filter(({ kind }) => kind === 'code').map(({ id }) => [id, cellName(id)] as const), ['', cellName('')]])),
    effect(() => { if (theme.value) loaded.readColours(); }),
    effect(() => { if (shows.value === 'canvas') loaded.draw(); }),
  ];

  let twinAt = 0;
  let twinTimer: ReturnType<typeof setTimeout> | undefined;
  const paintTwin = () => {
    twinAt = performance.now();
    const empty = emptyWords(panel.value, snapshot.value);
    const fresh = empty || !snapshot.value ? [h('p', { class: 'quiet' }, empty)] : panel.value.build(snapshot.value, seat);
    keepPlace(twin, fresh);
  };

  function* driveDom(): Iterable<() => void> {
    yield effect(() => {
      for (const tab of tabs.children) {
        const isChosen = (tab as HTMLElement).dataset.panel === panel.value.name;
        tab.setAttribute('aria-selected', String(isChosen));
        (tab as HTMLElement).tabIndex = isChosen ? 0 : -1;
      }
      element.dataset.panel = panel.value.name;
      twin.setAttribute('aria-label', panel.value.name);
      wantsTrace.value = panel.value.needsTrace;
    });
    yield effect(() => {
      const isTable = shows.value === 'table' || trouble.value !== '';
      asTable.setAttribute('aria-pressed', String(isTable));
      asTable.disabled = trouble.value !== '';
      canvas.hidden = isTable;
      twin.hidden = !isTable;
      setText(words, trouble.value);
      words.hidden = trouble.value === '';
    });
    yield effect(() => {
      for (const each of graphTools) each.hidden = panel.value.name !== 'Graph' || shows.value === 'table';
      for (const each of pageTools) each.hidden = panel.value.name !== 'Tensors' || !pages(wantedTensor.value.key);
      for (const each of profileTools) each.hidden = panel.value.name !== 'Profile';
      search.hidden = panel.value.name === 'Memory';
    });
    yield effect(() => setText(past, isPast.value ? `The kernel has ended. As of ${takenAt.value?.toLocaleTimeString() ?? ''}` : ''));
    yield effect(() => {
      // Read first, so that a selection is heard of even when there was no snapshot at the start.
      const row = node.value;
      const shown = untracked(() => snapshot.value)?.table('nodes');
      const line = shown?.number(row, 'line') ?? 0;
      markLine(shown && line > 0 ? { cellId: shown.text(row, 'cell'), line } : null);
    });
    let seen: unknown[] = [];
    yield effect(() => {
      // What the person did shows at once; news wait their turn.
      const asked = [panel.value, filter.value, wantedTensor.value, node.value, shows.value, trouble.value];
      const isAsked = asked.some((each, i) => each !== seen[i]);
      seen = asked;
      void snapshot.value;
      clearTimeout(twinTimer);
      if (shows.value !== 'table' && !trouble.value) return;
      const wait = isAsked ? 0 : TWIN_MS - (performance.now() - twinAt);
      if (wait <= 0) untracked(paintTwin);
      else twinTimer = setTimeout(() => untracked(paintTwin), wait);
    });
    yield () => clearTimeout(twinTimer);
  }

  /** The selected tensor has more values than come at once. */
  function pages(key: number): boolean {
    const table = snapshot.value?.table('tensors');
    for (let row = 0; table && row < table.rows; row++) if (table.number(row, 'key') === key) return table.number(row, 'elements') > 16_384;
    return false;
  }

  return { element, start };
}

/** Replaces what is inside, and puts focus and scrolled places back. */
function keepPlace(inside: HTMLElement, fresh: readonly Node[]): void {
  const key = inside.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.key : undefined;
  const places = [inside, ...inside.querySelectorAll('.twin-table')].map(({ scrollTop, scrollLeft }) => ({ scrollTop, scrollLeft }));
  const open = inside.querySelector('details')?.open ?? false;
  inside.replaceChildren(...fresh);
  [inside, ...inside.querySelectorAll('.twin-table')].forEach((each, i) => Object.assign(each, places[i] ?? {}));
  const details = inside.querySelector('details');
  if (details) details.open = open;
  if (key !== undefined) inside.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** The left edge moves by pointer and by arrow keys; the width is remembered. */
function resize(dock: HTMLElement, edge: HTMLElement): void {
  const set = (width: number) => {
    const most = Math.max(NARROWEST, innerWidth - 480);
    const bounded = Math.round(Math.min(most, Math.max(NARROWEST, width)));
    document.body.style.setProperty('--dock-width', `${bounded}px`);
    edge.setAttribute('aria-valuenow', String(bounded));
    edge.setAttribute('aria-valuemax', String(most));
    try {
      localStorage.setItem(KEY, String(bounded));
    } catch {
      // The width then lasts as long as the page.
    }
  };
  let stored = Number.NaN;
  try {
    stored = Number(localStorage.getItem(KEY) ?? Number.NaN);
  } catch {
    // No storage: the usual width.
  }
  set(Number.isFinite(stored) ? stored : innerWidth * 0.4);
  edge.addEventListener('pointerdown', (event) => {
    edge.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => set(innerWidth - moved.clientX);
    edge.addEventListener('pointermove', move);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', move), { once: true });
  });
  edge.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: 32, ArrowRight: -32 }[event.key];
    if (!by) return;
    event.preventDefault();
    set(dock.getBoundingClientRect().width + by);
  });
}
