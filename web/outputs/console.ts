// Console text of a cell: levels told apart by word and colour, `\r` overwrites its line, floods keep their first and last lines.
import type { StreamChunk } from '../../notebook/protocol/messages.ts';
import { h } from '../dom.ts';
import type { KeptItem } from './items.ts';

const FIRST = 200;
const LAST = 800;

interface Line {
  readonly level: StreamChunk['level'];
  readonly node: HTMLElement;
}

export class ConsoleView {
  readonly element = h('div', { class: 'console', role: 'log', 'aria-label': 'Console output', tabIndex: 0 });
  private readonly lines: Line[] = [];
  private open: { line: Line; text: string } | null = null;
  private dropped = 0;
  private readonly cutWords = h('span');
  private readonly saveButton = h('button', { class: 'link-button', type: 'button', on: { click: () => this.onSave?.() } }, 'Save all lines');
  private readonly cut = h('div', { class: 'cut', hidden: true }, this.cutWords, ' ', this.saveButton);
  /** Somebody wants the lines that are not shown. */
  onSave: (() => void) | null = null;

  /** The lines that are shown, as they stand. */
  keep(): KeptItem {
    return { kind: 'console', lines: this.lines.map(({ level, node }) => [level, node.lastChild!.textContent!.replace('\u200b', '')]), dropped: this.dropped };
  }

  /** Whoever had the lines that are not shown is gone. */
  freeze(): void {
    this.saveButton.hidden = true;
  }

  add(chunks: readonly StreamChunk[]): void {
    const isAtEnd = this.element.scrollTop + this.element.clientHeight >= this.element.scrollHeight - 8;
    for (const chunk of chunks) {
      if (chunk.droppedLines) this.dropped += chunk.droppedLines;
      const pieces = chunk.text.split('\n');
      pieces.forEach((piece, i) => {
        const isWhole = i < pieces.length - 1;
        if (!isWhole && piece === '') return;
        this.write(chunk.level, piece);
        if (isWhole) this.open = null;
      });
    }
    this.thin();
    if (isAtEnd) this.element.scrollTop = this.element.scrollHeight;
  }

  private write(level: StreamChunk['level'], text: string): void {
    if (!this.open || this.open.line.level !== level) {
      const node = h('div', { data: { level } });
      if (level === 'warn' || level === 'error') node.append(h('span', { class: 'tag' }, level === 'warn' ? 'warning' : 'error'));
      node.append('');
      this.open = { line: { level, node }, text: '' };
      this.lines.push(this.open.line);
      this.element.append(node);
    }
    const whole = this.open.text + text;
    const parts = whole.split('\r');
    // A return with nothing after it keeps the line until something overwrites it.
    this.open.text = parts.at(-1) === '' && parts.length > 1 ? `${parts.at(-2)}\r` : parts.at(-1)!;
    this.open.line.node.lastChild!.textContent = this.open.text.replace(/\r$/, '') || '\u200b';
  }

  private thin(): void {
    const over = this.lines.length - FIRST - LAST;
    if (over > 0) {
      for (const line of this.lines.splice(FIRST, over)) line.node.remove();
      this.dropped += over;
    }
    if (this.dropped === 0) return;
    this.cut.hidden = false;
    this.cutWords.textContent = `… ${this.dropped.toLocaleString('en-US').replace(/,/g, ' ')} lines are not shown`;
    const anchor = this.lines[FIRST]?.node ?? null;
    if (this.cut.nextSibling !== anchor || !this.cut.parentNode) this.element.insertBefore(this.cut, anchor);
  }
}
