import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that a theme can affect: those on colours that are on by default. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

const lines = (violations: readonly Violation[]): string[] =>
  violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${impact}): ${html}\n${failureSummary}`),
  );

/** All rules are tried on all elements; selectors are made and gathered of what is found, not of the thousands that are well. */
const FOUND_ALONE = { resultTypes: ['violations'] };

/** Ends when all colour transitions have begun and ended; endless animations do not count. */
const STANDS_STILL = `new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
  .then(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
        .map(({ finished }) => finished),
    ),
  )
  .then(() => {})`;

/** What is in the frame of the page, which is the same on every screen; all of the page where something lies above it. */
const SCREEN = `document.querySelector('dialog[open], :popover-open')
  ? document
  : (document.querySelector('.main-detail') ?? document)`;

/** @param context an expression of the page: what is looked at */
async function violationsOn(page: Page, options: object, context: string): Promise<Violation[]> {
  // The page's policy forbids inline scripts, so axe is loaded through the debugger. It stays until a reload.
  if (!(await page.evaluate<boolean>("'axe' in window"))) {
    const session = await page.context().newCDPSession(page);
    await session.send('Runtime.evaluate', { expression: source });
    await session.detach();
  }
  await page.evaluate(STANDS_STILL);
  const answer = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${context}, ${JSON.stringify({ ...FOUND_ALONE, ...options })})`,
  );
  return answer.violations;
}

/** A screen without its frame, where another test looks at that. */
type Part = 'page' | 'screen';

const within = (part: Part): string => (part === 'page' ? 'document' : SCREEN);

/** Every finding of axe-core on the current page. @param rules of those about colours, all that a theme can change */
export const allFindings = async (
  page: Page,
  rules: 'all' | 'colours' = 'all',
  part: Part = 'page',
): Promise<string[]> =>
  lines(await violationsOn(page, rules === 'all' ? {} : { runOnly: COLOUR_RULES }, within(part)));

/** Serious and critical findings of axe-core on what is shown now. */
export const findings = async (page: Page, part: Part = 'screen'): Promise<string[]> =>
  lines(
    (await violationsOn(page, {}, within(part))).filter(
      ({ impact }) => impact === 'serious' || impact === 'critical',
    ),
  );
