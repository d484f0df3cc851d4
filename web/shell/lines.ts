// Whether code cells show the numbers of their lines. Kept in the browser.
import { effect, signal } from '@preact/signals-core';

const PLACE = 'gradbook lines';

export const showsLines = signal(read());

function read(): boolean {
  try {
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return false;
  }
}

export function toggleLines(): void {
  showsLines.value = !showsLines.value;
  try {
    if (showsLines.value) localStorage.setItem(PLACE, '');
    else localStorage.removeItem(PLACE);
  } catch {
    // The choice then lasts as long as the page.
  }
}

effect(() => {
  document.documentElement.toggleAttribute('data-lines', showsLines.value);
});
