// Notebooks as files: opened by a dialog or by dropping, saved in each format the notebook can be written in.
import { FORMATS, formatOf, type Format } from '../notebook/document/formats.ts';
import { foreignLanguage, nameByFile, type CellResult } from '../notebook/document/ipynb.ts';
import { arrival, openAsNew } from './documents.ts';
import { h } from './dom.ts';
import { cellOutputs } from './outputs/export.ts';
import { outputsOf } from './session.ts';
import { say } from './shell/note.ts';
import { notebook } from './store.ts';

/** Lets the person choose a file. */
export function chooseFile(): void {
  const input = h('input', { type: 'file', accept: FORMATS.map(({ extension }) => extension).join(','), on: { change: () => { if (input.files?.[0]) void openFile(input.files[0]); } } });
  input.click();
}

/** Opens a file as a notebook of one's own; says why when it is none. */
export async function openFile(file: File): Promise<void> {
  try {
    const format = formatOf(file.name);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
    const made = await format.parse(text);
    await openAsNew(nameByFile(made, file.name.slice(0, -format.extension.length)));
    const language = foreignLanguage(made);
    if (language) arrival.value = { kind: 'trouble', words: `This notebook is written in ${language}. It can be read, edited and saved, but its code does not run here.` };
  } catch (error) {
    const words = error instanceof TypeError ? 'it is no UTF-8 text' : (error as Error).message;
    say(words.startsWith(file.name) ? words : `${file.name} was not opened: ${words}`);
  }
}

/** Writes the notebook, with what its cells show where the format holds that, and hands it to the browser as a download. */
export async function saveAs(format: Format): Promise<void> {
  try {
    const text = await format.print(notebook.value, format.hasOutputs ? results() : new Map());
    const name = `${notebook.value.title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').toLowerCase() || 'notebook'}${format.extension}`;
    const url = URL.createObjectURL(new Blob([text], { type: format.mediaType }));
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    say(`Saved as ${name}`);
  } catch (error) {
    say(`Not saved as ${format.name}: ${(error as Error).message}`);
  }
}

/** What cells show now. A cell that has shown nothing since the notebook was opened keeps what its file holds. */
function results(): Map<string, CellResult> {
  const found = new Map<string, CellResult>();
  for (const { id, kind } of notebook.value.cells) {
    const area = outputsOf(id);
    if (kind === 'code' && area.isTouched) found.set(id, cellOutputs(id, area));
  }
  return found;
}

/** Files dropped on the page are opened. */
export function startDropping(): void {
  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  document.addEventListener('dragover', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = 'copy';
    document.body.dataset.drop = '';
  });
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) delete document.body.dataset.drop;
  });
  document.addEventListener('drop', (event) => {
    delete document.body.dataset.drop;
    if (!hasFile(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer!.files;
    if (file) void openFile(file);
  });
}
