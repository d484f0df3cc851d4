// The page starts here: readable first, runnable next, Monaco last.
import './style/index.css';
import { editCell, makeColumn } from './cells/column.ts';
import { h } from './dom.ts';
import { startDocuments } from './documents.ts';
import { startCompiler } from './editor/compiler.ts';
import { loadMonaco, onOpenPlace } from './editor/enter.ts';
import { missingFeature } from './host/features.ts';
import { startServiceWorker } from './host/isolation.ts';
import { cellRemoved, isBusy } from './session.ts';
import { makeBanner } from './shell/banner.ts';
import { makeFootBar } from './shell/footbar.ts';
import { openHelp } from './shell/help.ts';
import { onHelp, startKeys } from './shell/keys.ts';
import { closeRail, makeRail, openRail } from './shell/rail.ts';
import { startTheme } from './shell/theme.ts';
import { makeTopBar } from './shell/topbar.ts';
import { startUndoNote } from './shell/undonote.ts';
import { notebook } from './store.ts';
import { effect } from '@preact/signals-core';

const FONT_WAIT_MS = 800;

async function start(): Promise<void> {
  startTheme();
  if (!missingFeature()) startCompiler();
  // Lines must not break anew when the fonts arrive.
  const fonts = Promise.all(['400 16px "Source Sans 3"', '600 16px "Source Sans 3"', '400 13.5px "JetBrains Mono"'].map((font) => document.fonts.load(font)));
  await Promise.race([fonts, new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS))]);
  await startDocuments();
  document.getElementById('app')!.replaceWith(
    makeTopBar(openRail), makeBanner(),
    h('div', { class: 'page' }, makeRail(), makeColumn()),
    h('div', { class: 'shade', on: { click: closeRail } }), makeFootBar(openRail));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') closeRail();
  });
  onHelp(openHelp);
  onOpenPlace((cellId, caret) => editCell(cellId, caret));
  startKeys();
  startUndoNote();
  watchRemoved();
  document.documentElement.dataset.ready = '';
  whenIdle(() => void loadMonaco());
  void startServiceWorker(() => !isBusy.value);
}

/** A cell that left the notebook leaves the kernel, too. */
function watchRemoved(): void {
  let known = new Set<string>();
  effect(() => {
    const now = new Set(notebook.value.cells.map(({ id }) => id));
    for (const id of known) if (!now.has(id)) cellRemoved(id);
    known = now;
  });
}

function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: 2500 });
  else setTimeout(act, 800);
}

void start();
