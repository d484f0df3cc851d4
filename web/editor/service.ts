// Monaco's TypeScript worker with cells: one module per cell, a suffix that brings in the names of the cells above, and
// results that never show the suffix. Runs inside cell.worker.ts.
import { TypeScriptWorker } from 'monaco-editor/languages/features/typescript/ts.worker';
import ts from 'typescript';
import { analyze, type Analysis, type DeclarationKind } from '../../notebook/transpile/analyze.ts';
import { suffixes, type Suffix } from '../../notebook/transpile/suffix.ts';

interface CellState {
  readonly file: string;
  readonly base: string;
  readonly version: number;
  readonly text: string;
  readonly analysis: Analysis;
  suffix: Suffix | null;
  suffixVersion: number;
}

/** A problem in a cell, as the page marks it. */
export interface CellProblem {
  readonly start: number;
  readonly length: number;
  readonly code: number;
  readonly message: string;
  /** TypeScript's numbers: 0 warning, 1 error, 2 suggestion, 3 message. */
  readonly category: number;
  readonly isUnnecessary: boolean;
}

export interface CellProblems {
  readonly file: string;
  readonly version: number;
  readonly problems: readonly CellProblem[];
}

interface Span { start: number; length: number }
interface Located { fileName: string; textSpan: Span }

// The base class has no published types: these are the parts that are used.
// biome-ignore lint/suspicious/noExplicitAny: see above
const Base = TypeScriptWorker as unknown as new (context: unknown, data: unknown) => any;

export class CellService extends Base {
  private order: string[] = [];
  private isReordered = true;
  private readonly cells = new Map<string, CellState>();
  private readonly mirrors = new Map<string, { getValue(): string; version: number }>();

  /** Cell files in document order. */
  setCells(order: string[]): boolean {
    this.order = order;
    for (const file of this.cells.keys()) if (!order.includes(file)) this.cells.delete(file);
    this.isReordered = true;
    return true;
  }

  /** Problems of the given cells. A cell with syntax errors shows only those. */
  async problems(files: string[]): Promise<CellProblems[]> {
    return files.map((file) => ({ file, version: this.cells.get(file)?.version ?? 0, problems: this.problemsOf(file) }));
  }

  // ---- what the language service reads

  useCaseSensitiveFileNames(): boolean {
    return true;
  }

  getScriptFileNames(): string[] {
    this.refresh();
    const extra = Object.keys(this._extraLibs);
    return [...this.mirrors.keys()].filter((file) => !(file in this._extraLibs)).concat(extra);
  }

  getScriptVersion(file: string): string {
    const cell = this.cells.get(file);
    return cell ? `${cell.version}.${cell.suffixVersion}` : super.getScriptVersion(file);
  }

  _getScriptText(file: string): string | undefined {
    const cell = this.cells.get(file);
    return cell ? cell.text + (cell.suffix?.text ?? '') : super._getScriptText(file);
  }

  _getModel(file: string): unknown {
    return this.mirrors.get(file) ?? (this.mirrors.size ? null : super._getModel(file));
  }

  /** Called once per program: reads cells whose text changed, and renews suffixes. Cheap when nothing did. */
  private refresh(): void {
    let isDirty = this.isReordered;
    this.isReordered = false;
    const models = this._ctx.getMirrorModels() as { uri: { toString(): string }; version: number; getValue(): string }[];
    // One may have gone as another came, so counting them is not enough.
    if (models.length !== this.mirrors.size || models.some((model) => this.mirrors.get(model.uri.toString()) !== model)) {
      this.mirrors.clear();
      for (const model of models) this.mirrors.set(model.uri.toString(), model);
      isDirty = true;
    }
    for (const file of this.order) {
      const model = this.mirrors.get(file);
      const known = this.cells.get(file);
      if (!model || known?.version === model.version) continue;
      const text = model.getValue();
      const base = file.slice(file.lastIndexOf('/') + 1).replace(/\.ts$/, '');
      this.cells.set(file, { file, base, version: model.version, text, analysis: analyze(text, file), suffix: known?.suffix ?? null, suffixVersion: known?.suffixVersion ?? 0 });
      isDirty = true;
    }
    if (!isDirty) return;
    const ordered = this.order.map((file) => this.cells.get(file)).filter((cell) => cell !== undefined);
    suffixes(ordered).forEach((suffix, i) => {
      const cell = ordered[i]!;
      if (cell.suffix?.text !== suffix.text) cell.suffixVersion++;
      cell.suffix = suffix;
    });
  }

  // ---- problems

  private problemsOf(file: string): CellProblem[] {
    this.getScriptFileNames();
    const cell = this.cells.get(file);
    if (!cell) return [];
    if (cell.analysis.syntax.length) {
      return cell.analysis.syntax.map(({ start, length, code, message }) => ({ start, length, code, message, category: 1, isUnnecessary: false }));
    }
    const found: ts.Diagnostic[] = [...this._languageService.getSemanticDiagnostics(file), ...this._languageService.getSuggestionDiagnostics(file)];
    return found.flatMap((each) => {
      const { start, length = 0 } = each;
      if (start === undefined || start >= Math.max(cell.text.length, 1)) return [];
      const reworded = this.reworded(cell, each);
      if (!reworded) return [];
      return [{ start, length: Math.min(length, cell.text.length - start), ...reworded, category: each.category, isUnnecessary: Boolean(each.reportsUnnecessary) }];
    });
  }

  /** TypeScript speaks of imports where the learner sees names of other cells. Null: not a problem at all. */
  private reworded(cell: CellState, found: ts.Diagnostic): { code: number; message: string } | null {
    const message = ts.flattenDiagnosticMessageText(found.messageText, '\n');
    if (found.code !== 2632) return { code: found.code, message };
    const name = cell.text.substr(found.start!, found.length!);
    const owner = cell.suffix?.scope.get(name);
    if (!owner) return { code: found.code, message };
    if (owner.kind === 'let' || owner.kind === 'var') return null;
    const kind = owner.kind === 'const' ? 'constant' : owner.kind;
    return { code: owner.kind === 'const' ? 2588 : 2630, message: `Cannot assign to '${name}' because it is a ${kind} of another cell.` };
  }

  async getSyntacticDiagnostics(): Promise<never[]> {
    return [];
  }
  async getSemanticDiagnostics(): Promise<never[]> {
    return [];
  }
  async getSuggestionDiagnostics(): Promise<never[]> {
    return [];
  }

  // ---- places: nothing may point into a suffix

  private isInside(file: string, span: Span): boolean {
    return span.start + span.length <= (this.cells.get(file)?.text.length ?? Number.POSITIVE_INFINITY);
  }

  /** A name that a cell assigns is declared again in its suffix: the real place is in the owner's cell. */
  private ownerOf(file: string, position: number): (Located & { name: string }) | undefined {
    for (const [name, { owner, start }] of this.cells.get(file)?.suffix?.rebound ?? []) {
      const declared = this.cells.get(owner.file)?.analysis.declared.get(name);
      if (position === start && declared) return { fileName: owner.file, textSpan: { start: declared.start, length: name.length }, name };
    }
    return undefined;
  }

  async getDefinitionAtPosition(file: string, position: number): Promise<Located[] | undefined> {
    const found: Located[] | undefined = await super.getDefinitionAtPosition(file, position);
    return found?.map((each) => (this.isInside(each.fileName, each.textSpan) ? each : this.ownerOf(each.fileName, each.textSpan.start)!)).filter(Boolean);
  }

  /** A name assigned in later cells is several symbols to TypeScript; `ask` is put to each of them. */
  private async joined(file: string, position: number, ask: (file: string, position: number) => Promise<Located[] | undefined>): Promise<Located[]> {
    const found = [...((await ask(file, position)) ?? [])];
    const definition = (await this.getDefinitionAtPosition(file, position))?.[0];
    const owner = definition && this.cells.get(definition.fileName);
    if (owner) {
      const name = owner.text.substr(definition.textSpan.start, definition.textSpan.length);
      if (owner.analysis.declared.get(name)?.start === definition.textSpan.start) {
        found.push(...((await ask(owner.file, definition.textSpan.start)) ?? []));
        for (const cell of this.cells.values()) {
          const rebound = cell.suffix?.rebound.get(name);
          if (rebound?.owner.file === owner.file) found.push(...((await ask(cell.file, rebound.start)) ?? []));
        }
      }
    }
    const seen = new Set<string>();
    return found.filter(({ fileName, textSpan }) => {
      const key = `${fileName}:${textSpan.start}`;
      if (!this.isInside(fileName, textSpan) || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  }

  async getReferencesAtPosition(file: string, position: number): Promise<Located[]> {
    return this.joined(file, position, (f, p) => super.getReferencesAtPosition(f, p));
  }
  async findRenameLocations(file: string, position: number, ...rest: unknown[]): Promise<Located[]> {
    return this.joined(file, position, (f, p) => super.findRenameLocations(f, p, ...rest));
  }
  async getDocumentHighlights(file: string, position: number, files: string[]): Promise<unknown> {
    const found = await super.getDocumentHighlights(file, position, files);
    return found?.map((each: { fileName: string; highlightSpans: Located[] }) => ({ ...each, highlightSpans: each.highlightSpans.filter(({ textSpan }) => this.isInside(each.fileName, textSpan)) }));
  }
  async getNavigationTree(file: string): Promise<unknown> {
    const tree = await super.getNavigationTree(file);
    if (tree) tree.childItems = tree.childItems?.filter((item: { spans: Span[] }) => this.isInside(file, item.spans[0]!));
    return tree;
  }
  async getFormattingEditsForDocument(file: string, ...rest: unknown[]): Promise<unknown> {
    return (await super.getFormattingEditsForDocument(file, ...rest)).filter(({ span }: { span: Span }) => this.isInside(file, span));
  }
  async getFormattingEditsForRange(file: string, ...rest: unknown[]): Promise<unknown> {
    return (await super.getFormattingEditsForRange(file, ...rest)).filter(({ span }: { span: Span }) => this.isInside(file, span));
  }
  async getFormattingEditsAfterKeystroke(file: string, ...rest: unknown[]): Promise<unknown> {
    return (await super.getFormattingEditsAfterKeystroke(file, ...rest)).filter(({ span }: { span: Span }) => this.isInside(file, span));
  }
  /** Monaco applies every change of a fix to the model at hand, so a fix that touches another file is dropped. */
  async getCodeFixesAtPosition(file: string, start: number, end: number, codes: number[], options: object): Promise<unknown> {
    const found = await super.getCodeFixesAtPosition(file, start, end, codes, { ...options, ...ts.getDefaultFormatCodeSettings('\n') });
    return found.filter((fix: ts.CodeFixAction) => fix.changes.every(({ fileName, textChanges }) => fileName === file && textChanges.every(({ span }) => this.isInside(file, span))));
  }

  // ---- words: names of other cells are what they are, not "(alias) import"

  async getCompletionsAtPosition(file: string, position: number): Promise<unknown> {
    const found = await super.getCompletionsAtPosition(file, position);
    const scope = this.cells.get(file)?.suffix?.scope;
    for (const entry of found?.entries ?? []) {
      const owner = entry.kind === 'alias' ? scope?.get(entry.name) : undefined;
      if (owner) {
        entry.kind = iconOf(owner.kind);
        entry.sortText = '10';
      } else if (entry.kind === 'const' || entry.kind === 'let') entry.kind = 'var';
    }
    return found;
  }
  async getCompletionEntryDetails(file: string, position: number, name: string): Promise<unknown> {
    const found = await super.getCompletionEntryDetails(file, position, name);
    const owner = found?.kind === 'alias' ? this.cells.get(file)?.suffix?.scope.get(name) : undefined;
    if (owner) found.kind = iconOf(owner.kind);
    if (found) found.displayParts = this.withoutAlias(file, found.displayParts);
    return found;
  }
  async getQuickInfoAtPosition(file: string, position: number): Promise<unknown> {
    const found = await super.getQuickInfoAtPosition(file, position);
    if (found) found.displayParts = this.withoutAlias(file, found.displayParts);
    return found;
  }
  async provideInlayHints(file: string, start: number, end: number): Promise<unknown> {
    const length = this.cells.get(file)?.text.length ?? end;
    const found = await super.provideInlayHints(file, start, Math.min(end, length));
    return found.filter(({ position }: { position: number }) => position <= length);
  }

  private withoutAlias(file: string, parts: { text: string; kind: string }[] | undefined): { text: string; kind: string }[] | undefined {
    if (parts?.[0]?.text !== '(' || parts[1]?.text !== 'alias') return parts;
    const lineEnd = parts.findIndex(({ kind, text }) => kind === 'lineBreak' || text === '\n');
    const said = parts.slice(4, lineEnd < 0 ? undefined : lineEnd);
    // TypeScript names the kind of everything but of a function that is called.
    const isCalled = said[0] !== undefined && said[0].kind !== 'keyword' && this.cells.get(file)?.suffix?.scope.get(said[0].text)?.kind === 'function';
    return isCalled ? [{ text: 'function', kind: 'keyword' }, { text: ' ', kind: 'space' }, ...said] : said;
  }
}

// Monaco's list of suggestions knows no 'const', 'let' or 'alias'.
function iconOf(kind: DeclarationKind): string {
  if (kind === 'type') return 'interface';
  if (kind === 'function' || kind === 'class' || kind === 'enum') return kind;
  return kind === 'namespace' ? 'module' : 'var';
}
