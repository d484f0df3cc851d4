// `npm test [-- suite...]`: runs every suite, or those named, and ends with one line
// `N passed, N failed` that adds up test cases.
import { command } from './setup.mjs';
import { say, seconds, SetupError } from './setup/common.mjs';
import { suites } from './test/suites.mjs';

await command(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say('npm test -- [suite...]\nRuns the named suites, or all. Builds what they need first.\n');
    for (const [name, { text }] of Object.entries(suites)) say(`  ${name.padEnd(10)}${text}`);
    return;
  }
  const unknown = args.filter((name) => !suites[name]);
  if (unknown.length) throw new SetupError(`There is no suite ${unknown.join(', ')}. Suites: ${Object.keys(suites).join(' ')}`);

  const start = Date.now();
  const lines = [];
  const total = { passed: 0, failed: 0 };
  for (const name of args.length ? args : Object.keys(suites)) {
    say(`\n== ${name}: ${suites[name].text}`);
    const began = Date.now();
    let result;
    try {
      result = await suites[name].run();
    } catch (error) {
      say(error instanceof SetupError ? error.message : error.stack);
      // A suite that could not run is one failure, so that no total looks clean without it.
      result = { passed: 0, failed: 1, skipped: 0, failures: [`${name} could not run`] };
    }
    total.passed += result.passed;
    total.failed += result.failed;
    const skipped = result.skipped ? `, ${result.skipped} skipped` : '';
    lines.push(
      `${name.padEnd(10)}${String(result.passed).padStart(6)} ok ${String(result.failed).padStart(4)} not ok${skipped}, ${seconds(began)}`,
    );
    lines.push(...result.failures.map((failure) => `          not ok: ${failure}`));
  }
  say(`\n${lines.join('\n')}\nall suites ${seconds(start)}\n`);
  say(`${total.passed} passed, ${total.failed} failed`);
  return total.failed ? 1 : 0;
});
