// All commands by name: type a few letters, Enter runs.
import { h } from '../dom.ts';
import { commands, type Command } from './commands.ts';
import { keyWords } from './keynames.ts';
import { keysOf } from './keys.ts';

/** How well the letters fit: the lower the better, or null when they do not. */
export function fit(words: string, typed: string): number | null {
  const text = words.toLowerCase();
  const wanted = typed.toLowerCase().trim();
  if (!wanted) return 0;
  const whole = text.indexOf(wanted);
  if (whole >= 0) return whole === 0 ? 0 : text[whole - 1] === ' ' ? 1 : 2;
  let at = -1;
  let gaps = 0;
  for (const letter of wanted.replace(/\s/g, '')) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return null;
    gaps += next - at - 1;
    at = next;
  }
  return 3 + gaps;
}

export function openPalette(): void {
  const came = document.activeElement as HTMLElement | null;
  const input = h('input', { type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-autocomplete': 'list', 'aria-label': 'Command', placeholder: 'Type what you want to do', spellcheck: false, autocomplete: 'off' });
  const list = h('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'Commands', tabIndex: -1 });
  const dialog = h('dialog', { class: 'palette', 'aria-label': 'All commands' }, input, list);
  let found: Command[] = [];
  let at = 0;
  const mark = () => {
    [...list.children].forEach((row, i) => row.setAttribute('aria-selected', String(i === at)));
    input.setAttribute('aria-activedescendant', found[at] ? `palette-${found[at]!.id}` : '');
    list.children[at]?.scrollIntoView({ block: 'nearest' });
  };
  const choose = (command: Command | undefined) => {
    if (!command) return;
    dialog.close();
    command.run();
  };
  const draw = () => {
    found = commands.filter(({ id }) => id !== 'palette')
      .map((command) => ({ command, rank: fit(`${command.words}`, input.value) }))
      .filter((each): each is { command: Command; rank: number } => each.rank !== null)
      .sort((a, b) => a.rank - b.rank)
      .map(({ command }) => command);
    at = 0;
    list.replaceChildren(...(found.length ? found.map((command) => h('li', { id: `palette-${command.id}`, role: 'option', on: { click: () => choose(command), pointermove: () => { at = found.indexOf(command); mark(); } } },
      h('span', null, command.words), h('span', { class: 'quiet' }, keysOf(command).slice(0, 1).map(keyWords).join('')))) : [h('li', { class: 'quiet', role: 'option', 'aria-disabled': 'true' }, 'No command is called that')]));
    mark();
  };
  input.addEventListener('input', draw);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') at = Math.min(found.length - 1, at + 1);
    else if (event.key === 'ArrowUp') at = Math.max(0, at - 1);
    else if (event.key === 'Enter') return event.preventDefault(), choose(found[at]);
    else return;
    event.preventDefault();
    mark();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (document.activeElement === document.body && came?.isConnected) came.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  draw();
  input.focus();
}
