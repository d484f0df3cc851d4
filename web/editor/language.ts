// Models and types: one Monaco model per code cell, kept equal to the notebook, and problems found again after each edit.
import { effect } from '@preact/signals-core';
import { getTypeScriptWorker, typescriptDefaults } from 'monaco-editor/languages/features/typescript/register';
import { notebook, setSource } from '../store.ts';
import type { CellProblem, CellProblems } from './service.ts';
import { monaco } from './monaco.ts';
import { failedLineOf, problemsOf, type Problem } from './problems.ts';

type Model = import('monaco-editor/editor').editor.ITextModel;
interface Service {
  setCells(order: string[]): Promise<boolean>;
  problems(files: string[]): Promise<CellProblems[]>;
}

const FOLDER = 'file:///nb/';
const WAIT_MS = 300;
const BATCH = 10;
const MOST_KEPT = 30;

const models = new Map<string, Model>();
/** Models of deleted cells, the oldest first. */
const kept = new Map<string, Model>();
let order: string[] = [];
let service: Promise<Service> | null = null;
let round = 0;
let timer = 0;

export const cellOfUri = (uri: { toString(): string }): string => decodeURIComponent(uri.toString().slice(FOLDER.length).replace(/\.ts$/, ''));

export function modelOf(cellId: string): Model {
  return models.get(cellId)!;
}

/** To be called whenever an editor takes the model: each new editor puts Monaco's own defaults on all models. */
export function setModelOptions(model: Model): void {
  model.updateOptions({ tabSize: 2, indentSize: 2, insertSpaces: true, bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false } });
}

/** Begins to mirror the notebook. */
export function startLanguage(): void {
  typescriptDefaults.onDidChange(() => {
    service = null;
    checkSoon(0);
  });
  effect(() => mirror());
}

/** Makes, changes and drops models until they say what the notebook says. */
function mirror(): void {
  const cells = notebook.value.cells.filter((cell) => cell.kind === 'code');
  const wanted = new Set(cells.map((cell) => cell.id));
  let isChanged = false;
  for (const [id, model] of models) {
    if (wanted.has(id)) continue;
    models.delete(id);
    keepForUndo(id, model);
    isChanged = true;
  }
  for (const { id, source } of cells) {
    const model = models.get(id);
    if (!model) {
      models.set(id, kept.get(id) ?? makeModel(id, source));
      kept.delete(id);
      if (models.get(id)!.getValue() !== source) models.get(id)!.setValue(source);
      isChanged = true;
    } else if (model.getValue() !== source) model.setValue(source);
  }
  const next = cells.map(({ id }) => models.get(id)!.uri.toString());
  if (isChanged || next.join() !== order.join()) {
    order = next;
    const mine = order;
    void serviceNow().then((worker) => worker.setCells(mine)).then(() => checkSoon(0));
  }
}

/** A deleted cell that comes back finds its text undo as it was. */
function keepForUndo(id: string, model: Model): void {
  kept.set(id, model);
  const [oldest] = kept.keys();
  if (kept.size <= MOST_KEPT || oldest === undefined) return;
  kept.get(oldest)!.dispose();
  kept.delete(oldest);
}

function makeModel(id: string, source: string): Model {
  const model = monaco.editor.createModel(source, 'typescript', monaco.Uri.parse(`${FOLDER}${encodeURIComponent(id)}.ts`));
  model.onDidChangeContent(() => {
    failedLineOf(id).value = null;
    setSource(id, model.getValue());
    checkSoon(WAIT_MS);
  });
  return model;
}

async function serviceNow(): Promise<Service> {
  service ??= (async () => {
    for (;;) {
      try {
        const get = await getTypeScriptWorker();
        const worker = (await get(...[...models.values()].map((model) => model.uri))) as unknown as Service;
        await worker.setCells(order);
        return worker;
      } catch (error) {
        // The language registers itself a moment after it is first asked for.
        if (!/not registered/.test(String(error))) throw error;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
  })();
  const worker = await service;
  // A model younger than the worker reaches it only when it is asked for by name.
  const get = await getTypeScriptWorker();
  await get(...[...models.values()].map((model) => model.uri));
  return worker;
}

function checkSoon(delayMs: number): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void check(), delayMs);
}

/** Looks for problems in all cells, in small groups so that completions get in between; a newer round ends an older one. */
async function check(): Promise<void> {
  const mine = ++round;
  const worker = await serviceNow();
  const files = [...order];
  for (let i = 0; i < files.length; i += BATCH) {
    const found = await worker.problems(files.slice(i, i + BATCH));
    if (mine !== round) return;
    for (const each of found) show(each);
  }
}

const SEVERITIES = { error: monaco.MarkerSeverity.Error, warning: monaco.MarkerSeverity.Warning, hint: monaco.MarkerSeverity.Hint };

function show({ file, version, problems }: CellProblems): void {
  const id = cellOfUri(file);
  const model = models.get(id);
  if (!model) return;
  if (model.getVersionId() !== version) {
    // This was said of another text: of the one before, or before the worker had any.
    checkSoon(WAIT_MS);
    return;
  }
  const list = problems.map(toProblem);
  const known = problemsOf(id);
  if (JSON.stringify(known.value) !== JSON.stringify(list)) known.value = list;
  monaco.editor.setModelMarkers(model, 'typescript', list.map((problem) => {
    const start = model.getPositionAt(problem.start);
    const end = model.getPositionAt(problem.start + Math.max(1, problem.length));
    return {
      severity: SEVERITIES[problem.severity],
      message: problem.message,
      code: String(problem.code),
      source: 'TypeScript',
      startLineNumber: start.lineNumber,
      startColumn: start.column === end.column && start.column > 1 ? start.column - 1 : start.column,
      endLineNumber: end.lineNumber,
      endColumn: end.column,
      tags: problem.isUnnecessary ? [monaco.MarkerTag.Unnecessary] : [],
    };
  }));
}

function toProblem({ start, length, code, message, category, isUnnecessary }: CellProblem): Problem {
  return { start, length, code, message, isUnnecessary, severity: category === 1 ? 'error' : category === 0 ? 'warning' : 'hint' };
}
