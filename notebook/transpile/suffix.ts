// Types across cells. Each cell is one module for the language service; a suffix after its text imports the names of
// earlier cells and exports its own, so no offset inside the cell moves. Leaves the language service to the editor.
import ts from 'typescript';
import type { Analysis, DeclarationKind } from './analyze.ts';

export interface SuffixCell {
  /** File name of the module, for example `file:///nb/c1.ts`. */
  readonly file: string;
  /** Name for imports, without `./` and `.ts`. */
  readonly base: string;
  readonly analysis: Analysis;
}

export interface NameOwner {
  readonly file: string;
  readonly base: string;
  readonly kind: DeclarationKind;
}

export interface Suffix {
  readonly text: string;
  /** Names of earlier cells that this cell can use, with the nearest earlier cell that declares each. */
  readonly scope: ReadonlyMap<string, NameOwner>;
  /**
   * Names that the cell assigns, so they come in as `declare let` and not as an import. `start` is the offset of the
   * name in cell text + suffix: a definition found there is really in the owner's cell.
   */
  readonly rebound: ReadonlyMap<string, { readonly owner: NameOwner; readonly start: number }>;
}

/** Suffixes for cells in document order. A name belongs to the nearest cell above that declares it. */
export function suffixes(cells: readonly SuffixCell[]): Suffix[] {
  const visible = new Map<string, NameOwner>();
  return cells.map((cell) => {
    const suffix = suffixOf(cell, visible);
    for (const { name, kind } of cell.analysis.declared.values()) {
      visible.set(name, { file: cell.file, base: cell.base, kind });
    }
    return suffix;
  });
}

function suffixOf({ analysis }: SuffixCell, visible: ReadonlyMap<string, NameOwner>): Suffix {
  const { text: cellText, declared, writes } = analysis;
  const scope = new Map<string, NameOwner>();
  const rebound = new Map<string, { owner: NameOwner; start: number }>();
  const imports = new Map<string, string[]>();
  let text = `${analysis.syntax.length > 0 ? closers(cellText) : ''}\n;`;
  for (const [name, owner] of visible) {
    if (declared.has(name)) continue;
    scope.set(name, owner);
    if (writes.has(name) && (owner.kind === 'let' || owner.kind === 'var')) {
      // An import cannot be assigned at all; a declared variable of the same type can, and is checked.
      text += 'declare let ';
      rebound.set(name, { owner, start: cellText.length + text.length });
      text += `${name}:typeof import('./${owner.base}').${name};`;
    } else {
      imports.set(owner.base, [...(imports.get(owner.base) ?? []), name]);
    }
  }
  for (const [base, names] of imports) text += `import{${names.join()}}from'./${base}';`;
  const own = [...declared.values()].filter(({ isExported }) => !isExported).map(({ name }) => name);
  text += `export{${own.join()}};`;
  return { text, scope, rebound };
}

/**
 * Text that closes what a broken cell left open (brackets, a template, a block comment), so that the suffix stands at
 * the top level. A regular expression that holds brackets may fool it; the worst is a missing completion.
 */
export function closers(text: string): string {
  const { SyntaxKind } = ts;
  const scanner = ts.createScanner(ts.ScriptTarget.ESNext, true, ts.LanguageVariant.Standard, text);
  // Closing text of everything open; a template waits as '`'.
  const open: string[] = [];
  let unfinished = '';
  for (let token = scanner.scan(); token !== SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === SyntaxKind.CloseBraceToken && open.at(-1) === '`') {
      token = scanner.reScanTemplateToken(false);
      if (token === SyntaxKind.TemplateTail) open.pop();
      else if (scanner.isUnterminated()) {
        open.pop();
        unfinished = '`';
      }
    } else if (token === SyntaxKind.TemplateHead) open.push('`');
    else if (token === SyntaxKind.NoSubstitutionTemplateLiteral && scanner.isUnterminated()) unfinished = '`';
    else if (token === SyntaxKind.OpenBraceToken) open.push('}');
    else if (token === SyntaxKind.OpenParenToken) open.push(')');
    else if (token === SyntaxKind.OpenBracketToken) open.push(']');
    else if (
      token === SyntaxKind.CloseBraceToken ||
      token === SyntaxKind.CloseParenToken ||
      token === SyntaxKind.CloseBracketToken
    ) {
      const at = open.lastIndexOf(ts.tokenToString(token) as string);
      if (at >= 0) open.length = at;
    }
  }
  if (/\/\*(?![\s\S]*\*\/)/.test(text)) unfinished = '*/';
  return unfinished + open.reverse().map((each) => (each === '`' ? '}`' : each)).join('');
}
