import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const heightOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().height);

/** Every screen and view, with a sign that it is complete. */
const SCREENS: readonly [hash: string, complete: string][] = [
  ['#/', '.card-link'],
  ['#/node/0', '[data-register-command]'],
  ['#/node/1', '.gallery'],
  ['#/node/0/design', '.cm-content'],
  ['#/node/0/log', '.log'],
  ['#/node/0/panel', '.tabs-panel'],
  ['#/node/0/signals', '.tabs-panel'],
  ['#/node/0/report', '.tabs-panel table'],
  ['#/node/0/history', '.tabs-panel'],
  ['#/jobs', '.screen'],
  ['#/boards', '.boards .panel'],
  ['#/builds', '.screen'],
  ['#/settings', '.settings-section:nth-of-type(3)'],
  ['#/wall', '.wall .card-state'],
];

/** Sums up what moves without the person's doing, from the first byte of the page on. */
const WATCH_SHIFTS = `window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts.push(value);
  }).observe({ type: 'layout-shift', buffered: true });`;

const shifted = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
    .then(() => window.shifts.reduce((sum, value) => sum + value, 0))`);

describe.skipIf(!hasChromium)('space for the content', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], (service) => service.build(0, 'echo.v', example('echo.v'), 'lab-1'));

  test('the rack is a strip next to the waves at 1440 pixels; one key opens and pins it', async () => {
    const { page, complaints } = await bench.open('/#/node/0/registers', {
      as: 'lab-1',
      viewport: { width: 1440, height: 900 },
    });
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();
    await expect.poll(() => heightOf(page, '.node-head')).toBeLessThan(48);
    await goTo(page, '#/node/0/signals');
    const expand = page.getByRole('button', { name: 'Expand the rack' });
    await expand.waitFor();
    // The view has all but the strip and the navigation.
    await expect.poll(() => page.locator('.node').evaluate((node) => node.clientWidth)).toBeGreaterThan(1180);
    const other = page.getByRole('link', { name: /^Node 3, idle/ });
    await other.focus();
    await other.getByText('Node 3, idle').waitFor();
    await page.keyboard.press('b');
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();

    await page.getByRole('button', { name: 'Details of node 0' }).click();
    await page.getByRole('button', { name: /^Copy session id/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Details of node 0' }).waitFor({ state: 'detached' });
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('on a telephone and at 200 % the bars take less than 15 % of the height, and scroll away', async () => {
    const { page } = await bench.open('/#/node/0/registers', { as: 'lab-1' });
    for (const [width, height] of [
      [390, 844],
      [720, 450],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.locator('[data-register-command]').waitFor();
      const at = { message: `${width} pixels wide` };
      const bars = async () => (await heightOf(page, '.bar')) + (await heightOf(page, '.node-head'));
      await expect.poll(bars, at).toBeLessThan(0.15 * height);
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'), at)
        .toBeLessThanOrEqual(width);
      const scrolled = `(() => {
        document.querySelector('.app').scrollTo(0, 1e6);
        return document.querySelector('.node-head').getBoundingClientRect().bottom;
      })()`;
      await expect.poll(() => page.evaluate(scrolled), at).toBeLessThanOrEqual(0);
      // Content that a narrow header omits is one press away.
      await page.locator('.app').evaluate((app) => app.scrollTo(0, 0));
      await page.getByRole('button', { name: 'Details of node 0' }).click();
      await page.getByRole('button', { name: 'Release' }).first().waitFor();
      await page.keyboard.press('Escape');
    }
    await page.context().close();
  });

  test('no screen shifts while it loads', async () => {
    const { page } = await bench.open('', { as: 'lab-1', viewport: { width: 1440, height: 900 } });
    await page.addInitScript(WATCH_SHIFTS);
    for (const [index, [hash, complete]] of SCREENS.entries()) {
      // Another query makes another document, in the same process of the browser.
      await page.goto(`${bench.service.url}/?${index}${hash}`);
      await page.locator(complete).first().waitFor();
      expect([hash, (await shifted(page)) <= 0.02]).toEqual([hash, true]);
    }
    await page.context().close();
  });
});
