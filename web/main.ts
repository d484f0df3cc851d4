// The page starts here: readable first, runnable next, then Monaco, and cells below the first screens whenever there is time.
import './style/index.css';
import { buildRest, closeEditors, editCell, makeColumn } from './cells/column.ts';
import { startAnchors } from './cells/headings.ts';
import { prepareMaths } from './cells/prose.ts';
import { drawGently } from './charts/frames.ts';
import { afterPicture, h } from './dom.ts';
import { flush, openEmpty, saved, startDocuments, takeOver } from './documents.ts';
import { startCompiler } from './editor/compiler.ts';
import { loadMonaco, onOpenPlace } from './editor/enter.ts';
import { chooseFile, startDropping } from './files.ts';
import { missingFeature } from './host/features.ts';
import { kernelState } from './host/kernel.ts';
import { startServiceWorker } from './host/isolation.ts';
import { cellRemoved, isBusy } from './session.ts';
import { startAnnouncing } from './shell/announce.ts';
import { makeBanner } from './shell/banner.ts';
import { makeFootBar } from './shell/footbar.ts';
import { openHelp } from './shell/help.ts';
import { openSave, openShare } from './shell/share.ts';
import { panels } from './shell/commands.ts';
import { openSettings, openTags } from './shell/details.ts';
import { openFind } from './shell/find.ts';
import { startKeys } from './shell/keys.ts';
import { say, startNotes } from './shell/note.ts';
import { openPalette } from './shell/palette.ts';
import { closeRail, makeRail, openRail } from './shell/rail.ts';
import { startTheme } from './shell/theme.ts';
import { makeTopBar } from './shell/topbar.ts';
import { isReadOnly, notebook, onRefused } from './store.ts';
import { effect } from '@preact/signals-core';

const FONT_WAIT_MS = 800;
/** The editor and cells out of sight wait so long for the kernel to start first. */
const KERNEL_WAIT_MS = 2000;
/** Cells out of sight wait so long for the editor, which is wanted sooner. Who scrolls to them has them at once. */
const EDITOR_WAIT_MS = 1500;

async function start(): Promise<void> {
  startTheme();
  prepareMaths();
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
  Object.assign(panels, { palette: openPalette, keys: openHelp, find: openFind, tags: openTags, settings: openSettings, open: chooseFile, save: openSave, saveNow, create: () => void openEmpty(), share: () => void openShare() });
  startDropping();
  onOpenPlace((cellId, caret) => editCell(cellId, caret));
  startKeys();
  startAnchors();
  startNotes();
  startAnnouncing();
  watchRemoved();
  onRefused(() => say('This notebook is open in another tab', { words: 'Edit it here', run: takeOver }));
  effect(() => drawGently(isBusy.value));
  effect(() => {
    if (isReadOnly.value) closeEditors();
  });
  document.documentElement.dataset.ready = '';
  if (!missingFeature()) afterPicture(startCompiler);
  void kernelStarted().then(async () => {
    await Promise.race([loadMonaco(), new Promise((resolve) => setTimeout(resolve, EDITOR_WAIT_MS))]);
    buildRest();
  });
  void startServiceWorker(() => !isBusy.value);
}

/** Resolves when the kernel is there, will not come, or takes long. */
function kernelStarted(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, KERNEL_WAIT_MS);
    effect(() => {
      const phase = kernelState.value?.phase;
      if (missingFeature() || phase === 'ready' || phase === 'dead') resolve();
    });
  });
}

async function saveNow(): Promise<void> {
  await flush();
  say(saved.value.kind === 'trouble' ? saved.value.words : 'Saved in this browser', { words: 'Save as a file', run: openSave });
}

/** A cell that left the notebook, or is code no more, leaves the kernel, too. */
function watchRemoved(): void {
  let known = new Set<string>();
  effect(() => {
    const now = new Set(notebook.value.cells.filter(({ kind }) => kind === 'code').map(({ id }) => id));
    for (const id of known) if (!now.has(id)) cellRemoved(id);
    known = now;
  });
}

void start();
