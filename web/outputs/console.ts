// Console text of a cell: levels told apart by word and colour, `\r` overwrites its line, floods keep their first and last lines.
// Lines are data; the page draws them at most every few frames, so that a flood costs no more than what is seen of it.
import type { StreamChunk } from '../../notebook/protocol/messages.ts';
import { h } from '../dom.ts';
import type { KeptItem } from './items.ts';
import { formatCount } from '../shell/words.ts';

const FIRST = 200;
const LAST = 800;
const DRAW_MS = 100;
/** As the style says. */
const TALLEST = 420;
const LINE = 20;
const SHORTEST = 2 * LINE;

interface Line {
  readonly level: StreamChunk['level'];
  text: string;
  node: HTMLElement | null;
  /** What the node shows. */
  shown: string;
}

export class ConsoleView {
  readonly element = h('div', { class: 'console', role: 'log', 'aria-label': 'Console output', tabIndex: 0 });
  private readonly lines: Line[] = [];
  /** The line that goes on. */
  private open: Line | null = null;
  private dropped = 0;
  private readonly cutWords = h('span');
  private readonly saveButton = h('button', { class: 'link-button', type: 'button', on: { click: () => this.onSave?.() } }, 'Save all lines');
  private readonly cut = h('div', { class: 'cut', hidden: true }, this.cutWords, ' ', this.saveButton);
  /** Lines whose nodes must go. */
  private gone: Line[] = [];
  /** Lines that are new or have changed. */
  private changed = new Set<Line>();
  private timer = 0;
  private drawnAt = Number.NEGATIVE_INFINITY;
  /** Somebody wants the lines that are not shown. */
  onSave: (() => void) | null = null;

  /** The lines that are shown, as they stand. */
  keep(): KeptItem {
    return { kind: 'console', lines: this.lines.map(({ level, text }) => [level, text.replace(/\r$/, '')]), dropped: this.dropped };
  }

  /** Whoever had the lines that are not shown is gone. */
  freeze(): void {
    this.saveButton.hidden = true;
  }

  /** How much of its full height it lacks. */
  get hiddenHeight(): number {
    return this.element.style.maxHeight ? Math.max(0, Math.min(TALLEST, this.element.scrollHeight) - this.element.offsetHeight) : 0;
  }

  /** Becomes less tall by so much, and scrolls inside itself; 0 gives it its own height again. False when it is too small for that. */
  limit(by: number): boolean {
    this.element.style.maxHeight = '';
    if (by === 0) return true;
    const height = Math.floor((this.element.offsetHeight - by) / LINE) * LINE;
    this.element.style.maxHeight = `${Math.max(SHORTEST, height)}px`;
    this.element.scrollTop = this.element.scrollHeight;
    return height >= SHORTEST;
  }

  add(chunks: readonly StreamChunk[]): void {
    for (const chunk of chunks) {
      if (chunk.droppedLines) this.skip(chunk.droppedLines);
      const pieces = chunk.text.split('\n');
      pieces.forEach((piece, i) => {
        const isWhole = i < pieces.length - 1;
        if (!isWhole && piece === '') return;
        this.write(chunk.level, piece);
        if (isWhole) this.open = null;
      });
    }
    this.thin();
    const wait = this.drawnAt + DRAW_MS - performance.now();
    if (wait <= 0) this.draw();
    else if (!this.timer) this.timer = window.setTimeout(() => this.draw(), wait);
  }

  /** Shows all that has come. */
  draw(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.changed.size === 0) return;
    const isAtEnd = this.element.scrollTop + this.element.clientHeight >= this.element.scrollHeight - 8;
    for (const { node } of this.gone) node?.remove();
    this.gone = [];
    for (const line of this.changed) this.drawLine(line);
    this.changed.clear();
    this.drawCut();
    if (isAtEnd) this.element.scrollTop = this.element.scrollHeight;
    this.drawnAt = performance.now();
  }

  private drawLine(line: Line): void {
    if (!line.node) {
      const { level } = line;
      line.node = h('div', { data: { level } });
      if (level === 'warn' || level === 'error') line.node.append(h('span', { class: 'tag' }, level === 'warn' ? 'warning' : 'error'));
      line.node.append('');
      this.element.append(line.node);
    }
    const text = line.text.replace(/\r$/, '') || '\u200b';
    if (text !== line.shown) line.node.lastChild!.textContent = text;
    line.shown = text;
  }

  private write(level: StreamChunk['level'], text: string): void {
    if (!this.open || this.open.level !== level) {
      this.open = { level, text: '', node: null, shown: '' };
      this.lines.push(this.open);
    }
    const parts = (this.open.text + text).split('\r');
    // A return with nothing after it keeps the line until something overwrites it.
    this.open.text = parts.at(-1) === '' && parts.length > 1 ? `${parts.at(-2)}\r` : parts.at(-1)!;
    this.changed.add(this.open);
  }

  /** Lines were left out here: what stands between the first lines and the gap goes too, so that the last lines follow one another. */
  private skip(count: number): void {
    this.dropped += count;
    this.remove(this.lines.length - FIRST);
  }

  private thin(): void {
    this.remove(this.lines.length - FIRST - LAST);
  }

  /** Takes lines away that stand right after the first ones. */
  private remove(count: number): void {
    if (count <= 0) return;
    for (const line of this.lines.splice(FIRST, count)) {
      this.changed.delete(line);
      if (line.node) this.gone.push(line);
      if (line === this.open) this.open = null;
    }
    this.dropped += count;
  }

  private drawCut(): void {
    if (this.dropped === 0) return;
    this.cut.hidden = false;
    this.cutWords.textContent = `… ${formatCount(this.dropped)} lines are not shown`;
    const anchor = this.lines[FIRST]?.node ?? null;
    if (this.cut.nextSibling !== anchor || !this.cut.parentNode) this.element.insertBefore(this.cut, anchor);
  }
}
