import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** Less than half of the size of the module's `source`: every checked page compiles it. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** The pages have no frames, and no rule that is enabled needs the text of style sheets. */
const OPTIONS = { resultTypes: ['violations'], iframes: false, preload: false };

/** Adds axe to every document that the page opens from now on, which the policy of the documents does not prevent. */
export async function addAxe(page: Page): Promise<void> {
  await page.addInitScript({ content: SOURCE });
}

/** Findings of axe that are at least moderate, as lines. `addAxe` must have been called before. */
export async function axeIssues(page: Page): Promise<readonly string[]> {
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(OPTIONS)}).then((results) => results.violations)`,
  )) as readonly Violation[];
  return violations
    .filter(({ impact }) => impact !== null && impact !== 'minor')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
}
