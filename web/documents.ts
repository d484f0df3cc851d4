// Opens the notebook that the address names and keeps changes in the browser within a second.
import { effect, signal } from '@preact/signals-core';
import { decodeLink, isLink } from '../notebook/document/link.ts';
import { toNotebook, type Notebook } from '../notebook/document/notebook.ts';
import { mathsFor } from './cells/prose.ts';
import { firstCells } from './cells/stub.ts';
import { askToStay, ChangedElsewhere, dropNotebook, hasUnsaved, holdUnsaved, listNotebooks, readNotebook, storageTrouble, unsavedTrouble, writeNotebook } from './host/storage.ts';
import { Hold, onSavedElsewhere } from './host/tabs.ts';
import { lessonAt, lessons, namesNotebook, ownAddress, ownKey, ownKeyAt, ownLesson, ownPrefix, scratch, type Lesson } from './lessons.ts';
import { openRuns } from './runs/store.ts';
import { dropKept, flushOutputs, readKept } from './keeping.ts';
import { leaveKernel, restoreOutputs, startKernel } from './session.ts';
import { followNotebook, isReadOnly, notebook, openNotebook, refuses } from './store.ts';

export type Saved =
  | { readonly kind: 'original' | 'saved' | 'saving' | 'elsewhere'; readonly words: string }
  | { readonly kind: 'trouble'; readonly words: string };

/** Whether the browser has promised not to clear what is kept; null before something was saved, when it is asked. */
export const isLasting = signal<boolean | null>(null);

/** Something to say about the notebook that was just opened. */
export interface Arrival {
  readonly words: string;
  readonly kind: 'link' | 'trouble';
  readonly action?: { readonly words: string; run(): void };
}

const ORIGINAL: Saved = { kind: 'original', words: 'No changes' };
const ELSEWHERE: Saved = { kind: 'elsewhere', words: 'Open in another tab' };
const SAVE_MS = 600;
/** A page that reloads leaves its hold on the notebook a moment after the next one asks for it. */
const HANDOVER_MS = 400;

export const saved = signal<Saved>(ORIGINAL);
export const openLesson = signal<Lesson>(lessonAt(''));
export const arrival = signal<Arrival | null>(null);
/** Another tab may change the open notebook, this one may not. `taken`: it was this one's before. */
export const elsewhere = signal<'open' | 'taken' | null>(null);
/** The person's own notebooks, the one changed last first. */
export const ownNotebooks = signal<readonly { readonly key: string; readonly title: string }[]>([]);

let opened: Notebook | null = null;
let original: Notebook | null = null;
/** What the changes were made to: the original, or for a lesson what it was when somebody began to change it. */
let base: Notebook | null = null;
let timer = 0;
/** When the record was written that the open notebook was read from or last written to; null: there was none. */
let seenAt: number | null = null;
let hold: Hold | null = null;

/** Follows the address, now and later. Resolves once the first notebook stands. */
export async function startDocuments(): Promise<void> {
  const list = renewList();
  await follow(location.hash);
  addEventListener('hashchange', () => {
    const { hash } = location;
    if (hash !== '' && !namesNotebook(hash)) {
      // What stands here stays, and a reload finds it again.
      history.replaceState(null, '', openLesson.value.address);
      arrival.value = unknown(hash);
    } else if (isLink(hash) || addressOf(hash) !== openLesson.value.address) void flush().then(() => follow(hash));
  });
  addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'hidden') return;
    void save(true);
    void flushOutputs();
  });
  addEventListener('pagehide', () => {
    void save(true);
    void flushOutputs();
  });
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
  onSavedElsewhere(() => void renewList());
  effect(() => {
    const current = notebook.value;
    document.title = `${current.title} · Gradbook`;
    if (current === opened || isReadOnly.peek()) return;
    clearTimeout(timer);
    if (saved.peek().kind !== 'trouble') saved.value = { kind: 'saving', words: 'Saving' };
    timer = window.setTimeout(() => void save(), SAVE_MS);
  });
  await list;
}

const addressOf = (hash: string) => {
  const own = ownKeyAt(hash);
  return own ? ownAddress(own) : lessonAt(hash).address;
};

const unknown = (hash: string): Arrival => ({ kind: 'trouble', words: `There is no notebook here under the address ${hash.slice(0, 60)}. Look for it in the list of lessons.` });

async function follow(hash: string): Promise<void> {
  arrival.value = null;
  if (isLink(hash)) return followLink(hash);
  const own = ownKeyAt(hash);
  if (!own) {
    await open(lessonAt(hash));
    if (hash !== '' && !namesNotebook(hash)) arrival.value = unknown(hash);
    return;
  }
  const kept = await readNotebook(own).catch(() => null);
  if (kept) return open(ownLesson(own, () => kept.original ?? kept.notebook));
  await open(scratch);
  arrival.value = { kind: 'trouble', words: 'That notebook is not in this browser. It may have been kept in another one, or was cleared.' };
}

/** A link opens as a copy of one's own, and runs nothing. The same link opens the same copy again. */
async function followLink(hash: string): Promise<void> {
  let sent: Notebook;
  try {
    sent = await decodeLink(hash);
  } catch (error) {
    await open(scratch);
    arrival.value = { kind: 'trouble', words: error instanceof Error ? error.message : String(error) };
    return;
  }
  const key = ownKey(`link-${await digest(hash)}`);
  const kept = await readNotebook(key).catch(() => null);
  await openOwn(key, sent);
  const isChanged = kept !== null && !isSame(kept.notebook, sent);
  arrival.value = isChanged
    ? { kind: 'link', words: 'You have opened this link before; this is your copy, with your changes.', action: { words: 'Open it as it was sent', run: () => void openAsNew(sent) } }
    : { kind: 'link', words: 'This notebook came by a link and is now your own copy. Nothing has run: read it before you run it.' };
}

/** Makes a notebook one's own under a new key and opens it. */
export async function openAsNew(made: Notebook): Promise<void> {
  await flush();
  arrival.value = null;
  await openOwn(ownKey(`${Date.now().toString(36)}${Math.floor(Math.random() * 1296).toString(36)}`), made);
}

async function openOwn(key: string, made: Notebook): Promise<void> {
  let trouble: string | null = null;
  try {
    if (!(await readNotebook(key))) await writeNotebook(key, made, made);
  } catch (error) {
    trouble = storageTrouble(error);
    if (unsavedTrouble(key) === null) holdUnsaved({ key, notebook: made, original: made, savedAt: Date.now() }, error);
  }
  // No step back to the link: a reload must not open it over newer work. What was not saved a reload finds in the link alone.
  if (!trouble || !isLink(location.hash)) history.replaceState(null, '', ownAddress(key));
  await open(ownLesson(key, () => made));
  if (trouble) saved.value = { kind: 'trouble', words: trouble };
  await renewList();
}

/** An empty notebook of one's own. */
export async function openEmpty(): Promise<void> {
  await openAsNew(toNotebook({ title: 'Untitled', cells: [{ kind: 'code', source: '' }] }));
}

async function open(lesson: Lesson): Promise<void> {
  original = lesson.original();
  await flushOutputs();
  const holding = Hold.begin(lesson.key, holdHost);
  const showing = readKept(lesson.key);
  let kept: Notebook | null = null;
  let trouble: string | null = null;
  base = original;
  try {
    hold = await holding;
    const record = await readNotebook(lesson.key);
    kept = record?.notebook ?? null;
    if (isLesson(lesson)) base = record?.original ?? original;
    seenAt = record?.savedAt ?? null;
    trouble = unsavedTrouble(lesson.key);
  } catch (error) {
    trouble = storageTrouble(error);
  }
  const next = kept ?? original;
  // Formulas in sight are there from the first picture on; those below have time.
  await mathsFor(firstCells(next.cells).filter(({ kind }) => kind === 'markdown').map(({ source }) => source));
  const shown = await showing;
  opened = next;
  openLesson.value = lesson;
  setReadOnly(hold !== null && !hold.isMine);
  leaveKernel();
  openNotebook(next);
  restoreOutputs(lesson.key, shown);
  void openRuns(lesson.key);
  saved.value = trouble ? { kind: 'trouble', words: trouble } : isReadOnly.peek() ? ELSEWHERE : kept && !isSame(next, original) ? { kind: 'saved', words: 'Saved' } : ORIGINAL;
  if (kept && !isReadOnly.peek() && !hasSameText(base, original)) {
    arrival.value = { kind: 'trouble', words: 'This lesson has a newer version. What you see is the older one with your changes.', action: { words: 'Keep mine as a copy and open the new one', run: () => void takeNewLesson(lesson) } };
  }
  startKernel();
}

const isLesson = ({ key }: Lesson) => lessons.some((lesson) => lesson.key === key);

/** What the person made of the older version becomes a notebook of their own. */
async function takeNewLesson(lesson: Lesson): Promise<void> {
  await openAsNew({ ...notebook.value, title: `${notebook.value.title} (copy)` });
  await dropNotebook(lesson.key).catch(() => undefined);
  await dropKept(lesson.key);
  location.hash = lesson.address;
}

/** Ends when the database has answered all that was written so far. */
let writing: Promise<unknown> = Promise.resolve();

/** `isLast`: the page may be about to go. */
async function save(isLast = false): Promise<void> {
  clearTimeout(timer);
  const former = writing;
  let isWritten = () => {};
  writing = Promise.all([former, new Promise<void>((resolve) => { isWritten = resolve; })]);
  // One after the other: each must find there what the one before it wrote, or it would take that for another tab's.
  if (!isLast) await former;
  const current = notebook.value;
  if (current === opened || isReadOnly.peek()) return isWritten();
  const { key } = openLesson.value;
  const isOwn = key.startsWith(ownPrefix);
  try {
    const isUnchanged = isSame(current, original!);
    if (isUnchanged && !isOwn) await dropNotebook(key);
    else seenAt = await writeNotebook(key, current, key === scratch.key ? null : base, isLast ? undefined : seenAt);
    opened = current;
    isWritten();
    hold?.tell();
    // What was typed meanwhile is not saved yet.
    if (notebook.peek() === current) saved.value = isUnchanged ? ORIGINAL : { kind: 'saved', words: 'Saved' };
    void askToStay().then((is) => { isLasting.value = is; });
    if (isOwn) await renewList();
  } catch (error) {
    isWritten();
    if (error instanceof ChangedElsewhere) return keepAsCopy(current);
    saved.value = { kind: 'trouble', words: storageTrouble(error) };
  }
}

/** Saves what is not saved yet. */
export const flush = () => save();

function setReadOnly(is: boolean, why: 'open' | 'taken' = 'open'): void {
  isReadOnly.value = is;
  elsewhere.value = is && why === 'taken' ? why : null;
  if (is && why === 'open') setTimeout(() => { if (isReadOnly.peek() && elsewhere.peek() === null) elsewhere.value = 'open'; }, HANDOVER_MS);
}

const holdHost = {
  async gained(): Promise<void> {
    await readAgain();
    setReadOnly(false);
    saved.value = isSame(notebook.value, original!) ? ORIGINAL : { kind: 'saved', words: 'Saved' };
  },
  lost(isAsked: boolean): void {
    const current = notebook.value;
    if (!isAsked && current !== opened) return void keepAsCopy(current);
    clearTimeout(timer);
    setReadOnly(true, 'taken');
    saved.value = ELSEWHERE;
  },
  async letGo(): Promise<void> {
    await save();
    await flushOutputs();
  },
  saved: () => void readAgain(),
};

/** Reads the open notebook again: another tab has written it. */
async function readAgain(): Promise<void> {
  const lesson = openLesson.value;
  const record = await readNotebook(lesson.key).catch(() => null);
  if (openLesson.value !== lesson) return;
  const next = record?.notebook ?? original!;
  seenAt = record?.savedAt ?? null;
  if (isSame(next, notebook.value)) return;
  opened = next;
  followNotebook(next);
}

/** Makes the open notebook this tab's; the other one saves what it has first. */
export const takeOver = (): void => hold?.takeOver();

/** A notebook of one's own with what stands here. */
export const copyHere = (): void => void openAsNew({ ...notebook.value, title: `${notebook.value.title} (copy)` });

/** What was typed here goes nowhere else than into a notebook of its own. */
async function keepAsCopy(current: Notebook): Promise<void> {
  opened = current;
  await openAsNew({ ...current, title: `${current.title} (copy)` });
  arrival.value = { kind: 'trouble', words: 'Another tab has changed this notebook. What you typed here was not lost: this is a copy with it.' };
}

async function renewList(): Promise<void> {
  ownNotebooks.value = await listNotebooks(ownPrefix).catch(() => []);
}

function hasSameText(a: Notebook, b: Notebook): boolean {
  const textOf = ({ cells }: Notebook) => JSON.stringify(cells.map(({ kind, source }) => [kind, source]));
  return textOf(a) === textOf(b);
}

function isSame(a: Notebook, b: Notebook): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function digest(text: string): Promise<string> {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  return hash.toString(36);
}

/** Throws the changes away and opens the notebook as it came. */
export async function resetNotebook(): Promise<void> {
  if (refuses()) return;
  clearTimeout(timer);
  const lesson = openLesson.value;
  try {
    if (lesson.key.startsWith(ownPrefix)) await writeNotebook(lesson.key, original!, original!);
    else await dropNotebook(lesson.key);
  } catch {
    // Then there was nothing kept either.
  }
  await dropKept(lesson.key);
  await open(lesson);
}

/** Deletes one of the person's own notebooks; the open one gives way to the scratch pad. */
export async function deleteOwn(key: string): Promise<void> {
  clearTimeout(timer);
  if (openLesson.value.key === key) {
    opened = notebook.value;
    history.replaceState(null, '', scratch.address);
    await open(scratch);
  } else await flush();
  await dropNotebook(key).catch(() => undefined);
  await dropKept(key);
  await renewList();
}
