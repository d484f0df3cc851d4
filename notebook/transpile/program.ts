// What the transpiler gives: diagnostics before a run, a program to run. Shapes only.

/** How a top-level name of a cell came to be; `const` and `import` cannot be assigned by other cells. */
export type NameKind = 'const' | 'let' | 'var' | 'function' | 'class' | 'import';

/** One name that a cell gives to all cells. */
export interface DeclaredName {
  readonly name: string;
  readonly kind: NameKind;
}

/**
 * Where compiled text is longer than the learner's text.
 * From `column` (1-based, in the compiled line) on, the source column is `column - by`.
 */
export interface ColumnShift {
  readonly line: number;
  readonly column: number;
  readonly by: number;
}

/** A compiled cell. Plain data; crosses to the kernel. */
export interface CellProgram {
  /** A script that assigns one async function to the global name `entry`. As many lines as the cell, and one more. */
  readonly code: string;
  readonly entry: string;
  readonly declared: readonly DeclaredName[];
  /** Whether the last statement is an expression whose value the cell shows. */
  readonly hasResult: boolean;
  /** Sorted by line, then column. */
  readonly shifts: readonly ColumnShift[];
}

/** A problem found before running. Offsets count UTF-16 units from 0; lines and columns count from 1. */
export interface Diagnostic {
  readonly start: number;
  readonly length: number;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** TypeScript's number, or one of ours from 90000 on. */
  readonly code: number;
  readonly message: string;
}
