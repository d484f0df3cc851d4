// How keys are named: `Mod-Shift-Enter`, `D D`; from an event, and in words for people.

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const NAMES: Record<string, string> = { Mod: isMac ? '⌘' : 'Ctrl', Alt: isMac ? '⌥' : 'Alt', Shift: isMac ? '⇧' : 'Shift', ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc', _: isMac ? '⇧-' : 'Shift -' };

export function nameOf(event: KeyboardEvent): string {
  const parts: string[] = [];
  if (event.ctrlKey || event.metaKey) parts.push('Mod');
  if (event.altKey) parts.push('Alt');
  // With Alt some systems write another letter than the one on the key.
  const key = event.altKey && /^Key[A-Z]$/.test(event.code) ? event.code.slice(3) : event.key;
  const isLetter = /^[a-z]$/i.test(key);
  if (event.shiftKey && (isLetter || key.length > 1)) parts.push('Shift');
  parts.push(isLetter ? key.toUpperCase() : key);
  return parts.join('-');
}

/** The single keys of a chord or a sequence, as people read them. */
export function keyParts(keys: string): string[] {
  return keys.split(/ |-(?!$)/).map((key) => NAMES[key] ?? key);
}

export function keyWords(keys: string): string {
  return keys.split(' ').map((chord) => keyParts(chord).join(isMac ? '' : '+')).join(' ');
}

/** Whether the keys act by a letter, digit or mark alone: speech input and slips of the hand set those off (WCAG 2.1.4). */
export function isSingle(keys: string): boolean {
  return keys.split(' ').every((chord) => /^(Shift-)?.$/.test(chord));
}
