import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const NO_SLAVE = 'module one(input a, output b);\nassign b = a;\nendmodule\n';
/** The mistake is far below what a window shows. */
const LATE_MISTAKE = `${'// a comment\n'.repeat(200)}module broken(input a;\nendmodule\n`;

/** How often a text is on the page for people to read. */
const readings = (page: Page, part: string): Promise<number> =>
  page.evaluate(`document.querySelector('main').innerText.split(${JSON.stringify(part)}).length - 1`);

const button = (page: Page) => page.locator('.design-submit .button');

describe.skipIf(!hasChromium)('a failed build', IN_BROWSER, () => {
  const bench = startBench([], async (service) => {
    await service.build(1, 'late.v', LATE_MISTAKE);
    await service.build(2, 'one.v', NO_SLAVE);
  });

  test('shows the line of its reason', async () => {
    const { page, complaints } = await bench.open('/#/node/1/design');
    await page.locator('.cm-error-line').getByText('module broken').waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('shows its reason once', async () => {
    const { page, complaints } = await bench.open('/#/node/1/design');
    await page.getByText('failed here').waitFor();
    await page.locator('.cm-error-line').first().waitFor();
    await expect.poll(() => readings(page, "expected ')'")).toBe(1);
    // The page scans again to show why the modules did not fit.
    const scanned = page.waitForResponse((response) => response.url().endsWith('/scan'));
    await goTo(page, '#/node/2/design');
    await scanned;
    await page.locator('.cm-error-line').first().waitFor();
    await expect.poll(() => readings(page, 'no strobe or cycle input')).toBe(1);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('is not suggested by the primary button', async () => {
    const { page, complaints } = await bench.open('/#/node/5');
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    const file = { name: 'one.v', mimeType: 'text/plain', buffer: Buffer.from(NO_SLAVE) };
    await page.setInputFiles('input[type=file]', file);
    await page.getByText('No module is a usable Wishbone slave.').waitFor();
    await expect.poll(() => readings(page, 'no strobe or cycle input')).toBe(1);
    await expect.poll(() => button(page).first().getAttribute('class')).not.toContain('button-primary');
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
