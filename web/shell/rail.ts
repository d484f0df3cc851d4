// The left rail: lessons, contents of the open notebook, help and reset. A sheet from the side on narrow screens.
import { effect } from '@preact/signals-core';
import { deleteOwn, openEmpty, openLesson, ownNotebooks, resetNotebook, saved } from '../documents.ts';
import { h } from '../dom.ts';
import { goToHeading, headings, type Heading } from '../cells/headings.ts';
import { toggleInspector } from '../inspector/dock.ts';
import { lessons, ownAddress, scratch } from '../lessons.ts';
import { notebook } from '../store.ts';
import { REFERENCE } from './commands.ts';
import { askFirst, openHelp } from './help.ts';
import { icon } from './icons.ts';

const isSame = (a: readonly Heading[], b: readonly Heading[]) => JSON.stringify(a) === JSON.stringify(b);

export function makeRail(): HTMLElement {
  const lessonList = h('ul');
  const ownList = h('ul');
  const ownNav = h('nav', { 'aria-labelledby': 'rail-own' }, h('h2', { id: 'rail-own' }, 'Your notebooks'), ownList);
  const contentList = h('ul', { class: 'contents' });
  const reset = h('button', { type: 'button', data: { action: 'reset' }, on: { click: () => void ask() } }, icon('undo'), 'Reset to original');
  const rail = h('aside', { class: 'rail', id: 'rail', 'aria-label': 'Lessons and contents' },
    h('nav', { 'aria-labelledby': 'rail-lessons' }, h('h2', { id: 'rail-lessons' }, 'Lessons'), lessonList),
    ownNav,
    h('nav', { 'aria-labelledby': 'rail-contents' }, h('h2', { id: 'rail-contents' }, 'Contents'), contentList),
    h('div', { class: 'tools' }, h('button', { type: 'button', data: { action: 'rail-inspector' }, on: { click: () => { closeRail(); toggleInspector(); } } }, icon('inspector'), 'Inspector'), h('button', { type: 'button', on: { click: () => { closeRail(); openHelp(); } } }, icon('help'), 'Keys'),
      h('a', { href: REFERENCE, target: '_blank', rel: 'noopener', on: { click: closeRail } }, icon('book'), 'Reference'), reset));
  effect(() => {
    const current = openLesson.value.key;
    lessonList.replaceChildren(...[...lessons, scratch].map(({ key, title, address }) => h('li', null, h('a', { href: address, ...(key === current ? { 'aria-current': 'page' } : {}), on: { click: closeRail } }, title))));
  });
  effect(() => {
    const current = openLesson.value.key;
    const title = notebook.value.title;
    ownList.replaceChildren(...[
      ...ownNotebooks.value.map((own) => h('li', { class: 'own' }, h('a', { href: ownAddress(own.key), ...(own.key === current ? { 'aria-current': 'page' } : {}), on: { click: closeRail } }, own.key === current ? title : own.title),
        h('button', { class: 'icon-button', type: 'button', 'aria-label': `Delete ${own.title}`, title: 'Delete', on: { click: () => void askDelete(own.key, own.title) } }, icon('bin')))),
      h('li', null, h('button', { class: 'new', type: 'button', on: { click: () => { closeRail(); void openEmpty(); } } }, icon('plus'), 'New notebook')),
    ]);
  });
  let shown: readonly Heading[] = [];
  effect(() => {
    const next = headings.value.filter(({ level }) => level <= 3);
    if (isSame(next, shown) && contentList.childElementCount) return;
    shown = next;
    contentList.replaceChildren(...next.map((heading) => h('li', null, h('a', { href: '#', data: { level: String(heading.level) }, on: { click: (event: Event) => go(event, heading) } }, heading.text))));
  });
  effect(() => {
    reset.hidden = saved.value.kind === 'original';
    reset.style.display = reset.hidden ? 'none' : '';
  });
  return rail;
}

function go(event: Event, heading: Heading): void {
  event.preventDefault();
  closeRail();
  goToHeading(heading);
}

async function ask(): Promise<void> {
  closeRail();
  const isSure = await askFirst('Reset to original', `Your changes to “${notebook.value.title}” are thrown away, and its cells forget what they computed.`, 'Reset');
  if (isSure) await resetNotebook();
}

async function askDelete(key: string, title: string): Promise<void> {
  if (await askFirst('Delete the notebook', `“${title}” is deleted from this browser for good. Save it as a file first if you may want it again.`, 'Delete')) await deleteOwn(key);
}

export function openRail(): void {
  document.body.dataset.rail = 'open';
  document.querySelector<HTMLElement>('#rail a')?.focus();
}

export function closeRail(): void {
  delete document.body.dataset.rail;
}
