// Reads how many test cases passed and failed from the reports that GoogleTest and
// vitest write as JSON.
import { existsSync, readFileSync } from 'node:fs';

const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);

/** {passed, failed, skipped, names of failures} of a GoogleTest report, or undefined when there is none. */
export function gtestCounts(path) {
  const report = read(path);
  if (!report) return undefined;
  const cases = report.testsuites.flatMap((suite) => suite.testsuite.map((test) => [`${suite.name}.${test.name}`, test]));
  const failures = cases.filter(([, test]) => test.failures?.length).map(([name]) => name);
  const skipped = cases.filter(([, test]) => test.result === 'SKIPPED' || test.status === 'NOTRUN').length;
  return { passed: cases.length - failures.length - skipped, failed: failures.length, skipped, failures };
}

/** The same of a vitest report; a file that does not load counts as one failure. */
export function vitestCounts(path) {
  const report = read(path);
  if (!report) return undefined;
  const failures = [];
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    failures.push(...(file.status === 'failed' && failed.length === 0 ? [`${file.name} (does not load)`] : failed));
  }
  const skipped = report.numPendingTests + report.numTodoTests;
  return { passed: report.numPassedTests, failed: failures.length, skipped, failures };
}
