// Two Monaco editors that move to the cells with the cursor. A cell without one shows static text of the same size.
import { effect } from '@preact/signals-core';
import { showsLines } from '../shell/lines.ts';
import { theme } from '../shell/theme.ts';
import { caretLine } from './caret.ts';
import { startHovers } from './hovers.ts';
import { failedLineOf } from './problems.ts';
import { cellOfUri, modelOf, setModelOptions, startLanguage } from './language.ts';
import { monaco, useTokens } from './monaco.ts';
import type { Caret, EditorSeat } from './seat.ts';
import { shapesOf } from './values.ts';

type Editor = import('monaco-editor/editor').editor.IStandaloneCodeEditor;
type ViewState = ReturnType<Editor['saveViewState']>;

interface Slot {
  readonly editor: Editor;
  readonly box: HTMLElement;
  seat: EditorSeat | null;
  usedAt: number;
  leave: (() => void) | null;
}

const SIZE = 2;
const LINE = 21;
const PAD = 10;
const slots: Slot[] = [];
const views = new Map<string, ViewState>();

/** Called once Monaco has loaded. `open` shows a place in another cell (go to definition). */
export function startPool(open: (cellId: string, caret: Caret) => void): void {
  startLanguage();
  startHovers();
  effect(() => useTokens(theme.value === 'dark'));
  monaco.editor.registerEditorOpener({
    openCodeEditor(_source, resource, selection) {
      if (!resource.toString().startsWith('file:///nb/')) return false;
      const at = selection && ('lineNumber' in selection ? selection : { lineNumber: selection.startLineNumber, column: selection.startColumn });
      open(cellOfUri(resource), at ? { line: at.lineNumber, column: at.column } : 'start');
      return true;
    },
  });
}

/** Puts an editor into the cell and the cursor where `caret` says. */
export function openEditor(seat: EditorSeat, caret: Caret): void {
  let slot = slots.find((each) => each.seat?.cellId === seat.cellId && each.box.isConnected);
  if (!slot) {
    slot = slots.length < SIZE ? makeSlot() : slots.find((each) => !each.seat) ?? slots.reduce((a, b) => (a.usedAt < b.usedAt ? a : b));
    settle(slot, seat);
  }
  slot.usedAt = performance.now();
  slot.editor.focus();
  place(slot.editor, caret);
}

/** Takes the editor out of a cell that goes away. */
export function closeEditor(cellId: string): void {
  const slot = slots.find((each) => each.seat?.cellId === cellId);
  if (slot) vacate(slot);
}

/** Where the cursor is, or was when the editor was last in the cell; null when it never was. */
export function caretOf(cellId: string): number | null {
  const slot = slots.find((each) => each.seat?.cellId === cellId);
  const position = slot ? slot.editor.getPosition() : views.get(cellId)?.cursorState[0]?.position;
  return position ? modelOf(cellId).getOffsetAt(position) : null;
}

/** One step of text undo; the cursor stays near where it was. */
export function replaceText(cellId: string, text: string): void {
  const model = modelOf(cellId);
  const edit = { range: model.getFullModelRange(), text };
  const slot = slots.find((each) => each.seat?.cellId === cellId);
  if (slot) {
    const position = slot.editor.getPosition();
    slot.editor.pushUndoStop();
    slot.editor.executeEdits('gradbook', [edit]);
    slot.editor.pushUndoStop();
    if (position) slot.editor.setPosition(model.validatePosition(position));
  } else {
    model.pushStackElement();
    model.pushEditOperations([], [edit], () => null);
    model.pushStackElement();
  }
}

/**
 * Where an editor's popups stand: outside the cells, which would cut them off. One for each editor, since an editor takes the
 * focus in its popups for its own. Monaco's keys do not reach there, so the box for a new name is told of Enter and Escape.
 */
function makePopups(answer: (command: string) => void): HTMLElement {
  const popups = document.createElement('div');
  popups.className = 'monaco-editor overflow-host';
  popups.addEventListener('keydown', (event) => {
    const command = { Enter: 'acceptRenameInput', Escape: 'cancelRenameInput' }[event.key];
    if (!command || event.isComposing || !(event.target as HTMLElement).closest('.rename-box')) return;
    event.preventDefault();
    event.stopPropagation();
    answer(command);
  });
  document.body.append(popups);
  return popups;
}

function makeSlot(): Slot {
  const box = document.createElement('div');
  box.className = 'editor-slot';
  const editor: Editor = monaco.editor.create(box, {
    model: null,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-code'),
    fontSize: 13.5,
    lineHeight: LINE,
    fontLigatures: false,
    padding: { top: PAD, bottom: PAD },
    lineNumbers: 'off',
    glyphMargin: false,
    folding: false,
    lineNumbersMinChars: 0,
    minimap: { enabled: false },
    stickyScroll: { enabled: false },
    guides: { indentation: false, bracketPairs: false },
    detectIndentation: false,
    renderLineHighlight: 'none',
    overviewRulerLanes: 0,
    overviewRulerBorder: false,
    hideCursorInOverviewRuler: true,
    scrollBeyondLastLine: false,
    scrollbar: { vertical: 'hidden', horizontal: 'hidden', handleMouseWheel: true, alwaysConsumeMouseWheel: false },
    automaticLayout: false,
    fixedOverflowWidgets: true,
    overflowWidgetsDomNode: makePopups((command) => editor.trigger('keyboard', command, null)),
    contextmenu: false,
    quickSuggestions: { other: true, comments: false, strings: false },
    wordBasedSuggestions: 'off',
    suggest: { showIcons: true, preview: false, showStatusBar: false },
    tabSize: 2,
    ariaLabel: 'Code of the cell. Escape leaves the editor.',
    inlayHints: { enabled: 'off' },
    unicodeHighlight: { ambiguousCharacters: false },
  });
  const slot: Slot = { editor, box, seat: null, usedAt: 0, leave: null };
  effect(() => {
    void showsLines.value;
    editor.updateOptions({ lineDecorationsWidth: Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--code-pad-left'), 10) });
  });
  editor.onDidChangeModelContent(() => fit(slot));
  editor.onDidFocusEditorWidget(() => {
    slot.usedAt = performance.now();
    slot.seat?.entered();
  });
  editor.onDidBlurEditorWidget(() => slot.seat?.left());
  editor.onDidChangeCursorPosition(({ position }) => {
    if (slot.seat) caretLine.value = { cellId: slot.seat.cellId, line: position.lineNumber };
  });
  new ResizeObserver(() => fit(slot)).observe(box);
  slots.push(slot);
  return slot;
}

function settle(slot: Slot, seat: EditorSeat): void {
  vacate(slot);
  const model = modelOf(seat.cellId);
  slot.seat = seat;
  // Without this the first frame has two of six colours.
  (model as unknown as { tokenization?: { forceTokenization?(line: number): void } }).tokenization?.forceTokenization?.(model.getLineCount());
  setModelOptions(model);
  slot.editor.setModel(model);
  seat.attach(slot.box);
  fit(slot);
  const view = views.get(seat.cellId);
  if (view) slot.editor.restoreViewState(view);
  const marks = slot.editor.createDecorationsCollection();
  const stop = effect(() => {
    const failed = failedLineOf(seat.cellId).value;
    marks.set(failed && failed.line <= model.getLineCount() ? [{ range: new monaco.Range(failed.line, 1, failed.line, 1), options: { isWholeLine: true, className: 'error-line-decoration', marginClassName: 'error-line-edge', hoverMessage: { value: failed.message } } }] : []);
  });
  const shapes = slot.editor.createDecorationsCollection();
  const showShapes = () => {
    const { source, hints } = shapesOf(seat.cellId).value;
    const isSame = source === model.getValue();
    shapes.set(isSame ? hints.map(({ line, text }) => {
      const column = model.getLineMaxColumn(line);
      return { range: new monaco.Range(line, column, line, column), options: { showIfCollapsed: true, after: { content: `\u00a0\u00a0${text.replaceAll(' ', '\u00a0')}`, inlineClassName: 'shape-words', cursorStops: monaco.editor.InjectedTextCursorStops.None } } };
    }) : []);
  };
  const stopShapes = effect(showShapes);
  const watch = model.onDidChangeContent(showShapes);
  slot.leave = () => {
    stop();
    stopShapes();
    watch.dispose();
    marks.clear();
    shapes.clear();
  };
}

function vacate(slot: Slot): void {
  const { seat } = slot;
  if (!seat) return;
  views.set(seat.cellId, slot.editor.saveViewState());
  slot.leave?.();
  slot.leave = null;
  slot.seat = null;
  slot.editor.setModel(null);
  slot.box.remove();
  // The editor tells of the lost focus when it has no cell any more.
  seat.left();
  seat.detach();
}

function fit(slot: Slot): void {
  const model = slot.editor.getModel();
  const width = slot.box.clientWidth;
  if (!model || width === 0) return;
  const height = model.getLineCount() * LINE + 2 * PAD;
  slot.box.style.height = `${height}px`;
  slot.editor.layout({ width, height });
}

function place(editor: Editor, caret: Caret): void {
  const model = editor.getModel()!;
  if (caret === 'keep') return;
  if (caret === 'start') editor.setPosition({ lineNumber: 1, column: 1 });
  else if (caret === 'end') editor.setPosition(model.getPositionAt(model.getValueLength()));
  else if ('line' in caret) {
    editor.setPosition({ lineNumber: caret.line, column: caret.column });
  } else if ('offset' in caret) editor.setPosition(model.getPositionAt(caret.offset));
  else {
    const target = editor.getTargetAtClientPoint(caret.clientX, caret.clientY);
    if (target?.position) editor.setPosition(target.position);
  }
}
