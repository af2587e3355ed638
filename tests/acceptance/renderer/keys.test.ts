import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

/** The focused element, also inside shadow roots: its name, or its tag. */
const FOCUSED = `(() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element?.getAttribute('aria-label') ?? (element?.textContent || element?.tagName);
})()`;
const focused = (page: Page): Promise<string> => page.evaluate(FOCUSED);

describe.skipIf(!hasChromium)('the keyboard', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], async (service) => {
    await service.build(0, 'echo.v', example('echo.v'), 'lab-1');
  });

  test('/ searches the current view, with the rack beside it and without', async () => {
    const { page } = await bench.open();
    for (const width of [1280, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [hash, field] of [
        ['#/', 'Filter nodes'],
        ['#/node/0/log', 'Search the log'],
        ['#/jobs', 'Filter jobs'],
        ['#/node/0/history', 'Filter the history'],
      ] as const) {
        await goTo(page, hash);
        await page.getByLabel(field).waitFor();
        await page.keyboard.press('/');
        await expect.poll(() => focused(page)).toBe(field);
        await page.keyboard.press('Escape');
      }
      await goTo(page, '#/node/0/design');
      await page.locator('.cm-content').waitFor();
      await page.keyboard.press('/');
      await page.locator('.cm-search').waitFor();
    }
  });

  test('keys typed in one burst reach the screens that they open, even on first load', async () => {
    const { page } = await bench.open('', { viewport: { width: 1600, height: 900 }, idle: true });
    // The page loads the targets of keys ahead of time, once it is idle.
    const screens = () =>
      page.evaluate<string[]>(
        "performance.getEntriesByType('resource').filter(({ responseEnd }) => responseEnd > 0).map(({ name }) => name)",
      );
    await expect.poll(async () => (await screens()).join()).toMatch(/AuditScreen.*Wall/s);
    // Answers come late: the keys do not wait for them.
    await page.route(/\/(?:logs|jobs)/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.continue();
    });
    for (const [keys, field] of [
      ['0l/', 'Search the log'],
      ['h/', 'Filter the history'],
      ['gj/', 'Filter jobs'],
    ] as const) {
      // In one go: a sequence ends after a pause.
      await pressAll(page, ...keys);
      await page.keyboard.type('echo');
      await expect.poll(() => page.getByLabel(field).inputValue()).toBe('echo');
      await page.evaluate('document.activeElement.blur()');
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // A key right after a click on a link, before the browser reports the new address.
    await goTo(page, '#/');
    await page.getByRole('heading', { name: 'Bench' }).waitFor();
    await page.locator('.node-head').waitFor({ state: 'detached' });
    await page.evaluate(`(async () => {
      document.querySelector('a[aria-label^="Node 0,"]').click();
      await null;
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'l', bubbles: true }));
    })()`);
    await page.getByRole('tab', { name: 'Log', selected: true }).waitFor();
  });

  test('Escape leaves a field and the editor, and closing a dialog restores the previous focus', async () => {
    const { page } = await bench.open('/#/node/0/design');
    await page.locator('.cm-content').click();
    const editor = await focused(page);
    expect(editor).toMatch(/^Source of echo\.v/);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or command' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe(editor);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Release' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Release node 0?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Release');
    await goTo(page, '#/boards');
    await page.getByRole('button', { name: 'Check this board, slot 4' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Check this board, slot 4');
    await goTo(page, '#/settings');
    await page.getByLabel('Port', { exact: false }).first().focus();
    await page.keyboard.press('Escape');
    await pressAll(page, 'g', 'j');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  });
});
