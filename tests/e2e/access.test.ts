import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourcePath } from '../../server/paths.ts';
import { BUILD_TIMEOUT, E2E_TIMEOUT, goTo, hasChromium, launchBrowser, openPage } from './support/browser.ts';
import { ServiceProcess } from './support/service.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Serious and critical findings of axe-core on what is shown now. */
async function findings(page: Page): Promise<string[]> {
  // The page's own policy forbids inline scripts, so axe comes in through the debugger, not through the page.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource });
  const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

const sideways = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** What has the focus, and whether that can be seen. */
const FOCUS = `(() => {
  const element = document.activeElement ?? document.body;
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const after = getComputedStyle(element, '::after').outlineStyle;
  return {
    text: element.textContent ?? '',
    seen: outlineStyle !== 'none' || boxShadow !== 'none' || (after !== 'none' && after !== ''),
  };
})()`;

/** Every screen, by address, with what is there when it is drawn. */
const SCREENS: [name: string, hash: string, ready: string][] = [
  ['bench', '#/', 'Nodes'],
  ['design of an idle node', '#/node/5', 'Drop an HDL file here'],
  ['design that was built', '#/node/0/design', 'What the matcher found'],
  ['log', '#/node/0/log', 'Follow'],
  ['registers', '#/node/0/registers', 'Transactions'],
  ['report', '#/node/0/report', 'Utilisation'],
  ['history', '#/node/0/history', 'Accepted'],
  ['failed build', '#/node/1/design', 'failed'],
  ['jobs', '#/jobs', 'Accepted'],
  ['boards', '#/boards', 'Boards without a slot'],
  ['settings', '#/settings', 'Engines found'],
  ['unknown address', '#/nowhere', 'There is no such page.'],
];

describe.skipIf(!hasChromium)('everybody can use it', { timeout: E2E_TIMEOUT }, () => {
  let service: ServiceProcess;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([ServiceProcess.start(), launchBrowser()]);
    const echo = readFileSync(resourcePath('examples', 'echo.v'));
    await service.build(0, 'echo.v', echo, 'alice');
    await service.run(0, { op: 1, address: 16, data: [1, 2, 3] }, 'alice');
    await service.build(1, 'broken.v', 'module broken(input a;\nendmodule\n', 'bob');
  }, E2E_TIMEOUT);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`axe-core has no serious finding on any screen (${colorScheme})`, async () => {
      const { page, complaints } = await openPage(browser, service.url, { colorScheme });
      await page.getByText('live', { exact: true }).waitFor();
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(colorScheme);
      const found: string[] = [];
      for (const [name, hash, ready] of SCREENS) {
        await goTo(page, hash);
        if (ready === 'Nodes') await page.getByRole('list', { name: 'Nodes' }).waitFor();
        else await page.locator('.main-detail').getByText(ready).first().waitFor();
        for (const finding of await findings(page)) found.push(`${name}: ${finding}`);
        expect(await sideways(page), `${name} scrolls sideways`).toBeLessThanOrEqual(0);
      }
      for (const [key, role] of [
        ['Control+k', 'combobox'],
        ['?', 'dialog'],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole(role).first().waitFor();
        for (const finding of await findings(page)) found.push(`${key}: ${finding}`);
        await page.keyboard.press('Escape');
      }
      expect(found).toEqual([]);
      expect(complaints.list).toEqual([]);
      await page.context().close();
    });

  test('at 200 % zoom nothing is lost and nothing scrolls sideways', async () => {
    // 1280 × 800 at 200 % is a viewport of 640 × 400 CSS pixels.
    const { page } = await openPage(browser, service.url, {
      viewport: { width: 640, height: 400 },
      deviceScaleFactor: 2,
    });
    await page.getByText('live', { exact: true }).waitFor();
    for (const [name, hash] of SCREENS) {
      await goTo(page, hash);
      await page.waitForTimeout(150);
      expect(await sideways(page), `${name} scrolls sideways`).toBeLessThanOrEqual(0);
    }
    await goTo(page, '#/node/0/registers');
    await page.getByRole('button', { name: 'Release' }).click({ trial: true });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Build echo.v').click({ trial: true });
    await page.context().close();
  });

  test('reduced motion stands still', async () => {
    const { page } = await openPage(browser, service.url, { reducedMotion: 'reduce' });
    await page.getByRole('list', { name: 'Nodes' }).waitFor();
    const moving = await page.evaluate(
      'document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().duration) > 0).length',
    );
    expect(moving).toBe(0);
    await page.context().close();
  });

  test('the whole flow goes by keyboard alone, and the focus is always to be seen', async () => {
    const { page } = await openPage(browser, service.url);
    await page.getByText('live', { exact: true }).waitFor();
    // Arrow keys go through the rack as it is laid out: two columns.
    await page.getByRole('link', { name: /^Node 0,/ }).focus();
    for (const [key, id] of [
      ['ArrowRight', 1],
      ['ArrowDown', 3],
      ['ArrowLeft', 2],
      ['End', 9],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(`Node ${id},`);
    }
    // From the bench to an example, by Tab and Enter.
    await page.keyboard.press('7');
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^echo\.v/ }).waitFor();
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate<{ text: string; seen: boolean }>(FOCUS);
      if (focus.text !== '' && !focus.text.startsWith('Wishbench')) expect(focus.seen, focus.text).toBe(true);
      if (focus.text.startsWith('echo.v')) break;
    }
    await page.keyboard.press('Enter');
    await page.locator('dd', { hasText: 'word addresses' }).waitFor();
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    await page
      .locator('.node-head')
      .getByText('reserved', { exact: true })
      .waitFor({ timeout: BUILD_TIMEOUT });
    await page.keyboard.press('w');
    await page.keyboard.type('0x8=0x55');
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel').getByText('0x0000_0055').first().waitFor();
    await page.keyboard.press('Escape');
    // Release through the palette; the safe answer has the focus, so the other one is reached by Tab.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('release');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Release node 7?' }).waitFor();
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Keep as it is');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.node-head').getByText('idle', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.context().close();
  });
});
