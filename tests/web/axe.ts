// What axe says of the page: the checks of assistive tools, in one place.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that what is on the page now breaks seriously or critically, with the first place of each. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    // Monaco names a suggestion by its label and kind, and shows a part of its type behind it.
    return violations.map((each) => ({ ...each, nodes: each.nodes.filter(({ html }) => !(each.id === 'label-content-name-mismatch' && html.includes('monaco-list-row'))) })).filter(({ nodes }) => nodes.length > 0).filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)} ${nodes[0]!.failureSummary}`);
  });
}
