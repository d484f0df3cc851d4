// Runs ONNX's cases and counts: passed, applicable (all but the skipped ones), total, per operator and in all.

import { type Case, casesIn, type Outcome, runCase } from './cases.ts';

export interface Row {
  readonly operator: string;
  passed: number;
  /** Of these, within 1e-5. */
  tight: number;
  applicable: number;
  total: number;
  /** Reasons of skipped cases, with the number of cases. */
  readonly skipped: Map<string, number>;
}

export interface Score {
  readonly rows: readonly Row[];
  readonly failures: readonly { readonly name: string; readonly operator: string; readonly reason: string }[];
  readonly passed: number;
  readonly tight: number;
  readonly applicable: number;
  readonly total: number;
}

/** Runs the cases of a suite whose name or operator contains `only`. */
export function scoreSuite(folder: string, only = ''): Score {
  const outcomes = casesIn(folder)
    .filter((each) => each.name.includes(only) || each.operator.includes(only))
    .map((each) => [each, runCase(each)] as const);
  return scoreOf(outcomes);
}

export function scoreOf(outcomes: readonly (readonly [Case, Outcome])[]): Score {
  const rows = new Map<string, Row>();
  const failures: { name: string; operator: string; reason: string }[] = [];
  for (const [each, outcome] of outcomes) {
    const row = rows.get(each.operator) ?? { operator: each.operator, passed: 0, tight: 0, applicable: 0, total: 0, skipped: new Map() };
    rows.set(each.operator, row);
    row.total++;
    if (outcome.state === 'skipped') {
      row.skipped.set(outcome.reason, (row.skipped.get(outcome.reason) ?? 0) + 1);
      continue;
    }
    row.applicable++;
    if (outcome.state === 'failed') {
      failures.push({ name: each.name, operator: each.operator, reason: outcome.reason });
      continue;
    }
    row.passed++;
    if (outcome.isTight) row.tight++;
  }
  const sum = (key: 'passed' | 'tight' | 'applicable' | 'total'): number => [...rows.values()].reduce((total, row) => total + row[key], 0);
  const sorted = [...rows.values()].sort((a, b) => (a.operator < b.operator ? -1 : 1));
  return { rows: sorted, failures, passed: sum('passed'), tight: sum('tight'), applicable: sum('applicable'), total: sum('total') };
}
