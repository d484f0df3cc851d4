// Opens the notebook that the address names and keeps changes in the browser within a second.
import { effect, signal } from '@preact/signals-core';
import type { Notebook } from '../notebook/document/notebook.ts';
import { prepareMaths } from './cells/prose.ts';
import { dropNotebook, readNotebook, storageTrouble, writeNotebook } from './host/storage.ts';
import { lessonAt, type Lesson } from './lessons.ts';
import { openRuns } from './runs/store.ts';
import { startKernel } from './session.ts';
import { notebook, openNotebook } from './store.ts';

export type Saved =
  | { readonly kind: 'original' | 'saved' | 'saving'; readonly words: string }
  | { readonly kind: 'trouble'; readonly words: string };

const ORIGINAL: Saved = { kind: 'original', words: 'No changes' };
const SAVE_MS = 600;

export const saved = signal<Saved>(ORIGINAL);
export const openLesson = signal<Lesson>(lessonAt(''));

let opened: Notebook | null = null;
let original: Notebook | null = null;
let timer = 0;

/** Follows the address, now and later. Resolves once the first notebook stands. */
export async function startDocuments(): Promise<void> {
  await open(lessonAt(location.hash));
  addEventListener('hashchange', () => {
    const next = lessonAt(location.hash);
    if (next.key !== openLesson.value.key) void flush().then(() => open(next));
  });
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void flush();
  });
  effect(() => {
    const current = notebook.value;
    document.title = `${current.title} · Gradbook`;
    if (current === opened) return;
    clearTimeout(timer);
    if (saved.peek().kind !== 'trouble') saved.value = { kind: 'saving', words: 'Saving' };
    timer = window.setTimeout(() => void save(), SAVE_MS);
  });
}

async function open(lesson: Lesson): Promise<void> {
  original = lesson.original();
  let kept: Notebook | null = null;
  let trouble: string | null = null;
  try {
    kept = (await readNotebook(lesson.key))?.notebook ?? null;
  } catch (error) {
    trouble = storageTrouble(error);
  }
  const next = kept ?? original;
  await prepareMaths(next.cells.filter(({ kind }) => kind === 'markdown').map(({ source }) => source));
  opened = next;
  openLesson.value = lesson;
  openNotebook(next);
  void openRuns(lesson.key);
  saved.value = trouble ? { kind: 'trouble', words: trouble } : kept ? { kind: 'saved', words: 'Saved' } : ORIGINAL;
  startKernel();
}

async function save(): Promise<void> {
  clearTimeout(timer);
  const current = notebook.value;
  if (current === opened) return;
  const { key } = openLesson.value;
  try {
    if (isSame(current, original!)) await dropNotebook(key);
    else await writeNotebook(key, current);
    opened = current;
    saved.value = isSame(current, original!) ? ORIGINAL : { kind: 'saved', words: 'Saved' };
  } catch (error) {
    saved.value = { kind: 'trouble', words: storageTrouble(error) };
  }
}

const flush = () => save();

function isSame(a: Notebook, b: Notebook): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Throws the changes away and opens the notebook as it came. */
export async function resetNotebook(): Promise<void> {
  clearTimeout(timer);
  try {
    await dropNotebook(openLesson.value.key);
  } catch {
    // Then there was nothing kept either.
  }
  await open(openLesson.value);
}
