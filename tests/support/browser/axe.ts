import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { SOAK } from '../soak.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

/** A screen without its frame, where another test looks at that. */
type Part = 'page' | 'screen';

async function violationsOn(page: Page, part: Part): Promise<Violation[]> {
  // The page's policy forbids inline scripts, so axe is loaded through the debugger. It stays until a reload.
  if (!(await page.evaluate<boolean>("'axe' in window"))) {
    const session = await page.context().newCDPSession(page);
    await session.send('Runtime.evaluate', { expression: source });
    await session.detach();
  }
  await page.evaluate(STANDS_STILL);
  const context = part === 'page' ? 'document' : SCREEN;
  const answer = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${context}, ${JSON.stringify(FOUND_ALONE)})`,
  );
  return answer.violations;
}

/** Every finding of axe-core on what is shown now. */
export const allFindings = async (page: Page, part: Part = 'page'): Promise<string[]> =>
  lines(await violationsOn(page, part));

/** Serious and critical findings of axe-core on what is shown now. */
export const findings = async (page: Page, part: Part = 'screen'): Promise<string[]> =>
  lines(
    (await violationsOn(page, part)).filter(({ impact }) => impact === 'serious' || impact === 'critical'),
  );

export type Theme = 'light' | 'dark';

/** Shows the page in a theme. */
export async function wear(page: Page, colorScheme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe(colorScheme);
}

/**
 * The themes in which a screen is looked at, the last of which it keeps: tests/unit/renderer/contrast.test.ts has the
 * contrasts of both, so one is enough but for the soak.
 */
export const THEMES: readonly Theme[] = SOAK ? ['light', 'dark'] : ['dark'];

/** See `findings`, in each of `THEMES`. */
export async function findingsInThemes(page: Page, part: Part = 'screen'): Promise<string[]> {
  const found: string[] = [];
  for (const theme of THEMES) {
    await wear(page, theme);
    found.push(...(await findings(page, part)).map((finding) => `${theme}: ${finding}`));
  }
  return found;
}
