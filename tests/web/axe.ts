// What axe says of the page: the checks of assistive tools, in one place. And what is said to be hidden, and can be seen.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Rules that what is on the page now breaks seriously or critically, with the first place of each; of a part of the page where a
 * selector is given. Elements that are hidden, but shown all the same by a style, are told too.
 */
export async function faults(page: Page, selector = 'html'): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (within) => {
    const { axe } = globalThis as unknown as { axe: { run(context: object, options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } };
    const { violations } = await axe.run({ include: [within] }, { resultTypes: ['violations'] });
    // The bar for a run that is held keeps its room while it is hidden: nothing in it is visible.
    const seen = [...document.querySelectorAll(`${within} [hidden]`)].filter((each) => each.getClientRects().length > 0 && !each.closest('.pause-bar'));
    return [
      // Monaco names a suggestion by its label and kind, and shows a part of its type behind it.
      ...violations.map((each) => ({ ...each, nodes: each.nodes.filter(({ html }) => !(each.id === 'label-content-name-mismatch' && html.includes('monaco-list-row'))) })).filter(({ nodes }) => nodes.length > 0).filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)} ${nodes[0]!.failureSummary}`),
      ...seen.map((each) => `hidden, and shown: ${each.outerHTML.slice(0, 160)}`),
    ];
  }, selector);
}
