// Light and dark: follows the system until the person chooses, and remembers the choice when it may.
import { signal } from '@preact/signals-core';
import { chartThemeChanged } from '../charts/theme.ts';

export type Theme = 'light' | 'dark';

const KEY = 'gradbook theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal<Theme>((document.documentElement.dataset.theme as Theme) ?? (system.matches ? 'dark' : 'light'));

function chosen(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

function apply(next: Theme): void {
  document.documentElement.dataset.theme = next;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', getComputedStyle(document.documentElement).getPropertyValue('--paper').trim());
  theme.value = next;
  chartThemeChanged();
}

export function startTheme(): void {
  apply(chosen() ?? (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', () => {
    if (!chosen()) apply(system.matches ? 'dark' : 'light');
  });
}

export function toggleTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // The choice then lasts as long as the page.
  }
  apply(next);
}
